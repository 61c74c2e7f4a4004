import CrashReport
import Foundation
import TestSupport
import Testing

/// One service with each backend: what differs in its source, and that the same crash arrives.
@Suite(.patience) struct OneLineTests {
    private static let backends = ["Collector", "Directory", "Sentry", "OTLP", "Webhook", "All"]
    private static let documentation = "\(Package.root)/docs/backends.md"

    private static func source(_ backend: String) -> String { "Examples/OneLine/\(backend)/main.swift" }

    /// The lines of a service without the imports of adapters and without its `uploader:` argument.
    private func rest(_ backend: String) throws -> [Substring] {
        let path = "\(Package.root)/\(Self.source(backend))"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let argument = try #require(lines.firstIndex { $0.hasPrefix("    uploader: ") })
        let end = try #require(lines[argument...].firstIndex(of: ")"))
        return (lines[..<argument] + lines[end...]).filter { !($0.hasPrefix("import Mayday") && $0 != "import Mayday") }
    }

    @Test(arguments: backends) func `only the uploader argument differs, and its import`(backend: String) throws {
        #expect(try rest(backend) == rest("Collector"))
    }

    /// One after the other: all of it is in one file, which is written when golden texts are.
    @Test func `the documentation shows the real differences`() async throws {
        for backend in Self.backends.dropFirst() {
            let files = [Self.source("Collector"), Self.source(backend)].map { "\(Package.root)/\($0)" }
            let outcome = try await ChildProcess.run("/usr/bin/diff", ["-U", "99"] + files)
            #expect(outcome.status == .exited(1))
            // Without the headers, which name files and times.
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).dropLast()
            let part = "diff of \(Self.source(backend)): MAYDAY_UPDATE_GOLDEN=1 make test"
            let shown = ["```diff"] + lines.map(String.init) + ["```"]
            let difference = try Golden.difference(shown, part: part, of: Self.documentation)
            #expect(difference == nil, "\(difference ?? "")")
        }
    }

    /// A collector, a directory, and servers for the others, with what they were given.
    private struct Receivers {
        let collector: Collector
        let serving: Serving
        let directory: TemporaryDirectory
        let sentry: ScriptedServer
        let otlp: ScriptedServer
        let webhook: ScriptedServer
        let variables: [String: String]

        init() async throws {
            collector = try Collector()
            serving = try await collector.serve()
            directory = try TemporaryDirectory()
            sentry = try ScriptedServer { _ in .status(200, body: "{}") }
            otlp = try ScriptedServer { _ in .status(200, body: "{}") }
            webhook = try ScriptedServer { _ in .status(200, body: "ok") }
            variables = [
                "MAYDAY_DSN": try await serving.secret("MAYDAY_DSN"), "MAYDAY_DIRECTORY": directory.path,
                "SENTRY_DSN": "http://KEY@127.0.0.1:\(sentry.port)/42",
                "MAYDAY_OTLP_ENDPOINT": "http://127.0.0.1:\(otlp.port)",
                "MAYDAY_WEBHOOK_URL": "http://127.0.0.1:\(webhook.port)/hooks/KEY",
            ]
        }

        /// Names of the backends that have the report, and nothing else.
        func holders(of id: String) async throws -> Set<String> {
            var holders: Set<String> = []
            if try await collector.run("reports", "--json").output.contains(id) { holders.insert("Collector") }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            if files == ["\(id).jsonl.gz"] { holders.insert("Directory") }
            let sent = [
                ("Sentry", sentry, String(id.filter { $0 != "-" })), ("OTLP", otlp, id), ("Webhook", webhook, id),
            ]
            for (name, server, id) in sent where server.requests.count == 1 {
                let body = server.requests[0].body
                let text = String(decoding: (try? Gzip.expand(body, limit: 8 << 20).bytes) ?? body, as: UTF8.self)
                if text.contains(id), text.contains("Index out of range"), text.contains("Cart.price(at:)") {
                    holders.insert(name)
                }
            }
            return holders
        }
    }

    @Test(arguments: backends) func `the same crash arrives`(backend: String) async throws {
        let receivers = try await Receivers()
        let home = try TemporaryDirectory()
        let environment = [
            "HOME": home.path, "SWIFT_BACKTRACE": "enable=no", "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
        ]
        .merging(receivers.variables) { $1 }
        let path = try BuiltProduct.path("Shop\(backend)")
        let outcome = try await ChildProcess.run(path, environment: environment)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP), "\(outcome.errors)")
        let id = try #require(outcome.errors.firstMatch(of: /; report ([0-9a-f-]{36}) written/)).1
        let expected = backend == "All" ? Set(Self.backends).subtracting(["All"]) : [backend]
        #expect(try await receivers.holders(of: String(id)) == expected, "\(outcome.errors)")
        #expect(await receivers.serving.stop().status == .exited(0))
    }
}
