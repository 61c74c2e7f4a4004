public import CrashReport

/// Changes a report before it leaves, or returns false to drop it. Runs in the service for handled errors, and for a crash
/// in its binary that is run again; on no particular thread.
public typealias BeforeSend = @Sendable (inout Report) -> Bool

/// What is done with every report, whatever uploader it goes to.
///
/// A class, so that `start` copies a reference: what copies a closure is a function that lies where the deliveries are.
final class OutgoingRules: Sendable {
    let scrubbing: Scrubbing
    let beforeSend: BeforeSend?

    init(scrubbing: Scrubbing = Scrubbing(), beforeSend: BeforeSend? = nil) {
        self.scrubbing = scrubbing
        self.beforeSend = beforeSend
    }

    /// What an uploader is to be given of a report's file, with its attachments. A file that cannot be read is left to the backend
    /// to judge.
    func verdict(
        on gzip: [UInt8],
        for uploader: any ReportUploader,
        deadline: ContinuousClock.Instant
    ) async -> OutgoingVerdict {
        guard let read = try? Report.decode(gzip: gzip).report else { return .send(gzip) }
        guard uploader.accepts(read.header.kind) else { return .notWanted }
        var report = read
        await AttachmentFiles.read(into: &report, within: AttachmentFiles.limit(of: deadline - .now))
        scrubbing.apply(to: &report)
        if let beforeSend, !beforeSend(&report) { return .dropped }
        // Its id is the backend's way to know it again.
        report.header.id = read.header.id
        let outgoing = report == read ? gzip : report.encode()
        guard let limit = uploader.largestReport, outgoing.count > limit else { return .send(outgoing) }
        return shortened(report, to: limit)
    }

    /// Without its attachments, which are the largest by far where there are any.
    private func shortened(_ report: Report, to limit: Int) -> OutgoingVerdict {
        var report = report
        for index in report.attachments.indices where report.attachments[index].data != nil {
            report.attachments[index].data = nil
            report.attachments[index].wholeSize = nil
            report.attachments[index].problem = "left out: the backend takes reports of \(limit) bytes"
        }
        let outgoing = report.encode()
        guard outgoing.count <= limit else {
            return .tooLarge("it is \(outgoing.count) bytes, and the backend takes \(limit)")
        }
        return .send(outgoing)
    }
}

/// What becomes of a report on its way to one uploader.
enum OutgoingVerdict: Sendable, Equatable {
    /// The file to upload.
    case send([UInt8])
    /// `beforeSend` said so.
    case dropped
    /// It is of a kind that the uploader does not take.
    case notWanted
    /// It can never be sent, and why.
    case tooLarge(String)
}
