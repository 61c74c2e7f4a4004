import CrashReport
import Testing
import TestSupport

@testable import Query
@testable import Store
// Testing has an `Issue` too.
@testable import struct Store.Issue

@Suite("Read models")
struct QueryTests {
    @Test(
        "what a person types names an issue, a report or a file",
        arguments: [
            ("17", Reference.issue(project: nil, number: 17)), ("2/17", .issue(project: 2, number: 17)),
            ("0193a7f2", .report(prefix: "0193a7f2")), ("0193A7F2-6E1C", .report(prefix: "0193a7f2-6e1c")),
            ("0", .report(prefix: "0")), ("./17", .file("./17")), ("a/b", .file("a/b")), ("x.gz", .file("x.gz")),
            ("-17", .report(prefix: "-17")), ("", .file("")), ("1/2/3", .file("1/2/3")), ("02/1", .file("02/1")),
            ("99999999999999999999", .report(prefix: "99999999999999999999")),
        ]
    )
    func references(text: String, expected: Reference) {
        #expect(Reference(text) == expected)
    }

    @Test(
        "how long ago",
        arguments: [
            (0, "now"), (-5, "now"), (1, "1 s ago"), (59, "59 s ago"), (60, "1 min ago"), (3_599, "59 min ago"),
            (3_600, "1 h ago"), (86_399, "23 h ago"), (86_400, "1 d ago"), (2_591_999, "29 d ago"),
            (2_592_000, "2023-12-16"),
        ] as [(Int64, String)]
    )
    func ago(seconds: Int64, expected: String) {
        #expect(layout().ago(Timestamp(microseconds: now.microseconds - seconds * 1_000_000)) == expected)
    }

    private let now = Timestamp(microseconds: 1_705_300_000_000_000)

    private func layout(_ width: Int = 80, color: Bool = false) -> TextLayout {
        TextLayout(width: width, color: color, now: now)
    }

    private func issue(
        _ project: Int,
        _ number: Int,
        _ title: String,
        minutes: Int64,
        releases: Int,
        _ status: IssueStatus = .open
    )
        -> IssueList.Entry
    {
        let seen = Timestamp(microseconds: now.microseconds - minutes * 60_000_000)
        let issue = Issue(
            key: IssueKey(project: project, number: number),
            fingerprint: "f",
            kind: "crash",
            title: title,
            culprit: minutes.isMultiple(of: 2) ? nil : "Warehouse.reserve(_:for:) (Warehouse+Reservations.swift:1041)",
            count: number * 1_000,
            firstSeen: seen,
            lastSeen: seen,
            hosts: 3,
            status: status,
            environment: number == 7 ? "production" : nil
        )
        let names = ["checkout-and-payments@10.4.2-beta.1", "checkout@1.4.1", "checkout@1.4.0"]
        let entries = names.prefix(releases).map {
            IssueRelease(release: $0, count: 1, firstSeen: seen, lastSeen: seen)
        }
        return IssueList.Entry(issue: issue, releases: Array(entries))
    }

    private var list: IssueList {
        IssueList(
            entries: [
                issue(1, 7, "Unexpectedly found nil while unwrapping an Optional value", minutes: 3, releases: 3),
                issue(12, 104, "A title with \u{1b}[31mcolour and\na second line", minutes: 200, releases: 0),
            ],
            undigested: DigestCounts(pending: 1, failed: 2),
            projects: [ProjectName(id: 1, name: "default"), ProjectName(id: 12, name: "payments")]
        )
    }

    @Test("what is no crash says so; wide characters keep the columns; uncut, every line has the id")
    func kinds() throws {
        var handled = issue(1, 1, "支払いが拒否されました 💳", minutes: 3, releases: 1)
        handled.issue.kind = "error"
        var said = issue(1, 2, "the till is slow", minutes: 2, releases: 1, .muted(until: nil, count: nil))
        said.issue.kind = "message"
        let list = IssueList(entries: [handled, said], undigested: DigestCounts(pending: 0, failed: 0))
        #expect(try Golden.difference(list.text(layout()), "list-kinds.txt") == nil)
        let uncut = list.text(TextLayout(cuts: false, now: now))
        #expect(uncut.dropFirst().allSatisfy { $0.hasPrefix(" 1  ") || $0.hasPrefix(" 2  ") })
        #expect(uncut.contains { $0.hasSuffix("checkout-and-payments@10.4.2-beta.1") })
    }

    @Test("issues of many projects with long names, counts and releases, in columns, plain and in colour")
    func listText() throws {
        let plain = list.text(layout())
        #expect(plain.allSatisfy { $0.count <= 80 })
        #expect(try Golden.difference(plain, "list-projects.txt") == nil)
        #expect(try Golden.difference(list.text(layout(color: true)), "list-color.txt") == nil)
    }

    @Test("issues that are not simply open say so, and the place of the crash stays in sight")
    func statuses() throws {
        let statuses: [IssueStatus] = [
            .regressed(in: "checkout@1.4.3"), .regressed(in: nil), .resolved(in: "checkout-and-payments@10.4.2-beta.1"),
            .resolved(in: nil), .muted(until: now, count: nil), .muted(until: now, count: 2_000),
            .muted(until: nil, count: 2_000), .muted(until: nil, count: nil),
        ]
        let entries = statuses.enumerated().map { index, status in
            issue(1, index + 1, "Index out of range", minutes: Int64(index), releases: 1, status)
        }
        let list = IssueList(entries: entries, undigested: DigestCounts(pending: 0, failed: 0))
        #expect(try Golden.difference(list.text(layout()), "list-statuses.txt") == nil)
        #expect(try Golden.difference(list.decisions(layout()), "decisions.txt") == nil)
    }

    @Test("first and last release of an issue are those by version; the last day is a bar an hour")
    func releasesAndHours() {
        var entry = issue(1, 1, "x", minutes: 0, releases: 0)
        entry.releases = ["checkout@1.10.0", "checkout@1.9.0", "checkout@1.9.1"].map {
            IssueRelease(release: $0, count: 1, firstSeen: now, lastSeen: now)
        }
        #expect(entry.firstRelease == "checkout@1.9.0")
        #expect(entry.lastRelease == "checkout@1.10.0")
        func ago(_ hours: Int64, _ count: Int) -> HourCount {
            HourCount(hour: Timestamp(microseconds: now.microseconds - hours * HourCount.length), count: count)
        }
        #expect(layout().lastDay([ago(24, 9)]) == nil)
        #expect(
            layout().lastDay([ago(24, 900), ago(23, 1), ago(3, 50), ago(0, 100)])
                == "▁···················▄··█  151 occurrences, most in an hour 100"
        )
    }

    @Test("a list as JSON")
    func listJSON() {
        let json = list.json
        #expect(json["undigested"] == .object(["pending": .integer(1), "failed": .integer(2)]))
        guard case .array(let issues)? = json["issues"] else {
            Testing.Issue.record("no issues in \(json.text)")
            return
        }
        #expect(issues.map { $0["id"] } == [.integer(7), .integer(104)])
        #expect(issues[1]["culprit"] == .null)
        #expect(issues[1]["title"] == .string("A title with \u{1b}[31mcolour and\na second line"))
        #expect(json.text.contains(#"\u001b[31m"#))
    }
}
