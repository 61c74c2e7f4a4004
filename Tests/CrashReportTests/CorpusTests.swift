import CrashReport
import Foundation
import Testing

/// What `make fuzz` begins with (`scripts/make-fuzz-corpus`), without the fuzzer.
@Suite("The corpus of hostile reports")
struct CorpusTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus").path
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    private static let limits = ReportLimits(
        expandedBytes: 1 << 20,
        lineBytes: 64 << 10,
        lines: 512,
        frames: 2_000,
        values: 4_000
    )

    /// Those that are reports, as odd as they are; all others are refused.
    private static let readable: Set = [
        "cut-gzip", "escaped-controls", "minus-zero", "no-newline",
        "tiny-exponent", "long-fraction", "two-members", "type-last", "whole", "whole-compressed", "whole-gzip",
        "many-keys", "composed-keys",
    ]

    @Test("each is read or refused with a reason, as its name lets expect", arguments: names)
    func outcome(name: String) throws {
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: "\(Self.directory)/\(name)")))
        let body = Array(bytes.dropFirst())
        do throws(ReportDecodingError) {
            let decoded =
                switch bytes.first {
                case 0: try Report.decode(jsonLines: body, limits: Self.limits)
                case 1: try Report.decode(gzip: body, limits: Self.limits)
                default: try Report.decode(gzip: Gzip.compress(body), limits: Self.limits)
                }
            #expect(Self.readable.contains(name), "it was read")
            let again = try Report.decode(gzip: decoded.report.encode())
            #expect(again.report == decoded.report)
        } catch {
            #expect(!Self.readable.contains(name), "\(error)")
            #expect((10..<500).contains(error.description.utf8.count))
            let hasControls = error.description.unicodeScalars.contains { $0.value < 0x20 }
            #expect(!hasControls)
        }
    }

    @Test("it is there")
    func isThere() { #expect(Self.names.count >= 40) }
}
