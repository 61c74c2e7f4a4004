internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a spool needs before a round: reports whose writer died become reports, what belongs to no report is removed, and
/// so is what is above the limits.
///
/// - Parameter uploaders: who is told of what was above the limits.
func tidy(_ path: String, limits: SpoolLimits, uploaders: [UploaderName], summary: inout DeliverySummary) {
    // What cannot be opened, the round says.
    guard let spool = try? Spool(opening: path), var names = try? DirectoryNames(of: spool.directory) else { return }
    while let name = names.next() {
        guard let entry = SpoolEntry(fileName: name) else {
            spool.removeOrphan(name)
            continue
        }
        do throws(SystemError) { try spool.settle(entry, now: time(nil)) } catch {
            summary.leave("\(entry.fileName): \(error)")
        }
    }
    summary.removed += (try? spool.removeExcess(limits, now: .now(), uploaders: uploaders)) ?? 0
    _ = try? spool.rejected()?.removeExcess(limits, now: .now(), uploaders: [])
}

extension Spool {
    /// What was set aside; nil when nothing was.
    func rejected() throws(SystemError) -> Spool? {
        guard try status(of: "rejected") != nil else { return nil }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        return Spool(
            directory: try FileDescriptor(opening: "rejected", in: directory, flags: flags),
            path: "\(path)/rejected"
        )
    }

    /// Removes what is above the limits, the oldest first, and returns how many reports that were. A report that is being
    /// written is none yet.
    func removeExcess(_ limits: SpoolLimits, now: Timestamp, uploaders: [UploaderName]) throws(SystemError) -> Int {
        var removed = 0
        while true {
            let files = try storedFiles()
            let excess = limits.excess(files, now: now)
            let gone = excess.count { remove($0, uploaders) }
            removed += gone
            // Where none can be removed, none will be.
            if gone == 0 || excess.count < Spool.window { return removed }
        }
    }

    private func storedFiles() throws(SystemError) -> StoredFiles {
        var files = StoredFiles()
        var names = try DirectoryNames(of: directory)
        while let entry = names.nextEntry() {
            // What is no file is not ours. One that is too large to be a report counts as the largest that is one: it must not
            // push out all the others.
            guard !entry.isPart, let status = try status(of: entry.fileName), status.isRegular else {
                continue
            }
            files.add(WaitingReport(id: entry.id, size: min(Int(status.st_size), Spool.largestReport)))
        }
        return files
    }

    private func remove(_ file: WaitingReport, _ uploaders: [UploaderName]) -> Bool {
        let waiting = uploaders.filter { record(of: file.id, by: $0).outcome == nil }
        guard (try? remove(SpoolEntry(id: file.id, isPart: false).fileName)) != nil else { return false }
        for uploader in waiting { note([.spoolFull: 1], discardedFor: uploader) }
        if !uploaders.isEmpty { DiscardTotals.add([.spoolFull: 1]) }
        // In `rejected`, the reason beside it.
        try? remove("\(file.id).txt")
        return true
    }
}
