/// Where reports go. Adapters for other backends conform to this, in this package or in a service's own code.
///
/// Delivery is **at least once**: an adapter may see the same report again after a lost answer or a crash of the sender,
/// and the report's id lets the backend recognise it.
///
/// `upload` runs in the service, and in the service's binary that a crash runs again. There the main thread waits in
/// `Mayday.start`, so an adapter must not need the main actor.
public protocol ReportUploader: Sendable {
    /// Stable name, used in the spool and in messages: `collector`, `sentry`, `directory`.
    var name: String { get }

    /// Where the reports go, for people: `collector at 127.0.0.1:7171`. `name` when it is not given. What is said of a
    /// delivery names it, so that the reasons of `UploadError` need not.
    var destination: String { get }

    /// What could keep it from delivering on this machine, for `Mayday.selfCheck()`: nothing is loaded or sent. None when
    /// it is not given.
    func selfCheck() -> [SelfCheck.Finding]

    /// Delivers one report and returns once the backend has it for good.
    ///
    /// - Throws: `UploadError.retry` when it may work later (the report stays in the spool),
    ///   `UploadError.rejected` when it never will (the report is set aside in the spool's `rejected` directory).
    func upload(_ report: SpooledReport) async throws(UploadError)
}

extension ReportUploader {
    /// The name.
    public var destination: String { name }

    /// Nothing.
    public func selfCheck() -> [SelfCheck.Finding] { [] }
}

/// A report as it lies in the spool.
public struct SpooledReport: Sendable {
    /// Id of the report, a UUIDv7.
    public let id: String
    /// The report file: gzip of JSON Lines, as `docs/report-format.md` has it.
    public let gzip: [UInt8]
    /// When the sender stops waiting: an upload that takes longer counts as not delivered. Take timeouts from it.
    public let deadline: ContinuousClock.Instant

    /// A report by its id and the bytes of its file, to be delivered before `deadline`.
    public init(id: String, gzip: [UInt8], deadline: ContinuousClock.Instant = .now.advanced(by: .seconds(30))) {
        self.id = id
        self.gzip = gzip
        self.deadline = deadline
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
}
