internal import CrashCapture

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the loader would find a library, without loading it: it may take megabytes that the service does not need yet.
enum LibrarySearch {
    /// The file of a library by its name, `libcurl.so.4`; nil when it is nowhere that was looked (ld.so(8)): the
    /// directories of `LD_LIBRARY_PATH`, the loader's cache, and its default directories.
    static func find(_ name: String) -> String? {
        var candidates: [String] = []
        if let paths = environmentVariable("LD_LIBRARY_PATH") {
            candidates += paths.split(separator: ":").map { "\($0)/\(name)" }
        }
        candidates += cached(name)
        candidates += ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"].map { "\($0)/\(name)" }
        return candidates.first { access($0, R_OK) == 0 }
    }

    /// Paths in the loader's cache: texts that end in NUL, among them the path of each library by its name.
    private static func cached(_ name: String) -> [String] {
        guard let cache = readFile("/etc/ld.so.cache", limit: 4 << 20) else { return [] }
        let end = Array("/\(name)".utf8)
        return cache.split(separator: 0).filter { text in
            text.first == UInt8(ascii: "/") && text.count > end.count && text.suffix(end.count).elementsEqual(end)
        }.map { String(decoding: $0, as: UTF8.self) }
    }
}
