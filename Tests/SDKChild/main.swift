// A service that does what a test of the SDK tells it to; its configuration comes from the environment.

import Glibc
import Mayday

let started = Measurement.now()
if CommandLine.arguments.contains("leave-sending") {
    _ = Measurement.inheritedSockets
    // Runs behind what Mayday registers, as the destructors of libraries do.
    atexit { print("sockets at exit: \(Measurement.sockets())") }
}
do {
    let collector = try CollectorUploader(dsn: "http://unset@127.0.0.1:1/1")
    if let second = getenv("SDK_SECOND_DSN") {
        let second = try CollectorUploader(dsn: String(cString: second), name: "second")
        try Mayday.start(.init(), uploader: [collector, second])
    } else if getenv("SDK_TRAP") != nil {
        try Mayday.start(.init(), uploader: TrappingUploader())
    } else if getenv("SDK_DROP") != nil {
        try Mayday.start(.init(), uploader: collector, beforeSend: { _ in false })
    } else {
        try Mayday.start(.init(), uploader: collector)
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

let duration = Measurement.now() - started

switch CommandLine.arguments.dropFirst().first {
case "flush":
    print("flushed: \(await Mayday.flush(timeout: .seconds(20)))")
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
case "last-run":
    guard let run = Mayday.lastRun else {
        print("unknown")
        break
    }
    print(run.crash.map { "\($0.report) \($0.time) \($0.signal) \($0.message ?? "-")" } ?? "no crash")
case "report":
    await Reporting.run(CommandLine.arguments.dropFirst(2).first ?? "")
case "leave":
    // At any moment of the delivery of what was left over.
    usleep(CommandLine.arguments.dropFirst(2).first.flatMap { UInt32($0) } ?? 0)
case "leave-sending":
    while Measurement.sockets() == 0 { usleep(1000) }
case "tell":
    await Telling.run(CommandLine.arguments.dropFirst(2).first ?? "")
case "serve":
    let service = Task { try await MaydayService(flushTimeout: .seconds(20)).run() }
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
