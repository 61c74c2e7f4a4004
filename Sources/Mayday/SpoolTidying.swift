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
    guard let spool = try? Spool(opening: path), let names = try? spool.names() else { return }
    for entry in names.compactMap(SpoolEntry.init(fileName:)).sorted() where entry.isPart {
        do { try spool.settle(entry, now: time(nil)) } catch {
            summary.unreadable.append("\(entry.fileName): \(error)")
        }
    }
    try? spool.removeOrphans(among: names)
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
        var files: [StoredFile] = []
        for entry in try entries() where !entry.isPart {
            if let status = try status(of: entry.fileName) {
                files.append(StoredFile(entry: entry, size: Int(status.st_size)))
            }
        }
        let excess = limits.excess(files, now: now)
        for file in excess {
            for uploader in uploaders where record(of: file.entry.id, by: uploader).outcome == nil {
                note([.spoolFull: 1], discardedFor: uploader)
            }
            DiscardTotals.add(uploaders.isEmpty ? [:] : [.spoolFull: 1])
            try remove(file.entry.fileName)
            // In `rejected`, the reason beside it.
            try remove("\(file.entry.id).txt")
        }
        return excess.count
    }
}
