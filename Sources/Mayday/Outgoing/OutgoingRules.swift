public import CrashReport

/// Changes a report before it leaves, or returns false to drop it. Runs in the service for handled errors, and for a crash
/// in its binary that is run again; on no particular thread.
public typealias BeforeSend = @Sendable (inout Report) -> Bool

/// What is done with every report, whatever uploader it goes to.
struct OutgoingRules: Sendable {
    var scrubbing = Scrubbing()
    var beforeSend: BeforeSend?

    /// The file to upload; nil when the report is to be dropped. A file that cannot be read is left to the backend to judge.
    func apply(to gzip: [UInt8]) -> [UInt8]? {
        guard scrubbing.isEnabled || beforeSend != nil, let read = try? Report.decode(gzip: gzip).report else {
            return gzip
        }
        var report = read
        scrubbing.apply(to: &report)
        if let beforeSend, !beforeSend(&report) { return nil }
        // Its id is the backend's way to know it again.
        report.header.id = read.header.id
        return report == read ? gzip : report.encode()
    }
}
