import CrashReport
import Digest
import Foundation
import Ingest
import Store
import Symbolication
import SymbolStore

/// What `mayday serve` does with debug files that build machines send, or a debuginfod server has.
struct SymbolReception: Sendable {
    let symbols: SymbolStore
    let store: any Store
    let worker: DigestWorker
    let log: ServerLog

    /// For the server.
    var uploads: SymbolUploads {
        SymbolUploads(directory: "\(symbols.path)/incoming") { buildID in
            symbols.entry(of: buildID).map { entry in
                SymbolUploads.Kept(value: entry.json, isComplete: entry.content == .debugInformation)
            }
        } take: { path, buildID, name in
            take(path, buildID, name)
        }
    }

    /// Checks a whole file in a process of its own and keeps it; reports that lacked it are digested again.
    func take(_ path: String, _ buildID: String, _ name: String) -> SymbolUploads.Outcome {
        let facts: DebugFileFacts?
        do throws(IsolationError) {
            let arguments = SymbolicateWorkerCommand.arguments(symbols)
            facts = try IsolatedInspection.facts(of: path, arguments: arguments)
        } catch {
            if error.reason.hasPrefix("could not be started") { return .failed("\(error)") }
            return .refused(
                "the process that looked at the file \(error.reason): it is damaged, or larger than the limits"
            )
        }
        guard let facts else { return .refused("no program or library (ELF), plain or packed by gzip") }
        if let found = facts.buildID, found != buildID { return .mismatch(found) }
        do {
            let isPacked = UnpackedFile.isPacked(path) == true
            switch try symbols.add(
                facts,
                from: path,
                named: name,
                wanted: buildID,
                isPacked: isPacked,
                at: "\(Timestamp.now())"
            ) {
            case .stored(let entry):
                try digestAgain(buildID)
                return .stored(entry.json)
            case .duplicate(let entry): return .duplicate(entry.json)
            case .refused(let reason): return .refused(reason)
            }
        } catch {
            return .failed("\(error)")
        }
    }

    private func digestAgain(_ buildID: String) throws(StoreError) {
        let count = try SymbolArrival.digestAgain([buildID], waiting: WaitingReports(symbols), store: store)
        let reports = count == 1 ? "1 report is" : "\(count) reports are"
        log.line("symbols: build \(buildID) is here; \(reports) digested again")
        if count > 0 { worker.wake() }
    }
}

extension SymbolStore.Entry {
    /// As commands and answers have it.
    var json: JSONValue {
        .object([
            "build_id": .string(buildID), "name": .string(name), "content": .string(content.rawValue),
            "size": .integer(Int64(size)), "stored": .integer(Int64(stored)), "added": .string(added),
        ])
    }
}
