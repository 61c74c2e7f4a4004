import CrashReport
import TestSupport
import Testing

@testable import Mayday

/// What is taken out of reports.
@Suite struct ScrubbingTests {
    private func scrubbed(_ text: String, _ rules: Scrubbing = Scrubbing()) -> String {
        ScrubbedText(rules: rules).scrubbed(text)
    }

    @Test(arguments: [
        ("no secret here", "no secret here"),
        ("login password=hunter2 failed", "login password=[removed] failed"),
        ("PASSWORD: hunter2, user: ada", "PASSWORD: [removed], user: ada"),
        (#"{"api_key": "a b c", "n": 3}"#, #"{"api_key": "[removed]", "n": 3}"#),
        ("x-api-key:abc123;next", "x-api-key:[removed];next"),
        ("Authorization: Basic YWRhOmxvdmU= sent", "Authorization: [removed] sent"),
        ("sent Bearer abcdef0123456789 along", "sent Bearer [removed] along"),
        ("the bearer of news", "the bearer of news"),
        ("at postgres://ada:love@db/shop", "at postgres://ada:[removed]@db/shop"),
        ("at http://127.0.0.1:8080/x@y", "at http://127.0.0.1:8080/x@y"),
        ("jwt eyJhbGciOi.eyJzdWIi.c2ln", "jwt [removed]"),
        ("eyJonly", "eyJonly"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- rest", "[removed] rest"),
        ("-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
        ("from ada@example.com", "from ada@example.com"),
        ("token=", "token="),
        ("é password=é ü", "é password=[removed] ü"),
        ("Index out of range: 7 of 3", "Index out of range: 7 of 3"),
    ])
    func `secrets in texts are taken out, and nothing else`(_ text: String, _ expected: String) {
        #expect(scrubbed(text) == expected)
        #expect(scrubbed(expected) == expected)
    }

    @Test func `addresses go when they are asked to`() {
        let rules = Scrubbing(emails: true)
        #expect(scrubbed("from ada.l+x@mail.example.com, again", rules) == "from [removed], again")
        #expect(scrubbed("a @ b, @x, x@y", rules) == "a @ b, @x, x@y")
    }

    @Test func `values go by their name, at any depth, and the rest stays`() {
        var report = TestSpool.report(seed: 1)
        report.context = Context(
            tags: ["region": "eu-1", "Session-ID": "s"],
            user: ["id": .string("u-7"), "passwordHash": .string("x")],
            request: ["headers": .object(["Cookie": .string("a=b"), "accept": .string("text/plain")])],
            custom: ["list": .array([.object(["authToken": .integer(7)]), .string("token=abc")]), "secret": .null]
        )
        report.breadcrumbs = [
            Breadcrumb(time: report.header.time, message: "pwd=x", data: ["api-key": .string("k"), "n": .integer(1)])
        ]
        report.threads[0].task = TaskFacts(id: 3, name: "login token=abc")
        Scrubbing().apply(to: &report)
        #expect(report.threads[0].task == TaskFacts(id: 3, name: "login token=[removed]"))
        let mark = JSONValue.string("[removed]")
        #expect(report.context?.tags == ["region": "eu-1", "Session-ID": "[removed]"])
        #expect(report.context?.user == ["id": .string("u-7"), "passwordHash": mark])
        #expect(report.context?.request["headers"] == .object(["Cookie": mark, "accept": .string("text/plain")]))
        #expect(
            report.context?.custom
                == ["list": .array([.object(["authToken": mark]), .string("token=[removed]")]), "secret": .null]
        )
        #expect(report.breadcrumbs.first?.message == "pwd=[removed]")
        #expect(report.breadcrumbs.first?.data == ["api-key": mark, "n": .integer(1)])
    }

    @Test func `any text is scrubbed in one pass without a fault`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "password", "=", ":", " ", "\"", "Bearer ", "eyJ", ".", "-----BEGIN ", "PRIVATE KEY", "-----", "@", "://",
            "é", "x", "\n",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<12, using: &generator))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            let once = scrubbed(text, Scrubbing(emails: true))
            #expect(once.utf8.count <= text.utf8.count * 12 + 12)
        }
    }
}

/// What is done before a report is sent.
@Suite struct OutgoingRulesTests {
    private let report = TestSpool.report(seed: 2)

    @Test func `a report without secrets is sent as it is, byte for byte`() async {
        let file = Gzip.compress(report.jsonLines, level: 1)
        #expect(await OutgoingRules().verdict(on: file) == .send(file))
        #expect(await OutgoingRules().verdict(on: [1, 2, 3]) == .send([1, 2, 3]))
    }

    @Test func `beforeSend sees it without secrets, changes it, and cannot change its id`() async throws {
        var secret = report
        secret.context = Context(tags: ["token": "t"])
        let rules = OutgoingRules(beforeSend: { report in
            let seen = report.context?.tags["token"]
            report.context?.tags["seen"] = seen
            report.header.id = "another"
            return true
        })
        let sent = try #require(await rules.sent(of: secret))
        #expect(sent.context?.tags == ["token": "[removed]", "seen": "[removed]"])
        #expect(sent.header.id == report.header.id)
    }

    @Test func `beforeSend drops a report, which then is out of the spool`() async throws {
        #expect(await OutgoingRules(beforeSend: { _ in false }).verdict(on: report.encode()) == .dropped)
        let spool = try TestSpool()
        try spool.add(seed: 3)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.child("flush", port: server.port, environment: ["SDK_DROP": "1"]).outcome()
        #expect(outcome.output == "flushed: true\n" && server.requests.isEmpty && spool.reports() == [])
        #expect(spool.files() == ["collector.discarded"])
    }

    @Test func `a crash is scrubbed and passes beforeSend in the reporter`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        _ = try await spool.child("tell", "secret", port: server.port, environment: ["SWIFT_BACKTRACE": "enable=no"])
            .outcome()
        let report = try Report.decode(gzip: #require(server.requests.first).body).report
        #expect(report.context?.tags["api_key"] == "[removed]")
        #expect(report.crash?.message?.contains("token=[removed]") == true)
        let dropped = try await spool.child("crash", port: server.port, environment: ["SDK_DROP": "1"]).outcome()
        #expect(dropped.errors.contains("dropped by beforeSend") && server.requests.count == 1)
        #expect(spool.files() == ["collector.discarded"])
    }
}

extension OutgoingRules {
    /// The verdict for an uploader that has no wishes.
    func verdict(on gzip: [UInt8], for uploader: any ReportUploader = InMemoryUploader()) async -> OutgoingVerdict {
        await verdict(on: gzip, for: uploader, deadline: .now + .seconds(600))
    }

    /// What would be sent of a report; nil when nothing would be.
    func sent(of report: Report, for uploader: any ReportUploader = InMemoryUploader()) async -> Report? {
        guard case .send(let gzip) = await verdict(on: report.encode(), for: uploader) else { return nil }
        return try? Report.decode(gzip: gzip).report
    }
}
