import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

@Suite struct DirectoryUploaderTests {
    private let report = TestSpool.report(seed: 1)

    private func spooled(_ bytes: [UInt8]? = nil) -> SpooledReport {
        SpooledReport(id: report.header.id, gzip: bytes ?? report.encode())
    }

    private func files(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    private func failure(_ uploader: DirectoryUploader, _ report: SpooledReport? = nil) async -> String? {
        do throws(UploadError) {
            try await uploader.upload(report ?? spooled())
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a report is a file, once, however often it is sent`() async throws {
        let directory = try TemporaryDirectory()
        let uploader = try DirectoryUploader(path: directory.path)
        // Left behind by one that was killed.
        try Data("half a rep".utf8).write(
            to: URL(fileURLWithPath: "\(directory.path)/.\(report.header.id).jsonl.gz.part")
        )
        for _ in 1...2 { #expect(await failure(uploader) == nil) }
        #expect(try files(directory.path) == ["\(report.header.id).jsonl.gz"])
        let file = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(report.header.id).jsonl.gz"))
        #expect(try Report.decode(gzip: Array(file)).report == report)
        #expect(uploader.destination == "directory \(directory.path)")
    }

    @Test func `a share that is not mounted is not made up`() async throws {
        let directory = try TemporaryDirectory()
        let uploader = try DirectoryUploader(path: "\(directory.path)/share")
        #expect(
            await failure(uploader) == """
                not delivered, kept in the spool: cannot open the directory: No such file or directory; create it, or mount \
                the share
                """
        )
        #expect(mkdir("\(directory.path)/share", 0o700) == 0)
        #expect(await failure(uploader) == nil)
    }

    @Test func `what the hidden name leads to is not followed, and an id that is no name is refused`() async throws {
        let uploader = try DirectoryUploader(path: "/dev")
        let directory = try TemporaryDirectory()
        #expect(symlink("/dev/full", "\(directory.path)/.\(report.header.id).jsonl.gz.part") == 0)
        let failed = await failure(try DirectoryUploader(path: directory.path))
        #expect(failed?.hasPrefix("not delivered, kept in the spool: cannot create a file in it: ") == true)
        #expect(
            await failure(uploader, SpooledReport(id: "../x", gzip: []))
                == "rejected, set aside: its id is not one of a report"
        )
    }

    @Test(arguments: ["", "reports", "./reports", "/mnt\0/x"])
    func `a path that is not absolute is an error`(path: String) {
        let error = #expect(throws: ConfigurationError.self) { try DirectoryUploader(path: path) }
        #expect(error?.setting == "DirectoryUploader.path")
    }
}
