public import CrashReport
import CrashReportText
import Digest
public import Grouping
public import Store

/// One report, opened.
public struct ReportDetail: Sendable, Equatable {
    /// How it is listed; nil for a file that is in no store.
    public var stored: StoredReport?
    /// With symbols when it was digested.
    public var report: Report
    /// What a person should know of the reading and the digestion.
    public var warnings: [String]
    /// What the digestion said of the grouping and the images.
    public var remarks: DigestRemarks

    /// A report by its parts.
    public init(stored: StoredReport?, report: Report, warnings: [String], remarks: DigestRemarks = DigestRemarks()) {
        self.remarks = remarks
        self.stored = stored
        self.report = report
        self.warnings = warnings
    }

    /// Opens a stored report: with its symbols when it was digested, else as it was received.
    public static func load(_ stored: StoredReport, from store: any Store) throws(QueryError) -> ReportDetail {
        let body: ReportBody?
        do throws(StoreError) { body = try store.body(of: stored.key) } catch { throw .store(error) }
        guard let body else { throw .notFound("report \(stored.key.id) is not there any more") }
        let decoded: DecodedReport
        do throws(ReportDecodingError) { decoded = try body.open() } catch {
            throw .unreadable("report \(stored.key.id): \(error)")
        }
        return ReportDetail(
            stored: stored,
            report: decoded.report,
            warnings: stored.warnings + body.remarks.warnings + decoded.warnings,
            remarks: body.remarks
        )
    }

    /// Opens a report file and digests it in memory.
    public static func load(
        file: [UInt8],
        named path: String,
        digest: (Report) throws -> DigestedReport
    ) throws(QueryError) -> ReportDetail {
        let decoded: DecodedReport
        do throws(ReportDecodingError) { decoded = try Report.decode(gzip: file) } catch {
            throw .unreadable("\(path) is not a report: \(error)")
        }
        return load(decoded.report, warnings: decoded.warnings, digest: digest)
    }

    /// Opens a report that is in no store and digests it in memory.
    public static func load(
        _ report: Report,
        warnings: [String],
        digest: (Report) throws -> DigestedReport
    ) -> ReportDetail {
        do {
            let digested = try digest(report)
            return ReportDetail(
                stored: nil,
                report: digested.report,
                warnings: warnings,
                remarks: DigestRemarks(of: digested, warnings: warnings)
            )
        } catch {
            // Without functions and lines it says more than not at all.
            let warning = "it has no functions and lines: \(error)"
            return ReportDetail(stored: nil, report: report, warnings: warnings + [warning])
        }
    }

    /// How it is listed, all that is in the report, `explanation` (the sentence of `mayday show`), `warnings`, `grouping` (what the fingerprint was made of), and `notes`
    /// on images.
    public var json: JSONValue {
        var members = stored?.members ?? [:]
        if case .object(let inside) = report.jsonObject { members.merge(inside) { _, inside in inside } }
        members["explanation"] = .optional(Explanation.sentence(of: report))
        members["warnings"] = .array(warnings.map { .string($0) })
        members["grouping"] = .array(remarks.grouping.map { .string($0) })
        members["notes"] = .array(
            remarks.images.map { .object(["image": .integer(Int64($0.index)), "text": .string($0.text)]) }
        )
        return .object(members)
    }
}

extension StoredReport {
    /// Why it has no symbols, if that is so.
    fileprivate var warnings: [String] {
        switch state {
        case .done: []
        case .pending: ["this report waits for digestion: no functions and lines yet; `mayday serve` does it"]
        case .failed(let reason): ["this report could not be digested: \(reason)"]
        }
    }
}
