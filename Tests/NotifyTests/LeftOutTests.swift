#if os(Linux)
    import CrashReport
    import Foundation
    import Synchronization
    import Testing
    import TestSupport

    @testable import Notify
    @testable import Query
    @testable import Store

    @Suite("Notices that were left out")
    struct LeftOutTests {
        /// The clock stands still until it is let go.
        private final class Clock: Sendable {
            private let start = ContinuousClock.now
            private let isFree = Atomic(false)
            func letGo() { isFree.store(true, ordering: .relaxed) }
            var now: ContinuousClock.Instant { isFree.load(ordering: .relaxed) ? .now : start }
        }

        /// A store that outlives notifiers.
        private final class Notes: Sendable {
            private let kept = Mutex<[String: [UInt8]]>([:])
            var texts: [String: String] { kept.withLock { $0.mapValues { String(decoding: $0, as: UTF8.self) } } }
            var memory: NoticeMemory {
                NoticeMemory { [self] note, channel in
                    kept.withLock { $0[channel] = note }
                } take: { [self] channel in
                    kept.withLock { kept in
                        defer { kept[channel] = nil }
                        return [kept[channel]].compactMap(\.self)
                    }
                }
            }
        }

        @Test("what is too many is told by itself when the period is over; a slow channel holds nobody up")
        func byItself() {
            let gate = DispatchSemaphore(value: 0)
            let (slow, fast, clock) = (Channel(gate: gate), Channel(), Clock())
            let policy = NoticePolicy(limit: 3, period: .seconds(1))
            let notifier = Notifier([slow, fast], policy, now: { clock.now }, log: { _ in })
            for number in 1...28 {
                notifier.send(notice(number, issue: number, event: number == 5 ? .regressed : .new))
            }
            until { fast.notices.count == 3 }
            #expect(notifier.counts.suppressed == 50)
            clock.letGo()
            // Nothing more is sent.
            until { fast.all.count > 3 }
            #expect(fast.summaries.map(\.count) == [25] && fast.summaries.first?.more == 5)
            let told = fast.all.last
            let named = (6...23).map { ", 1/\($0) new" }.joined()
            #expect(told?.label.hasPrefix("25 notices were left out since 20") == true)
            #expect(
                told?.label.hasSuffix("Z: 1/4 new, 1/5 regressed\(named), and 5 more") == true,
                "\(told?.label ?? "")"
            )
            #expect(told?.text.hasSuffix("more\nmayday list") == true)
            #expect(told?.json["event"] == .string("left_out") && told?.json["count"] == .integer(25))
            // The next ones are told as ever.
            notifier.send(notice(29, issue: 29))
            until { fast.notices.count == 4 }
            for _ in 1...5 { gate.signal() }
            notifier.stop(within: Patience.wait)
            #expect(fast.all.count == 5 && slow.summaries.map(\.count) == [25] && slow.notices.count == 4)
        }

        @Test("what was left out is told before the collector ends, behind all that waits")
        func atTheEnd() {
            let channel = Channel()
            let notes = Notes()
            let policy = NoticePolicy(limit: 1, period: .seconds(3_600))
            let notifier = Notifier([channel], policy, memory: notes.memory, log: { _ in })
            for number in 1...3 { notifier.send(notice(number, issue: number)) }
            until { notes.texts.values.contains { $0.contains(#""count":2"#) } }
            notifier.stop(within: Patience.wait)
            #expect(channel.notices.map(\.report.id) == ["1"])
            #expect(channel.all.last?.label.hasSuffix(": 1/2 new, 1/3 new") == true)
            #expect(notes.texts.isEmpty)
        }

        @Test("what was not told, because the other side was away or the collector was killed, is told by the next one")
        func byTheNext() {
            let notes = Notes()
            let away = Channel([NoticeFailure](repeating: NoticeFailure(reason: "is away", mayRetry: false), count: 9))
            let policy = NoticePolicy(firstPause: .seconds(3_600), limit: 2, period: .seconds(3_600))
            let first = Notifier([away], policy, memory: notes.memory, log: { _ in })
            first.send(notice(1, issue: 1))
            until { first.counts.failed == 1 }
            first.send(notice(2, issue: 2))
            until { first.counts.failed == 2 }
            first.send(notice(3, issue: 3))
            until { !notes.texts.isEmpty }
            // Nobody stops it, as if it was killed: another is started.
            let still = Channel([NoticeFailure](repeating: NoticeFailure(reason: "is away"), count: 9))
            let second = Notifier([still], policy, memory: notes.memory, log: { _ in })
            until { !still.all.isEmpty }
            second.send(notice(4, issue: 4))
            until { still.notices.count == 1 }
            second.stop(within: Patience.wait)
            #expect(notes.texts["the channel"]?.contains(#""count":2"#) == true, "\(notes.texts)")

            let there = Channel()
            let third = Notifier([there], policy, memory: notes.memory, log: { _ in })
            until { !there.all.isEmpty }
            #expect(there.summaries.first?.items.map(\.issue.number).sorted() == [3, 4])
            third.stop(within: Patience.wait)
            #expect(notes.texts.isEmpty && there.all.count == 1)
            first.stop(within: .zero)
        }

        @Test("what is kept is read again, and nothing else is")
        func json() throws {
            let one = LeftOut(
                notice(1, issue: 7, event: .unmuted),
                since: Timestamp(microseconds: 1_705_300_000_000_000)
            )
            let both = LeftOut(notice(2, issue: 8), since: Timestamp(microseconds: 1_705_200_000_000_000)).added(
                to: one
            )
            let json = Array(JSONValue.object(both.members).text.utf8)
            #expect(LeftOut(json: json) == both)
            #expect(both.since.description == "2024-01-14T02:40:00.000000Z" && both.count == 2)
            for text in ["", "{}", "[1]", #"{"since":"x","count":1,"issues":[]}"#, #"{"count":-1}"#] {
                #expect(LeftOut(json: Array(text.utf8)) == nil)
            }
        }
    }
#endif
