import CrashReport
import Foundation
import Symbolication
import SymbolStore

/// A running service, seen from outside.
enum ProcessCheckup {
    static func run(_ pid: Int, kept: SymbolStore) throws(CommandError) -> Checkup {
        let files = ProcessFiles(pid)
        let status = files.status()
        guard let name = status["Name"] else {
            throw .nothingFound("no process \(pid) here: give the id of a running one")
        }
        var checkup = Checkup("process \(pid) (\(name))")
        let environment = files.environment
        guard settings(environment, &checkup) else {
            binary(files, kept, &checkup)
            return checkup
        }
        handlers(status, &checkup)
        masks(files, &checkup)
        unwinder(files, &checkup)
        spool(files, status, environment, &checkup)
        limits(files, &checkup)
        sandbox(status, &checkup)
        binary(files, kept, &checkup)
        return checkup
    }

    /// The signals that are captured, by what is known of them from outside: their numbers (signal(7)).
    private static let captured = [
        (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"), (SIGFPE, "SIGFPE"),
        (SIGSEGV, "SIGSEGV"), (SIGSYS, "SIGSYS"), (SIGQUIT, "SIGQUIT"),
    ]

    private static func names(_ set: UInt64) -> [String] {
        captured.filter { set & bit($0.0) != 0 }.map(\.1)
    }

    private static func bit(_ signal: Int32) -> UInt64 { 1 << UInt64(signal - 1) }

    private static func set(_ text: String?) -> UInt64 { text.flatMap { UInt64($0, radix: 16) } ?? 0 }

    /// False where Mayday is switched off: then nothing of what else would be looked at means anything.
    private static func settings(_ environment: [String: String]?, _ checkup: inout Checkup) -> Bool {
        guard let environment else {
            checkup.ok("environment", "may not be read; run as root or as the process's user to see more")
            return true
        }
        let off = environment["MAYDAY_ENABLED"].map { ["0", "false", "no", "off"].contains($0.lowercased()) } ?? false
        if off {
            checkup.problem(
                "environment",
                "MAYDAY_ENABLED switches Mayday off there: no crash is captured",
                "unset it and start again"
            )
        }
        return !off
    }

    private static func handlers(_ status: [String: String], _ checkup: inout Checkup) {
        let (caught, ignored) = (set(status["SigCgt"]), set(status["SigIgn"]))
        // SIGQUIT stays ignored where it was, in a background job for instance.
        let open = captured.filter { caught & bit($0.0) == 0 && !($0.0 == SIGQUIT && ignored & bit(SIGQUIT) != 0) }
        if !open.isEmpty {
            checkup.problem(
                "handlers",
                "no handler for \(open.map(\.1).joined(separator: " ")): Mayday is not started there, or they were taken away",
                "call Mayday.start as the first line of main; Mayday.selfCheck() in the service says more"
            )
        } else {
            checkup.ok("handlers", "set for every captured signal; whose they are, only Mayday.selfCheck() sees")
        }
    }

    private static func masks(_ files: ProcessFiles, _ checkup: inout Checkup) {
        let faults = captured.filter { ![SIGABRT, SIGQUIT].contains($0.0) }.reduce(0) { $0 | bit($1.0) }
        let threads = (files.names("task") ?? []).prefix(4_096)
        let deaf = threads.sorted().compactMap { thread -> String? in
            let status = files.status("task/\(thread)/status")
            let blocked = set(status["SigBlk"]) & faults
            return blocked == 0
                ? nil : "\(thread) \"\(status["Name"] ?? "")\" (\(names(blocked).joined(separator: " ")))"
        }
        if deaf.isEmpty {
            checkup.ok(
                "signal masks",
                "\(threads.count == 1 ? "1 thread" : "\(threads.count) threads"), none blocks what faults raise"
            )
        } else {
            checkup.warning(
                "signal masks",
                "a crash is not captured on threads that block what faults raise: "
                    + deaf.prefix(5).joined(separator: ", ") + (deaf.count > 5 ? " and \(deaf.count - 5) more" : ""),
                "leave SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS out of the set that is blocked"
            )
        }
    }

    private static func unwinder(_ files: ProcessFiles, _ checkup: inout Checkup) {
        guard let maps = files.text("maps"), !maps.isEmpty else {
            return checkup.ok("unwinder", "may not be looked at")
        }
        if maps.contains("/libunwind.so.8") || maps.contains("/libunwind-") {
            checkup.ok("unwinder", "libunwind is loaded")
        } else {
            // It was not loaded where its pipe was more than the service could spare.
            let limit = files.limit("Max open files"), open = files.names("fd")?.count ?? 0
            let few = limit.flatMap { UInt64(open) + 32 > $0 ? $0 : nil }
            let remedy = few.map { "raise the limit of open files (ulimit -n), which is \($0)" } ?? "install libunwind8"
            checkup.warning(
                "unwinder",
                "libunwind is not loaded: stacks may have gaps and no async callers",
                "\(remedy) where the service runs, and start it again"
            )
        }
    }

    // MARK: Spool

    /// The capture keeps the service's directory open, so it is seen through the process whatever is mounted there.
    private static func spool(
        _ files: ProcessFiles,
        _ status: [String: String],
        _ environment: [String: String]?,
        _ checkup: inout Checkup
    ) {
        guard let environment, let numbers = files.names("fd") else {
            return checkup.ok("spool", "may not be looked at")
        }
        let user = status["Uid"]?.split(separator: "\t").dropFirst().first.map { String($0) } ?? ""
        let roots = [
            environment["MAYDAY_SPOOL"], environment["XDG_STATE_HOME"].map { "\($0)/mayday" },
            environment["HOME"].map { "\($0)/.local/state/mayday" }, "/var/tmp/mayday-\(user)",
        ].compactMap(\.self).filter { $0.hasPrefix("/") }
        for number in numbers {
            guard let target = files.link("fd/\(number)"), roots.contains(where: { target.hasPrefix("\($0)/") }) else {
                continue
            }
            return look(at: target, through: files.path("fd/\(number)"), &checkup)
        }
        // The capture opens three directories one after the other: the spool, where there is one, its threads, and a spare.
        guard let threads = numbers.compactMap({ Int($0) }).first(where: { isThreadList(files.link("fd/\($0)")) })
        else {
            return checkup.warning(
                "spool",
                "not known: Mayday holds no descriptors there, because it is not started or few were left",
                "raise the limit of open files (ulimit -n), or see Mayday.selfCheck() in the service"
            )
        }
        if let target = files.link("fd/\(threads - 1)"), target.hasPrefix("/"), !isThreadList(target),
            (try? FileManager.default.attributesOfItem(atPath: files.path("fd/\(threads - 1)/.")))?[.type]
                as? FileAttributeType
                == .typeDirectory
        {
            return look(at: target, through: files.path("fd/\(threads - 1)"), &checkup)
        }
        checkup.warning(
            "spool",
            "none: reports live in memory only, and one that cannot be delivered at the crash goes to standard error",
            "set MAYDAY_SPOOL to a directory that does not exist yet, below one that its user may write to"
        )
    }

    private static func isThreadList(_ target: String?) -> Bool {
        guard let target, target.hasPrefix("/proc/"), target.hasSuffix("/task") else { return false }
        return target.dropFirst(6).dropLast(5).allSatisfy(\.isNumber)
    }

    private static func look(at target: String, through path: String, _ checkup: inout Checkup) {
        if target.hasSuffix(" (deleted)") {
            return checkup.problem(
                "spool",
                "\(target.dropLast(10)) was removed: a report would be in memory only",
                "start again"
            )
        }
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return checkup.ok("spool", "\(target), cannot be looked into") }
        let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
        if system.f_flag & UInt(ST_RDONLY) != 0 {
            checkup.problem("spool", "\(target) is read-only: a report would be in memory only", "mount it writable")
        } else if free < 16 << 20 {
            checkup.warning("spool", "\(target): \(free >> 10) KiB left", "make room on its file system")
        } else {
            checkup.ok("spool", "\(target), \(free >> 20) MiB free")
        }
        StrandedReports.look(beside: target, through: path, &checkup)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
        for name in names.sorted() where name.hasSuffix(".pause") {
            guard let (scope, until) = pause("\(path)/\(name)", now: .now()) else { continue }
            checkup.warning(
                "delivery",
                "nothing is sent to \(scope) before \(until), as it asked; reports wait in the spool",
                "see there why; to try sooner, remove \(target)/\(name)"
            )
        }
        let waiting = names.count { $0.hasSuffix(".jsonl.gz") }
        let rejected = ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/rejected")) ?? [])
            .count { $0.hasSuffix(".jsonl.gz") }
        if waiting + rejected == 0 {
            checkup.ok("waiting reports", "none")
        } else {
            checkup.warning(
                "waiting reports",
                "\(waiting) not delivered yet, \(rejected) refused by the backend",
                "`mayday show` reads them; the reasons of those refused are beside them in \(target)/rejected"
            )
        }
    }

    /// What a backend asked for: a line with the time, and one with where; nil when that is over, or names no backend.
    private static func pause(_ path: String, now: Timestamp) -> (scope: String, until: Timestamp)? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        let lines = bytes[..<count].split(separator: 0x0a)
        // No pause is longer than a day.
        guard lines.count > 1, let until = Timestamp(String(decoding: lines[0], as: UTF8.self)), until > now,
            until.microseconds - now.microseconds <= 86_400_000_000
        else { return nil }
        return (String(decoding: lines[1], as: UTF8.self), until)
    }

    // MARK: Limits

    private static func limits(_ files: ProcessFiles, _ checkup: inout Checkup) {
        if let size = files.limit("Max file size"), size < 1 << 20 {
            checkup.warning("file size limit", "\(size) bytes: longer reports go through memory", "raise it: ulimit -f")
        }
        guard let limit = files.limit("Max open files"), let open = files.names("fd")?.count else { return }
        if open + 16 > limit {
            checkup.warning(
                "descriptors",
                "\(open) of \(limit) are open",
                "find what leaks them, or raise it: ulimit -n"
            )
        } else {
            checkup.ok("descriptors", "\(open) of \(limit) are open")
        }
    }

    private static func sandbox(_ status: [String: String], _ checkup: inout Checkup) {
        switch status["Seccomp"] {
        case "0"?: checkup.ok("seccomp", "off")
        case "2"?: checkup.ok("seccomp", "a filter is on; Mayday.rehearse() shows that it lets a report through")
        case "1"?: checkup.problem("seccomp", "strict mode: no report can be written", "use a filter instead")
        default: break
        }
        if status["NSpid"]?.split(separator: "\t").last == "1" {
            checkup.ok("process 1", "of its namespace: ends by the exit status of a signal, 128 + its number")
        }
    }

    private static func binary(_ files: ProcessFiles, _ kept: SymbolStore, _ checkup: inout Checkup) {
        let exe = files.path("exe")
        let path = files.link("exe") ?? exe
        // In a container it is at another place, or not there at all.
        guard let running = try? BinaryFile(path: exe) else {
            return checkup.ok("binary", "\(path), may not be looked at")
        }
        checkup.ok("binary", path)
        if !running.hasCapture {
            checkup.problem("Mayday", "not in the binary", "add the product Mayday to its target")
        }
        let here = (try? BinaryFile(path: path)).flatMap { $0.buildID == running.buildID ? $0 : nil }
        BinaryCheckup.symbols(here ?? running, kept: kept, &checkup)
    }
}
