import Digest
import Store
import SymbolStore

/// Digestion by this program, where debug files are kept for it.
enum LocalDigest {
    /// A worker that reads debug files in a process of its own, and remembers which are missing.
    ///
    /// - Parameters:
    ///   - mustWait: whether something is more urgent at this moment.
    ///   - lacks: told of each build that a report lacks, on the worker's thread.
    static func worker(
        _ store: any Store,
        _ symbols: SymbolStore,
        log: @escaping @Sendable (String) -> Void,
        mustWait: @escaping @Sendable () -> Bool = { false },
        onEvent: @escaping @Sendable (DigestedIn, ReportKey) -> Void = { _, _ in },
        lacks: @escaping @Sendable (String) -> Void = { _ in }
    ) -> DigestWorker {
        let waiting = WaitingReports(symbols)
        return DigestWorker(store: store, log: log, mustWait: mustWait) { key, outcome in
            for buildID in SymbolArrival.note(outcome, of: key, in: waiting) { lacks(buildID) }
        } onEvent: { written, key in
            onEvent(written, key)
        } makeGroup: {
            // In a process of its own that ends when this is done.
            let digester = SymbolicateWorkerCommand.digester(symbols)
            return { report in try digester.group(report) }
        } makeDigest: {
            let digester = SymbolicateWorkerCommand.digester(symbols)
            return { report, next in try digester.digest(report.gzip, before: next?.gzip) }
        }
    }

    /// Digests what waits, unless `mayday serve` is there to do it.
    static func run(_ store: any Store, _ arguments: Arguments, _ console: Console) throws(CommandError) {
        guard try CommandError.wrapping({ () throws(StoreError) in try !store.isServed() }) else { return }
        // It may have started just now.
        let lock: ServeLock?
        let location = try arguments.location()
        do throws(StoreError) { lock = try location.lock() } catch { return }
        let worker = worker(store, try arguments.symbols(), log: { _ in })
        let waiting = try CommandError.wrapping { () throws(StoreError) in
            try store.digestCounts(ofProject: nil).pending
        }
        console.progress { progress in
            progress.show("\(worker.done) of \(Deletion.text(waiting)) digested")
            worker.start()
            worker.stop(within: .seconds(600))
        }
        if worker.failed > 0 { console.note("\(worker.failed) could not be grouped: see `mayday reports`") }
        lock?.release()
    }
}
