internal import CrashCapture
internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The directory in which the reports of one service wait for their delivery.
///
/// | file | what it is |
/// |---|---|
/// | `ID.jsonl.gz` | a complete report |
/// | `ID.jsonl.gz.part` | a report being written by a dying process, which holds its lock |
/// | `ID.NAME.delivery` | what the uploader NAME did about the report so far, see `DeliveryRecord` |
/// | `NAME.discarded` | what was not sent to it and not told yet, see `DiscardReason` |
/// | `NAME.pause` | until when the uploader's backend asked to be left alone, and which that is |
/// | `last-crash`, `last-child-crash` | what the next start is told, see `Mayday.lastRun` |
/// | `rejected/ID.jsonl.gz`, `rejected/ID.txt` | a report that a backend will never take, and why |
///
/// Everything else is left alone. Whoever delivers a report to a backend holds the uploader's lock of its file, which the
/// kernel releases with the process, and the file goes only after the answer of every backend: several processes and
/// several uploaders on one spool neither lose a report nor deliver it side by side, whenever one of them is killed.
struct Spool: ~Copyable, Sendable {
    /// Absolute path.
    let path: String
    let directory: FileDescriptor

    /// Reports above this many bytes are set aside; the capture stays far below.
    static let largestReport = 16 << 20

    /// Opens a service's directory that exists, after checking whose it is.
    init(opening path: String) throws(SpoolError) {
        var directory = MaydaySpoolDirectory()
        mayday_spool_directory_open(path, &directory)
        if let error = SpoolError(directory) { throw error }
        self.init(directory: FileDescriptor(owning: directory.fd), path: path)
    }

    init(directory: consuming FileDescriptor, path: String) {
        self.directory = directory
        self.path = path
    }

    // MARK: Listing

    /// What waits in the spool, the oldest first.
    func entries() throws(SystemError) -> [SpoolEntry] {
        // Their names begin with the time.
        try directory.names().sorted().compactMap(SpoolEntry.init(fileName:))
    }

    /// Of how many reports more than their number is in memory at a time, however many wait.
    static let window = 512

    /// What has this name; nil when nothing has.
    func status(of name: String) throws(SystemError) -> stat? {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if SystemError.last.code == ENOENT { return nil }
            throw SystemError.last
        }
        return status
    }

    /// Removes a file; one that is gone already is as good.
    func remove(_ name: String) throws(SystemError) {
        guard unlinkat(directory.number, name, 0) == 0 || SystemError.last.code == ENOENT else {
            throw SystemError.last
        }
    }

    /// Opens a file of our own beside the reports to write to it. What has its name and is none, a pipe or a link that somebody
    /// made, is replaced, and one that is too large to be read is emptied: it would be in the way of every delivery.
    func openOwn(_ name: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        do {
            let file = try openRegular(name, flags)
            if try file.status().st_size > Spool.largestOwn { ftruncate(file.number, 0) }
            return file
        } catch {
            guard let status = try status(of: name), !status.isRegular,
                unlinkat(directory.number, name, status.kind == MAYDAY_FILE_DIRECTORY ? AT_REMOVEDIR : 0) == 0
            else { throw error }
            return try openRegular(name, flags)
        }
    }

    /// How much is read of a file of our own.
    static let largestOwn = 1 << 20

    /// Opens a regular file, without ever waiting for the other end of a pipe.
    func openRegular(_ name: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        let flags = flags | O_NOFOLLOW | O_NONBLOCK
        let file = try FileDescriptor(opening: name, in: directory, flags: flags, mode: 0o600)
        guard try file.status().isRegular else { throw SystemError(code: EINVAL) }
        return file
    }

    /// How many reports were set aside.
    func rejected() throws(SystemError) -> Int {
        guard let rejected: Spool = try rejected() else { return 0 }
        var count = 0
        var files = try DirectoryNames(of: rejected.directory)
        while files.nextEntry() != nil { count += 1 }
        return count
    }

    // MARK: Claiming

    /// Takes a complete report for delivery by one uploader.
    func claim(_ id: String, for uploader: UploaderName) throws(SystemError) -> Claim {
        let entry = SpoolEntry(id: id, isPart: false)
        return try claim(entry, flags: O_RDWR) { file throws(SystemError) in try file.lock(byte: uploader.lockByte) }
    }

    /// Whether a process is delivering a report by an uploader now.
    func isTaken(_ id: String, by uploader: UploaderName) -> Bool {
        do throws(SystemError) {
            switch try claim(id, for: uploader) {
            case .taken: return true
            case .gone: return false
            case .claimed: return false
            }
        } catch {
            return false
        }
    }

    private func claim(
        _ entry: SpoolEntry,
        flags: Int32,
        lock: (borrowing FileDescriptor) throws(SystemError) -> Bool
    ) throws(SystemError) -> Claim {
        let file: FileDescriptor
        do { file = try openRegular(entry.fileName, flags) } catch {
            if error.code == ENOENT { return .gone }
            throw error
        }
        guard try lock(file) else { return .taken }
        // Between the open and the lock somebody may have delivered it: the lock counts only while the name is this file.
        guard try isSame(entry.fileName, file) else { return .gone }
        return .claimed(ClaimedReport(entry: entry, file: file))
    }

    private func isSame(_ name: String, _ file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        guard let named = try status(of: name) else { return false }
        let opened = try file.status()
        return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    // MARK: Adding

    /// Puts a report of a running process into the spool, durable before it has its name.
    func add(_ gzip: [UInt8], id: String) throws(SystemError) {
        let part = SpoolEntry(id: id, isPart: true).fileName
        let file = try FileDescriptor(
            opening: part,
            in: directory,
            flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
            mode: 0o600
        )
        // As the handler does: an unlocked part is one whose writer was killed.
        _ = file.lock()
        do throws(SystemError) {
            try file.write(gzip)
            guard fsync(file.number) == 0,
                renameat(directory.number, part, directory.number, SpoolEntry(id: id, isPart: false).fileName) == 0
            else { throw SystemError.last }
        } catch {
            try? remove(part)
            throw error
        }
        file.unlock()
        fsync(directory.number)
    }

    // MARK: Setting aside

    /// Sets a report aside with the reason beside it. Returns its new path.
    @discardableResult
    func reject(_ entry: SpoolEntry, reason: String) throws(SystemError) -> String {
        guard mkdirat(directory.number, "rejected", 0o700) == 0 || SystemError.last.code == EEXIST else {
            throw SystemError.last
        }
        guard let rejected: Spool = try rejected() else { throw SystemError(code: ENOENT) }
        let note = try rejected.openOwn("\(entry.id).txt", O_WRONLY | O_CREAT | O_TRUNC)
        try note.write(Array("\(reason)\n".utf8))
        let name = entry.fileName
        // Another uploader may have come first with the same: all of them had answered.
        guard renameat(directory.number, name, rejected.directory.number, name) == 0 || SystemError.last.code == ENOENT
        else {
            throw SystemError.last
        }
        fsync(rejected.directory.number)
        return "\(path)/rejected/\(name)"
    }

    // MARK: Reports whose writer died

    /// Promotes what a killed writer left behind when it is a report, however short; sets it aside when it is none.
    ///
    /// - Parameter now: Unix time in seconds. A file that is empty may be about to get its lock from a living writer, and
    ///   is removed only after a minute.
    func settle(_ entry: SpoolEntry, now: Int) throws(SystemError) {
        guard entry.isPart, let before = try status(of: entry.fileName) else { return }
        let isEmpty = before.st_size == 0
        if isEmpty && now - before.modified <= 60 { return }
        guard case .claimed(let report) = try claim(entry, flags: O_RDONLY, lock: { $0.lock() }) else { return }
        if isEmpty {
            if try report.file.status().st_size == 0 { try remove(entry.fileName) }
            return
        }
        let start = try report.file.read(limit: Spool.largestReport)
        guard reportID(in: start) == entry.id else {
            try reject(entry, reason: "its writer was killed before its first line was complete, or it is another's")
            return
        }
        let complete = SpoolEntry(id: entry.id, isPart: false).fileName
        guard renameat(directory.number, entry.fileName, directory.number, complete) == 0 else {
            throw SystemError.last
        }
        fsync(directory.number)
    }
}

/// A file of the spool, by its name.
struct SpoolEntry: Sendable, Equatable {
    let id: String
    let isPart: Bool

    init(id: String, isPart: Bool) {
        self.id = id
        self.isPart = isPart
    }

    /// nil for a name that is not the spool's.
    init?(fileName: String) {
        let isPart = fileName.hasSuffix(".jsonl.gz.part")
        guard isPart || fileName.hasSuffix(".jsonl.gz") else { return nil }
        let id = String(fileName.utf8.prefix(36)) ?? ""
        guard ReportID.isValid(id) else { return nil }
        self.init(id: id, isPart: isPart)
        guard self.fileName == fileName else { return nil }
    }

    var fileName: String { isPart ? "\(id).jsonl.gz.part" : "\(id).jsonl.gz" }

    /// When the report was made, in milliseconds since 1970: the first 48 bits of its id (RFC 9562, UUIDv7).
    var milliseconds: Int64 { Int64(String(id.filter { $0 != "-" }.prefix(12)), radix: 16) ?? 0 }
}

/// Outcome of claiming a report.
enum Claim: ~Copyable, Sendable {
    case claimed(ClaimedReport)
    /// Another process, or another round of this one, has it.
    case taken
    /// It was delivered, or never was there.
    case gone
}

/// A report that this owner alone may deliver, until the value goes.
struct ClaimedReport: ~Copyable, Sendable {
    let entry: SpoolEntry
    let file: FileDescriptor

    init(entry: SpoolEntry, file: consuming FileDescriptor) {
        self.entry = entry
        self.file = file
    }

    deinit { file.unlock() }

    /// The bytes of the file; nil when it is empty or above `Spool.largestReport`.
    func read() throws(SystemError) -> [UInt8]? {
        let size = try file.status().st_size
        guard size > 0, size <= Spool.largestReport else { return nil }
        return try file.read(limit: Int(size))
    }
}

extension stat {
    var kind: MaydayFileKind { mayday_file_kind(UInt32(st_mode)) }
    /// False for a directory, a pipe, a link or a device.
    var isRegular: Bool { kind == MAYDAY_FILE_REGULAR }

    /// Unix time of the last change, in seconds.
    var modified: Int {
        #if canImport(Darwin)
            Int(st_mtimespec.tv_sec)
        #else
            Int(st_mtim.tv_sec)
        #endif
    }
}
