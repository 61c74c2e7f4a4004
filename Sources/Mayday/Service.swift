internal import CrashCapture
internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A service in which `Mayday.start` was called.
struct Service: Sendable {
    /// False when the configuration says that Mayday is not enabled.
    var isEnabled = false
    /// True when the handlers were installed.
    var isCapturing = false
    /// What delivers reports; none when Mayday is not enabled.
    var uploaders: [any ReportUploader] = []
    /// The service's directory in the spool; nil when there is none.
    var spoolPath: String?
    /// How long a crash waits for its delivery.
    var deliveryDeadline = Duration.zero
    /// nil when there is no spool, or Mayday is not enabled.
    var delivery: Delivery?
    /// What start prints about itself.
    var selfCheck = StartCheck.none
    /// True when earlier runs left reports in the spool.
    var hasLeftOver = false

    /// Where reports go, for people.
    var destination: String { uploaders.map(\.destination).joined(separator: ", ") }

    /// Resolves the configuration, opens the spool and installs the capture.
    static func start(
        _ configuration: MaydayConfiguration,
        uploaders: [any ReportUploader]
    ) throws(StartError) -> Service {
        let executable = RunningProcess.path
        let resolved: ResolvedConfiguration
        do throws(ConfigurationError) {
            resolved = try configuration.resolved(
                environment: RunningProcess.variables(MaydayConfiguration.variables),
                process: ResolvingProcess(
                    executable: executable.map(lastComponent) ?? "unknown",
                    user: geteuid()
                )
            )
        } catch {
            throw .configuration(error)
        }
        guard resolved.enabled else { return Service() }
        var service = Service(isEnabled: true, uploaders: uploaders, deliveryDeadline: resolved.deliveryDeadline)
        var path: String?
        do {
            let spool = try Spool(creating: resolved.spoolCandidates, service: resolved.service)
            path = spool.path
            service.delivery = Delivery(uploaders: uploaders, path: spool.path, limits: configuration.spoolLimits)
            service.hasLeftOver = try !spool.entries().isEmpty
        } catch {
            if path == nil {
                StandardError.warn(
                    """
                    reports live in memory only, and one that cannot be delivered at the crash goes to standard error, \
                    for `mayday import`: \(error); set MAYDAY_SPOOL to a directory that does not exist yet, below one that this user may write to
                    """
                )
            } else {
                StandardError.warn("reports of earlier runs are not delivered: \(error)")
            }
        }
        let facts = KnownFacts(
            configuration: resolved,
            host: .current(),
            executable: executable,
            started: RunningProcess.started
        )
        service.spoolPath = path
        service.selfCheck = resolved.selfCheck
        service.isCapturing = install(facts, spool: path)
        if service.isCapturing, let path, let delivery = service.delivery {
            Reported.begin(OccurrenceWriter(spoolPath: path, delivery: delivery), limits: configuration.errorLimits)
        }
        return service
    }

    /// Installs the handlers; a failure is a warning, since the service is not to blame.
    private static func install(_ facts: KnownFacts, spool: String?) -> Bool {
        let deadline = facts.configuration.deliveryDeadline
        let arguments = deadline > .zero ? RunningProcess.arguments : []
        let status = withCStrings(arguments) { arguments in
            withCStrings(reporterEnvironment(RunningProcess.environment)) { environment in
                withOptionalCString(spool) { spool in
                    facts.reportMembers.withCString { reportMembers in
                        facts.processMembers.withCString { processMembers in
                            var options = MaydayCaptureOptions()
                            options.spool_directory = spool
                            options.report_members = reportMembers
                            options.process_members = processMembers
                            options.reporter_arguments = arguments.pointee == nil ? nil : arguments
                            options.reporter_environment = environment
                            options.reporter_deadline_ms = UInt32(deadline / .milliseconds(1))
                            return mayday_capture_install(&options)
                        }
                    }
                }
            }
        }
        switch status {
        case MAYDAY_CAPTURE_INSTALLED:
            if String(cString: mayday_capture_unwinder()) != "libunwind" {
                StandardError.warn(
                    "stacks are found by frame pointers and may have gaps: libunwind.so.8 cannot be loaded, install libunwind8"
                )
            }
        case MAYDAY_CAPTURE_ALREADY_INSTALLED: break
        case MAYDAY_CAPTURE_UNSUPPORTED: StandardError.warn("crashes are not captured on this platform, only on Linux")
        default: StandardError.warn("crashes are not captured, the handlers cannot be installed: \(SystemError.last)")
        }
        return status == MAYDAY_CAPTURE_INSTALLED
    }
}

/// The environment of the reporter: the service's own, without Swift's backtracer, which would hold up a reporter that
/// crashes for longer than the deadline.
func reporterEnvironment(_ environment: [[CChar]]) -> [[CChar]] {
    let name = "SWIFT_BACKTRACE="
    let prefix = Array(name.utf8CString.dropLast())
    return environment.filter { !$0.starts(with: prefix) } + [Array("\(name)enable=no".utf8CString)]
}
