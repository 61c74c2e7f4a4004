import BackendSupport
import CrashReport
import Foundation
import Mayday
import TestSupport
import Testing

@testable import MaydaySentry

@Suite struct SentryEventTests {
    /// The JSON of an event, pretty, for people to compare.
    private func lines(_ readable: ReadableReport, _ detail: SentryEvent.Detail = .full) throws -> [String] {
        let payload = SentryEvent(readable, detail: detail).payload(sdk: SDKFacts(name: "mayday.swift", version: "1"))
        let object = try JSONSerialization.jsonObject(with: Data(payload))
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try JSONSerialization.data(withJSONObject: object, options: options)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    private func json(_ readable: ReadableReport, _ detail: SentryEvent.Detail = .full) throws -> [String: Any] {
        let payload = SentryEvent(readable, detail: detail).payload(sdk: SDKFacts(name: "mayday.swift", version: "1"))
        return try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    private func readable(_ change: (inout Report) -> Void = { _ in }) -> ReadableReport {
        var report = SampleReport(threads: 2, frames: 3, images: 2, isSymbolicated: true).report()
        change(&report)
        return ReadableReport(report: report, title: report.title, culprit: "Cart.total(of:)", fingerprint: "ab12")
    }

    @Test func `a crash`() throws {
        let readable = readable { report in
            report.context = Context(
                tags: ["region": "eu-1"],
                user: ["id": .string("42")],
                request: ["path": .string("/cart")],
                custom: ["items": .integer(3)]
            )
            report.breadcrumbs = [
                Breadcrumb(
                    time: "2026-11-30T11:00:00.000000Z",
                    message: "cart loaded",
                    category: "cart",
                    level: "info",
                    data: ["items": .integer(3)]
                )
            ]
        }
        let difference = try Golden.difference(lines(readable), "crash.json")
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test func `a handled error with its causes, the reported one last`() throws {
        let readable = readable { report in
            report.header.kind = .error
            report.crash = nil
            for index in report.threads.indices { report.threads[index].crashed = false }
            report.error = HandledError(
                typeName: "CartError",
                text: "cannot pay",
                detail: ErrorDetail(values: ["amount": .integer(12)]),
                chain: [
                    UnderlyingError(
                        typeName: "PaymentError",
                        text: "declined",
                        detail: ErrorDetail(domain: "Bank", code: 7, values: ["card": .string("visa")])
                    ), UnderlyingError(typeName: "IO", text: "reset"),
                ]
            )
        }
        let event = try json(readable)
        let values = try #require((event["exception"] as? [String: Any])?["values"] as? [[String: Any]])
        #expect(values.map { $0["type"] as? String } == ["IO", "PaymentError", "CartError"])
        let mechanisms = values.map { $0["mechanism"] as? [String: Any] }
        #expect(mechanisms[0] == nil)
        let domain = (mechanisms[1]?["meta"] as? [String: Any])?["ns_error"] as? [String: Any]
        #expect(domain?["domain"] as? String == "Bank" && domain?["code"] as? Int == 7)
        #expect(mechanisms[1]?["data"] as? [String: String] == ["card": "visa"])
        #expect(mechanisms[2]?["handled"] as? Bool == true)
        #expect(mechanisms[2]?["data"] as? [String: Int] == ["amount": 12])
        #expect(values[2]["stacktrace"] != nil)
        #expect(event["level"] as? String == "error")
    }

    @Test func `what the service groups a report by is what Sentry groups it by, within bounds`() throws {
        #expect(try json(readable())["fingerprint"] as? [String] == ["ab12"])
        let own = readable { $0.header.fingerprint = "payments" }
        #expect(try json(own)["fingerprint"] as? [String] == ["payments"])
        let long = readable { $0.header.fingerprint = String(repeating: "p", count: 100_000) }
        let cut = try #require(try json(long)["fingerprint"] as? [String])
        #expect(cut.count == 1 && cut[0].count <= 1_001)
        #expect(try json(readable { $0.header.fingerprint = "" })["fingerprint"] as? [String] == ["ab12"])
    }

    @Test func `a report of which nothing but its first line is left`() throws {
        let event = try json(
            ReadableReport(report: Report(header: readable().report.header), title: "Crash without details")
        )
        #expect((event["message"] as? [String: Any])?["formatted"] as? String == "Crash without details")
        #expect(event["exception"] == nil && event["threads"] == nil && event["fingerprint"] == nil)
    }

    @Test func `the other threads' stacks are left out where they are too much`() throws {
        func stacks(_ readable: ReadableReport, _ detail: SentryEvent.Detail) throws -> [Bool] {
            let event = try json(readable, detail)
            let values = try #require((event["threads"] as? [String: Any])?["values"] as? [[String: Any]])
            return values.map { $0["stacktrace"] != nil }
        }
        #expect(try stacks(readable(), .full) == [false, true])
        #expect(try stacks(readable(), .crashedThreadOnly) == [false, false])
        let report = SampleReport(threads: 600, frames: 60, isSymbolicated: true).report()
        let large = ReadableReport(report: report, title: report.title)
        let some = try stacks(large, .full)
        #expect(some.count == 600 && some.contains(true) && some.last == false)
        #expect(SentryEvent(large).payload(sdk: SDKFacts(name: "", version: "")).count < 1_000_000)
    }

    @Test func `an envelope is a header, an item's header with its length, and the event`() throws {
        let event = SentryEvent(readable())
        let sdk = SDKFacts(name: "mayday.swift", version: "1")
        let time = Timestamp(microseconds: 1_796_026_673_000_000)
        let envelope = SentryEnvelope(event, discarded: [:], sentAt: time, sdk: sdk)
        let lines = envelope.bytes.split(separator: 0x0a).map { Array($0) }
        #expect(lines.count == 3)
        #expect(
            String(decoding: lines[0], as: UTF8.self) == """
                {"event_id":"\(event.id)","sent_at":"2026-11-30T08:17:53.000000Z","sdk":{"name":"mayday.swift","version":"1"}}
                """
        )
        #expect(event.id.utf8.count == 32 && !event.id.contains("-"))
        #expect(
            String(decoding: lines[1], as: UTF8.self)
                == #"{"type":"event","content_type":"application/json","length":\#(lines[2].count)}"#
        )
        #expect(lines[2] == event.payload(sdk: sdk))
        let reporting = SentryEnvelope(event, discarded: [.sampled: 20, .spoolFull: 1], sentAt: time, sdk: sdk)
        let report = reporting.bytes.dropFirst(envelope.bytes.count).split(separator: 0x0a)
        #expect(
            report.map { String(decoding: $0, as: UTF8.self) } == [
                #"{"type":"client_report","length":182}"#,
                #"{"timestamp":"2026-11-30T08:17:53.000000Z","discarded_events":["#
                    + #"{"reason":"sample_rate","category":"error","quantity":20},"#
                    + #"{"reason":"cache_overflow","category":"error","quantity":1}]}"#,
            ]
        )
    }

    @Test(arguments: [
        ("f1c3bcc0279865fe3058404b2831d9e6aabbccdd", "c0bcc3f1-9827-fe65-3058-404b2831d9e6"),
        ("f1c3", "0000c3f1-0000-0000-0000-000000000000"),
        ("F1C3BCC0279865FE3058404B2831D9E6", "c0bcc3f1-9827-fe65-3058-404b2831d9e6"),
        ("0000000000000000", nil), ("f1c", nil), ("", nil), ("xy", nil),
    ])
    func `debug id of a build id`(buildID: String, debugID: String?) {
        #expect(SentryEvent.debugID(ofBuildID: buildID) == debugID)
    }

    @Test(arguments: [
        ("", nil), ("86400:transaction;span:organization", nil), ("60::key, 86400:transaction;span:organization", 60),
        ("60:error:key", 60), ("10:error, 30:default;session:project:quota:x", 30), ("60", 60), (" 5 : error ", 5),
        ("x:error", nil), ("-1:error", nil), ("99999999:error", 86_400), ("60:unknown", nil), (",,:", nil),
    ])
    func `rate limits, in seconds`(header: String, seconds: Int?) {
        #expect(SentryRateLimits.seconds(header) == seconds.map { .seconds($0) })
    }
}
