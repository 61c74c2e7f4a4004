internal import CrashCapture
public import CrashReport

/// How the run of the service before this one ended, as far as its spool knows.
public struct LastRun: Sendable, Equatable {
    /// What the run before this one crashed with; nil when no crash was captured since the start before: it ended well, or by
    /// what nothing can be captured of (`SIGKILL`, out of memory, a power cut).
    public let crash: Crash?
    /// What a process crashed with that the service had forked without executing anything in it; the last of several, nil when none
    /// did. The run itself may have gone on, or crashed too.
    public let childCrash: Crash?

    /// A crash, and the report of it.
    public struct Crash: Sendable, Equatable {
        /// Id of its report, by which the backend knows it.
        public let report: String
        /// When it happened, to the millisecond.
        public let time: Timestamp
        /// `SIGILL`.
        public let signal: String

        /// Reads what the dying process left, `ID SIGNAL`; nil when that is no word of a crash.
        init?(_ left: String) {
            let words = left.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, let time = ReportID.time(of: words[0]) else { return nil }
            (report, self.time, signal) = (words[0], time, words[1])
        }
    }
}

extension Mayday {
    /// How the run before this one ended, for a service that starts more carefully after a crash, or tells somebody.
    ///
    ///     if let crash = Mayday.lastRun?.crash { log.warning("crashed at \(crash.time): \(crash.report)") }
    ///
    /// A crash leaves word in the spool, whether or not its report was delivered, and the next `start` takes it, once. Of
    /// several processes on one spool, the first that starts after the crash is told, whichever of them crashed; give each a
    /// spool of its own (`MAYDAY_SPOOL`) where that matters. The crash of a forked child is `childCrash`; rehearsals do not count.
    ///
    /// nil before `start`, where Mayday is not enabled, and without a spool, which remembers it: then nothing is known.
    public static var lastRun: LastRun? {
        guard started?.spoolPath != nil else { return nil }
        return LastRun(
            crash: LastRun.Crash(String(cString: mayday_last_crash())),
            childCrash: LastRun.Crash(String(cString: mayday_last_child_crash()))
        )
    }
}
