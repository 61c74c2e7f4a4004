public import CrashReport
import Grouping
import Store

/// What becomes of issues whose keys were made by older rules of grouping, when a collector with newer ones starts.
///
/// Each goes on as what its newest report is by these rules, with all its reports, its number and what was decided about it, before
/// any new report is grouped: else each would be there twice, and the new one would be told as new. An issue is never split, since
/// the reports in it were one thing to those who looked at it; new reports of its other part are an issue of their own.
public enum RulesChange {
    private static let batch = 64

    /// Groups once more a report that has its functions.
    public typealias Group = (Report) throws -> DigestOutcome

    /// Regroups what is outdated.
    ///
    /// - Parameters:
    ///   - isTimeOver: ends it early; the next start goes on.
    ///   - log: gets a line for each issue that became part of another or could not be read, and one for all.
    static func apply(
        to store: any Store,
        isTimeOver: () -> Bool,
        log: (String) -> Void,
        group: Group
    ) throws(StoreError) {
        var (position, regrouped, joined) = (0, 0, 0)
        while !isTimeOver() {
            let issues = try store.outdatedIssues(rules: Digester.rules, after: position, limit: batch)
            guard let last = issues.last else { break }
            position = last.position
            for issue in issues where !isTimeOver() {
                let outcome: DigestOutcome
                do { outcome = try group(try issue.body.open().report) } catch {
                    // It stays what it is, and is tried at the next start.
                    log("grouping: the issue of report \(issue.newest.id) of project \(issue.newest.project): \(error)")
                    continue
                }
                let regrouping = Regrouping(
                    of: issue,
                    fingerprint: outcome.fingerprint,
                    title: outcome.title,
                    culprit: outcome.culprit,
                    grouping: outcome.explanation
                )
                guard let done = try store.regroup(regrouping, rules: Digester.rules) else { continue }
                regrouped += 1
                guard let gone = done.joined else { continue }
                joined += 1
                log("grouping: issue \(gone.number) of project \(gone.project) is part of issue \(done.key.number) now")
            }
        }
        guard regrouped > 0 else { return }
        log("grouping: \(regrouped) issues follow the rules of this version, of which \(joined) became part of others")
    }
}
