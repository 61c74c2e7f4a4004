internal import CrashCapture

/// Where a collector is and with which key: `scheme://KEY@host[:port][/prefix]/PROJECT`.
///
/// It keeps the text as it was given, checked, and where its parts are. The parts are made when something is sent: at the
/// first line of `main`, nothing of what makes texts is in memory yet.
package struct DSN: Sendable, Equatable {
    private let text: String
    private let layout: DSNLayout

    /// Parses a DSN.
    ///
    /// - Parameter dropsSecret: whether `KEY:SECRET@` is read as `KEY@`, as old DSNs of Sentry have it.
    init(_ text: String, dropsSecret: Bool = false) throws(DSNError) {
        var text = text
        layout = try text.withUTF8 { DSNLayout.find(in: $0, dropsSecret: dropsSecret) }.get()
        self.text = text
    }

    /// The DSN in an environment variable, or `text` when there is none.
    package init(
        _ text: String,
        variable name: String?,
        environment: (String) -> String? = environmentVariable,
        dropsSecret: Bool = false,
        example: StaticString = DSNError.example
    ) throws(DSNError) {
        let override = name.flatMap(environment).flatMap { $0.isEmpty ? nil : $0 }
        do {
            self = try DSN(override ?? text, dropsSecret: dropsSecret)
        } catch {
            var error = error
            if override != nil { error.variable = name }
            error.example = "\(example)"
            throw error
        }
    }

    /// `http` or `https`.
    package var scheme: String { part(layout.scheme, lowercase: true) }
    /// The project's key, percent-decoded. Secret.
    package var key: String { String(decoding: percentDecoded(Array(text.utf8)[layout.key]), as: UTF8.self) }
    /// Name or address; an IPv6 address is without its brackets.
    package var host: String { part(layout.host, lowercase: true) }
    /// nil for the scheme's own port.
    package var port: UInt16? { layout.port }
    /// Where the collector lives behind a proxy: empty, or `/prefix` as it was written.
    package var prefix: String { layout.prefix.isEmpty ? "" : "/" + part(layout.prefix) }
    /// Id of the project.
    package var project: String { part(layout.project) }

    private func part(_ range: Range<Int>, lowercase: Bool = false) -> String {
        let bytes = Array(text.utf8)[range]
        return String(decoding: lowercase ? bytes.map(lowercased)[...] : bytes, as: UTF8.self)
    }

    /// `127.0.0.1:7171`, `[::1]:7171`: for people and for the URL.
    package var authority: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(host):\($0)" } ?? host
    }

    /// Where reports are posted.
    package var reportsURL: String { "\(apiURL)/reports" }

    /// What the API of the project begins with.
    package var apiURL: String { "\(scheme)://\(authority)\(prefix)/api/\(project)" }

    /// True when the host is this machine by name or address; the way there never leads through a proxy.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < UInt8(ascii: ":") })
    }
}

/// A DSN that cannot be used. Its text names the part and never repeats the key.
public struct DSNError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The parts of a DSN, `scheme://key@host:port/project`.
    public enum Part: String, Sendable, CaseIterable {
        /// `http` or `https`.
        case scheme
        /// The project's key.
        case key
        /// Name or address of the collector.
        case host
        /// Its port, when it is not the scheme's own.
        case port
        /// Id of the project, the last part of the path.
        case project
    }

    /// The part that is wrong or missing.
    public let part: Part
    /// What is wrong with it.
    public let problem: String
    /// The variable the DSN came from, `MAYDAY_DSN`; nil when the program gave it.
    public internal(set) var variable: String?
    /// What a good one looks like.
    var example = "\(DSNError.example)"

    init(part: Part, problem: String) {
        self.part = part
        self.problem = problem
    }

    /// The part, the problem and an example in one line.
    public var description: String {
        let source = variable.map { "the DSN in \($0)" } ?? "the DSN"
        return "\(source): \(part.rawValue) \(problem); write it like \(example)"
    }

    package static let example: StaticString = "https://KEY@mayday.example.com:7171/1"
}

/// A variable of the environment, for an adapter's settings; nil when there is none, or the environment is not to be trusted.
package func environmentVariable(_ name: String) -> String? {
    withText(name) { mayday_variable($0) }.map { String(cString: $0) }
}

/// The bytes with their `%41` replaced, of a text that was checked.
private func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%"), let high = rest.popFirst(), let low = rest.popFirst() else {
            decoded.append(byte)
            continue
        }
        decoded.append((hexDigit(high) ?? 0) << 4 | (hexDigit(low) ?? 0))
    }
    return decoded
}
