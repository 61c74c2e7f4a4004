// A service that does what a test of the SDK tells it to; its configuration comes from the environment.

import Glibc
import Mayday

/// A list like `PATH`.
func paths(_ variable: String) -> [String] {
    getenv(variable).map { String(cString: $0).split(separator: ":").map(String.init) } ?? []
}

let started = Measurement.now()
/// For what has no reason to be late, on a machine that is.
let patience = Duration.seconds(600)
if CommandLine.arguments.contains("leave-sending") {
    _ = Measurement.inheritedSockets
    // Runs behind what Mayday registers, as the destructors of libraries do.
    atexit { print("sockets at exit: \(Measurement.sockets())") }
}
let sampling = getenv("SDK_SAMPLING").flatMap { Double(String(cString: $0)) } ?? 1
let waiting = getenv("SDK_SPOOL_REPORTS").flatMap { Int(String(cString: $0)) } ?? SpoolLimits().reports
let configuration = MaydayConfiguration(
    spoolLimits: SpoolLimits(reports: waiting),
    errorLimits: ErrorLimits(sampling: sampling),
    attachments: paths("SDK_ATTACHMENTS")
)
do {
    let collector = try CollectorUploader(dsn: "http://unset@127.0.0.1:1/1")
    if let directory = paths("SDK_DIRECTORY").first {
        try Mayday.start(configuration, uploader: [collector, DirectoryUploader(path: directory)])
    } else if let second = getenv("SDK_SECOND_DSN") {
        let second = try CollectorUploader(dsn: String(cString: second), name: "second")
        try Mayday.start(configuration, uploader: [collector, second])
    } else if getenv("SDK_TRAP") != nil {
        try Mayday.start(.init(), uploader: TrappingUploader())
    } else if let closing = getenv("SDK_CLOSING") {
        try Mayday.start(.init(), uploader: ClosingUploader(hangs: String(cString: closing) == "hangs"))
    } else if getenv("SDK_DROP") != nil {
        try Mayday.start(configuration, uploader: collector, beforeSend: { _ in false })
    } else {
        try Mayday.start(configuration, uploader: collector)
    }
} catch {
    print("start: \(error)")
    exit(2)
}

/// An uploader with a bug that every report finds.
struct TrappingUploader: ReportUploader {
    let name = "trap"

    func upload(_ report: SpooledReport) async throws(UploadError) {
        fatalError("the uploader has a bug")
    }
}

/// An uploader that takes everything, and says when it is to let go of what it holds.
struct ClosingUploader: ReportUploader {
    let name = "closing"
    let hangs: Bool

    func upload(_ report: SpooledReport) async throws(UploadError) {}

    func shutdown() async {
        print("shut down")
        fflush(nil)
        while hangs { try? await Task.sleep(for: .seconds(1)) }
    }
}

let duration = Measurement.now() - started

switch CommandLine.arguments.dropFirst().first {
case "flush":
    print("flushed: \(await Mayday.flush(timeout: patience))")
case "accept":
    // Each at a place of its own: nothing is counted instead of sent. What is printed lies in the spool, or was delivered.
    let messages = (0..<3).compactMap { Mayday.capture(message: "accepted \($0)") }
    await Mayday.flush(timeout: .zero)
    for id in messages { print("accepted \(id)") }
    fflush(nil)
    _ = await Mayday.flush(timeout: patience)
case "start-again":
    do {
        try Mayday.start(.init(), uploader: CollectorUploader(dsn: "http://unset@127.0.0.1:1/1"))
        print("started again")
    } catch {
        print("\(error)")
    }
case "measure":
    print("start \(duration) us, resident \(Measurement.residentKiB()) KiB, threads \(Measurement.threads())")
case "check":
    Checking.run(Array(CommandLine.arguments.dropFirst(2)))
case "rehearse":
    await Rehearsing.run(Array(CommandLine.arguments.dropFirst(2)))
case "crash":
    fatalError("the cart is empty")
case "attach":
    for path in paths("SDK_ADDED") { Mayday.addAttachment(path: path) }
    Mayday.addAttachment(path: "/proc/self/status", name: "removed")
    Mayday.removeAttachment(name: "removed")
    if CommandLine.arguments.contains("crash") { fatalError("attached") }
    struct Refusal: Error {}
    Mayday.capture(Refusal(), attachments: [.bytes(Array("{}".utf8), name: "cart.json"), .file("/proc/self/comm")])
    print("flushed: \(await Mayday.flush(timeout: patience))")
case "ask":
    print(await Mayday.selfCheck(timeout: patience))
case "last-run":
    guard let run = Mayday.lastRun else {
        print("unknown")
        break
    }
    print(run.crash.map { "\($0.report) \($0.time) \($0.signal)" } ?? "no crash")
    if let crash = run.childCrash { print("child \(crash.report) \(crash.time) \(crash.signal)") }
case "report":
    await Reporting.run(CommandLine.arguments.dropFirst(2).first ?? "")
case "work":
    // What a service does: a clock, a file, and a handled error beside it.
    try await Task.sleep(for: .milliseconds(5))
    let file = open("/dev/null", O_RDONLY)
    if CommandLine.arguments.contains("capture") { Mayday.capture(message: "noticed") }
    if CommandLine.arguments.contains("crash") { fatalError("the cart is empty") }
    try await Task.sleep(for: .milliseconds(20))
    print("worked: \(file >= 0)")
case "sync":
    // No Dispatch, no task.
    Mayday.capture(message: "noticed")
    let file = open("/dev/null", O_RDONLY)
    usleep(20_000)
    print("worked: \(file >= 0)")
case "leave":
    // At any moment of the delivery of what was left over.
    usleep(CommandLine.arguments.dropFirst(2).first.flatMap { UInt32($0) } ?? 0)
case "leave-sending":
    while Measurement.sockets() == 0 { usleep(1000) }
case "tell":
    await Telling.run(CommandLine.arguments.dropFirst(2).first ?? "")
case "serve":
    let service = Task { try await MaydayService(flushTimeout: patience).run() }
    service.cancel()
    try await service.value
    print("ended")
case "stay":
    print("staying")
    fflush(nil)
    while true { pause() }
default:
    print("started")
}
