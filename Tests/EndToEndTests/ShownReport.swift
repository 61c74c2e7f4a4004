/// What `mayday show REPORT --json` and `GET /api/PROJECT/reports/ID` say, as far as tests look at it.
struct ShownReport: Decodable, Sendable {
    struct Process: Decodable, Sendable {
        var pid: Int
    }

    struct Crash: Decodable, Sendable {
        struct Signal: Decodable, Sendable {
            var name: String
        }

        var signal: Signal
        var message: String?
        var message_source: String?
    }

    struct Thread: Decodable, Sendable {
        var id: Int
        var name: String?
        var crashed: Bool?
        var truncated: String?
        var task: Task?
        var access_conflict: AccessConflict?
        var frames: [Frame]
    }

    struct Task: Decodable, Sendable {
        var id: Int
        var name: String?
    }

    struct AccessConflict: Decodable, Sendable {
        struct Access: Decodable, Sendable {
            var kind: String?
            var frame: Frame?
        }

        var address: String
        var previous: Access
        var current: Access
    }

    struct Frame: Decodable, Sendable {
        struct Symbol: Decodable, Sendable {
            var function: String
            var file: String?
            var line: Int?
        }

        var trust: String
        var origin: String?
        var symbols: [Symbol]?

        /// Of the function itself, not of what was inlined into it.
        var symbol: Symbol? { symbols?.last }
    }

    struct End: Decodable, Sendable {
        struct Cut: Decodable, Equatable, Sendable {
            var stage: String
            var reason: String
        }

        var stages: [String]
        var cut: [Cut]?
    }

    var id: String
    var state: String
    var title: String?
    var culprit: String?
    var process: Process
    var crash: Crash
    var threads: [Thread]
    var end: End?
    var warnings: [String]
}
