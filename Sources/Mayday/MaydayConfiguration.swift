/// What a service says about itself to `Mayday.start`. Everything has a default.
///
/// The environment overrides it, so that one binary can be deployed in many places:
///
/// | variable | overrides | example |
/// |---|---|---|
/// | `MAYDAY_RELEASE` | `release` | `checkout@1.4.2` |
/// | `MAYDAY_ENVIRONMENT` | `environment` | `staging` |
/// | `MAYDAY_INSTANCE` | names the instance in reports | `checkout-2` |
/// | `MAYDAY_SERVICE` | `service` | `checkout` |
/// | `MAYDAY_SPOOL` | `spool` | `/var/lib/checkout/mayday` |
/// | `MAYDAY_DELIVERY_DEADLINE` | `deliveryDeadline` | `2.5`, `2.5s` or `500ms` |
/// | `MAYDAY_ENABLED` | `enabled` | `false` |
/// | `MAYDAY_SELF_CHECK` | has `start` print `Mayday.selfCheck()`, and `Mayday.rehearse()` too | `true`, `rehearse` |
/// | `MAYDAY_DSN` | the DSN of `CollectorUploader` | `https://KEY@mayday.example.com/1` |
/// | `MAYDAY_DIRECTORY` | the path of `DirectoryUploader` | `/mnt/crashes` |
/// | `SENTRY_DSN`, `MAYDAY_OTLP_ENDPOINT`, `MAYDAY_WEBHOOK_URL` | where those adapters send | |
///
/// A variable that is empty counts as absent.
public struct MaydayConfiguration: Sendable, Equatable {
    /// Name and version of the program, `checkout@1.4.2`.
    public var release: String?
    /// Where it runs, `production`.
    public var environment: String?
    /// Name of the service; by default the part of `release` before `@`, else the name of the executable.
    /// Each service has a directory of its own in the spool.
    public var service: String?
    /// Absolute path of the directory in which reports wait for their delivery. By default `$XDG_STATE_HOME/mayday`,
    /// or `$HOME/.local/state/mayday`, or `/var/tmp/mayday-UID`, whichever can be used first. It is created with mode
    /// 0700; one that exists must belong to the service's user and be writable by nobody else.
    public var spool: String?
    /// How much may wait in the spool.
    public var spoolLimits: SpoolLimits
    /// How many handled errors are reported.
    public var errorLimits: ErrorLimits
    /// What is taken out of reports before they are sent.
    public var scrubbing: Scrubbing
    /// Absolute paths of files that every report takes along, for instance a log; see `Mayday.addAttachment`.
    public var attachments: [String]
    /// How long a crashing process waits for the delivery of its report, from 0 to 60 seconds. With 0 nothing is
    /// delivered at the crash, and the next start does it.
    public var deliveryDeadline: Duration
    /// With false, `start` does nothing.
    public var enabled: Bool

    /// A configuration; see the properties.
    public init(
        release: String? = nil,
        environment: String? = nil,
        service: String? = nil,
        spool: String? = nil,
        spoolLimits: SpoolLimits = SpoolLimits(),
        errorLimits: ErrorLimits = ErrorLimits(),
        scrubbing: Scrubbing = Scrubbing(),
        attachments: [String] = [],
        deliveryDeadline: Duration = .seconds(5),
        enabled: Bool = true
    ) {
        self.release = release
        self.environment = environment
        self.service = service
        self.spool = spool
        self.spoolLimits = spoolLimits
        self.errorLimits = errorLimits
        self.scrubbing = scrubbing
        self.attachments = attachments
        self.deliveryDeadline = deliveryDeadline
        self.enabled = enabled
    }
}
