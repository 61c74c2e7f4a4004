internal import CrashReport
public import Mayday

/// What every uploader must get right, checked in one line of a test:
///
///     try await UploaderConformance.check { server in try MyUploader(url: "http://\(server)/reports") }
///
/// The backend is a server of this process on a loopback port; nothing else is reached.
public enum UploaderConformance {
    /// Checks an uploader that speaks HTTP against a server that accepts, refuses, is busy, slow, silent and broken.
    ///
    /// - Parameters:
    ///   - patience: how long each step may take that has no reason to wait; an uploader that hangs is told of after so long. Give
    ///     more on a machine that runs many tests at once. Also what reports have for their delivery, where the server is well.
    ///   - accepted: what the backend answers when it took a report; by default 200 with `{}`.
    ///   - refused: what it answers when it never will; by default 400 with `{}`.
    ///   - makeUploader: an uploader for the server at `host:port`; called for each check.
    /// - Throws: `UploaderConformanceFailure` with everything that was wrong.
    public static func check(
        patience: Duration = .seconds(60),
        accepted: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer = { _ in
            .status(200, body: "{}")
        },
        refused: ScriptedServer.Answer = .status(400, body: "{}"),
        _ makeUploader: @escaping @Sendable (_ server: String) throws -> any ReportUploader
    ) async throws {
        var check = ConformanceCheck(patience: patience)
        let working = try ScriptedServer(accepted)
        let uploader = try makeUploader("127.0.0.1:\(working.port)")
        await check.backendThatWorks(uploader)
        check.expect(!working.requests.isEmpty, "success: nothing was sent to the server")
        for (situation, answer, wanted) in [
            ("refused", refused, ConformanceCheck.Wanted.rejected),
            ("busy, 503", .status(503, body: "{}"), .retry(after: nil)),
            (
                "429 with Retry-After", .status(429, headers: ["Retry-After": "7"], body: "{}"),
                .retry(after: .seconds(7))
            ),
            (
                "429 with a Retry-After of centuries",
                .status(429, headers: ["Retry-After": "99999999999999999999999"], body: "{}"), .retry(after: nil)
            ),
            ("429 with a Retry-After that is none", .status(429, headers: ["Retry-After": "soon"]), .retry(after: nil)),
            // Whoever follows takes the key elsewhere; here, to a server that accepts everything.
            (
                "a redirect", .status(307, headers: ["Location": "http://127.0.0.1:\(working.port)/"]),
                .retryOrRejected
            ), ("connection closed", .close, .retry(after: nil)),
            ("garbage", .bytes("SSH-2.0-x\r\n"), .retry(after: nil)),
            ("half an answer", .bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), .retry(after: nil)),
        ] {
            let server = try ScriptedServer { _ in answer }
            await check.answer(situation, try makeUploader("127.0.0.1:\(server.port)"), wanted)
        }
        let stopped = try ScriptedServer { _ in .close }
        stopped.stop()
        await check.answer("nobody listens", try makeUploader("127.0.0.1:\(stopped.port)"), .retry(after: nil))
        await check.probe("nobody listens", try makeUploader("127.0.0.1:\(stopped.port)"))
        let silent = try ScriptedServer { _ in .hang }
        await check.probe("slow server", try makeUploader("127.0.0.1:\(silent.port)"))
        await check.slowServer("slow server", try makeUploader("127.0.0.1:\(silent.port)"))
        for (situation, answer) in [
            ("an answer that comes a byte at a time", ScriptedServer.Answer.drip),
            ("1xx answers without end", .flood("", then: "HTTP/1.1 100 Continue\r\n\r\n")),
            ("headers without end", .flood("HTTP/1.1 200 OK\r\n", then: "X-Filler: 0123456789\r\n")),
            ("one header without end", .flood("HTTP/1.1 200 OK\r\nX-Filler: ", then: "0123456789")),
        ] {
            let server = try ScriptedServer { _ in answer }
            await check.slowServer(situation, try makeUploader("127.0.0.1:\(server.port)"))
        }
        // What is told of success may be believed; how much there is of it must not matter.
        let endless = try ScriptedServer { _ in .flood("HTTP/1.1 200 OK\r\n\r\n", then: "0123456789") }
        await check.endless(try makeUploader("127.0.0.1:\(endless.port)"))
        // One that nothing was sent to before.
        let waiting = try ScriptedServer { _ in .hang }
        await check.cancellation(
            try makeUploader("127.0.0.1:\(waiting.port)"),
            arrival: { _ = await waiting.requests(atLeast: 1) }
        )
        try check.finish()
    }

    /// Checks an uploader whose backend works, whatever it is: reports of every shape are taken, or rejected for good.
    ///
    /// - Parameter patience: how long each step may take; an uploader that hangs is told of after so long.
    /// - Throws: `UploaderConformanceFailure` with everything that was wrong.
    public static func check(_ uploader: any ReportUploader, patience: Duration = .seconds(60)) async throws {
        var check = ConformanceCheck(patience: patience)
        await check.backendThatWorks(uploader)
        try check.finish()
    }
}

/// What an uploader got wrong.
public struct UploaderConformanceFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// One line each: the situation, what was expected, and what happened.
    public let problems: [String]

    /// The problems, a line each.
    public var description: String { problems.joined(separator: "\n") }
}
