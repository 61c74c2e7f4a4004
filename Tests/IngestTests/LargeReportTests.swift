import CrashReport
import Dispatch
import Store
import Synchronization
import Testing
import TestSupport

@testable import Ingest

@Suite("Reports that expand to much", .patience)
struct LargeReportTests {
    /// A report with so many bytes of text that is always the same.
    private func bomb(_ size: Int, seed: UInt64 = 1) -> [UInt8] {
        let line = Array("{\"type\":\"later\",\"padding\":\"\(String(repeating: "abcdefgh", count: 8_000))\"}\n".utf8)
        var text = SampleReport(seed: seed).report().jsonLines
        while text.count < size { text += line }
        return Gzip.compress(text)
    }

    @Test("what becomes 400 times as large is refused with the reason, however small it is")
    func ratio() throws {
        let server = try TestServer()
        let body = bomb(60 << 20)
        #expect((60 << 20) / body.count > 200, "\(body.count)")
        let answer = try server.post(body)
        #expect(answer.status == 413)
        let reason = "\(body.count) bytes of gzip data expand to more than 16777216, and may to 100 times as many"
        #expect(answer.body.contains("\(reason); a report must stay within the limits"), "\(answer.body)")
        #expect(try server.count == 0)
        // Up to there nobody asks.
        #expect(try server.post(bomb(15 << 20)).status == 201)
    }

    @Test("stacks that are all the same are taken up to the last frame that the format allows")
    func alike() throws {
        let server = try TestServer()
        var report = SampleReport(threads: 1, frames: 10).report()
        let thread = try #require(report.threads.first)
        report.threads = (0..<9_999).map { index in
            var copy = thread
            copy.id = 5_000 + index
            copy.crashed = index == 0
            return copy
        }
        let body = report.encode()
        #expect(report.jsonLines.count > body.count * 60, "\(report.jsonLines.count) of \(body.count)")
        let answer = try server.post(body)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test("large ones are read one at a time: whose turn does not come is told to come back, and small ones are taken")
    func turns() throws {
        let server = try TestServer {
            $0.limits.largeReport = 64 << 10
            $0.limits.largeReportWait = .zero
        }
        let bodies = (0..<4).map { bomb(2 << 20, seed: 100 + $0) }
        let statuses = Mutex<[Int: Int]>([:])
        let unclear = Mutex<[String]>([])
        let isOver = Atomic(false)
        let group = DispatchGroup()
        for body in bodies {
            DispatchQueue.global().async(group: group) {
                while !isOver.load(ordering: .relaxed) {
                    guard let answer = try? server.post(body) else {
                        return unclear.withLock { $0.append("no answer") }
                    }
                    statuses.withLock { $0[answer.status, default: 0] += 1 }
                    let isClear =
                        answer.status != 503
                        || answer.headers["retry-after"] == "30"
                            && answer.body.contains("too many large reports at once: keep the report")
                    if !isClear { unclear.withLock { $0.append("\(answer)") } }
                }
            }
        }
        var small: [Int] = []
        while statuses.withLock({ $0[503, default: 0] < 3 || $0[200, default: 0] < 3 }),
            unclear.withLock({ $0.isEmpty })
        {
            small.append(try server.post(SampleReport(seed: 1_000 + UInt64(small.count)).gzip()).status)
        }
        isOver.store(true, ordering: .relaxed)
        group.wait()
        #expect(unclear.withLock { $0 } == [])
        #expect(Set(statuses.withLock { $0 }.keys).isSubset(of: [200, 201, 503]))
        #expect(!small.isEmpty && small.allSatisfy { $0 == 201 }, "\(small)")
    }

    @Test("one that waits for its turn is taken when the ones before it are")
    func waiting() throws {
        let server = try TestServer {
            $0.limits.largeReport = 64 << 10
            $0.limits.largeReportWait = Patience.wait
        }
        let statuses = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            let status = (try? server.post(bomb(2 << 20, seed: 200 + UInt64(index))).status) ?? 0
            statuses.withLock { $0.append(status) }
        }
        #expect(statuses.withLock { $0 } == Array(repeating: 201, count: 6))
    }

    @Test("large bodies that are on their way leave a quarter of the room to small ones")
    func room() throws {
        let server = try TestServer { $0.limits.uploads = 4 << 20 }
        let answer = try server.post([UInt8](repeating: 0, count: 3_500_000))
        #expect(answer.status == 503)
        #expect(answer.body.contains("too many uploads at once"))
        let budget = UploadBudget(bytes: 4 << 20)
        #expect(budget.take(3 << 20, holding: 0))
        #expect(!budget.take(300 << 10, holding: 0))
        #expect(!budget.take(1, holding: 256 << 10))
        for _ in 0..<4 { #expect(budget.take(256 << 10, holding: 0)) }
        #expect(!budget.take(1, holding: 0))
        budget.giveBack(256 << 10)
        #expect(budget.take(1, holding: 0))
    }
}
