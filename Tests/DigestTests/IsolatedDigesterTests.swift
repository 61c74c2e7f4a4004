import CrashReport
import Grouping
import Symbolication
import TestSupport
import Testing

@testable import Digest

/// What is done when the process that reads debug files ends, with processes that follow a script.
@Suite("Digestion in another process")
struct IsolatedDigesterTests {
    /// Ends at images that are not left out.
    private final class ScriptedWorker: Worker {
        /// Indices of images that end it, in the order in which they are met.
        let deadly: [Int]
        let report: Report
        private(set) var image: Int?
        private var leftOut: [String: String] = [:]
        private var answers: [WorkerMessage] = []

        init(deadly: [Int], report: Report) {
            self.deadly = deadly
            self.report = report
        }

        func send(_ message: WorkerMessage) throws(WorkerEnd) {
            switch message {
            case .leftOut(let json):
                guard case .object(let members)? = try? JSONReader.parse(json) else {
                    throw WorkerEnd(reason: "no JSON")
                }
                leftOut = members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
            case .report:
                answers = answer()
            default:
                throw WorkerEnd(reason: "did not expect that")
            }
        }

        func receive(before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> WorkerMessage {
            guard !answers.isEmpty else { throw WorkerEnd(reason: "crashed") }
            return answers.removeFirst()
        }

        private func answer() -> [WorkerMessage] {
            for index in deadly where index < 0 || leftOut[report.images[index].buildID ?? ""] == nil {
                image = index < 0 ? nil : index
                return []
            }
            let notes = leftOut.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            let digested = DigestedReport(report: report, fingerprint: "f", explanation: notes, title: "t")
            return [.digested(DigestOutcome(digested, of: DecodedReport(report: report, isComplete: true)).message)]
        }
    }

    private let report = SampleReport(images: 12).report()

    /// Digests with workers that end at these images; returns what was left out, or the failure, and how many were started.
    private func outcome(_ deadly: [[Int]], reports: Int = 1) -> (result: Result<[String], IsolationError>, starts: Int)
    {
        var starts = 0
        let digester = IsolatedDigester(limits: WorkerLimits()) { () throws(WorkerEnd) in
            defer { starts += 1 }
            return ScriptedWorker(deadly: deadly[min(starts, deadly.count - 1)], report: self.report)
        }
        var result: Result<[String], IsolationError> = .success([])
        for _ in 0..<reports {
            do throws(IsolationError) {
                result = .success(try digester.digest(report).explanation)
            } catch {
                result = .failure(error)
            }
        }
        return (result, starts)
    }

    @Test("one process serves many reports")
    func staysOpen() {
        let outcome = outcome([[]], reports: 20)
        #expect(outcome.result == .success([]) && outcome.starts == 1)
    }

    @Test("a file that ends the process is left out, and the report says why; the next report does not meet it again")
    func leavesOut() {
        let builds = report.images.map { $0.buildID ?? "" }
        let one = outcome([[2]])
        #expect(one.result == .success(["\(builds[2]) crashed"]) && one.starts == 2)
        let three = outcome([[5, 1, 2]], reports: 3)
        let expected = [5, 1, 2].map { "\(builds[$0]) crashed" }.sorted()
        #expect(three.result == .success(expected) && three.starts == 4)
    }

    @Test("a build that was left out is read again when the store has another file of it, and only then")
    func readsBetterFile() throws {
        let builds = report.images.map { $0.buildID ?? "" }
        var file = "first"
        var starts = 0
        let digester = IsolatedDigester(limits: WorkerLimits(), revision: { $0 == builds[2] ? file : nil }) {
            () throws(WorkerEnd) in
            starts += 1
            return ScriptedWorker(deadly: file == "first" ? [2, 4] : [4], report: self.report)
        }
        let both = [2, 4].map { "\(builds[$0]) crashed" }.sorted()
        for _ in 0..<2 { #expect(try digester.digest(report).explanation == both) }
        #expect(starts == 3)
        file = "second"
        for _ in 0..<2 { #expect(try digester.digest(report).explanation == ["\(builds[4]) crashed"]) }
        #expect(starts == 4)
    }

    @Test("a process that served others and ends is started once more before a file is blamed")
    func wornOut() {
        var starts = 0
        let report = report
        var workers: [ScriptedWorker] = []
        let digester = IsolatedDigester(limits: WorkerLimits()) { () throws(WorkerEnd) in
            starts += 1
            workers.append(ScriptedWorker(deadly: [], report: report))
            return OnceWorn(workers[workers.count - 1], serves: starts == 1 ? 1 : 100)
        }
        for _ in 0..<3 { #expect((try? digester.digest(report))?.explanation == []) }
        #expect(starts == 2)
    }

    private final class OnceWorn: Worker {
        let worker: ScriptedWorker
        var left: Int

        init(_ worker: ScriptedWorker, serves: Int) {
            self.worker = worker
            left = serves * 2
        }

        var image: Int? { 0 }
        func send(_ message: WorkerMessage) throws(WorkerEnd) {
            left -= 1
            if left < 0 { throw WorkerEnd(reason: "ended") }
            try worker.send(message)
        }
        func receive(before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> WorkerMessage {
            try worker.receive(before: deadline)
        }
    }

    @Test("what no file explains, and what happens again and again, is a failure, not a loop")
    func givesUp() {
        #expect(outcome([[-1]]).result == .failure(.ended("crashed")))
        #expect(outcome([[-1]]).starts == 1)
        let many = outcome([Array(0..<12)])
        #expect(many.result == .failure(.ended("crashed")) && many.starts == 9)
    }

    /// Answers each report with its id, and says how many it was given before the first was asked for.
    private final class Echo: Worker {
        private var answers: [WorkerMessage] = []
        private(set) var mostWaiting = 0
        private var left: Int
        var image: Int? { nil }

        init(lives: Int) { left = lives }

        func send(_ message: WorkerMessage) throws(WorkerEnd) {
            guard case .report(let gzip) = message, let decoded = try? Report.decode(gzip: gzip) else { return }
            left -= 1
            guard left >= 0 else { return }
            let report = decoded.report
            let digested = DigestedReport(report: report, fingerprint: "f", title: report.header.id)
            answers.append(.digested(DigestOutcome(digested, of: decoded).message))
            mostWaiting = max(mostWaiting, answers.count)
        }

        func receive(before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> WorkerMessage {
            guard !answers.isEmpty else { throw WorkerEnd(reason: "ended") }
            return answers.removeFirst()
        }
    }

    @Test("a report that was sent ahead is answered when it is asked for, whatever came in between")
    func sendsAhead() throws {
        let reports = (0..<6).map { SampleReport(seed: UInt64($0)).report() }
        let files = reports.map { $0.encode() }
        // It ends at its fourth report; the next one lives on.
        var workers: [Echo] = []
        let digester = IsolatedDigester(limits: WorkerLimits()) { () throws(WorkerEnd) in
            workers.append(Echo(lives: workers.isEmpty ? 3 : 100))
            return workers[workers.count - 1]
        }
        func id(_ index: Int, before next: Int?) throws -> String {
            try digester.digest(files[index], before: next.map { files[$0] }).title
        }
        for (index, next) in [(0, 1), (1, 2), (2, 3), (3, 4), (5, 0), (4, nil), (4, 5)] as [(Int, Int?)] {
            #expect(try id(index, before: next) == reports[index].header.id)
        }
        #expect(workers.count == 2 && workers.map(\.mostWaiting) == [2, 2])
    }

    @Test("messages are read as they were written, and others are refused")
    func messages() {
        for message in [WorkerMessage.leftOut([]), .report([1, 2, 3]), .digested([]), .failed([7])] {
            let bytes = message.bytes
            let header = Array(bytes.prefix(WorkerMessage.headerLength))
            #expect(WorkerMessage.length(header) == bytes.count - WorkerMessage.headerLength)
            let payload = Array(bytes.dropFirst(WorkerMessage.headerLength))
            #expect(WorkerMessage(header: header, payload: payload) == message)
        }
        #expect(WorkerMessage.length([0, 0, 0, 0, UInt8(ascii: "X")]) == nil)
        #expect(WorkerMessage.length([0xff, 0xff, 0xff, 0xff, UInt8(ascii: "D")]) == nil)
        #expect(WorkerMessage.length([0, 0, 0]) == nil)
    }
}
