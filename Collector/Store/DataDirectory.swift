import Foundation
import Synchronization

/// The directory that holds everything a collector keeps on disk.
public struct DataDirectory: Sendable, Equatable {
    /// As the user gave it.
    public let path: String

    /// The directory at a path; nothing is looked at yet.
    public init(_ path: String) { self.path = path }

    /// The SQLite database in it.
    public var database: String { "\(path)/mayday.sqlite" }

    /// The debug files in it.
    public var symbols: String { "\(path)/symbols" }

    /// Makes the directory (0700) unless it is there, and sees that it is this user's own. The mode of one that is there is
    /// left as it is, and what others use is refused.
    public func create() throws(StoreError) {
        if mkdir(path, 0o700) == 0 { return }
        if errno != EEXIST {
            throw unusable(
                "\(describe(errno)); make its parent directory, or give another with --data DIR or MAYDAY_DATA"
            )
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw unusable(describe(errno)) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw unusable("it is not a directory; give another with --data DIR or MAYDAY_DATA")
        }
        guard status.st_uid == geteuid() else {
            throw unusable(
                "it belongs to user \(status.st_uid) and this is user \(geteuid()); "
                    + "run as its owner, or give another with --data DIR or MAYDAY_DATA"
            )
        }
        guard access(path, W_OK | X_OK) == 0 else {
            if errno == EROFS {
                throw unusable("its file system is read-only; mount it for writing, or give another with --data DIR")
            }
            throw unusable("\(describe(errno)); `chmod u+rwx \(path)`, or give another with --data DIR")
        }
        if status.st_mode & 0o077 != 0, let file = foreignFile {
            throw unusable(
                "it is open to other users, and \(file) in it is not of a store; give a directory of the collector's own, "
                    + "such as --data \(path)/mayday-data, or `chmod 700 \(path)` if nobody else needs it"
            )
        }
    }

    /// The name of something in the directory that no collector has put there; nil when there is a store in it.
    private var foreignFile: String? {
        guard access(database, F_OK) != 0 else { return nil }
        let own: Set = ["serve.lock", "symbols", "lost+found"]
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        return (names ?? []).sorted().first { !own.contains($0) }
    }

    /// Takes the right to serve this directory until the lock is released or the process ends.
    public func lock() throws(StoreError) -> ServeLock {
        let file = "\(path)/serve.lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unusable("\(file): \(describe(errno))") }
        var whole = OpenFileLock.whole()
        guard fcntl(descriptor, OpenFileLock.set, &whole) == 0 else {
            var text = [UInt8](repeating: 0, count: 32)
            let length = read(descriptor, &text, text.count)
            close(descriptor)
            let pid = String(decoding: text.prefix(max(0, length)), as: UTF8.self).filter(\.isNumber)
            throw .served(path: path, by: pid.isEmpty ? "its process id is not known" : "process \(pid)")
        }
        let pid = Array("\(getpid())\n".utf8)
        // Only for the message above; the lock itself does not depend on it.
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, pid, pid.count) }
        return ServeLock(descriptor)
    }

    /// True while some process holds the lock.
    public var isServed: Bool {
        let descriptor = open("\(path)/serve.lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Only asks: a lock taken for a moment could refuse a `serve` that starts in that moment.
        var whole = OpenFileLock.whole()
        return fcntl(descriptor, OpenFileLock.get, &whole) == 0 && whole.l_type != Int16(F_UNLCK)
    }

    private func unusable(_ reason: String) -> StoreError { .unusable(path: path, reason: reason) }
}

/// The right to serve a data directory.
public final class ServeLock: Sendable {
    private let descriptor: Mutex<Int32?>

    init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

    /// Gives the right back.
    public func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    deinit { release() }
}

/// Locks that belong to an open file, as those of `flock` do, but that can be asked for (fcntl(2), "Open file description
/// locks"). Their commands are not imported: the C header hides them behind `_GNU_SOURCE`.
private enum OpenFileLock {
    static let get: Int32 = 36
    static let set: Int32 = 37

    /// For writing, from the first byte to the end; the process id must be 0.
    static func whole() -> flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}

func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
