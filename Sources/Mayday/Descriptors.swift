internal import CrashCapture

/// Whether this process has file descriptors left for what Mayday does beside the service: Dispatch ends a process in which it gets
/// none, whoever asked for it.
enum Descriptors {
    /// True when a delivery, or its own Dispatch, might take what the service needs.
    static var areFew: Bool {
        mayday_free_descriptors(Int(MAYDAY_DESCRIPTORS_TO_USE)) < Int(MAYDAY_DESCRIPTORS_TO_USE)
    }

    /// True when a reporter has too few to deliver anything.
    static var areTooFewToReport: Bool {
        mayday_free_descriptors(Int(MAYDAY_DESCRIPTORS_TO_REPORT)) < Int(MAYDAY_DESCRIPTORS_TO_REPORT)
    }

    /// Why nothing is delivered then, and what to do.
    static let reason = "few file descriptors are left, raise the limit of open files (ulimit -n)"
}

extension DeliverySummary {
    /// A round that did nothing, because few descriptors are left.
    static var shortOfDescriptors: DeliverySummary {
        var summary = DeliverySummary()
        summary.keep(Descriptors.reason)
        return summary
    }
}
