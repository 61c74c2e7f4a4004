internal import Foundation

/// What lies below a directory, in the order of the names.
///
/// Links are followed to files, as those of `/var/log/containers`, and not to directories, which may lead anywhere. Paths are bytes: a name
/// need not be text.
struct DirectoryWalk {
    /// What was found.
    enum Entry: Equatable {
        case file
        /// No file that could be read, or none of a name that is meant; why.
        case leftOut(String)
        /// A file that is meant and cannot be read, or a directory that cannot be searched; why.
        case unreadable(String)
    }

    /// Calls `body` with everything below.
    static func visit<Failure>(
        _ directory: [UInt8],
        _ body: (_ path: [UInt8], Entry) throws(Failure) -> Void
    ) throws(Failure) {
        guard let names = names(in: directory) else {
            return try body(directory, .unreadable(String(cString: strerror(errno))))
        }
        for name in names {
            let path = directory + (directory.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name
            var facts = stat()
            guard withCString(path, { lstat($0, &facts) }) == 0 else {
                try body(path, .unreadable(String(cString: strerror(errno))))
                continue
            }
            let isLink = facts.st_mode & S_IFMT == S_IFLNK
            guard isLink || facts.st_mode & S_IFMT != S_IFDIR else {
                try visit(path, body)
                continue
            }
            try body(path, entry(path, name, isLink: isLink, &facts))
        }
    }

    private static func entry(_ path: [UInt8], _ name: [UInt8], isLink: Bool, _ facts: inout stat) -> Entry {
        let meaning = ImportedName(String(decoding: name, as: UTF8.self))
        if case .other(let reason) = meaning { return .leftOut(reason) }
        if isLink, withCString(path, { stat($0, &facts) }) != 0 {
            return .unreadable(String(cString: strerror(errno)))
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return .leftOut("a link to a directory: name that to have it searched")
        default: return .leftOut("no file, but a pipe, a socket or a device")
        }
        if case .packed(let reason) = meaning { return .unreadable(reason) }
        return .file
    }

    /// Sorted; nil, with `errno`, when there are none to be had.
    private static func names(in directory: [UInt8]) -> [[UInt8]]? {
        guard let stream = withCString(directory, { opendir($0) }) else { return nil }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let start = UnsafeRawPointer(entry) + offset
            let name = Array(
                UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
            )
            if ![[0x2e], [0x2e, 0x2e]].contains(name) { names.append(name) }
        }
        // A search that fails in between has not found everything.
        guard errno == 0 else { return nil }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// Calls `body` with a path as the system takes it.
func withCString<Value>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Value) -> Value {
    (path + [0]).withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { chars in
            guard let start = chars.baseAddress else { return "".withCString(body) }
            return body(start)
        }
    }
}
