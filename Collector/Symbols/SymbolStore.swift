internal import CZlib
import Foundation
public import Symbolication

/// Debug files by build id, in a directory: each packed, with a line of JSON beside it that says what it is.
///
/// Several processes may use one directory: a file is there whole or not at all, and a better one takes the place of a lesser.
public struct SymbolStore: Sendable {
    /// The directory.
    public let path: String

    /// The store in a directory, which is made when something is first added.
    public init(_ path: String) { self.path = path }

    /// A file that is kept.
    public struct Entry: Sendable, Equatable, Codable {
        /// Build id, lower-case hex.
        public var buildID: String
        /// Name of the file that was added.
        public var name: String
        /// What it has.
        public var content: DebugFileFacts.Content
        /// Bytes of the file.
        public var size: Int
        /// Bytes that it takes here.
        public var stored: Int
        /// When it was added, RFC 3339.
        public var added: String

        /// A file by what is known of it.
        public init(
            buildID: String,
            name: String,
            content: DebugFileFacts.Content,
            size: Int,
            stored: Int,
            added: String
        ) {
            (self.buildID, self.name, self.content) = (buildID, name, content)
            (self.size, self.stored, self.added) = (size, stored, added)
        }
    }

    /// What became of a file.
    public enum Addition: Sendable, Equatable {
        /// It is kept; a lesser one of the same build is gone.
        case stored(Entry)
        /// One that has as much is there already.
        case duplicate(Entry)
        /// It cannot serve: why, and what to do.
        case refused(String)
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - file: what it says of itself.
    ///   - source: where it is; it is not changed.
    ///   - name: what to call it in lists.
    ///   - wanted: the build id that it must have, when it was given with one.
    ///   - isPacked: it is gzip already, in this store's directory, and is moved instead of copied.
    public func add(
        _ file: DebugFileFacts,
        from source: String,
        named name: String,
        wanted: String? = nil,
        isPacked: Bool = false,
        at time: String
    ) throws(SymbolStoreError) -> Addition {
        guard let buildID = file.buildID, let target = SymbolStorePath.file(of: buildID) else {
            return .refused("it has no build id: link with --build-id")
        }
        if let wanted, wanted != buildID { return .refused("its build id is \(buildID), not \(wanted)") }
        if let reason = Self.refusal(of: file) { return .refused(reason) }
        if let known = entry(of: buildID), known.content >= file.content { return .duplicate(known) }
        try makeDirectory("\(path)/\(buildID.prefix(2))")
        let stored = try isPacked ? move(source, to: target) : pack(source, as: target)
        let entry = Entry(
            buildID: buildID,
            name: name,
            content: file.content,
            size: file.size,
            stored: stored,
            added: time
        )
        try write(entry, beside: target)
        return .stored(entry)
    }

    /// Why a file cannot serve, and what to do; nil when it can.
    public static func refusal(of file: DebugFileFacts) -> String? {
        if file.buildID == nil { return "it has no build id: link with --build-id" }
        if file.isCut { return "it is cut short: copy it again" }
        return file.content > .nothing ? nil : "it has no names and no debug information: do not strip it"
    }

    /// What is kept of a build.
    public func entry(of buildID: String) -> Entry? {
        guard let file = SymbolStorePath.file(of: buildID), access("\(path)/\(file)", R_OK) == 0,
            let data = FileManager.default.contents(atPath: "\(path)/\(file.dropLast(3)).json")
        else { return nil }
        return try? JSONDecoder().decode(Entry.self, from: data)
    }

    /// All that is kept, by name and build id.
    public var entries: [Entry] {
        let directories = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return directories.filter { $0.utf8.count == 2 }.flatMap { directory in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(directory)")) ?? []
            return names.filter { $0.hasSuffix(".gz") }.compactMap { entry(of: directory + $0.dropLast(3)) }
        }.sorted { ($0.name, $0.buildID) < ($1.name, $1.buildID) }
    }

    /// Puts all that is kept into another directory, durable: the files are never changed, so that a second name of each will
    /// do, and a copy where the directory is on another disk.
    ///
    /// - Returns: what was put there.
    public func copy(to target: SymbolStore) throws(SymbolStoreError) -> [Entry] {
        let entries = entries
        for entry in entries {
            guard let file = SymbolStorePath.file(of: entry.buildID) else { continue }
            let directory = "\(target.path)/\(entry.buildID.prefix(2))"
            try makeDirectory(directory)
            for name in [file, "\(file.dropLast(3)).json"] {
                let (source, copy) = ("\(path)/\(name)", "\(target.path)/\(name)")
                guard link(source, copy) != 0 else { continue }
                do { try FileManager.default.copyItem(atPath: source, toPath: copy) } catch {
                    throw .unusable(path: copy, reason: error.localizedDescription)
                }
                try Self.sync(copy)
            }
            try Self.sync(directory)
        }
        if !entries.isEmpty { try Self.sync(target.path) }
        return entries
    }

    // MARK: Files

    private static func sync(_ path: String) throws(SymbolStoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw .unusable(path: path, reason: String(cString: strerror(errno)))
        }
    }

    private func makeDirectory(_ path: String) throws(SymbolStoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .unusable(path: path, reason: error.localizedDescription)
        }
    }

    /// Packs a file, durable before it has its name; returns its size.
    private func pack(_ source: String, as target: String) throws(SymbolStoreError) -> Int {
        let temporary = "\(path)/\(target).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        func failed(_ what: String) -> SymbolStoreError {
            let reason = String(cString: strerror(errno))
            unlink(temporary)
            return .unusable(path: what, reason: reason)
        }
        let output = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failed(temporary) }
        defer { close(output) }
        do throws(SymbolStoreError) { try Self.pack(source, into: output, named: temporary) } catch {
            unlink(temporary)
            throw error
        }
        guard fsync(output) == 0 else { throw failed(temporary) }
        var facts = stat()
        guard fstat(output, &facts) == 0, rename(temporary, "\(path)/\(target)") == 0 else { throw failed(temporary) }
        return Int(facts.st_size)
    }

    /// Packs a file into an open one, which is called `name` in errors.
    public static func pack(_ source: String, into output: Int32, named name: String) throws(SymbolStoreError) {
        func failed(_ what: String) -> SymbolStoreError {
            .unusable(path: what, reason: String(cString: strerror(errno)))
        }
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failed(source) }
        defer { close(input) }
        // gzclose closes the descriptor that it was given.
        guard let packer = gzdopen(dup(output), "wb6") else { throw failed(name) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count == 0 { break }
            guard count > 0, gzwrite(packer, buffer, UInt32(count)) == Int32(count) else {
                gzclose_w(packer)
                throw failed(count < 0 ? source : name)
            }
        }
        guard gzclose_w(packer) == Z_OK else { throw failed(name) }
    }

    /// Moves a packed file, durable before it has its name; returns its size.
    private func move(_ source: String, to target: String) throws(SymbolStoreError) -> Int {
        func failed() -> SymbolStoreError { .unusable(path: source, reason: String(cString: strerror(errno))) }
        let descriptor = open(source, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failed() }
        defer { close(descriptor) }
        var facts = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &facts) == 0, rename(source, "\(path)/\(target)") == 0 else {
            throw failed()
        }
        return Int(facts.st_size)
    }

    private func write(_ entry: Entry, beside target: String) throws(SymbolStoreError) {
        let file = "\(path)/\(target.dropLast(3)).json"
        do {
            try JSONEncoder().encode(entry).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw .unusable(path: file, reason: error.localizedDescription)
        }
    }
}

/// Why the directory of a symbol store cannot be used.
public enum SymbolStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A file or directory, and the system's reason.
    case unusable(path: String, reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .unusable(let path, let reason): "\(path): \(reason)"
        }
    }
}
