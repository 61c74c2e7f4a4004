internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// A service in which `Mayday.start` was called.
///
/// A class, because a structure of this size is copied and destroyed by functions of its own, which `start` would be the
/// first to call.
final class Service: Sendable {
    /// False when the configuration says that Mayday is not enabled.
    let isEnabled: Bool
    /// True when the handlers were installed.
    let isCapturing: Bool
    private let findUploaders: @Sendable () -> [any ReportUploader]
    /// How long a crash waits for its delivery, in milliseconds.
    private let deadlineMilliseconds: UInt32
    private let hasSpool: Bool
    private let spoolLimits: SpoolLimits
    private let madeDelivery = Mutex<Delivery?>(nil)
    /// True when earlier runs may have left reports in the spool, and they can be delivered beside the service.
    let hasLeftOver: Bool
    /// How many handled errors are reported.
    let errorLimits: ErrorLimits
    /// What is done with every report before it is sent.
    let rules: OutgoingRules
    /// What start prints about itself.
    let selfCheck: MaydayStartCheck

    /// What delivers reports; none when Mayday is not enabled.
    var uploaders: [any ReportUploader] { isEnabled ? findUploaders() : [] }
    /// The service's directory in the spool; nil when there is none.
    var spoolPath: String? { hasSpool ? String(cString: mayday_started_spool()) : nil }
    /// What delivers from the spool; nil when there is no spool, or Mayday is not enabled. Made when it is first needed.
    var delivery: Delivery? {
        guard hasSpool else { return nil }
        return madeDelivery.withLock { made in
            let delivery =
                made
                ?? Delivery(
                    uploaders: uploaders,
                    path: String(cString: mayday_started_spool()),
                    limits: spoolLimits,
                    rules: rules
                )
            made = delivery
            return delivery
        }
    }
    /// How long a crash waits for its delivery.
    var deliveryDeadline: Duration { .milliseconds(Int(deadlineMilliseconds)) }
    /// Where reports go, for people.
    var destination: String { uploaders.map(\.destination).joined(separator: ", ") }

    private init(
        _ outcome: MaydayStart,
        _ configuration: MaydayConfiguration,
        uploaders: @escaping @Sendable () -> [any ReportUploader],
        rules: OutgoingRules
    ) {
        isEnabled = outcome.enabled
        isCapturing = outcome.enabled && outcome.capture == MAYDAY_CAPTURE_INSTALLED
        findUploaders = uploaders
        deadlineMilliseconds = outcome.delivery_deadline_ms
        errorLimits = configuration.errorLimits
        self.rules = rules
        selfCheck = outcome.self_check
        spoolLimits = configuration.spoolLimits
        hasSpool = outcome.enabled && outcome.spool.problem == MAYDAY_SPOOL_USABLE
        hasLeftOver = hasSpool && outcome.left_over && !outcome.few_descriptors
    }

    /// Resolves the configuration, opens the spool and installs the capture, all of it in C (`MaydayStart.h` says why).
    static func start(
        _ configuration: MaydayConfiguration,
        uploaders: @escaping @Sendable () -> [any ReportUploader],
        rules: OutgoingRules
    ) throws(StartError) -> Service {
        if let error = configuration.errorLimits.mistake { throw .configuration(error) }
        for path in configuration.attachments {
            guard let remedy = Attachments.add(path: path) else { continue }
            let setting = "MaydayConfiguration.attachments"
            throw .configuration(ConfigurationError(setting: setting, value: path, remedy: remedy))
        }
        var outcome = MaydayStart()
        if let error = configuration.start(&outcome) { throw .configuration(error) }
        if outcome.enabled { warn(of: outcome) }
        return Service(outcome, configuration, uploaders: uploaders, rules: rules)
    }

    /// What the machine cannot give is a warning, since the service is not to blame.
    private static func warn(of outcome: MaydayStart) {
        if outcome.few_descriptors {
            StandardError.warn(
                """
                few file descriptors are left to the service: none is held for a crash, and what waits in the spool is not \
                delivered now; raise the limit of open files (ulimit -n)
                """
            )
        }
        if outcome.spool.problem != MAYDAY_SPOOL_USABLE, let error = SpoolError(outcome.spool) {
            StandardError.warn(
                """
                reports live in memory only, and one that cannot be delivered at the crash goes to standard error, \
                for `mayday import`: \(error); \(error.remedy)
                """
            )
        }
        switch outcome.capture {
        case MAYDAY_CAPTURE_INSTALLED:
            guard !outcome.has_unwinder else { return }
            let problem = String(cString: mayday_capture_unwinder_problem())
            let remedy = ErrorRemedy.ofLoading(problem, package: "libunwind8")
            StandardError.warn(
                "stacks are found by frame pointers and may have gaps: libunwind.so.8 cannot be loaded, \(remedy)"
            )
        case MAYDAY_CAPTURE_ALREADY_INSTALLED: break
        case MAYDAY_CAPTURE_UNSUPPORTED: StandardError.warn("crashes are not captured on this platform, only on Linux")
        default:
            let error = SystemError(code: outcome.error)
            StandardError.warn("crashes are not captured, the handlers cannot be installed: \(error)")
        }
    }
}
