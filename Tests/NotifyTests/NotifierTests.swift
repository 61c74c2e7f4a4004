#if os(Linux)
    import CrashReport
    import Foundation
    import MaydayTestKit
    import Synchronization
    import Testing
    import TestSupport

    @testable import Notify
    @testable import Query
    @testable import Store
    // Testing has an `Issue` too.
    @testable import struct Store.Issue

    @Suite("Notices of issues")
    struct NotifierTests {
        @Test("pauses grow, follow what the other side asks for, and end")
        func pauses() {
            let policy = NoticePolicy()
            func pause(_ attempt: Int, _ asked: Duration? = nil) -> Duration? {
                policy.pause(afterAttempt: attempt, asked: asked)
            }
            #expect((1...5).map { pause($0) } == [.seconds(2), .seconds(8), .seconds(32), .seconds(128), nil])
            #expect(pause(1, .seconds(60)) == .seconds(60))
            #expect(pause(3, .seconds(1)) == .seconds(32))
            #expect(pause(1, .seconds(86_400)) == .seconds(300))
        }

        @Test("more than the limit of a period are left out, and the next period begins anew")
        func limit() {
            let policy = NoticePolicy(limit: 2, period: .seconds(60))
            let start = ContinuousClock.now
            var sent = [start, start + .seconds(30)]
            #expect(!policy.allows(at: start + .seconds(59), sent: &sent))
            #expect(policy.allows(at: start + .seconds(60), sent: &sent))
            #expect(sent == [start + .seconds(30)])
        }

        private let quick = NoticePolicy(firstPause: .milliseconds(1))

        @Test("what fails is tried again, and what cannot succeed is not")
        func retries() {
            let log = Log()
            let down = NoticeFailure(reason: "answered 503", after: .milliseconds(2))
            let channel = Channel([down, down, NoticeFailure(reason: "answered 404", mayRetry: false)])
            let notifier = Notifier([channel], quick, log: log.line)
            notifier.send(notice(1))
            until { notifier.counts.failed == 1 }
            #expect(channel.notices.count == 3)
            notifier.send(notice(2))
            until { notifier.counts.delivered == 1 }
            #expect(channel.notices.map(\.report.id).last == "2")
            #expect(log.lines.first == "notify: the channel answered 503; once more in 0.002 seconds")
            // Nothing of what the report says.
            #expect(log.lines.last == "notify: the channel answered 404; given up: issue 1/3, new")
            notifier.stop(within: Patience.wait)
            #expect(notifier.counts == (1, 1, 0))
        }

        @Test("after the last attempt it is given up, and the next one has its turn")
        func givenUp() {
            let channel = Channel([NoticeFailure](repeating: NoticeFailure(reason: "is away"), count: 5))
            let notifier = Notifier([channel], quick, log: { _ in })
            notifier.send(notice(1))
            notifier.send(notice(2))
            until { notifier.counts.delivered == 1 }
            #expect(channel.notices.map(\.report.id) == ["1", "1", "1", "1", "1", "2"])
            notifier.stop(within: Patience.wait)
        }

        @Test("while one waits for its next attempt the others are told, and those of its issue after it")
        func order() {
            let channel = Channel([NoticeFailure(reason: "is away")])
            let policy = NoticePolicy(firstPause: .seconds(2))
            let notifier = Notifier([channel], policy, log: { _ in })
            notifier.send(notice(1, issue: 1))
            until { channel.notices.count == 1 }
            notifier.send(notice(2, issue: 1))
            notifier.send(notice(3, issue: 2))
            notifier.send(notice(4, issue: 3))
            until { notifier.counts.delivered == 4 }
            #expect(channel.notices.map(\.report.id) == ["1", "3", "4", "1", "2"])
            notifier.stop(within: Patience.wait)
        }

        @Test("what waits for its next attempt is tried once more at the end")
        func end() {
            let channel = Channel([NoticeFailure(reason: "is away")])
            let log = Log()
            let notifier = Notifier([channel], NoticePolicy(firstPause: .seconds(250)), log: log.line)
            notifier.send(notice(1))
            until { !log.lines.isEmpty }
            notifier.stop(within: Patience.wait)
            #expect(notifier.counts == (1, 0, 0))
        }

        @Test("a command has the notice on its input and in its environment, and none of the collector's secrets")
        func command() throws {
            let temporary = try TemporaryDirectory()
            func run(_ command: String, _ timeout: Duration = Patience.wait) throws(NoticeFailure) {
                let channel = CommandChannel(
                    command: command,
                    environment: ["PATH": "/usr/bin:/bin", "MAYDAY_STORE": "postgres://u:secret@h/d"]
                )
                let end = ContinuousClock.now + timeout
                try channel.deliver(notice(1, title: "a \"$(reboot)\"\nb")) { end }
            }
            let file = "\(temporary.path)/told"
            try run(
                "cat > \(file).json; echo \"$MAYDAY_EVENT $MAYDAY_PROJECT/$MAYDAY_ISSUE $MAYDAY_TEXT\" > \(file); env >> \(file)"
            )
            let told = try String(contentsOfFile: file, encoding: .utf8)
            let sentence = "New issue 1/3 of project shop (shop@1.2.0, production, on web-3): a \"$(reboot)\""
            #expect(told.hasPrefix("new 1/3 \(sentence)"))
            for line in [
                "MAYDAY_COMMAND=mayday show 1/3", "MAYDAY_PROJECT_NAME=shop", "MAYDAY_REPORT_RELEASE=shop@1.2.0",
                "MAYDAY_REPORT_ENVIRONMENT=production", "MAYDAY_REPORT_HOST=web-3",
            ] {
                #expect(told.contains("\n\(line)\n"))
            }
            #expect(!told.contains("secret"))
            let json = try String(contentsOfFile: "\(file).json", encoding: .utf8)
            let start = #"{"command":"mayday show 1/3","environment":"production","event":"new","host":"web-3","#
            #expect(json.hasPrefix(start) && json.hasSuffix("}\n"))

            #expect(throws: NoticeFailure(reason: "exited with 3: no mail")) { try run("echo no mail >&2; exit 3") }
            // Its errors, whatever else it says, and of them the last.
            #expect(throws: NoticeFailure(reason: "exited with 1: no such list")) {
                try run("echo trying; echo 'warning: old' >&2; echo no such list >&2; echo ended; exit 1")
            }
            // What it writes elsewhere may be the notice, which is not for the log.
            #expect(throws: NoticeFailure(reason: "exited with 1")) { try run("echo $MAYDAY_TEXT; exit 1") }
            // All that it said before it ended, though others can go on.
            #expect(throws: NoticeFailure(reason: "exited with 1: b")) {
                try run("sleep 1000 & seq 10000 >&2; echo b >&2; exit 1")
            }
            // What has no end is no reason to wait.
            let loud = #expect(throws: NoticeFailure.self) { try run("yes >&2 & exit 1", .seconds(100_000)) }
            #expect(loud?.reason.hasPrefix("exited with 1") == true)
            #expect(throws: NoticeFailure(reason: "was ended by signal 9")) { try run("kill -9 $$") }
            let slow = #expect(throws: NoticeFailure.self) { try run("sleep 1000 & sleep 1000", .milliseconds(200)) }
            #expect(slow?.reason.hasPrefix("took longer than 0.") == true)
            // What reads nothing, and what leaves its output to others, is no failure.
            try run("true")
            try run("exec >/dev/null 2>&1; cat >/dev/null")
        }

        @Test("a command that is under way when the collector stops is ended with it")
        func stopped() async throws {
            let temporary = try TemporaryDirectory()
            let file = "\(temporary.path)/pid"
            let log = Log()
            let command = CommandChannel(
                command: "echo $$ > \(file).new; mv \(file).new \(file); sleep 1000 & wait",
                environment: ["PATH": "/usr/bin:/bin"]
            )
            var policy = quick
            policy.timeout = .seconds(3_600)
            let notifier = Notifier([command], policy, log: log.line)
            notifier.send(notice(1))
            #expect(await eventually { FileManager.default.fileExists(atPath: file) })
            let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            let pid = try #require(pid_t(text))
            notifier.stop(within: .milliseconds(50))
            until { notifier.counts.failed == 1 }
            // The kernel takes a moment to end them.
            #expect(await eventually { kill(-pid, 0) != 0 || isZombie(pid) })
            #expect(log.lines.first?.contains("the command was ended with the collector; given up: ") == true)
        }

        @Test("what a command leaves behind keeps no notice waiting, and ends with it")
        func leftBehind() async throws {
            let temporary = try TemporaryDirectory()
            let file = "\(temporary.path)/pids"
            let command = CommandChannel(
                command: "sleep 100000 & echo $! >> \(file); exit 0",
                environment: ["PATH": "/usr/bin:/bin"]
            )
            var policy = quick
            // Whoever waits for more than the command does so for good.
            policy.timeout = .seconds(100_000)
            let notifier = Notifier([command], policy, log: { _ in })
            for number in 1...3 { notifier.send(notice(number)) }
            until { notifier.counts.delivered == 3 }
            #expect(notifier.counts == (3, 0, 0))
            notifier.stop(within: .zero)
            let pids = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { pid_t($0) }
            #expect(pids.count == 3)
            for pid in pids {
                #expect(await eventually { !isRunning(pid) })
            }
        }

        /// False for what has ended, whether somebody waited for it or not.
        private func isRunning(_ pid: pid_t) -> Bool {
            guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
            return status.split(separator: ")").last?.hasPrefix(" Z") != true
        }

        @Test("the status of a webhook counts, whatever it has to say", arguments: [200, 404])
        func longAnswer(status: Int) throws {
            let server = try ScriptedServer { _ in
                .flood("HTTP/1.1 \(status) X\r\nContent-Type: text/html\r\n\r\n", then: "<p>a page</p>")
            }
            let webhook = WebhookChannel(url: "http://127.0.0.1:\(server.port)/hook")
            func deliver() throws(NoticeFailure) { try webhook.deliver(notice(1)) { .now + Patience.wait } }
            guard status != 200 else { return try deliver() }
            #expect(throws: NoticeFailure(reason: "answered 404", mayRetry: false)) { try deliver() }
        }

        /// What nobody waited for yet.
        private func isZombie(_ group: pid_t) -> Bool {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return all.compactMap { pid_t($0) }.filter { getpgid($0) == group }.allSatisfy { pid in
                let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z"
                return status.split(separator: ")").last?.hasPrefix(" Z") == true
            }
        }

        @Test("every event has its words")
        func texts() {
            let rest =
                "issue 1/3 of project shop (shop@1.2.0, production, on web-3): Index out of range in total(of:) "
                + "(Cart.swift:41)\nmayday show 1/3"
            #expect(
                [IssueEvent.new, .regressed, .unmuted].map { notice(1, event: $0).text }
                    == ["New \(rest)", "Regressed: \(rest)", "Not muted any more: \(rest)"]
            )
            var bare = notice(1)
            (bare.release, bare.environment, bare.host) = (nil, nil, nil)
            #expect(bare.text.hasPrefix("New issue 1/3 of project shop: Index"))
            #expect(
                notice(1).chatText
                    == "New issue 1/3 of project `shop` (`shop@1.2.0`, `production`, on `web-3`): `Index out of range` in "
                    + "`total(of:) (Cart.swift:41)`\nmayday show 1/3"
            )
        }

        @Test("a chat is called, linked and flooded by nothing that a report says; programs have it as it was")
        func hostile() async throws {
            let server = try ScriptedServer { _ in .status(200) }
            let webhook = WebhookChannel(url: "http://127.0.0.1:\(server.port)/hook")
            let title = "<!channel> @everyone `x` <http://evil.example|ok> &lt;\n*b* \u{202e}\u{1b}[31m"
            var told = notice(1, title: title)
            (told.release, told.environment, told.host) = ("shop@here", "<!here>", "@channel")
            try webhook.deliver(told) { .now + Patience.wait }
            let long = String(repeating: "\u{e000}", count: 100_000)
            told = notice(2, title: long)
            (told.release, told.environment, told.host, told.project) = (long, long, long, long)
            told.entry.issue.culprit = long
            try webhook.deliver(told) { .now + Patience.wait }
            let bodies = try await server.requests(atLeast: 2).map { request in
                try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
            }
            let text = try #require(bodies[0]["text"] as? String)
            #expect(
                text
                    == "New issue 1/3 of project `shop` (`shop@\u{200b}here`, `‹!here›`, on `@\u{200b}channel`): "
                    + "`‹!channel› @\u{200b}everyone 'x' ‹http://evil.example|ok› &\u{200b}lt;\\n*b* \\u{202e}\\u{1b}[31m` "
                    + "in `total(of:) (Cart.swift:41)`\nmayday show 1/3"
            )
            let issue = try #require(bodies[0]["issue"] as? [String: Any])
            #expect(issue["title"] as? String == title)
            #expect(bodies[0]["release"] as? String == "shop@here" && bodies[0]["host"] as? String == "@channel")
            let cut = try #require(bodies[1]["text"] as? String)
            #expect(cut.utf16.count < 2_000 && cut.hasSuffix("…`\nmayday show 1/3"))
            #expect(cut.filter { $0 == "`" }.count == 12)
        }

        @Test("a command is told however long the message is")
        func longText() throws {
            let long = String(repeating: "x", count: 1 << 20)
            let channel = CommandChannel(
                command: "test \"${#MAYDAY_TEXT}\" -lt 2000",
                environment: ["PATH": "/usr/bin:/bin"]
            )
            try channel.deliver(notice(1, title: long)) { .now + Patience.wait }
        }
    }
#endif
