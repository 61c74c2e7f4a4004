import Dispatch
import Foundation
import Query
import Store
import Synchronization

/// Tells a webhook and a command what happened to issues, each on a thread of its own, with a limit, and again when it fails.
///
/// What waits is in memory, and an event is told by the one node that digested its report. What was left out is kept, so that it
/// is told by this process or the next.
public final class Notifier: Sendable {
    private let lanes: [NoticeLane]

    /// Starts a thread for each that is given.
    ///
    /// - Parameters:
    ///   - webhook: URL that notices are posted to as JSON.
    ///   - command: what `sh -c` runs for each notice.
    ///   - memory: keeps what was left out.
    ///   - log: gets a line for each notice that was left out or given up.
    public convenience init(
        webhook: String?,
        command: String?,
        memory: NoticeMemory,
        log: @escaping @Sendable (String) -> Void
    ) {
        var channels: [any NoticeChannel] = []
        if let webhook { channels.append(WebhookChannel(url: webhook)) }
        if let command {
            channels.append(CommandChannel(command: command, environment: ProcessInfo.processInfo.environment))
        }
        self.init(channels, NoticePolicy(), memory: memory, log: log)
    }

    /// - Parameter now: the clock that the limit of a period goes by.
    init(
        _ channels: [any NoticeChannel],
        _ policy: NoticePolicy,
        memory: NoticeMemory = .none,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        log: @escaping @Sendable (String) -> Void
    ) {
        lanes = channels.map { NoticeLane($0, policy, memory: memory, now: now, log: log) }
        for lane in lanes { lane.start() }
    }

    /// False when there is nobody to tell.
    public var isWanted: Bool { !lanes.isEmpty }

    /// Hands a notice over. Never waits; from any thread.
    public func send(_ notice: IssueNotice) {
        for lane in lanes { lane.add(notice) }
    }

    /// How many were delivered, given up after all attempts, and left out because there were too many.
    public var counts: (delivered: Int, failed: Int, suppressed: Int) {
        let all = lanes.map(\.counts)
        func sum(_ count: (NoticeLane.Counts) -> Int) -> Int { all.map(count).reduce(0, +) }
        return (sum(\.delivered), sum(\.failed), sum(\.suppressed))
    }

    /// Tries what still waits once, within a time, then says what was left out, and stops.
    public func stop(within limit: Duration) {
        let end = ContinuousClock.now + limit
        for lane in lanes { lane.stop(before: end) }
    }
}

/// Where what was left out of a channel is kept beyond the process.
public struct NoticeMemory: Sendable {
    /// Replaces what this process kept of a channel; nil removes it.
    var keep: @Sendable (_ note: [UInt8]?, _ channel: String) -> Void
    /// Takes what processes kept that are gone.
    var take: @Sendable (_ channel: String) -> [[UInt8]]

    /// A memory by what it does.
    public init(
        keep: @escaping @Sendable (_ note: [UInt8]?, _ channel: String) -> Void,
        take: @escaping @Sendable (_ channel: String) -> [[UInt8]]
    ) {
        (self.keep, self.take) = (keep, take)
    }

    /// Nothing is kept.
    static let none = NoticeMemory(keep: { _, _ in }, take: { _ in [] })
}
