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
        ("x-api-key:abc123;next", "x-api-key:[removed]"),
        ("Authorization: Basic YWRhOmxvdmU= sent", "Authorization: [removed]"),
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

    @Test(arguments: [
        ("Cookie: theme=dark; session=LK01; auth=LK02\nrest", "Cookie: [removed]\nrest"),
        ("Set-Cookie: sid=LK03; Path=/; HttpOnly\r\nrest", "Set-Cookie: [removed]\r\nrest"),
        (#"curl https://h/x -H "Cookie: a=b; sid=LK06" -v"#, #"curl https://h/x -H "Cookie: [removed]" -v"#),
        (#"curl -H 'Authorization: Digest a="LK1", b="LK2"' -v"#, #"curl -H 'Authorization: [removed]' -v"#),
        (#"{"h":"Cookie: a=\"LK1\"; b=LK2","n":1}"#, #"{"h":"Cookie: [removed]","n":1}"#),
        (#"Authorization: Digest username="Mufasa", response="LK08", opaque="LK09""#, "Authorization: [removed]"),
        ("Authorization: AWS4-HMAC-SHA256 Credential=LK/20, Signature=LK10\nrest", "Authorization: [removed]\nrest"),
        (#"["Authorization": "Digest a=LK1, b=LK2", "n": "x"]"#, #"["Authorization": "[removed]", "n": "x"]"#),
        ("https://h/?cookie=LK1&n=1", "https://h/?cookie=[removed]&n=1"),
        (#"{\"password\":\"LEAK13\",\"n\":1}"#, #"{\"password\":\"[removed]\",\"n\":1}"#),
        (#"{\\\"password\\\":\\\"LEAK13\\\",\\\"n\\\":1}"#, #"{\\\"password\\\":\\\"[removed]\\\",\\\"n\\\":1}"#),
        (#"{"password":"LK\"LK2\\","n":1}"#, #"{"password":"[removed]","n":1}"#),
        (#"{\"m\":\"password=LK1\",\"n\":1}"#, #"{\"m\":\"password=[removed]\",\"n\":1}"#),
        (#"{"pin":1234,"n":1}"#, #"{"pin":[removed],"n":1}"#),
        (#"[["Authorization","Bearer LEAK45xyz"],["n","1"]]"#, #"[["Authorization","[removed]"],["n","1"]]"#),
        (#"["host", "h", "cookie", "LK1", "n", "1"]"#, #"["host", "h", "cookie", "[removed]", "n", "1"]"#),
        (#"[("password", "LK1"), ("n", "1")]"#, #"[("password", "[removed]"), ("n", "1")]"#),
        (#"[{"name":"password","value":"LEAK44"}]"#, #"[{"name":"password","value":"[removed]"}]"#),
        (#"[{\"name\":\"password\",\"value\":\"LEAK44\"}]"#, #"[{\"name\":\"password\",\"value\":\"[removed]\"}]"#),
        (#"Header(name: "X-Auth", value: "LK1")"#, #"Header(name: "X-Auth", value: "[removed]")"#),
        (#"["--token","LEAK43","-v"]"#, #"["--token","[removed]","-v"]"#),
        ("run --password LEAK24 --n 1", "run --password [removed] --n 1"),
        (#"run --password "LEAK 24" --n 1"#, #"run --password "[removed]" --n 1"#),
        ("curl -u bob:LK07 https://h", "curl -u bob:[removed] https://h"),
        (#"["curl","-u","bob:LK07"]"#, #"["curl","-u","bob:[removed]"]"#),
        ("password=abc,LK42 n", "password=[removed] n"), ("password=ab;LK43 n", "password=[removed] n"),
        ("password=a&LK44 n", "password=[removed] n"), ("password=ab)LK45, n", "password=[removed], n"),
        ("/x?password=LK1&n=1&token=LK2", "/x?password=[removed]&n=1&token=[removed]"),
        (#"password: Optional("LK 1"), n"#, "password: [removed]), n"),
        (#":password => "LK38", :n => 1"#, #":password => "[removed]", :n => 1"#),
        ("<a><password>LK39</password><n>1</n></a>", "<a><password>[removed]</password><n>1</n></a>"),
        ("pass=LK1 pw=LK2 jwt=LK3", "pass=[removed] pw=[removed] jwt=[removed]"),
        ("passcode=LK4 pin=LK5", "passcode=[removed] pin=[removed]"),
        ("DB_PASS=LK1 dbPass=LK2 auth=LK3 sig=LK4", "DB_PASS=[removed] dbPass=[removed] auth=[removed] sig=[removed]"),
        ("X-Auth: LK n", "X-Auth: [removed] n"), ("pin: 1234, n", "pin: [removed], n"),
        ("/x?signature=LK1&X-Amz-Signature=LK2&n=1", "/x?signature=[removed]&X-Amz-Signature=[removed]&n=1"),
        (#"a\npin=LK1"#, #"a\npin=[removed]"#),
        ("ghp_LEAK0123456789 n", "[removed] n"), ("github_pat_11LEAK_0123456789 n", "[removed] n"),
        ("(glpat-LEAK01234567)", "([removed])"), ("key sk_live_LEAK01234567.", "key [removed]."),
        ("xoxb-12-34-LEAK n, xoxp-12-34-LEAK", "[removed] n, [removed]"), ("AKIAIOSFODNN7EXAMPLE n", "[removed] n"),
        ("see https://KEY@host/1", "see https://[removed]@host/1"), ("redis://:LK@h/0", "redis://:[removed]@h/0"),
        ("amqp://a:l@k!1@h/v", "amqp://a:[removed]@h/v"),
    ])
    func `secrets in the forms that headers, arguments and nested texts have are taken out`(
        _ text: String,
        _ expected: String
    ) {
        #expect(scrubbed(text) == expected)
        #expect(scrubbed(expected) == expected)
    }

    @Test(arguments: [
        "put a pin in it", "3 passed, 1 failed", "passed: 3", "author: Ada", "authors=Ada", "signal: 11",
        "signal=SIGSEGV",
        "spin=4 compass=north bypass=no BYPASS=no", "auth: connection refused", "PASS: testLogin", "pin: high",
        "function signature: (Int) -> Int", "a - pass - b", "if a > b", "<pin", "docker run -u 1000:1000 image",
        "git -u origin main", #"fields ["user", "password", "email"] are missing"#, "ssh://git@host/x", "AKIA in text",
        "ghp_x", "https://host/@user", #"{"name":"n","value":"v"}"#, "x\\y\\\"z\"", "password", "the Cookie", "--",
        "\"",
        "=", "password:", "Cookie:\nrest", "<password></password>",
    ])
    func `ordinary text stays`(_ text: String) {
        #expect(scrubbed(text) == text)
    }

    @Test func `addresses go when they are asked to`() {
        let rules = Scrubbing(emails: true)
        #expect(scrubbed("from ada.l+x@mail.example.com, again", rules) == "from [removed], again")
        #expect(scrubbed("a @ b, @x, x@y", rules) == "a @ b, @x, x@y")
        #expect(scrubbed("ghp_LEAK0123456789@example.com", rules) == "[removed][removed]")
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

    @Test func `pairs, arguments and named values in values go`() {
        var report = TestSpool.report(seed: 1)
        func texts(_ texts: String...) -> JSONValue { .array(texts.map(JSONValue.string)) }
        func header(_ value: String) -> JSONValue { .object(["name": .string("password"), "value": .string(value)]) }
        let data: [String: JSONValue] = [
            "pair": texts("Authorization", "Digest LK1"), "arguments": texts("a", "--token", "LK2", "b"),
            "named": .array([header("LK3")]), "fields": texts("user", "password", "email"), "DB_PASS": .string("LK4"),
        ]
        report.breadcrumbs = [Breadcrumb(time: report.header.time, message: "m", data: data)]
        Scrubbing().apply(to: &report)
        let mark = "[removed]"
        #expect(
            report.breadcrumbs.first?.data == [
                "pair": texts("Authorization", mark), "arguments": texts("a", "--token", mark, "b"),
                "named": .array([header(mark)]), "fields": texts("user", "password", "email"), "DB_PASS": .string(mark),
            ]
        )
    }

    /// A pass that looks at everything from every place would need minutes, not the moment that this takes.
    @Test(arguments: [
        "token=", "\"token\",", "--token ", "-----BEGIN ", "eyJ.", "://", "://a:", "Cookie:\"", "\\",
        "\\\"token\\\":\\\"",
        "&token", "=&", "<pin>", "[\"pin\",\"", "(\"", "Bearer ", "-", " ", "-u ", "ghp_", "a@", "pin: ",
        "token: basic ", "basic ",
    ])
    func `hostile texts are read in linear time`(_ piece: String) {
        let text = String(repeating: piece, count: 1 << 15)
        #expect(scrubbed("x" + text, Scrubbing(emails: true)).utf8.count <= text.utf8.count * 10)
    }

    @Test func `any text is scrubbed in one pass without a fault`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "password", "=", ":", " ", "\"", "Bearer ", "eyJ", ".", "-----BEGIN ", "PRIVATE KEY", "-----", "@", "://",
            "é", "x", "\n", "\\", "'", "--token", ",", "[", "(", ")", "value", "<", ">", "&", "ghp_", "-u", "Cookie",
            "pin",
        ]
        for _ in 0..<20_000 {
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
        let outcome = try await spool.run("flush", port: server.port, environment: ["SDK_DROP": "1"])
        #expect(outcome.output == "flushed: true\n" && server.requests.isEmpty && spool.reports() == [])
        #expect(spool.files() == ["collector.discarded"])
    }

    @Test func `a crash is scrubbed and passes beforeSend in the reporter`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        _ = try await spool.run("tell", "secret", port: server.port, environment: ["SWIFT_BACKTRACE": "enable=no"])
        let report = try Report.decode(gzip: #require(server.requests.first).body).report
        #expect(report.context?.tags["api_key"] == "[removed]")
        #expect(report.crash?.message?.contains("token=[removed]") == true)
        let dropped = try await spool.run("crash", port: server.port, environment: ["SDK_DROP": "1"])
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
