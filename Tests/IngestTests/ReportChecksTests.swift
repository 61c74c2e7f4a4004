import CrashReport
import Dispatch
import Store
import Synchronization
import Testing
import TestSupport

@testable import Ingest

@Suite("Reading what is sent")
struct ReportChecksTests {
    @Test("who asks at the same time as others is told of its own body")
    func concurrent() {
        let checks = ReportChecks(limits: .standard, large: 1 << 20, largeWait: .seconds(10))
        let wrong = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { asker in
            for number in 0..<20 {
                let sample = SampleReport(seed: UInt64(asker * 100 + number))
                // Every third one is no report.
                let isGood = (asker + number) % 3 > 0
                let body = isGood ? sample.gzip() : Gzip.compress(Array("{\"type\":\"\(asker)\"}\n".utf8))
                let found = Result { () throws(ReportRefusal) in
                    try checks.read(ReportUpload(project: 1, body: body))
                }
                let expected = isGood ? sample.report().header.id : nil
                if (try? found.get())?.new.key.id != expected {
                    wrong.withLock { $0.append("asker \(asker), body \(number): \(found)") }
                }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }
}
