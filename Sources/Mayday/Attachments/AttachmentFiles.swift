internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads the files that a report names, within bounds of time, number and size.
enum AttachmentFiles {
    /// How long all of a report may take, of what is left until the deadline.
    static func limit(of left: Duration) -> Duration { left / 4 }

    private static let late = "it could not be read in time"

    /// Fills in what is not read yet; a file that cannot be read gets its reason.
    static func read(into report: inout Report, within limit: Duration) async {
        let end = ContinuousClock.now.advanced(by: limit)
        var count = report.attachments.count { $0.data != nil }
        for index in report.attachments.indices where report.attachments[index].isPending {
            let file = report.attachments[index]
            count += 1
            if count > Attachments.largestCount {
                report.attachments[index].problem = "a report takes \(Attachments.largestCount)"
                continue
            }
            guard end > .now else {
                report.attachments[index].problem = late
                continue
            }
            // A file on a server that is gone holds its reader for as long as it pleases.
            switch await firstResult(within: end - .now, { await onOwnThread { read(file) } }) {
            case .success(let file): report.attachments[index] = file
            case .failure(let error): report.attachments[index].problem = "no thread could be started: \(error)"
            case nil: report.attachments[index].problem = late
            }
        }
    }

    /// Reads one. Blocks.
    static func read(_ file: AttachedFile) -> AttachedFile {
        var file = file
        guard let path = file.path, Attachments.isAbsolute(path) else {
            file.problem = Attachments.notAbsolute
            return file
        }
        do throws(SystemError) {
            // Without O_NONBLOCK, opening a FIFO would wait for a writer, and a terminal is not to become ours.
            let descriptor = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
            let status = try descriptor.status()
            guard status.isRegular else {
                file.problem = "not a regular file"
                return file
            }
            let largest = AttachedFile.largestData
            let size = Int(status.st_size)
            let start = max(0, size - largest)
            // Files of /proc say 0 and have something.
            let data = try descriptor.read(at: start, limit: size > 0 ? min(size, largest) : largest)
            file.data = data
            file.wholeSize = start > 0 ? size : nil
        } catch {
            file.problem = "\(error)"
        }
        return file
    }

    /// Writes the files that a report in the spool names behind it, so that later attempts have what was there at the crash.
    ///
    /// Adds to the file, whose readers take what is behind the last whole line as not written. What goes wrong changes nothing:
    /// whoever delivers the report reads the files itself.
    static func keep(in path: String, within limit: Duration) async {
        guard let file = try? FileDescriptor(opening: path, flags: O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK),
            let status = try? file.status(), status.isRegular, status.st_size <= Spool.largestReport,
            let bytes = try? file.read(limit: Int(status.st_size)), var report = try? Report.decode(gzip: bytes).report
        else { return }
        let pending = report.attachments.filter(\.isPending).map(\.name)
        guard !pending.isEmpty else { return }
        await read(into: &report, within: limit)
        let lines = Report.attachmentLines(report.attachments.filter { pending.contains($0.name) })
        guard (try? file.write(lines)) != nil else { return }
        fsync(file.number)
    }
}
