/// Where reports go. Adapters for other backends conform to this, in this package or in a service's own code.
///
/// Delivery is **at least once**: an adapter may see the same report again after a lost answer or a crash of the sender,
/// and the report's id lets the backend recognise it.
public protocol ReportUploader: Sendable {
    /// Stable name, used in the spool and in messages: `collector`, `sentry`, `directory`.
    var name: String { get }

    /// Delivers one report and returns once the backend has it for good.
    ///
    /// - Throws: `UploadError.retry` when it may work later (the report stays in the spool),
    ///   `UploadError.rejected` when it never will (the report is set aside in the spool's `rejected` directory).
    func upload(_ report: SpooledReport) async throws(UploadError)
}

/// A report as it lies in the spool.
public struct SpooledReport: Sendable {
    /// Id of the report, a UUIDv7.
    public let id: String
    /// The report file: gzip of JSON Lines, as `docs/report-format.md` has it.
    public let gzip: [UInt8]

    /// A report by its id and the bytes of its file.
    public init(id: String, gzip: [UInt8]) {
        self.id = id
        self.gzip = gzip
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
