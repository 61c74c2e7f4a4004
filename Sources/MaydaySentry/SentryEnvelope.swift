internal import BackendSupport
internal import CrashReport
internal import Mayday

/// An envelope of Sentry's protocol (develop.sentry.dev/sdk/data-model/envelopes): a header, and items with their lengths.
struct SentryEnvelope {
    private(set) var bytes: [UInt8]

    /// Without items.
    ///
    /// - Parameter event: id of the event that will be in it.
    init(event: String? = nil, sentAt: Timestamp, sdk: SDKFacts) {
        var header = JSONWriter()
        header.object { json in
            json.member("event_id", event)
            json.member("sent_at", sentAt.description)
            json.key("sdk")
            json.object { json in
                json.member("name", sdk.name)
                json.member("version", sdk.version)
            }
        }
        header.endLine()
        bytes = header.bytes
    }

    static func empty(sentAt: Timestamp, sdk: SDKFacts) -> [UInt8] { SentryEnvelope(sentAt: sentAt, sdk: sdk).bytes }

    /// The event, its attachments, and what was discarded before it.
    init(_ event: SentryEvent, discarded: [DiscardReason: Int], sentAt: Timestamp, sdk: SDKFacts) {
        self.init(event: event.id, sentAt: sentAt, sdk: sdk)
        add("event", event.payload(sdk: sdk)) { $0.member("content_type", "application/json") }
        for file in event.attachments {
            add("attachment", file.data ?? []) { json in
                json.member("filename", file.name)
                json.member("content_type", file.contentType)
                json.member("attachment_type", "event.attachment")
            }
        }
        guard !discarded.isEmpty else { return }
        add("client_report", SentryEnvelope.clientReport(discarded, at: sentAt)) { _ in }
    }

    private mutating func add(_ type: String, _ payload: [UInt8], _ members: (inout JSONWriter) -> Void) {
        var header = JSONWriter()
        header.object { json in
            json.member("type", type)
            members(&json)
            json.key("length")
            json.integer(payload.count)
        }
        header.endLine()
        bytes += header.bytes + payload + [0x0a]
    }

    /// `develop.sentry.dev/sdk/telemetry/client-reports`. All of our reports are of its category `error`.
    private static func clientReport(_ discarded: [DiscardReason: Int], at time: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("timestamp", time.description)
            json.key("discarded_events")
            json.array { json in
                for reason in DiscardReason.allCases {
                    guard let count = discarded[reason] else { continue }
                    json.object { json in
                        json.member("reason", SentryEnvelope.word(for: reason))
                        json.member("category", "error")
                        json.key("quantity")
                        json.integer(count)
                    }
                }
            }
        }
        return json.bytes
    }

    private static func word(for reason: DiscardReason) -> String {
        switch reason {
        case .sampled: "sample_rate"
        case .limited: "ratelimit_backoff"
        case .overflow: "queue_overflow"
        case .beforeSend: "before_send"
        case .spoolFull: "cache_overflow"
        case .rejected: "send_error"
        }
    }
}
