import CrashReport
import Grouping
import Store
import Symbolication
import TestSupport
import Testing

@testable import Digest

/// What the store keeps of a digestion, beside the report that it was made from.
@Suite("Additions of a digestion")
struct DigestAdditionsTests {
    /// As it was received, and with functions.
    private let original: Report
    private let digested: Report

    init() {
        var original = SampleReport(threads: 4, images: 3).report()
        let frame = Frame(address: 0x1000, image: 0, offset: 0x10, trust: .cfi)
        original.threads[1].accessConflict = AccessConflict(
            address: 0x7f00,
            previous: MemoryAccess(kind: "modification", frame: frame),
            current: MemoryAccess(kind: "read", frame: nil)
        )
        // As an import has it: what the digestion finds takes its place.
        original.threads[2].frames[0].symbols = [FrameSymbol(function: "before")]
        var digested = original
        for thread in digested.threads.indices {
            for index in digested.threads[thread].frames.indices {
                digested.threads[thread].frames[index].origin = [nil, .service, .runtime, .system][index % 4]
                digested.threads[thread].frames[index].symbols = (0..<(index % 3)).map {
                    FrameSymbol(
                        function: "f\(index)<\"\u{1}ü\n\">",
                        mangled: $0 == 0 ? "$s1f" : nil,
                        file: "/srv/\(thread).swift",
                        line: index,
                        column: $0 == 0 ? 7 : nil,
                        inlined: $0 == 0
                    )
                }
            }
        }
        digested.threads[1].accessConflict?.previous.frame?.symbols = [FrameSymbol(function: "conflicting")]
        digested.crash?.message = "Index out of range"
        digested.crash?.messageSource = "runtime_failure"
        (self.original, self.digested) = (original, digested)
    }

    private func added(_ additions: [UInt8], to report: Report) throws(ReportDecodingError) -> Report {
        var report = report
        try DigestAdditions.add(additions, to: &report)
        return report
    }

    @Test("a report and its additions are the digested report, whether its stacks were met before or not")
    func roundTrip() throws {
        let written = StackLines()
        let first = DigestAdditions.encode(digested, of: original, written: written)
        let again = DigestAdditions.encode(digested, of: original, written: written)
        #expect(first == again)
        #expect(try added(first, to: original) == digested)
        // One function more is another stack.
        var other = digested
        other.threads[0].frames[1].symbols[0].function = "g1<\"\u{1}ü\n\">"
        let changed = DigestAdditions.encode(other, of: original, written: written)
        #expect(changed != first)
        #expect(try added(changed, to: original) == other)
    }

    @Test("a report without stacks has none; nothing found leaves no functions")
    func empty() throws {
        var bare = original
        bare.threads = []
        #expect(DigestAdditions.encode(bare, of: bare, written: StackLines()).isEmpty)
        #expect(try added([], to: bare) == bare)
        var stripped = original
        stripped.threads[2].frames[0].symbols = []
        let additions = DigestAdditions.encode(stripped, of: original, written: StackLines())
        #expect(try added(additions, to: original) == stripped)
    }

    @Test("additions that are cut, damaged or of another report are refused, at every byte")
    func damage() throws {
        let additions = DigestAdditions.encode(digested, of: original, written: StackLines())
        #expect(throws: ReportDecodingError.self) { try added([], to: original) }
        var other = original
        other.threads[3].frames.removeLast()
        #expect(throws: ReportDecodingError.self) { try added(additions, to: other) }
        for count in stride(from: 1, to: additions.count, by: 7) {
            var changed = additions
            changed[count] ^= 0x55
            for bytes in [Array(additions[..<count]), changed] {
                // The message comes last; without it the rest is what it was.
                do throws(ReportDecodingError) {
                    var found = try added(bytes, to: original)
                    found.crash = digested.crash
                    #expect(found == digested)
                } catch {
                    #expect([.gzip, .malformed, .limit].contains(error.kind))
                }
            }
        }
        let texts = [
            "1", "{}", #"{"frames":{}}"#, #"{"frames":[1]}"#, #"{"frames":[{"symbols":[{}]}]}"#, "{\"frames\":[]}\n{}",
        ]
        for text in texts {
            #expect(throws: ReportDecodingError.self) { try added(Gzip.compress(Array(text.utf8)), to: original) }
        }
    }

    @Test("a stored report opens with its functions, as does one that was digested before additions were kept apart")
    func opens() throws {
        let received = original.encode()
        #expect(try ReportBody(received: received, digested: nil).open().report == original)
        let additions = DigestAdditions.encode(digested, of: original, written: StackLines())
        let opened = try ReportBody(received: received, digested: additions).open()
        #expect(opened.report == digested && opened.isComplete)
        #expect(try ReportBody(received: received, digested: digested.encode()).open().report == digested)
        var bare = original
        bare.threads = []
        #expect(try ReportBody(received: bare.encode(), digested: []).open().report == bare)
    }

    @Test("an outcome comes over the pipe as it was")
    func outcome() throws {
        var tagged = digested
        tagged.context = Context(tags: ["region": "eu \"1\"", "ü": "\n"])
        let reasons: [ImageNote.Reason] = [
            .noBuildID, .notFound("no such file"), .otherBuild("ab"), .otherBuild(nil), .notAnObject,
            .noDebugInformation, .stripped, .noLibrary("x"), .damaged, .shared, .compressed, .cut,
            .leftOut("crashed"),
        ]
        let report = DigestedReport(
            report: tagged,
            fingerprint: "f",
            explanation: ["kind: \u{7f}", ""],
            title: "t",
            culprit: "c",
            notes: reasons.map { ImageNote(image: 1, path: "/srv/x", buildID: "ab", reason: $0) }
        )
        let decoded = DecodedReport(report: original, isComplete: true, warnings: ["cut"])
        let outcome = DigestOutcome(report, of: decoded)
        #expect(DigestOutcome(message: outcome.message) == outcome)
        #expect(outcome.tags == ["region": "eu \"1\"", "ü": "\n"])
        for text in ["", "{}", "{}\n", "[]\n", "{\"fingerprint\":1}\n", "\n"] {
            #expect(DigestOutcome(message: Array(text.utf8)) == nil)
        }
    }
}
