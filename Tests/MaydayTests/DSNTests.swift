import Testing

@testable import Mayday

@Suite struct DSNTests {
    @Test(arguments: [
        ("http://KEY@127.0.0.1:7171/1", "http://127.0.0.1:7171/api/1/reports", "KEY", true),
        (
            "https://k-1_.~@mayday.example.com/checkout", "https://mayday.example.com/api/checkout/reports", "k-1_.~",
            false
        ),
        ("HTTPS://KEY@Mayday.Example.com/1", "https://mayday.example.com/api/1/reports", "KEY", false),
        ("http://KEY@[::1]:7171/1", "http://[::1]:7171/api/1/reports", "KEY", true),
        ("http://KEY@[2001:db8::7]/1", "http://[2001:db8::7]/api/1/reports", "KEY", false),
        ("http://KEY@proxy/mayday/inner/1", "http://proxy/mayday/inner/api/1/reports", "KEY", false),
        ("http://KEY@proxy/a%20b/1", "http://proxy/a%20b/api/1/reports", "KEY", false),
        ("http://a%40b%2Fc@localhost:1/1", "http://localhost:1/api/1/reports", "a@b/c", true),
        ("http://KEY@collector.localhost/1", "http://collector.localhost/api/1/reports", "KEY", true),
        ("http://KEY@127.example.com/1", "http://127.example.com/api/1/reports", "KEY", false),
        ("http://KEY@h:65535/1", "http://h:65535/api/1/reports", "KEY", false),
    ])
    func good(text: String, url: String, key: String, isLoopback: Bool) throws {
        let dsn = try DSN(text)
        #expect(dsn.reportsURL == url)
        #expect(dsn.key == key)
        #expect(dsn.isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("", DSNError.Part.scheme, "is missing"),
        ("SECRET@127.0.0.1:7171/1", .scheme, "is missing"),
        ("http:/SECRET@h/1", .scheme, "is missing"),
        ("ftp://SECRET@h/1", .scheme, "must be http or https"),
        ("://SECRET@h/1", .scheme, "must be http or https"),
        ("http://h/1", .key, "is missing, it stands before an @"),
        ("http://SECRET/1", .key, "is missing, it stands before an @"),
        ("http://@h/1", .key, "is missing, it stands before an @"),
        ("http://SECRET:more@h/1", .key, "must be plain ASCII"),
        ("http://SEC@RET@h/1", .key, "must be plain ASCII"),
        ("http://SECRET%0d%0aX:@h/1", .key, "must be plain ASCII"),
        ("http://SECRET%0D%0Ah@h/1", .key, "must be plain ASCII"),
        ("http://SECRET%2@h/1", .key, "must be plain ASCII"),
        ("http://SECRET%zz@h/1", .key, "must be plain ASCII"),
        ("http://SECRET%ff@h/1", .key, "must be plain ASCII"),
        ("http://SECRÉT@h/1", .key, "must be plain ASCII"),
        ("http://SECRET\r\n@h/1", .key, "must be plain ASCII"),
        ("http://SECRET@/1", .host, "is missing"),
        ("http://SECRET@:80/1", .host, "is missing"),
        ("http://SECRET@bücher.example/1", .host, "must be a name in ASCII"),
        ("http://SECRET@a b/1", .host, "must be a name in ASCII"),
        ("http://SECRET@h\r\n/1", .host, "must be a name in ASCII"),
        ("http://SECRET@[::1/1", .host, "is an IPv6 address without its closing ]"),
        ("http://SECRET@[::g]/1", .host, "is not an IPv6 address"),
        ("http://SECRET@[]/1", .host, "is not an IPv6 address"),
        ("http://SECRET@[::1]7171/1", .port, "must follow the ] after a colon"),
        ("http://SECRET@h:/1", .port, "must be a number from 1 to 65535"),
        ("http://SECRET@h:0/1", .port, "must be a number from 1 to 65535"),
        ("http://SECRET@h:65536/1", .port, "must be a number from 1 to 65535"),
        ("http://SECRET@h:+80/1", .port, "must be a number from 1 to 65535"),
        ("http://SECRET@h:80:81/1", .port, "must be a number from 1 to 65535"),
        ("http://SECRET@::1/1", .host, "is missing"),
        ("http://SECRET@h", .project, "is missing, it is the last part of the path"),
        ("http://SECRET@h/", .project, "is missing, it is the last part of the path"),
        ("http://SECRET@h/prefix/", .project, "is missing, it is the last part of the path"),
        ("http://SECRET@h/1?x=1", .project, "must be the end of the DSN"),
        ("http://SECRET@h/1#x", .project, "must be the end of the DSN"),
        ("http://SECRET@h/..", .project, "must be letters, digits and -._~ only"),
        ("http://SECRET@h/a%2Fb", .project, "must be letters, digits and -._~ only"),
        ("http://SECRET@h/1\r\nX", .project, "must be letters, digits and -._~ only"),
        ("http://SECRET@h/a b/1", .project, "has a path before it that must be percent-encoded"),
        ("http://SECRET@h/%zz/1", .project, "has a path before it that must be percent-encoded"),
    ])
    func bad(text: String, part: DSNError.Part, problem: String) throws {
        let error = try #require(throws: DSNError.self) { try DSN(text) }
        #expect(error.part == part)
        #expect(error.problem.hasPrefix(problem))
        #expect(!error.description.contains("SEC"), "the key must not be repeated")
        #expect(error.description.contains("write it like https://KEY@mayday.example.com:7171/1"))
    }

    @Test func `the environment's DSN wins, and is named when it is wrong`() throws {
        let dsn = try DSN("http://A@a/1", variable: "MAYDAY_DSN", environment: { ["MAYDAY_DSN": "http://B@b:2/2"][$0] })
        #expect(dsn.reportsURL == "http://b:2/api/2/reports")
        #expect(try DSN("http://A@a/1", variable: "MAYDAY_DSN", environment: { ["MAYDAY_DSN": ""][$0] }).host == "a")
        let error = try #require(throws: DSNError.self) {
            try DSN("http://A@a/1", variable: "MAYDAY_DSN", environment: { ["MAYDAY_DSN": "http://B@b:x/2"][$0] })
        }
        #expect(
            error.description == """
                the DSN in MAYDAY_DSN: port must be a number from 1 to 65535; write it like \
                https://KEY@mayday.example.com:7171/1
                """
        )
    }
}
