/// Where a symbol store keeps the file of a build.
public enum SymbolStorePath {
    /// `ab/cdef….gz` for build id `abcdef…`, below the store's directory; nil for what is no build id, which could lead elsewhere.
    public static func file(of buildID: String) -> String? {
        let digits = buildID.utf8
        guard digits.count >= 8, digits.count <= 128, digits.count % 2 == 0,
            digits.allSatisfy({
                ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                    || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f"))
            })
        else { return nil }
        return "\(buildID.prefix(2))/\(buildID.dropFirst(2)).gz"
    }
}
