import CrashReport
import Ingest
import Synchronization
import Testing
import TestSupport

@Suite("How much is being taken")
struct IngestLoadTests {
    @Test("a report counts while it is taken, and not once it is answered, whatever the answer")
    func counts() throws {
        let load = IngestLoad()
        let during = Mutex<[Int]>([])
        let server = try TestServer { parts in
            parts.load = load
            parts.onStored = { during.withLock { $0.append(load.count) } }
        }
        let report = SampleReport().report().encode()
        #expect(try server.post(report).status == 201)
        #expect(try server.post(report).status == 200)
        #expect(try server.post([1, 2, 3]).status == 400)
        #expect(try server.post(report, ["Authorization": "Bearer no"]).status == 401)
        server.server.stop()
        #expect(during.withLock { $0 } == [1])
        #expect(load.count == 0 && !load.isHigh)
    }
}
