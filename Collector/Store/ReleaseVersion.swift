/// A release as something that comes before or after another: `checkout@1.4.2`, `1.4.2`, `v1.4.2-rc.1+build`, `2026-11-30`.
///
/// Read leniently, ordered as Semantic Versioning 2.0.0 says (section 11): numbers by their value, a pre-release before its
/// release, what follows `+` ignored. A commit's hash has no order.
public struct ReleaseVersion: Sendable {
    private let name: Substring?
    private let numbers: [Int]
    private let preRelease: [Substring]

    /// Reads a release; nil when it has no order.
    public init?(_ release: String) {
        let at = release.lastIndex(of: "@")
        name = at.map { release[..<$0] }
        var rest = at.map { release[release.index(after: $0)...] } ?? release[...]
        if rest.first == "v" || rest.first == "V" { rest.removeFirst() }
        rest = rest.prefix { $0 != "+" }
        let core = rest.prefix { $0 != "-" }
        var numbers: [Int] = []
        for part in core.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(part) else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
        preRelease = rest.dropFirst(core.count + 1).split(separator: ".")
    }

    /// True when this comes before, false when it is the same or comes after, nil for releases of different services.
    public func precedes(_ other: ReleaseVersion) -> Bool? {
        if let name, let otherName = other.name, name != otherName { return nil }
        if numbers != other.numbers { return numbers.lexicographicallyPrecedes(other.numbers) }
        // Without one it is the release itself, and comes after.
        guard !preRelease.isEmpty, !other.preRelease.isEmpty else {
            return !preRelease.isEmpty && other.preRelease.isEmpty
        }
        for (own, others) in zip(preRelease, other.preRelease) where own != others {
            return switch (Int(own), Int(others)) {
            case (let own?, let others?): own < others
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): own < others
            }
        }
        return preRelease.count < other.preRelease.count
    }

    /// `precedes` by their texts; nil when they cannot be compared.
    public static func precedes(_ left: String, _ right: String) -> Bool? {
        guard let left = ReleaseVersion(left), let right = ReleaseVersion(right) else { return nil }
        return left.precedes(right)
    }
}
