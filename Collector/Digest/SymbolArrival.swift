public import Store
import Symbolication
public import SymbolStore

/// What becomes of reports whose debug files are not there: they are remembered, and digested again when the file comes.
public enum SymbolArrival {
    /// Remembers what a digested report lacks, and returns the builds.
    @discardableResult
    public static func note(_ digested: DigestOutcome, of key: ReportKey, in waiting: WaitingReports) -> [String] {
        digested.notes.compactMap { note in
            guard note.isWaiting, let buildID = note.buildID?.lowercased() else { return nil }
            waiting.add(WaitingReports.Report(project: key.project, id: key.id), lacks: buildID, of: note.path)
            return SymbolStorePath.file(of: buildID) == nil ? nil : buildID
        }
    }

    /// Lets the reports wait for digestion that lacked these builds; returns how many they are.
    public static func digestAgain(
        _ buildIDs: [String],
        waiting: WaitingReports,
        store: any Store
    ) throws(StoreError) -> Int {
        var count = 0
        for buildID in buildIDs {
            try waiting.take(buildID) { (reports: [WaitingReports.Report]) throws(StoreError) in
                let keys = reports.map { ReportKey(project: $0.project, id: $0.id) }
                // All at once: an issue moves whose reports all wait.
                count += try store.digestAgain(keys)
            }
        }
        return count
    }
}

extension ImageNote {
    /// True when another file of the build would say more.
    fileprivate var isWaiting: Bool {
        switch reason {
        case .notFound, .otherBuild, .notAnObject, .noDebugInformation, .stripped, .damaged, .shared, .compressed, .cut,
            .leftOut:
            true
        case .noBuildID, .noLibrary: false
        }
    }
}
