#if os(Linux)

    import Foundation
    import Testing

    /// The handler's two decisions, as pure functions.
    @Suite struct DecisionTests {
        @Test func gate() async throws {
            var decisions: [String: String] = [:]
            for line in try await CaptureRun.lines("gate") {
                let parts = line.components(separatedBy: ": ")
                decisions[parts[0]] = parts[1]
            }
            #expect(decisions.count == 288)
            let expected = [
                "nobody runner": "capture",
                "nobody runner sent": "capture",
                "nobody runner ignored": "capture",
                "nobody runner sent ignored": "ignore",
                "nobody chained": "capture",
                "other stage": "wait",
                "other chained sent": "wait",
                "other stage sent ignored": "ignore",
                "self stage": "leave-stage",
                "self stage many": "abandon",
                "self stage too-many": "die",
                "self stage sent too-many": "ignore",
                "self runner too-many": "die",
                "borrowed stage": "exit",
                "borrowed stage sent ignored": "exit",
                "self stage sent": "ignore",
                "self stage sent by-self": "leave-stage",
                "self runner": "abandon",
                "self runner sent": "ignore",
                "self runner sent by-self": "abandon",
                "self ending": "die",
                "self ending sent": "die",
                "self chained": "pass-on",
                "self chained sent": "pass-on",
                "self chained many": "pass-on",
                "self chained too-many": "die",
            ]
            for (facts, decision) in expected { #expect(decisions[facts] == decision, "\(facts)") }
        }

        @Test func end() async throws {
            #expect(
                try await CaptureRun.lines("ending") == [
                    "segv fault: requeue",
                    "segv fault pid1: return",
                    "segv kill: requeue",
                    "segv kill pid1: exit",
                    "ill fault: requeue",
                    "trap: requeue",
                    "trap pid1: return",
                    "trap pid1 not repeatable: exit",
                    "abort: requeue",
                    "abort pid1: return",
                    "abort kill pid1: exit",
                    "sys pid1: exit",
                    "quit: requeue",
                    "bus elsewhere: requeue",
                ]
            )
        }
    }

    /// Text made in the handler, read by readers that are not ours.
    @Suite struct TextTests {
        @Test func jsonIsEscapedAndRepaired() async throws {
            let line = try #require(try await CaptureRun.lines("json").first)
            let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let object = try #require(parsed as? [String: Any])
            let texts = "abcdefghi".map { object[String($0)] as? String }
            #expect(
                texts == [
                    "plain", "quote \" and \\", "tab\tnewline\nbell\u{7}delete\u{7f}", "café € 🐟",
                    "cut \u{fffd}\u{fffd}",
                    "alone \u{fffd} \u{fffd}", "overlong \u{fffd}\u{fffd}", "surrogate \u{fffd}\u{fffd}\u{fffd}",
                    "beyond \u{fffd}\u{fffd}\u{fffd}\u{fffd}",
                ]
            )
            #expect(line.contains("\"numbers\":[0,-1,9223372036854775807,-9223372036854775808]"))
            #expect(line.contains("\"hex\":\"0x0\",\"high\":\"0xffffffffffffffff\""))
        }

        @Test func lineThatIsFullTakesNoHalves() async throws {
            #expect(try await CaptureRun.lines("small-line") == ["5 overflow"])
        }

        @Test func timesAreThoseOfLibc() async throws {
            #expect(try await CaptureRun.lines("times") == ["done"])
        }

        @Test func idsAreUUIDv7() async throws {
            let before = UInt64(Date().timeIntervalSince1970 * 1000) - 1
            let ids = try await CaptureRun.lines("ids")
            #expect(Set(ids).count == 1000)
            let pattern = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
            for id in ids {
                #expect(id.wholeMatch(of: pattern) != nil, "\(id)")
                let milliseconds = try #require(UInt64(id.replacing("-", with: "").prefix(12), radix: 16))
                #expect(milliseconds >= before && milliseconds < before + 600_000)
            }
        }
    }

#endif
