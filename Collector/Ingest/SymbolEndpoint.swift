import CrashReport
import Foundation
import Store
import Synchronization

/// `PUT /api/PROJECT/symbols/BUILD-ID`: a debug file, whole or in parts; `GET` says what is there.
///
/// A part has `Content-Range: bytes FIRST-LAST/TOTAL` and the digest of the whole (`Repr-Digest`), by which it is told from other
/// uploads of the build. What arrived before a connection broke is kept; `Upload-Offset` says how much.
struct SymbolEndpoint: Sendable {
    let store: any Store
    let uploads: SymbolUploads
    let log: ServerLog
    /// How many more may come at once.
    private let slots: UploadSlots

    init(store: any Store, uploads: SymbolUploads, log: ServerLog) {
        self.store = store
        self.uploads = uploads
        self.log = log
        slots = UploadSlots(count: uploads.maximumCount)
    }

    /// Decides by the header.
    func begin(_ request: HTTPRequest, project: Int, buildID: String) -> Reception {
        if let refusal = authorize(request, project: project) { return .answer(refusal) }
        guard (8...128).contains(buildID.utf8.count), buildID.utf8.count % 2 == 0,
            buildID.utf8.allSatisfy("0123456789abcdef".utf8.contains)
        else {
            let text =
                "\(buildID.madeVisible(limit: 200)) is no build id: 8 to 128 lower-case hex digits, see `readelf -n`"
            return .answer(.error(400, text))
        }
        let header = request.headers["repr-digest"]
        let digest = header.flatMap(FileDigest.init(header:))
        if header != nil, digest == nil {
            return .answer(.error(400, "Repr-Digest: expected sha-256=:BASE64: of the whole file as it is sent"))
        }
        let kept = uploads.kept(buildID)
        guard request.method == "PUT" else { return .answer(state(kept, buildID, digest)) }
        if let kept, kept.isComplete { return .answer(Self.duplicate(kept.value)) }
        return receive(request, buildID, digest)
    }

    private func authorize(_ request: HTTPRequest, project id: Int) -> HTTPAnswer? {
        do throws(StoreError) {
            guard let token = request.bearer.map(Secret.init) else {
                return ReportEndpoint.unauthorized(
                    "debug files need a token as the header `Authorization: Bearer TOKEN`: `mayday projects rotate symbols` "
                        + "makes one"
                )
            }
            switch try store.tokens().kind(of: token) {
            case .admin, .symbols: break
            case .reader:
                return .error(
                    403,
                    "the token that was sent only reads: `mayday projects rotate symbols` makes one for debug files"
                )
            case nil:
                return ReportEndpoint.unauthorized(
                    "the token that was sent is not one for debug files: `mayday projects rotate symbols` makes another"
                )
            }
            return try store.project(id) == nil ? .error(404, "no project \(id) here: see `mayday projects list`") : nil
        } catch {
            log.line("\(error)")
            return ReportEndpoint.unavailable("\(error.publicText); send it again later")
        }
    }

    private func state(_ kept: SymbolUploads.Kept?, _ buildID: String, _ digest: FileDigest?) -> HTTPAnswer {
        if let kept { return .json(200, kept.value) }
        let offset = digest.map { UploadFile.size(uploads.directory, buildID, $0) }
        return .error(
            404,
            "no debug file of build \(buildID): PUT it here",
            headers: offset.map { [("Upload-Offset", "\($0)")] } ?? []
        )
    }

    private func receive(_ request: HTTPRequest, _ buildID: String, _ digest: FileDigest?) -> Reception {
        var part: ContentRange?
        if let text = request.headers["content-range"] {
            guard let range = ContentRange(text) else {
                return .answer(.error(400, "Content-Range: expected bytes FIRST-LAST/TOTAL, each a number"))
            }
            guard digest != nil else {
                return .answer(.error(400, "a part needs Repr-Digest, the SHA-256 of the whole: sha-256=:BASE64:"))
            }
            part = range
        }
        guard max(part?.total ?? 0, request.contentLength ?? 0) <= uploads.maximumSize else {
            return .answer(Self.tooLarge(uploads.maximumSize))
        }
        guard slots.take() else {
            return .answer(ReportEndpoint.unavailable("too many debug files at once: send it again later"))
        }
        do throws(UploadFile.Failure) {
            let file = try UploadFile(uploads.directory, buildID, digest, at: part?.first ?? 0)
            return .stream(
                SymbolUpload(
                    file,
                    part: part,
                    digest: digest,
                    limit: uploads.maximumSize,
                    finish: { path in answer(path, buildID, request.query["name"] ?? buildID) },
                    release: { slots.giveBack() }
                )
            )
        } catch {
            slots.giveBack()
            return .answer(Self.answer(error))
        }
    }

    private func answer(_ path: String, _ buildID: String, _ name: String) -> HTTPAnswer {
        switch uploads.take(path, buildID, String(name.madeVisible(limit: 200))) {
        case .stored(let value): return .json(201, value)
        case .duplicate(let value): return Self.duplicate(value)
        case .mismatch(let found):
            return .error(409, "the file is build \(found), not \(buildID): send it to …/symbols/\(found)")
        case .refused(let reason): return .error(400, reason)
        case .failed(let reason):
            log.line("symbols: build \(buildID): \(reason)")
            return ReportEndpoint.unavailable(reason)
        }
    }

    private static func duplicate(_ value: JSONValue) -> HTTPAnswer {
        guard case .object(var members) = value else { return .json(200, value) }
        members["duplicate"] = .bool(true)
        return .json(200, .object(members))
    }

    static func tooLarge(_ limit: Int) -> HTTPAnswer {
        .error(413, "larger than \(limit) bytes: send what `objcopy --only-keep-debug` makes of it, packed by gzip")
    }

    static func answer(_ failure: UploadFile.Failure) -> HTTPAnswer {
        switch failure {
        case .elsewhere(let offset):
            .error(
                409,
                "\(offset) bytes are here: go on from there",
                headers: [("Upload-Offset", "\(offset)")]
            )
        case .busy: ReportEndpoint.unavailable("another connection is sending this file: ask again later")
        case .unusable(let reason): ReportEndpoint.unavailable("debug files cannot be written: \(reason)")
        }
    }
}

/// Bounds how many debug files come at once.
private final class UploadSlots: Sendable {
    private let left: Mutex<Int>

    init(count: Int) { left = Mutex(count) }

    /// Takes one; false when none is left.
    func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    func giveBack() { left.withLock { $0 += 1 } }
}

/// `bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.4).
struct ContentRange: Sendable, Equatable {
    var first: Int
    var last: Int
    var total: Int

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /bytes ([0-9]{1,18})-([0-9]{1,18})\/([0-9]{1,18})/),
            let first = Int(match.1), let last = Int(match.2), let total = Int(match.3), first <= last, last < total
        else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }
}
