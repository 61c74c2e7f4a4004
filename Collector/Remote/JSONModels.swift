import CrashReport
import Query
import Store

extension QueryError {
    /// An answer that lacks something.
    static func strange(_ name: String) -> QueryError {
        .unreachable("the collector's answer has no usable `\(name)`: is it of the same version as this mayday?")
    }
}

extension JSONValue {
    func optionalString(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    func optionalInteger(_ name: String) -> Int? {
        guard case .integer(let number)? = self[name] else { return nil }
        return Int(exactly: number)
    }

    func string(_ name: String) throws(QueryError) -> String {
        guard let text = optionalString(name) else { throw .strange(name) }
        return text
    }

    func integer(_ name: String) throws(QueryError) -> Int {
        guard let number = optionalInteger(name) else { throw .strange(name) }
        return number
    }

    func time(_ name: String) throws(QueryError) -> Timestamp {
        guard let time = Timestamp(try string(name)) else { throw .strange(name) }
        return time
    }

    func strings(_ name: String) -> [String] {
        guard case .array(let values)? = self[name] else { return [] }
        return values.compactMap { value in
            guard case .string(let text) = value else { return nil }
            return text
        }
    }
}

extension ProjectSummary {
    /// What `json` has written.
    init(json value: JSONValue) throws(QueryError) {
        let (keep, limit) = (value["keep"], value["limit"])
        self.init(
            id: try value.integer("id"),
            name: try value.string("name"),
            reports: try value.integer("reports"),
            issues: try value.integer("issues"),
            lastReport: value.optionalString("last_report").flatMap { Timestamp($0) },
            retention: Retention(
                age: keep?.optionalInteger("age_seconds").map { Int64($0) * 1_000_000 },
                count: keep?.optionalInteger("reports"),
                bytes: keep?.optionalInteger("bytes")
            ),
            limits: IngestLimits(
                perMinute: limit?.optionalInteger("per_minute"),
                perDay: limit?.optionalInteger("per_day")
            )
        )
    }
}

extension IssueList.Entry {
    /// What `json` has written.
    init(json value: JSONValue) throws(QueryError) {
        let status: IssueStatus =
            switch try value.string("status") {
            case "regressed": .regressed(in: value.optionalString("regressed_in"))
            case "resolved": .resolved(in: value.optionalString("resolved_in"))
            case "muted":
                .muted(
                    until: value.optionalString("muted_until").flatMap { Timestamp($0) },
                    count: value.optionalInteger("muted_until_count")
                )
            default: .open
            }
        let issue = Issue(
            key: IssueKey(project: try value.integer("project"), number: try value.integer("id")),
            fingerprint: try value.string("fingerprint"),
            kind: try value.string("kind"),
            title: try value.string("title"),
            culprit: value.optionalString("culprit"),
            count: try value.integer("count"),
            firstSeen: try value.time("first_seen"),
            lastSeen: try value.time("last_seen"),
            hosts: try value.integer("hosts"),
            status: status,
            isCutShort: value["cut_short"] == .bool(true),
            environment: value.optionalString("environment")
        )
        guard case .array(let values)? = value["releases"] else { throw .strange("releases") }
        var releases: [IssueRelease] = []
        for release in values {
            releases.append(
                IssueRelease(
                    release: try release.string("release"),
                    count: try release.integer("count"),
                    firstSeen: try release.time("first_seen"),
                    lastSeen: try release.time("last_seen")
                )
            )
        }
        self.init(issue: issue, releases: releases)
    }
}

extension StoredReport {
    /// What `members` have written.
    init(json value: JSONValue) throws(QueryError) {
        let project = try value.integer("project")
        let state: DigestState =
            switch try value.string("state") {
            case "done": .done
            case "failed": .failed(reason: value.optionalString("failure") ?? "")
            default: .pending
            }
        var tags: [String: String] = [:]
        if case .object(let members)? = value["tags"] {
            for name in members.keys { tags[name] = value["tags"]?.optionalString(name) }
        }
        self.init(
            key: ReportKey(project: project, id: try value.string("id")),
            received: try value.time("received"),
            facts: ReportFacts(
                kind: try value.string("kind"),
                time: try value.time("time"),
                service: value.optionalString("service"),
                release: value.optionalString("release"),
                environment: value.optionalString("environment"),
                host: value["host"]?.optionalString("name"),
                signal: value.optionalString("signal"),
                isCutShort: value["cut_short"] == .bool(true),
                occurrences: value.optionalInteger("occurrences") ?? 1
            ),
            state: state,
            issue: value.optionalInteger("issue").map { IssueKey(project: project, number: $0) },
            title: value.optionalString("title"),
            culprit: value.optionalString("culprit"),
            tags: tags
        )
    }
}
