internal import CrashCapture
internal import Synchronization

/// Crash and error reporting for Swift services on Linux.
///
///     try Mayday.start(
///         .init(release: "checkout@1.4.2", environment: "production"),
///         uploader: CollectorUploader(dsn: "https://KEY@mayday.example.com/1")
///     )
public enum Mayday {
    private static let service = Mutex<Service?>(nil)
    /// The service; nil before `start`.
    static var started: Service? { service.withLock { $0 } }

    /// Begins to capture crashes, and delivers in the background what earlier runs left in the spool.
    ///
    /// Call it as the first line of `main`. A crashing process runs its own binary again to deliver its report: there
    /// `start` delivers, exits and never returns, so what stands before it is done twice.
    /// The environment overrides the configuration, see `MaydayConfiguration`.
    ///
    /// - Parameter beforeSend: changes or drops a report, after the secrets were taken out of it (`Scrubbing`).
    /// - Throws: `StartError` for mistakes of the program or its deployment. What the machine cannot give, a spool for
    ///   instance, is a warning on standard error instead, and the service runs.
    @inlinable  // Then it is compiled for the type of the service's uploader.
    public static func start(
        _ configuration: MaydayConfiguration,
        uploader: some ReportUploader,
        beforeSend: BeforeSend? = nil
    ) throws(StartError) {
        try StartError.check(uploader.name)
        try start(configuration, { [uploader] }, beforeSend)
    }

    /// As above, with several backends: each report goes to all of them, side by side, and each has its own place in the
    /// spool, so that one that is broken neither holds up another nor makes it get a report twice.
    public static func start(
        _ configuration: MaydayConfiguration,
        uploader uploaders: [any ReportUploader],
        beforeSend: BeforeSend? = nil
    ) throws(StartError) {
        try StartError.check(uploaders)
        try start(configuration, { uploaders }, beforeSend)
    }

    /// - Parameter uploaders: makes the list when something is delivered. To make the type of an array, Swift's runtime goes through all
    ///   array types of the standard library, which would be half of what a start costs.
    @usableFromInline
    static func start(
        _ configuration: MaydayConfiguration,
        _ uploaders: @escaping @Sendable () -> [any ReportUploader],
        _ beforeSend: BeforeSend?
    ) throws(StartError) {
        let rules = OutgoingRules(scrubbing: configuration.scrubbing, beforeSend: beforeSend)
        if let assignment = Reporter.assignment() {
            Reporter.run(deadline: assignment.deadline, report: assignment.report, uploaders: uploaders(), rules: rules)
        }
        let started = try service.withLock { service throws(StartError) -> Service in
            guard service == nil else { throw .alreadyStarted }
            let started = try Service.start(configuration, uploaders: uploaders, rules: rules)
            service = started
            return started
        }
        if started.selfCheck != MAYDAY_CHECK_NONE { started.printSelfCheck() }
        guard started.hasLeftOver, let leftOver = started.delivery else { return }
        Task.detached(priority: .utility) { await leftOver.deliverInBackground() }
    }

    /// Would a crash be reported? Looks at the handlers, the stacks, the spool, the files and the limits of this process,
    /// without loading or sending anything, in about a millisecond. Print it, or act on its `status`.
    ///
    /// Call it when the service is up, from a thread that serves: what took over a signal after `start` is found, too.
    public static func selfCheck() -> SelfCheck { SelfCheck.run(service.withLock { $0 }) }

    /// Would a crash be reported? Crashes a forked child on purpose, and waits until its report was delivered as that of a
    /// real crash would be: by the capture, the spool, the reporter and the uploader of this service.
    ///
    /// The report is marked as a rehearsal, and the collector keeps rehearsals apart. The service goes on meanwhile: the
    /// child raises no `SIGCHLD`, no `wait` sees it, it leaves no core file, and handlers that were set before ours are not
    /// called in it. It has one thread, so the other threads' stacks are not rehearsed. As for every fork, the kernel copies
    /// the tables of the process's memory, some milliseconds a gigabyte.
    ///
    /// - Returns: within 4 seconds for the capture, the delivery deadline, and 3 seconds.
    public static func rehearse() async -> Rehearsal {
        await Rehearsal.run(of: service.withLock { $0 })
    }

    /// As `selfCheck()`, and asks each backend whether it is there and takes the key, as far as that can be asked without
    /// sending a report. Loads libcurl where an uploader sends over HTTP.
    ///
    /// - Parameter timeout: how long the backends have; they are asked side by side.
    public static func selfCheck(timeout: Duration) async -> SelfCheck {
        await SelfCheck.run(service.withLock { $0 }, asking: timeout)
    }

    /// Tries to deliver everything that waits in the spool, and returns when all of it was answered for, or at the timeout.
    ///
    /// - Returns: true when nothing is left to deliver. What is left is delivered later, if need be after the next start.
    @discardableResult
    public static func flush(timeout: Duration) async -> Bool {
        await Reported.flush()
        guard let delivery = service.withLock({ $0?.delivery }) else { return true }
        return await firstResult(within: timeout) { await delivery.deliverAllNow(limit: timeout) } ?? false
    }

    /// Delivers what waits, as `flush` does, and has the uploaders let go of what they hold: for the end of a process. Crashes are
    /// captured and delivered until the very end.
    ///
    /// - Returns: true when nothing is left to deliver.
    @discardableResult
    public static func shutdown(timeout: Duration) async -> Bool {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let isDone = await flush(timeout: timeout)
        // Something is left for it in any case.
        let end = max(deadline, .now.advanced(by: .milliseconds(100)))
        await service.withLock { $0?.delivery }?.shutdown(deadline: end)
        await Reported.shutdown(deadline: end)
        return isDone
    }
}
