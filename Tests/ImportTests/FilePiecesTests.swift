import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Import

@Suite("Pieces of a file")
struct FilePiecesTests {
    @Test("a file that grows while it is read ends where it ended at first")
    func growing() throws {
        let path = "\(try TemporaryDirectory().path)-log"
        defer { unlink(path) }
        let writer = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(writer >= 0 && descriptor >= 0)
        defer {
            close(writer)
            close(descriptor)
        }
        let bytes = [UInt8](repeating: 0x61, count: 100_000)
        #expect(write(writer, bytes, bytes.count) == bytes.count)
        var pieces = FilePieces(descriptor)
        var count = 0
        while true {
            let piece = try pieces.next()
            if piece.isEmpty { break }
            count += piece.count
            #expect(write(writer, bytes, bytes.count) == bytes.count)
        }
        #expect(count == bytes.count && pieces.bytesRead == count)
    }

    @Test(
        "names of reports and logs",
        arguments: [
            ("0193a7f2.jsonl.gz", ImportedName.report), ("app.log", .log), ("app.log.1", .log), ("app.log.12.gz", .log),
            ("app.log-20261130", .log), ("app.log-2026-11-30T09:00:00Z.gz", .log), ("crash.json", .log),
            ("crash.json.gz", .log), (".log", .log), ("a\nb.log", .log),
        ]
    )
    func meant(name: String, meaning: ImportedName) { #expect(ImportedName(name) == meaning) }

    @Test(
        "other names",
        arguments: ["log", "app.logs", "app.log.old", "app.json5", "syslog.1", "app.log.gz.1x", "core.log.d"]
    )
    func others(name: String) {
        guard case .other = ImportedName(name) else { return #expect(Bool(false), "\(name) is \(ImportedName(name))") }
    }
}
