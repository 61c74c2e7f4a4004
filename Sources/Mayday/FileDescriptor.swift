internal import CrashCapture

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An open file or directory that is closed with its owner. Its lock, when it has one, goes with it.
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes over an open descriptor.
    init(owning number: Int32) { self.number = number }

    /// Opens a file; `directory` nil is the working directory, which an absolute path ignores.
    init(
        opening path: String,
        in directory: borrowing FileDescriptor,
        flags: Int32,
        mode: mode_t = 0
    ) throws(SystemError) {
        try self.init(opening: path, at: directory.number, flags: flags, mode: mode)
    }

    /// Opens a file by its absolute path.
    init(opening path: String, flags: Int32, mode: mode_t = 0) throws(SystemError) {
        try self.init(opening: path, at: AT_FDCWD, flags: flags, mode: mode)
    }

    private init(opening path: String, at directory: Int32, flags: Int32, mode: mode_t) throws(SystemError) {
        number = mayday_open_at(directory, path, flags, UInt32(mode))
        if number < 0 { throw SystemError.last }
    }

    deinit { close(number) }

    /// Gives the descriptor to an owner that will close it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// What the descriptor refers to.
    func status() throws(SystemError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemError.last }
        return status
    }

    /// Takes the exclusive lock of the open file; false when another process has it.
    func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Gives up every lock at once. Closing does it too, but not while a child that is about to be another program shares
    /// the open file.
    func unlock() {
        _ = flock(number, LOCK_UN)
        _ = mayday_lock_part(number, false, 0, 0)
    }

    /// Takes the exclusive lock of one byte of the file, which is open for writing; false when another open of the file
    /// has it. It goes with the descriptor, as `flock`'s does, and is independent of that one.
    func lock(byte: Int64) throws(SystemError) -> Bool {
        guard mayday_lock_part(number, true, byte, 1) != 0 else { return true }
        guard SystemError.last.code == EAGAIN || SystemError.last.code == EACCES else { throw SystemError.last }
        return false
    }

    /// The first `limit` bytes from a place in the file, its start when none is given, whatever was read before.
    func read(at start: Int = 0, limit: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = pread(number, buffer.baseAddress.map { $0 + count }, limit - count, off_t(start + count))
                if got < 0 && SystemError.last.code == EINTR { continue }
                if got < 0 { failure = SystemError.last }
                if got <= 0 { return }
                count += got
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Names in this directory that are text, but `.` and `..`, in no order.
    func names() throws(SystemError) -> [String] {
        var names: [String] = []
        var stream = try DirectoryNames(of: self)
        while let name = stream.next() { names.append(name) }
        return names
    }

    /// What a dying process left here: in a memfd, or in a pipe, which holds a megabyte at most.
    func readReport() throws(SystemError) -> [UInt8]? {
        let status = try status()
        guard status.kind == MAYDAY_FILE_PIPE else {
            return 1...Spool.largestReport ~= Int(status.st_size) ? try read(limit: Int(status.st_size)) : nil
        }
        let limit = 1 << 20
        return [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = Self.read(
                    number,
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                )
                if got < 0 && SystemError.last.code == EINTR { continue }
                if got <= 0 { return }
                count += got
            }
        }
    }

    private static func read(_ number: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(number, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.read(number, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
            Darwin.read(number, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Writes all bytes. Above RLIMIT_FSIZE the kernel would also send SIGXFSZ, which ends the process: nothing is written then.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        let limit = mayday_inspect_file_size_limit()
        if limit < UInt64(Spool.largestReport), let status = try? status(), status.isRegular,
            UInt64(status.st_size) + UInt64(bytes.count) > limit
        {
            throw SystemError(code: EFBIG)
        }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Self.write(number, UnsafeRawBufferPointer(rebasing: buffer[written...]))
            }
            if count < 0 && SystemError.last.code == EINTR { continue }
            guard count > 0 else { throw SystemError.last }
            written += count
        }
    }

    private static func write(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(number, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(number, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
            Darwin.write(number, bytes.baseAddress, bytes.count)
        #endif
    }
}
