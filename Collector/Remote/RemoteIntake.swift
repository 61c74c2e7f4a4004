import Client
import Foundation
package import Query

/// What another collector made of a report.
package enum RemoteAddition: Sendable, Equatable {
    /// It is kept.
    case new
    /// It was there before.
    case known
    /// It is not taken, for the reason said; another may be.
    case refused(String)
}

extension RemoteReader {
    /// Has a report file kept. Where the collector asks to come back later, or is away, it is tried again, within bounds: a report
    /// that was kept and not acknowledged is known the next time.
    ///
    /// - Parameter waiting: told of each pause, and why it is made.
    package func add(
        _ gzip: [UInt8],
        to project: Int,
        waiting: (Duration, String) -> Void
    ) throws(QueryError) -> RemoteAddition {
        var call = HTTPCall("\(url)/api/\(project)/reports", timeout: Self.timeout)
        call.method = .post
        call.headers = ["Authorization: Bearer \(token)", "Content-Type: application/x-ndjson", "Expect:"]
        call.body = gzip
        call.largestAnswer = 64 << 10
        var patience = IntakePatience()
        while true {
            let (pause, problem): (Duration?, String)
            switch Result(catching: { () throws(HTTPCall.Failure) in try call.send() }) {
            case .success(let answer):
                switch answer.status {
                case 201: return .new
                case 200: return .known
                case 400, 413, 415: return .refused(Self.said(answer) ?? "the collector answered \(answer.status)")
                case 429, 502...504: break
                default: throw refusal(answer)
                }
                problem = "\(url) answered \(answer.status)\(Self.said(answer).map { ": \($0)" } ?? "")"
                pause = patience.pause(asked: answer.retryAfter)
            case .failure(let failure):
                problem = "\(url) cannot be reached: \(failure)"
                pause = patience.pauseAfterFailure()
            }
            guard let pause else { throw QueryError.unreachable(problem) }
            waiting(pause, problem)
            Thread.sleep(forTimeInterval: pause / .seconds(1))
        }
    }
}

/// How long one report is tried.
struct IntakePatience: Sendable {
    /// All pauses together.
    static let limit = Duration.seconds(600)
    /// Attempts that nobody answers.
    static let maximumFailures = 5

    private var attempts = 0
    private var failures = 0
    private var waited = Duration.zero

    /// The pause that a collector asked for, or of its own: 1 s, doubled each time, 30 s at most. Nil when it is too long.
    mutating func pause(asked: Duration?) -> Duration? {
        let pause = asked ?? min(.seconds(1 << min(attempts, 5)), .seconds(30))
        attempts += 1
        waited += pause
        return waited <= Self.limit ? pause : nil
    }

    /// The pause when nobody answered. Nil when that was so too often.
    mutating func pauseAfterFailure() -> Duration? {
        failures += 1
        return failures < Self.maximumFailures ? pause(asked: nil) : nil
    }
}
