#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The names in a directory that are text, but `.` and `..`, one after the other and in no order: a directory may hold more than
/// should be in memory. What comes or goes meanwhile is among them or not.
struct DirectoryNames: ~Copyable {
    #if canImport(Darwin)
        private let stream: UnsafeMutablePointer<DIR>
    #else
        private let stream: OpaquePointer
    #endif

    init(of directory: borrowing FileDescriptor) throws(SystemError) {
        let own = try FileDescriptor(opening: ".", in: directory, flags: O_RDONLY | O_DIRECTORY)
        guard let stream = fdopendir(own.number) else { throw SystemError.last }
        _ = own.release()
        self.stream = stream
    }

    /// The next name; nil at the end.
    mutating func next() -> String? {
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { return name }
        }
        return nil
    }

    /// The next that is a file of the spool; nil at the end.
    mutating func nextEntry() -> SpoolEntry? {
        while let name = next() {
            if let entry = SpoolEntry(fileName: name) { return entry }
        }
        return nil
    }

    deinit { closedir(stream) }
}
