import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// What a report has of an error beside its text.
@Suite struct ErrorDetailTests {
    private enum Refusal: Error, Codable {
        case limit(amount: Int, card: Card)
    }

    private struct Card: Codable {
        var network: String
        var expires: [Int]
        var holder: String?
    }

    private struct Outage: CustomNSError {
        static var errorDomain: String { "Shop.Outage" }
        var errorCode: Int { 42 }
        var errorUserInfo: [String: Any] { ["sku": "tea"] }
    }

    @Test func `an Encodable error is there with what it encodes`() {
        let error = HandledError(Refusal.limit(amount: 12, card: Card(network: "visa", expires: [12, 2030])))
        #expect(
            error.detail.values == [
                "limit": .object([
                    "amount": .integer(12),
                    "card": .object(["network": .string("visa"), "expires": .array([.integer(12), .integer(2030)])]),
                ])
            ]
        )
        #expect(error.detail.domain == nil && error.detail.code == nil)
    }

    @Test func `domain and code of Foundation's errors are there, and their userInfo`() {
        let custom = HandledError(Outage())
        #expect(custom.detail == ErrorDetail(domain: "Shop.Outage", code: 42))
        let info: [String: Any] = [
            NSLocalizedDescriptionKey: "no tea", "tries": 3, "urgent": true, "place": URL(fileURLWithPath: "/tea"),
            NSUnderlyingErrorKey: Outage(),
        ]
        let error = HandledError(NSError(domain: "Shop", code: 7, userInfo: info))
        #expect(error.detail.label == "Shop 7")
        #expect(
            error.detail.values == [
                NSLocalizedDescriptionKey: .string("no tea"), "tries": .integer(3), "urgent": .bool(true),
                "place": .string("file:///tea"),
            ]
        )
        #expect(error.chain.map(\.detail.label) == ["Shop.Outage 42"])
        let missing = #expect(throws: (any Error).self) { try Data(contentsOf: URL(fileURLWithPath: "/nope")) }
        if let missing {
            let error = HandledError(missing)
            #expect(error.detail.values["NSFilePath"] == .string("/nope"), "\(error)")
            #expect(error.chain.first?.text.contains("NSPOSIXErrorDomain Code=2") == true, "\(error)")
        }
    }

    @Test func `what a plain error holds is its text, without detail`() {
        struct Plain: Error { var sku = "tea" }
        #expect(HandledError(Plain()).detail == ErrorDetail())
    }

    private struct Huge: Error, Encodable {
        var many = Array(repeating: "x", count: 100_000)
        var long = String(repeating: "é", count: 100_000)
    }

    private struct Failing: Error, Encodable {
        enum Keys: String, CodingKey { case first, second }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Keys.self)
            try members.encode("kept", forKey: .first)
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no"))
        }
    }

    private indirect enum Nested: Error, Encodable {
        case end
        case more(Nested)
    }

    @Test func `values are bounded, and what was encoded before a failure is kept`() throws {
        let huge = JSONValue.object(HandledError(Huge()).detail.values).text
        #expect(huge.utf8.count < 20 << 10 && huge.contains("\"x\""))
        #expect(HandledError(Failing()).detail.values == ["first": .string("kept")])
        var nested = Nested.end
        for _ in 0..<1_000 { nested = .more(nested) }
        let report = report(of: HandledError(nested))
        #expect(try Report.decode(gzip: report.encode()).report == report)
    }

    @Test func `values of every kind survive the report, and are scrubbed`() throws {
        struct Call: Error, Encodable {
            var url = "https://bank.example/?token=abc"
            var password = "hunter2"
            var timeout = 2.5
            var retries: UInt64 = .max
            var answer: Int?
            var headers = ["Authorization": "Bearer abcdefghijklmnop", "Accept": "*/*"]
        }
        var report = report(of: HandledError(Call()))
        #expect(try Report.decode(gzip: report.encode()).report == report)
        Scrubbing().apply(to: &report)
        let values = try #require(report.error?.detail.values)
        #expect(
            values["password"] == .string("[removed]")
                && values["url"] == .string("https://bank.example/?token=[removed]")
        )
        #expect(values["headers"]?["Authorization"] == .string("[removed]"))
        #expect(values["headers"]?["Accept"] == .string("*/*"))
        #expect(values["timeout"] == .number(2.5) && values["retries"] == .string("18446744073709551615"))
        #expect(values["answer"] == nil)
        let text = JSONValue.object(values).text
        #expect(
            text.contains(#"{"headers":{"Accept":"*/*","Authorization":"[removed]"},"password":"[removed]""#),
            "\(text)"
        )
    }

    @Test func `a service adds what only it knows`() async {
        struct Known: Error {}
        Mayday.describeErrors { $0 is Known ? ["shelf": 4, "long": String(repeating: "x", count: 10_000)] : [:] }
        let values = HandledError(Known()).detail.values
        #expect(values["shelf"] == .integer(4))
        #expect(HandledError(Outage()).detail.values.isEmpty)
    }

    private func report(of error: HandledError) -> Report {
        var report = TestSpool.report(seed: 1)
        report.error = error
        return report
    }
}
