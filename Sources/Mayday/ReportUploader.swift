public import CrashReport

/// Where reports go. Adapters for other backends conform to this, in this package or in a service's own code.
///
/// Only `name` and `upload` have to be written; all else has a default.
///
/// Delivery is **at least once**: an adapter may see the same report again after a lost answer or a crash of the sender,
/// and the report's id lets the backend recognise it.
///
/// Everything runs in the service, and in the service's binary that a crash runs again. There the main thread waits in
/// `Mayday.start`, so an adapter must not need the main actor.
public protocol ReportUploader: Sendable {
    /// Stable name, used in the spool and in messages: `collector`, `sentry`, `directory`.
    var name: String { get }

    /// Where the reports go, for people: `collector at 127.0.0.1:7171`. `name` when it is not given. What is said of a
    /// delivery names it, so that the reasons of `UploadError` need not.
    var destination: String { get }

    /// What a pause that the backend asks for (`UploadError.retry` with `after`) holds for: `destination` when it is not given.
    /// Kept in the spool beside the time, so that another backend under the same name is not paused. One line, no secrets.
    var pauseScope: String { get }

    /// Bytes of the largest report file that the backend takes; nil, when it is not given, for no limit. A larger one is sent
    /// without its attachments, and set aside when that does not help.
    var largestReport: Int? { get }

    /// Whether reports of a kind are to go there: crashes, handled errors, messages. All are when it is not given.
    func accepts(_ kind: ReportKind) -> Bool

    /// Makes ready: called before the first upload of a process, and again after it failed or after `shutdown`. Nothing when
    /// it is not given.
    ///
    /// - Throws: as `upload` does; the report then is not uploaded.
    func prepare(deadline: ContinuousClock.Instant) async throws(UploadError)

    /// Delivers one report and returns once the backend has it for good.
    ///
    /// - Throws: `UploadError.retry` when it may work later (the report stays in the spool),
    ///   `UploadError.rejected` when it never will (the report is set aside in the spool's `rejected` directory).
    func upload(_ report: SpooledReport) async throws(UploadError)

    /// Lets go of what `prepare` and `upload` hold, before the process ends in good order; the reporter waits half a second for it.
    /// Nothing when it is not given.
    func shutdown() async

    /// What could keep it from delivering on this machine, for `Mayday.selfCheck()`: nothing is loaded or sent. None when
    /// it is not given.
    func selfCheck() -> [SelfCheck.Finding]

    /// Asks the backend whether it is there and takes the key, without sending a report, for `Mayday.selfCheck(timeout:)`.
    ///
    /// - Returns: false when there is no way to ask, as when it is not given.
    /// - Throws: why a report would not be delivered now.
    func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool
}

extension ReportUploader {
    /// The name.
    public var destination: String { name }

    /// The destination.
    public var pauseScope: String { destination }

    /// No limit.
    public var largestReport: Int? { nil }

    /// All kinds.
    public func accepts(_ kind: ReportKind) -> Bool { true }

    /// Nothing.
    public func prepare(deadline: ContinuousClock.Instant) async throws(UploadError) {}

    /// Nothing.
    public func shutdown() async {}

    /// Nothing.
    public func selfCheck() -> [SelfCheck.Finding] { [] }

    /// Cannot be asked.
    public func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool { false }
}

/// A report as it lies in the spool.
public struct SpooledReport: Sendable {
    /// Id of the report, a UUIDv7.
    public let id: String
    /// The report file: gzip of JSON Lines, as `docs/report-format.md` has it.
    public let gzip: [UInt8]
    /// When the sender stops waiting: an upload that takes longer counts as not delivered. Take timeouts from it.
    public let deadline: ContinuousClock.Instant
    /// How many reports this backend was not sent since the last one that it took, by reason: what counts drops can be told.
    public let discarded: [DiscardReason: Int]

    /// A report by its id and the bytes of its file, to be delivered before `deadline`.
    public init(
        id: String,
        gzip: [UInt8],
        deadline: ContinuousClock.Instant = .now.advanced(by: .seconds(30)),
        discarded: [DiscardReason: Int] = [:]
    ) {
        self.id = id
        self.gzip = gzip
        self.deadline = deadline
        self.discarded = discarded
    }
}

/// Why a report was not delivered.
public enum UploadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The backend cannot take it now; try again, not before `after` when it is given.
    case retry(after: Duration?, reason: String)
    /// The backend will never take this report.
    case rejected(reason: String)

    /// One line that says what to do next.
    public var description: String {
        switch self {
        case .retry(_, let reason): "not delivered, kept in the spool: \(reason)"
        case .rejected(let reason): "rejected, set aside: \(reason)"
        }
    }

    /// What the backend or the way to it said.
    public var reason: String {
        switch self {
        case .retry(_, let reason), .rejected(let reason): reason
        }
    }
}
