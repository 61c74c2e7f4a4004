internal import CrashReport
internal import Mayday

/// The checks, and what they found.
struct ConformanceCheck {
    /// What must come of an upload.
    enum Wanted: Equatable {
        case delivered
        case rejected
        /// With a pause of at least `after`.
        case retry(after: Duration?)
        /// The backend decides; what must not be is that it is tried for ever.
        case deliveredOrRejected
        /// It is not delivered.
        case retryOrRejected
        /// It comes back.
        case anything
    }

    /// How long anything may take that has no reason to wait.
    let patience: Duration
    private var problems: [String] = []

    init(patience: Duration) { self.patience = patience }

    func finish() throws(UploaderConformanceFailure) {
        guard problems.isEmpty else { throw UploaderConformanceFailure(problems: problems) }
    }

    mutating func expect(_ condition: Bool, _ problem: String) {
        if !condition { problems.append(problem) }
    }

    // MARK: A backend that works

    mutating func backendThatWorks(_ uploader: any ReportUploader) async {
        expect(!uploader.name.isEmpty, "name: it is empty, and it must be stable and say what this is")
        expect(!uploader.destination.isEmpty, "destination: it is empty")
        expect(
            uploader.largestReport.map { $0 > 0 } ?? true,
            "largestReport: it is not positive, and nothing would be sent"
        )
        await returns("prepare") { [patience] in try? await uploader.prepare(deadline: .now + patience) }
        let report = ConformanceReports.plain(1, deadline: patience)
        await upload("success", report, to: uploader, .delivered)
        // An answer may be lost: the backend recognises the report by its id, the uploader remembers nothing.
        await upload("duplicate", report, to: uploader, .delivered)
        await upload("unicode", ConformanceReports.unicode(deadline: patience), to: uploader, .delivered)
        await upload("oversize", ConformanceReports.large(deadline: patience), to: uploader, .deliveredOrRejected)
        await upload(
            "a report of which the first line is left",
            ConformanceReports.short(deadline: patience),
            to: uploader,
            .deliveredOrRejected
        )
        await upload(
            "a file that was cut short",
            ConformanceReports.cut(deadline: patience),
            to: uploader,
            .deliveredOrRejected
        )
        await upload(
            "a file that is no report",
            ConformanceReports.garbage(deadline: patience),
            to: uploader,
            .deliveredOrRejected
        )
        await sideBySide(uploader)
        await returns("probe") { [patience] in _ = try? await uploader.probe(deadline: .now + patience) }
        await returns("shutdown") { await uploader.shutdown() }
        await returns("prepare after shutdown") { [patience] in try? await uploader.prepare(deadline: .now + patience) }
        await upload(
            "success after shutdown",
            ConformanceReports.plain(5, deadline: patience),
            to: uploader,
            .delivered
        )
    }

    /// What must come back, whatever it did.
    private mutating func returns(_ what: String, _ body: @escaping @Sendable () async -> Void) async {
        let isBack = await firstResult(within: patience) {
            await body()
            return true
        }
        expect(isBack == true, "\(what): it did not return within \(patience)")
    }

    /// A backend that nobody can reach must not be said to be there.
    mutating func probe(_ situation: String, _ uploader: any ReportUploader) async {
        let isThere = await firstResult(within: patience) {
            (try? await uploader.probe(deadline: .now + .milliseconds(1_500))) ?? false
        }
        expect(isThere == false, "\(situation): probe said that the backend is there, or did not return")
    }

    private mutating func sideBySide(_ uploader: any ReportUploader) async {
        let tasks = (10..<18).map { number in
            Task { [patience] in
                await Self.outcome(of: ConformanceReports.plain(number, deadline: patience), to: uploader, patience)
            }
        }
        for task in tasks { judge("several at once", await task.value, .delivered) }
    }

    // MARK: One that does not

    mutating func answer(_ situation: String, _ uploader: any ReportUploader, _ wanted: Wanted) async {
        await upload(situation, ConformanceReports.plain(2, deadline: patience), to: uploader, wanted)
    }

    /// The deadline is the report's, and the uploader keeps it by itself.
    mutating func slowServer(_ situation: String, _ uploader: any ReportUploader) async {
        let report = ConformanceReports.plain(3, deadline: .milliseconds(1_500))
        await upload(situation, report, to: uploader, .retry(after: nil))
    }

    mutating func endless(_ uploader: any ReportUploader) async {
        let report = ConformanceReports.plain(6, deadline: .milliseconds(1_500))
        await upload("an answer without end", report, to: uploader, .anything)
    }

    /// - Parameter arrival: returns when the request is under way.
    mutating func cancellation(_ uploader: any ReportUploader, arrival: @escaping @Sendable () async -> Void) async {
        // A deadline far beyond our patience: only the cancellation can end it.
        let report = ConformanceReports.plain(4, deadline: patience * 10)
        let task = Task { [patience] in await Self.outcome(of: report, to: uploader, patience) }
        // Until the request is under way; one that returns without having sent any is judged below.
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        Task {
            await arrival()
            starting.finish()
        }
        Task {
            _ = await task.value
            starting.finish()
        }
        await firstResult(within: patience) { for await _ in started {} }
        task.cancel()
        judge("cancellation", await task.value, .retry(after: nil))
    }

    // MARK: Judging

    private mutating func upload(
        _ situation: String,
        _ report: SpooledReport,
        to uploader: any ReportUploader,
        _ wanted: Wanted
    ) async {
        judge(situation, await Self.outcome(of: report, to: uploader, patience), wanted)
    }

    /// nil when the uploader did not come back.
    private static func outcome(
        of report: SpooledReport,
        to uploader: any ReportUploader,
        _ patience: Duration
    ) async -> Outcome? {
        let uploading = Task { () -> Outcome in
            do throws(UploadError) {
                try await uploader.upload(report)
                return .delivered
            } catch {
                return .failed(error)
            }
        }
        return await withTaskCancellationHandler {
            await firstResult(within: patience) { await uploading.value }
        } onCancel: {
            uploading.cancel()
        }
    }

    private enum Outcome: Sendable {
        case delivered
        case failed(UploadError)
    }

    private mutating func judge(_ situation: String, _ outcome: Outcome?, _ wanted: Wanted) {
        switch (wanted, outcome) {
        case (_, nil): problems.append("\(situation): upload did not return within \(patience)")
        case (.delivered, .delivered), (.deliveredOrRejected, .delivered): break
        case (.rejected, .failed(.rejected)), (.deliveredOrRejected, .failed(.rejected)): break
        case (.retryOrRejected, .failed), (.anything, _): break
        case (.retry(let least), .failed(.retry(let after, _))):
            guard let least, after ?? .zero < least else { return }
            let got = after.map { "\($0)" } ?? "none"
            problems.append("\(situation): a pause of at least \(least) was asked for, and the error's is \(got)")
        case (_, .delivered): problems.append("\(situation): wanted \(wanted.text), and upload returned")
        case (_, .failed(let error)): problems.append("\(situation): wanted \(wanted.text), and upload threw \(error)")
        }
    }
}

extension ConformanceCheck.Wanted {
    fileprivate var text: String {
        switch self {
        case .delivered: "the report to be delivered"
        case .rejected: "UploadError.rejected"
        case .retry: "UploadError.retry"
        case .deliveredOrRejected: "the report to be delivered or rejected, not to be tried again"
        case .retryOrRejected: "an UploadError"
        case .anything: "upload to return or to throw"
        }
    }
}
