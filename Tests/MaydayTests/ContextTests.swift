import CrashReport
import TestSupport
import Testing

@testable import Mayday

/// What a service said before it crashed, in the report of the crash.
@Suite(.patience) struct ContextTests {
    /// The report of `SDKChild tell SCENE`, as it lies in the spool.
    private func report(of scene: String, check: (ChildProcess.Outcome) -> Void = { _ in }) async throws -> Report {
        let spool = try TestSpool()
        let environment = ["SWIFT_BACKTRACE": "enable=no", "MAYDAY_DELIVERY_DEADLINE": "0"]
        let outcome = try await spool.run("tell", scene, port: 1, environment: environment)
        check(outcome)
        let file = try #require(spool.files().first, "\(outcome.status) \(outcome.errors)")
        let decoded = try Report.decode(gzip: spool.bytes(file))
        #expect(decoded.isComplete && decoded.warnings == [])
        #expect(decoded.report.crash?.message?.contains("told") == true)
        #expect(decoded.report.end?.cut == [])
        return decoded.report
    }

    @Test func `tags, user, context and the last breadcrumbs are in the report`() async throws {
        let report = try await report(of: "process")
        let context = try #require(report.context)
        #expect(context.tags == ["region": "eu-1"])
        #expect(context.user == ["id": .string("u-7")])
        #expect(context.custom["queue"] == .object(["depth": .integer(3)]))
        let gift = JSONValue.object(["to": .string("Ada"), "wrapped": .bool(true)])
        #expect(context.custom["cart"] == .object(["items": .integer(3), "sku": .string("tea"), "gift": gift]))
        #expect(context.custom["gone"] == nil)
        guard case .string(let note) = context.custom["note"] else {
            Issue.record("no note: \(context.custom)")
            return
        }
        #expect(note.hasPrefix("é\"é\"") && note.hasSuffix("…"))
        let crumbs = report.breadcrumbs
        #expect(crumbs.count == 128)
        #expect(crumbs.dropLast(2).map(\.message) == (74..<200).map { "step \($0)" })
        let cart = crumbs[126]
        #expect(cart.message == "cart loaded" && cart.category == "cart" && cart.level == "warning")
        #expect(cart.data == ["items": .integer(3), "sku": .string("tea")])
        #expect(crumbs[127].message == String(repeating: "é", count: 118) + "…")
        #expect(crumbs[127].data == ["…": .string("too long")])
        #expect(crumbs.map(\.time) == crumbs.map(\.time).sorted())
        #expect(report.end?.stages.contains("context") == true)
    }

    @Test func `a task's values and its request are in the report, also of what it started`() async throws {
        let nested = try #require(try await report(of: "task").context)
        #expect(nested.custom == ["tenant": .string("t-1"), "attempt": .integer(2)])
        #expect(nested.request == ["path": .string("/cart"), "id": .string("r-1")])
        #expect(try await report(of: "group").context == Context(request: ["id": .string("r-2")]))
        #expect(try await report(of: "synchronous").context == Context(custom: ["job": .string("nightly")]))
    }

    @Test func `what has ended is not in the report`() async throws {
        #expect(try await report(of: "left").context == nil)
    }

    @Test func `above a thousand at a time, a scope is not in the report, and nothing else is hurt`() async throws {
        #expect(try await report(of: "full").context == nil)
    }

    @Test func `nothing is torn when threads write at the very moment of the crash`() async throws {
        let report = try await report(of: "storm")
        #expect(report.breadcrumbs.count > 64)
        for crumb in report.breadcrumbs {
            let halves = crumb.message.split(separator: "|")
            #expect(halves.count == 2 && halves[0] == halves[1])
            #expect(crumb.data["half"] == .string(String(halves[0])))
        }
        let tags = try #require(report.context).tags
        #expect(tags.count == 6)
        for value in tags.values {
            let halves = value.split(separator: "|")
            #expect(halves.count == 2 && halves[0] == halves[1])
        }
    }

    @Test func `a forked child has what was said before, and says more`() async throws {
        let report = try await report(of: "fork") { #expect($0.status == .exited(0)) }
        #expect(report.context?.tags == ["region": "eu-1", "forked": "yes"])
        #expect(report.breadcrumbs.map(\.message) == ["before", "after"])
    }

    @Test func `one name too many is a warning, once`() async throws {
        let report = try await report(of: "bounds") { outcome in
            let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("is not in reports") }
            #expect(warnings.count == 1 && warnings[0].contains("'tag-96' is one name too many: there are 96"))
        }
        #expect(report.context?.tags.count == 96)
    }
}

/// Values in bounded text.
@Suite struct ContextTextTests {
    private func value(_ value: JSONValue, limit: Int) -> String {
        String(decoding: ContextText.value(value, limit: limit), as: UTF8.self)
    }

    @Test func `text is cut at a character, whatever has to be escaped`() throws {
        #expect(value(.string("abcdef"), limit: 8) == "\"abcdef\"")
        #expect(value(.string("abcdefg"), limit: 8) == "\"abc…\"")
        #expect(value(.string("éééé"), limit: 9) == "\"éé…\"")
        #expect(value(.string(""), limit: 2) == "\"\"")
        for length in 0..<200 {
            for character in ["x", "é", "\n", "\"", "漢", "👩‍👧"] {
                let text = ContextText.value(.string(String(repeating: character, count: length)), limit: 60)
                #expect(text.count <= 60)
                _ = try JSONReader.parse(text)
            }
        }
    }

    @Test func `what is no text and too long becomes a mark`() {
        #expect(value(.array(Array(repeating: .integer(1), count: 100)), limit: 20) == "\"…\"")
        #expect(value(.integer(12), limit: 20) == "12")
    }
}
