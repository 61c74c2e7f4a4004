public import CrashReport

/// What the collector keeps: projects, reports as they came, and the issues they were grouped into.
///
/// Every function blocks until the answer is there, may be called from any thread, and what it reports as written is
/// durable: it survives a kill of the process and the loss of power.
public protocol Store: Sendable {
    // MARK: Projects

    /// Makes the first project and the admin token, all or nothing.
    ///
    /// - Returns: the project, or nil when the store was set up before (nothing is changed then).
    func setUp(project name: String, key: SecretHash, adminToken: SecretHash, at time: Timestamp)
        throws(StoreError) -> Project?
    /// All projects by id.
    func projects() throws(StoreError) -> [Project]
    /// All projects by id, with what is counted of them.
    func projectSummaries() throws(StoreError) -> [ProjectSummary]
    /// One project; nil when there is none of this id.
    func project(_ id: Int) throws(StoreError) -> Project?
    /// Adds a project; nil when the name is taken.
    func addProject(name: String, key: SecretHash, at time: Timestamp) throws(StoreError) -> Project?
    /// Replaces the key of a project, so that the old one is refused from now on; false when there is no such project.
    func replaceKey(ofProject id: Int, with key: SecretHash) throws(StoreError) -> Bool
    /// Sets how many reports a project may send; false when there is no such project.
    func setLimits(_ limits: IngestLimits, ofProject id: Int) throws(StoreError) -> Bool
    /// The hashes of all tokens that there are, by what they may do.
    func tokens() throws(StoreError) -> [TokenKind: SecretHash]
    /// Makes or replaces a token, so that the old one is refused from now on; false when it is for a project that is not there.
    func replaceToken(_ kind: TokenKind, with token: SecretHash) throws(StoreError) -> Bool
    /// Where reports are sent to, as the last `serve` said; nil before the first.
    func publicURL() throws(StoreError) -> String?
    /// Remembers where reports are sent to.
    func setPublicURL(_ url: String) throws(StoreError)

    // MARK: Ingest

    /// Keeps a report, durable when this returns. A report whose id the project already has is left as it is, and so is
    /// everything when the report names a key that is not the project's at that moment.
    func add(_ report: NewReport) throws(StoreError) -> Addition

    // MARK: Digest

    /// Takes reports that wait for digestion, oldest first, and counts the attempt durably before it begins, so that a
    /// report that ends the process is known at the next start. Reports tried before come one at a time.
    ///
    /// - Parameter position: only those that came after it, so that they are none of those claimed last; 0 for all.
    func claimPending(limit: Int, after position: Int) throws(StoreError) -> [PendingReport]
    /// Lets reports that were claimed and not begun wait again, as if they had not been claimed.
    func release(_ reports: [ReportKey]) throws(StoreError)
    /// Writes the outcomes of digestions, counts each in its issue and ends its waiting, all of them or none.
    ///
    /// - Returns: for each the issue and what the report changed about it, or nil when the report was digested before
    ///   (nothing is changed then).
    func finish(_ digestions: [Digestion]) throws(StoreError) -> [DigestedIn?]
    /// Ends the waiting of a report that could not be digested.
    func fail(_ report: ReportKey, reason: String) throws(StoreError)
    /// Lets failed reports wait again unless they had `maximumAttempts`; those that still wait after that many
    /// attempts ended the process each time and are failed.
    func retryFailed(maximumAttempts: Int) throws(StoreError)
    /// Lets digested reports wait for digestion again, all of them at once; others are left as they are. Each stays in its issue, with
    /// what came of its digestion, until the next one ends. When by then nothing else is settled in that issue and none has the new
    /// fingerprint, the issue has it; else the report goes into another.
    ///
    /// - Returns: how many wait now.
    @discardableResult
    func digestAgain(_ reports: [ReportKey]) throws(StoreError) -> Int
    /// Issues whose keys were made by older rules of grouping, oldest first, each with its newest report.
    ///
    /// - Parameter position: only those behind it, 0 for all.
    func outdatedIssues(rules: Int, after position: Int, limit: Int) throws(StoreError) -> [OutdatedIssue]
    /// Gives an issue the key that these rules make of its newest report, with all its reports. Where another issue has this key, both
    /// become one, with the older number, all counts, and the more urgent of what was decided: open, then muted, then resolved.
    ///
    /// - Returns: nil when it is not outdated any more.
    func regroup(_ regrouping: Regrouping, rules: Int) throws(StoreError) -> RegroupedIssue?
    /// How many reports are not grouped, of a project or of all.
    func digestCounts(ofProject project: Int?) throws(StoreError) -> DigestCounts

    // MARK: Issues over time

    /// Writes what a person decided about an issue.
    ///
    /// - Returns: the issue as it is then, or that which it became part of; nil when there is none of this key, or none to become
    ///   part of.
    func decide(_ decision: IssueDecision, on issue: IssueKey, at time: Timestamp) throws(StoreError) -> Issue?
    /// Numbers of issues that became part of one.
    func joined(to issue: IssueKey) throws(StoreError) -> [Int]
    /// Reports of an issue by hour, oldest first; hours without any are left out.
    func hours(of issue: IssueKey, since time: Timestamp) throws(StoreError) -> [HourCount]

    /// Keeps what this process would have told somebody about a subject, in place of what it kept before; nil removes it.
    func keepNote(_ note: [UInt8]?, about subject: String) throws(StoreError)
    /// Takes what processes kept that are gone, so that only one has it.
    func takeNotes(about subject: String) throws(StoreError) -> [[UInt8]]

    // MARK: Retention

    /// What a project keeps; nil when there is no such project.
    func retention(ofProject id: Int) throws(StoreError) -> Retention?
    /// Sets what a project keeps; false when there is no such project.
    func setRetention(_ retention: Retention, ofProject id: Int) throws(StoreError) -> Bool
    /// Removes the oldest reports of a project that are beyond what it keeps, at most `limit` of them, in one short
    /// transaction. The first and the last report of each issue stay, and those that wait for digestion.
    ///
    /// - Returns: how many were removed; fewer than `limit` when there are no more.
    func prune(project id: Int, at time: Timestamp, limit: Int) throws(StoreError) -> Int
    /// How many reports `prune` would remove in all if the project kept this, counted up to `limit`.
    func countBeyond(
        _ keep: Retention,
        ofProject id: Int,
        at time: Timestamp,
        upTo limit: Int
    ) throws(StoreError) -> Int

    // MARK: Deletion

    /// Removes reports for good, with what their issues count of them; those that are not there are passed over. An issue that
    /// has none left goes with its last. One that comes again afterwards is new.
    ///
    /// - Returns: how many were removed.
    func delete(_ reports: [ReportKey]) throws(StoreError) -> Int
    /// Removes a project that has no reports; false when there is none of this id.
    func removeProject(_ id: Int) throws(StoreError) -> Bool

    // MARK: Care

    /// Writes as many bytes as a large report has, durably, and removes them: throws what a report would meet.
    func testWrite() throws(StoreError)
    /// What does not fit together in the store, a line each; nothing when it is sound.
    func check() throws(StoreError) -> [String]
    /// The bytes of reports in the order in which they came, from a position on, which is 0 at the beginning.
    func bodies(after position: Int, limit: Int) throws(StoreError) -> [StoredBody]
    /// Writes a copy of the store, as it is at one moment, into a directory that is not there yet. Others may write
    /// meanwhile.
    ///
    /// - Parameter files: puts what else belongs to it into the directory at a path, before that has its name.
    func backUp(into directory: DataDirectory, adding files: (String) throws(StoreError) -> Void) throws(StoreError)

    // MARK: Query

    /// Issues, last seen first.
    func issues(_ selection: IssueSelection) throws(StoreError) -> [Issue]
    /// In which releases an issue was seen, newest first.
    func releases(of issue: IssueKey) throws(StoreError) -> [IssueRelease]
    /// Reports, newest first.
    func reports(_ selection: ReportSelection) throws(StoreError) -> [StoredReport]
    /// Reports in the order in which they came, from a position on, which is 0 at the beginning; `offset` does not count.
    func page(of selection: ReportSelection, after position: Int) throws(StoreError) -> ReportPage
    /// Counts of the reports that are kept.
    func statistics(_ question: StatisticsQuestion) throws(StoreError) -> Statistics
    /// The bytes of a report; nil when there is none of this key.
    func body(of report: ReportKey) throws(StoreError) -> ReportBody?

    /// True while some `mayday serve` works on this store.
    func isServed() throws(StoreError) -> Bool
    /// Lets go of files and connections; nothing may be called afterwards.
    func close()
}
