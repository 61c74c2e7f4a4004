import CCurl
import MaydayTestKit
import Synchronization
import TestSupport
import Testing

/// Whom the end of a process waits for, so that libcurl is not taken apart under a thread that is in it.
@Suite(.patience) struct HTTPExitTests {
    private final class Seen: Sendable {
        let whileSending = Atomic(false)
    }

    @Test func `exit waits for a thread while it sends, and not for what it sent before`() throws {
        let server = try ScriptedServer { _ in .status(200, body: "here") }
        let seen = Seen()
        #expect(!mayday_http_holds_exit())
        for number in 1...2 {
            var response = [UInt8](repeating: 0, count: 100)
            var answer = MaydayHTTPAnswer()
            let noHeaders: [UnsafePointer<CChar>?] = [nil]
            response.withUnsafeMutableBufferPointer { response in
                noHeaders.withUnsafeBufferPointer { headers in
                    "http://127.0.0.1:\(server.port)/".withCString { url in
                        var request = MaydayHTTPRequest()
                        request.url = url
                        request.headers = headers.baseAddress
                        request.connect_timeout_ms = 600_000
                        request.total_timeout_ms = 600_000
                        request.direct = true
                        request.response = response.baseAddress
                        request.response_capacity = response.count
                        request.is_cancelled = { context in
                            guard let context, mayday_http_holds_exit() else { return false }
                            let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
                            seen.whileSending.store(true, ordering: .relaxed)
                            return false
                        }
                        request.cancel_context = UnsafeRawPointer(Unmanaged.passUnretained(seen).toOpaque())
                        mayday_http_get(&request, &answer)
                    }
                }
            }
            #expect(answer.status == 200, "request \(number)")
            let wasHeld = seen.whileSending.exchange(false, ordering: .relaxed)
            #expect(wasHeld, "request \(number)")
            #expect(!mayday_http_holds_exit(), "request \(number)")
        }
    }
}
