#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The start of a file, as the kernel's pseudo files are read; nil when it cannot be opened or read.
func readFile(_ path: String, limit: Int) -> [UInt8]? {
    guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY) else { return nil }
    return try? file.read(limit: limit)
}

/// What follows `start` on the first line that begins with it.
func value(ofLine start: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: start.utf8) {
        return line.dropFirst(start.utf8.count)
    }
    return nil
}

/// The part of a path after its last `/`.
func lastComponent(_ path: String) -> String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] }
    return name.map { String(Substring($0)) } ?? path
}

/// Absolute path of the executable of this process; nil when it is not known.
func executablePath() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let length = buffer.baseAddress.map { readlink("/proc/self/exe", $0, buffer.count) } ?? -1
        guard length > 0 else { return nil }
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
