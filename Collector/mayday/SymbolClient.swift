import CrashReport
import Foundation
import Ingest
import Symbolication
import SymbolStore

/// Sends debug files to a collector: packed, by build id, and on from where a broken connection stopped.
struct SymbolClient {
    private let server: String
    private let token: String
    /// The flag or variable that it came from.
    private let tokenName: String
    private let project: Int

    /// How often one file is tried.
    private static let attempts = 6

    /// Reads `--server`, `--token` and `--project`, and the variables.
    init(_ arguments: Arguments) throws(CommandError) {
        let variables = ProcessInfo.processInfo.environment
        let given =
            [("--token", arguments.value("--token"))]
            + ["MAYDAY_SYMBOLS_TOKEN", "MAYDAY_ADMIN_TOKEN"].map { ($0, variables[$0]) }
        guard
            let (name, token) = given.compactMap({ name, value in
                value.flatMap { $0.isEmpty ? nil : (name, $0) }
            }).first
        else {
            throw arguments.usage(
                "--server needs a token: --token TOKEN, or MAYDAY_SYMBOLS_TOKEN; `mayday projects rotate symbols` makes one"
            )
        }
        guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw arguments.usage("\(name): it is no token, which has no spaces")
        }
        let flag = arguments.has("--server") ? "--server" : "MAYDAY_SERVER"
        let url = arguments.value("--server") ?? arguments.serverVariable ?? ""
        server = try BaseURL(url, arguments, flag: flag).text
        (self.token, tokenName) = (token, name)
        project = try arguments.number("--project") ?? 1
    }

    /// Sends a file, unless one that says as much is there.
    ///
    /// - Parameters:
    ///   - sending: told, when the file is on its way, how much of it is sent: a text that changes.
    ///   - waiting: told of each failure after which it is tried again, and when.
    func add(
        _ facts: DebugFileFacts,
        from path: String,
        named name: String,
        sending: (@escaping Progress.Line) -> Void,
        waiting: (String) -> Void
    ) throws(CommandError) -> SymbolStore.Addition {
        if let reason = SymbolStore.refusal(of: facts) { return .refused(reason) }
        guard let buildID = facts.buildID else { return .refused("it has no build id: link with --build-id") }
        var packed: PackedFile?
        var problem = ""
        var isTokenRefused = false
        for attempt in 0..<Self.attempts {
            if attempt > 0 {
                let pause = UInt32(1) << min(attempt - 1, 4)
                waiting("\(server): \(problem); once more in \(pause) s (\(attempt) of \(Self.attempts - 1))")
                sleep(pause)
            }
            do throws(FileTransfer.Failure) {
                // First without the digest, for which the file would have to be packed.
                let state = try transfer(buildID, packed?.digest.header).get()
                if state.status == 200, let entry = Self.entry(state.body), entry.content >= facts.content {
                    return .duplicate(entry)
                }
                isTokenRefused = state.status == 401
                if isTokenRefused { break }
                if let refusal = try Self.refusal(state, exceptFor: 404) { return .refused(refusal) }
                guard state.status < 500 else {
                    problem = Self.text(state)
                    continue
                }
                var (file, offset) = (packed, state.offset)
                if file == nil {
                    file = try Self.pack(path)
                    offset = try transfer(buildID, file?.digest.header).get().offset
                }
                guard let file else { continue }
                packed = file
                sending { "\(SymbolsCommand.size(file.position)) of \(SymbolsCommand.size(file.size))" }
                let answer = try put(file, from: min(offset ?? 0, file.size - 1), buildID, name)
                if let entry = Self.entry(answer.body), answer.status == 201 { return .stored(entry) }
                if let entry = Self.entry(answer.body), answer.status == 200 { return .duplicate(entry) }
                if answer.status != 409 || answer.offset == nil, let refusal = try Self.refusal(answer, exceptFor: 0) {
                    return .refused(refusal)
                }
                problem = Self.text(answer)
            } catch {
                problem = error.reason
            }
        }
        if isTokenRefused { throw tokenRefused }
        throw CommandError(
            code: .unreachable,
            text: "\(server): \(problem), \(Self.attempts) times; run it again, it goes on where it was"
        )
    }

    /// True when debug information of a build is there.
    func has(_ buildID: String) throws(CommandError) -> Bool {
        let answer: FileTransfer.Answer
        do throws(FileTransfer.Failure) { answer = try transfer(buildID, nil).get() } catch {
            throw CommandError(code: .unreachable, text: "\(server): \(error.reason)")
        }
        switch answer.status {
        case 200: return Self.entry(answer.body)?.content == .debugInformation
        case 404: return false
        case 401: throw tokenRefused
        default: throw CommandError(code: .unreachable, text: "\(server): \(Self.text(answer))")
        }
    }

    private var tokenRefused: CommandError {
        let text = "\(server) does not take the token in \(tokenName): `mayday projects rotate symbols` makes another"
        return CommandError(code: .unreachable, text: text)
    }

    private func transfer(_ buildID: String, _ digest: String?, name: String? = nil) -> FileTransfer {
        var url = "\(server)/api/\(project)/symbols/\(buildID)"
        if let name = name?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) { url += "?name=\(name)" }
        let headers = ["Authorization: Bearer \(token)"] + (digest.map { ["Repr-Digest: \($0)"] } ?? [])
        return FileTransfer(url: url, headers: headers)
    }

    private func put(_ file: PackedFile, from offset: Int, _ buildID: String, _ name: String) throws(FileTransfer
        .Failure)
        -> FileTransfer.Answer
    {
        var transfer = transfer(buildID, file.digest.header, name: name)
        transfer.headers.append("Content-Range: bytes \(offset)-\(file.size - 1)/\(file.size)")
        lseek(file.descriptor, off_t(offset), SEEK_SET)
        return try transfer.put(file.descriptor, length: file.size - offset)
    }

    /// The server's words for what will be no different the next time; nil for what may be.
    private static func refusal(_ answer: FileTransfer.Answer, exceptFor status: Int) throws(FileTransfer.Failure)
        -> String?
    {
        (300..<500).contains(answer.status) && answer.status != status ? text(answer) : nil
    }

    private static func text(_ answer: FileTransfer.Answer) -> String {
        if case .object(let members)? = try? JSONReader.parse(answer.body), case .string(let error)? = members["error"]
        {
            return "\(answer.status), \(error)"
        }
        return "the server answered \(answer.status)"
    }

    private static func entry(_ body: [UInt8]) -> SymbolStore.Entry? { SymbolStore.Entry(answer: body) }

    // MARK: Packing

    /// A file without a name, gone with its descriptor.
    private final class PackedFile: Sendable {
        let descriptor: Int32
        let size: Int
        let digest: FileDigest

        init(descriptor: Int32, size: Int, digest: FileDigest) {
            (self.descriptor, self.size, self.digest) = (descriptor, size, digest)
        }

        deinit { close(descriptor) }

        /// Where it is read.
        var position: Int { max(0, Int(lseek(descriptor, 0, SEEK_CUR))) }
    }

    private static func pack(_ path: String) throws(FileTransfer.Failure) -> PackedFile {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(directory)/mayday-symbols-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw FileTransfer.Failure(reason: "\(directory): \(String(cString: strerror(errno)))")
        }
        let name = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        defer { unlink(name) }
        var facts = stat()
        do {
            try SymbolStore.pack(path, into: descriptor, named: name)
            guard let digest = FileDigest(of: name), fstat(descriptor, &facts) == 0 else {
                throw FileTransfer.Failure(reason: "\(name): \(String(cString: strerror(errno)))")
            }
            return PackedFile(descriptor: descriptor, size: Int(facts.st_size), digest: digest)
        } catch {
            close(descriptor)
            throw FileTransfer.Failure(reason: "\(error)")
        }
    }
}

extension SymbolStore.Entry {
    /// What a server answered; nil when it is something else.
    fileprivate init?(answer: [UInt8]) {
        guard case .object(let members)? = try? JSONReader.parse(answer),
            case .string(let buildID)? = members["build_id"],
            case .string(let name)? = members["name"], case .string(let text)? = members["content"],
            let content = DebugFileFacts.Content(rawValue: text), case .integer(let size)? = members["size"],
            case .integer(let stored)? = members["stored"], case .string(let added)? = members["added"]
        else { return nil }
        self.init(
            buildID: buildID,
            name: name,
            content: content,
            size: Int(size),
            stored: Int(stored),
            added: added
        )
    }
}
