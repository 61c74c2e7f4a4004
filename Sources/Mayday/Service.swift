internal import CrashCapture

/// A service in which `Mayday.start` was called.
struct Service: Sendable {
    /// False when the configuration says that Mayday is not enabled.
    var isEnabled = false
    /// True when the handlers were installed.
    var isCapturing = false
    /// What delivers reports; none when Mayday is not enabled.
    var uploaders: [any ReportUploader] = []
    /// How long a crash waits for its delivery, in milliseconds.
    fileprivate var deadlineMilliseconds: UInt32 = 0
    /// nil when there is no spool, or Mayday is not enabled.
    var delivery: Delivery?
    /// True when earlier runs may have left reports in the spool.
    var hasLeftOver = false

    /// The service's directory in the spool; nil when there is none.
    var spoolPath: String? { delivery == nil ? nil : String(cString: mayday_started_spool()) }
    /// How long a crash waits for its delivery.
    var deliveryDeadline: Duration { .milliseconds(Int(deadlineMilliseconds)) }
    var errorLimits = ErrorLimits()
    /// What is done with every report before it is sent.
    var rules = OutgoingRules()
    /// What start prints about itself.
    var selfCheck = MAYDAY_CHECK_NONE
    /// Where reports go, for people.
    var destination: String { uploaders.map(\.destination).joined(separator: ", ") }

    /// Resolves the configuration, opens the spool and installs the capture, all of it in C (`MaydayStart.h` says why).
    static func start(
        _ configuration: MaydayConfiguration,
        uploaders: [any ReportUploader],
        rules: OutgoingRules
    ) throws(StartError) -> Service {
        var outcome = MaydayStart()
        if let error = configuration.start(&outcome) { throw .configuration(error) }
        guard outcome.enabled else { return Service() }
        warn(of: outcome)
        let isCapturing = outcome.capture == MAYDAY_CAPTURE_INSTALLED
        var service = Service(isEnabled: true, isCapturing: isCapturing, uploaders: uploaders)
        service.errorLimits = configuration.errorLimits
        service.rules = rules
        service.selfCheck = outcome.self_check
        service.deadlineMilliseconds = outcome.delivery_deadline_ms
        guard outcome.spool.problem == MAYDAY_SPOOL_USABLE else { return service }
        service.delivery = Delivery(
            uploaders: uploaders,
            path: String(cString: mayday_started_spool()),
            limits: configuration.spoolLimits,
            rules: rules
        )
        service.hasLeftOver = outcome.left_over
        return service
    }

    /// What the machine cannot give is a warning, since the service is not to blame.
    private static func warn(of outcome: MaydayStart) {
        if let error = SpoolError(outcome.spool) {
            StandardError.warn(
                """
                reports live in memory only, and one that cannot be delivered at the crash goes to standard error, \
                for `mayday import`: \(error); set MAYDAY_SPOOL to a directory that does not exist yet, below one that \
                this user may write to
                """
            )
        }
        switch outcome.capture {
        case MAYDAY_CAPTURE_INSTALLED:
            guard !outcome.has_unwinder else { return }
            StandardError.warn(
                "stacks are found by frame pointers and may have gaps: libunwind.so.8 cannot be loaded, install libunwind8"
            )
        case MAYDAY_CAPTURE_ALREADY_INSTALLED: break
        case MAYDAY_CAPTURE_UNSUPPORTED: StandardError.warn("crashes are not captured on this platform, only on Linux")
        default:
            let error = SystemError(code: outcome.error)
            StandardError.warn("crashes are not captured, the handlers cannot be installed: \(error)")
        }
    }
}
