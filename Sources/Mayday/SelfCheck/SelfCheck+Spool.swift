internal import CrashCapture
internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Where a report would go.
extension SelfCheck {
    static func spool(_ service: Service) -> [Finding] {
        guard let path = service.spoolPath else {
            return [
                .warning(
                    "spool",
                    "none: a report that cannot be delivered at the crash goes to standard error, for `mayday import`",
                    "set MAYDAY_SPOOL to a directory that does not exist yet, below one that this user may write to"
                )
            ]
        }
        do {
            let spool = try Spool(opening: path)
            return [writing(to: spool), waiting(in: spool)]
        } catch {
            let remedy = "\(error.remedy), and start again"
            return [.problem("spool", "\(error): a report would be in memory only", remedy)]
        }
    }

    /// Writes what a report would take, into a file that has no name and goes at once.
    private static func writing(to spool: borrowing Spool) -> Finding {
        let path = spool.path
        let limit = mayday_inspect_file_size_limit()
        guard limit > 0 else {
            return .problem(
                "spool",
                "no file may have any bytes (RLIMIT_FSIZE 0): a report goes to the reporter or to standard error",
                "raise the limit of a file's size (ulimit -f)"
            )
        }
        do throws(SystemError) {
            // Above that limit the kernel would also send SIGXFSZ, which ends the process.
            try spool.directory.writeProbe(of: Int(min(64 << 10, limit)))
        } catch {
            return .problem(
                "spool",
                "cannot write to \(path): \(error); a report would be in memory only",
                error.remedy ?? "put the file system in order"
            )
        }
        var system = statvfs()
        guard fstatvfs(spool.directory.number, &system) == 0 else { return .ok("spool", "\(path), can be written to") }
        let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
        // File systems without a fixed number of files say 0 of 0.
        let files = system.f_files == 0 ? UInt64.max : UInt64(system.f_favail)
        guard free >= 16 << 20, files >= 100 else {
            let left = files < 100 ? "\(files) files" : "\(free >> 10) KiB"
            return .warning("spool", "\(path): room is left for \(left) only", "make room on its file system")
        }
        return .ok("spool", "\(path), can be written to, \(free >> 20) MiB free")
    }

    private static func waiting(in spool: borrowing Spool) -> Finding {
        let entries = (try? spool.entries()) ?? []
        let rejected = (try? spool.rejected()) ?? 0
        if rejected > 0 {
            return .warning(
                "waiting reports",
                "\(counted(entries.count, "report")) to deliver, and \(rejected) that the backend refused",
                "the reasons are beside them in \(spool.path)/rejected"
            )
        }
        guard let oldest = entries.first else { return .ok("waiting reports", "none") }
        let since = Timestamp(microseconds: oldest.milliseconds * 1_000).description
        return .warning(
            "waiting reports",
            "\(counted(entries.count, "report")) could not be delivered yet, the oldest since \(since)",
            "await Mayday.flush(timeout:) tries again and says why on standard error"
        )
    }

    /// What is not sent for now, and the way of what is.
    static func deliveries(_ service: Service, isAsked: Bool) -> [Finding] {
        let pauses = service.pauses
        let findings = pauses.map { pause in
            Finding.warning(
                "delivery",
                "nothing is sent to \(pause.uploader.destination) before \(pause.until), as it asked; reports wait in the spool",
                "see there why; to try sooner, remove \(service.spoolPath ?? "")/\(UploaderName(pause.uploader.name).pauseFile)"
            )
        }
        let isAnySent = pauses.isEmpty || pauses.count < service.uploaders.count
        return isAnySent ? findings + [delivery(service, isAsked: isAsked)] : findings
    }

    private static func delivery(_ service: Service, isAsked: Bool) -> Finding {
        let seconds = service.deliveryDeadline / .seconds(1)
        guard seconds > 0 else {
            guard service.spoolPath != nil else {
                return .warning(
                    "delivery",
                    "never: the deadline is 0 and there is no spool",
                    "set a deadline, or a spool"
                )
            }
            return .ok(
                "delivery",
                "not at the crash, the deadline is 0: the next start delivers to \(service.destination)"
            )
        }
        let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        let caveat = isAsked ? "" : " (not asked whether it is there)"
        return .ok("delivery", "at the crash, within \(time) s, to \(service.destination)\(caveat)")
    }
}

extension Service {
    /// The backends that asked to be left alone, and until when.
    var pauses: [(uploader: any ReportUploader, until: Timestamp)] {
        guard let path = spoolPath, let spool = try? Spool(opening: path) else { return [] }
        var pauses: [(uploader: any ReportUploader, until: Timestamp)] = []
        for lane in Lane.lanes(of: uploaders) {
            if let until = lane.pause(in: spool) { pauses.append((lane.uploader, until)) }
        }
        return pauses
    }
}

extension FileDescriptor {
    /// Writes `count` bytes to a file without a name in this directory (`O_TMPFILE`, open(2)), and gives them back.
    /// A file system without such files is asked for its rights only.
    fileprivate func writeProbe(of count: Int) throws(SystemError) {
        guard faccessat(number, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw SystemError.last }
        #if os(Linux)
            // O_DIRECTORY is part of it; the header hides the name from Swift.
            let unnamed = 0o20_000_000 | O_DIRECTORY
            let probe: FileDescriptor
            do throws(SystemError) {
                probe = try FileDescriptor(opening: ".", in: self, flags: unnamed | O_WRONLY, mode: 0o600)
            } catch {
                if [EOPNOTSUPP, EISDIR, ENOENT].contains(error.code) { return }
                throw error
            }
            try probe.write([UInt8](repeating: 0, count: count))
        #endif
    }
}
