public import Mayday
internal import Synchronization

/// An uploader that keeps what it was given, for tests of whatever hands reports on.
public final class InMemoryUploader: ReportUploader {
    /// Its name in the spool.
    public let name: String
    private let answer: @Sendable (SpooledReport) async -> UploadError?
    private let state = Mutex(State())

    private struct State {
        var attempts: [SpooledReport] = []
        var delivered: [SpooledReport] = []
    }

    /// An uploader that takes everything, or what `answer` returns nil for.
    ///
    /// - Parameter answer: why a report is not taken; called for each attempt, after it is in `attempts`.
    public init(
        name: String = "memory",
        answer: @escaping @Sendable (SpooledReport) async -> UploadError? = { _ in nil }
    ) {
        self.name = name
        self.answer = answer
    }

    /// Every report that was offered, as often as it was, in order.
    public var attempts: [SpooledReport] { state.withLock { $0.attempts } }

    /// Every report that was taken, as often as it was, in order.
    public var delivered: [SpooledReport] { state.withLock { $0.delivered } }

    /// Keeps the report, or throws what `answer` returned.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        state.withLock { $0.attempts.append(report) }
        if let error = await answer(report) { throw error }
        state.withLock { $0.delivered.append(report) }
    }
}
