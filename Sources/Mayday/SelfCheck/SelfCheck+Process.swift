internal import CrashCapture

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

// What the process is and may do.
extension SelfCheck {
    static func process() -> [Finding] {
        #if os(Linux)
            guard let status = readFile("/proc/self/status", limit: 16 << 10) else {
                if access("/proc/self/status", R_OK) == 0 {
                    let remedy = "close some, or raise the limit of open files (ulimit -n)"
                    return [.problem("descriptors", "none is free: nothing else can be looked at", remedy)]
                }
                return [
                    .warning(
                        "/proc",
                        "it cannot be read: the other threads are not found, and their stacks are not in a report",
                        "mount it, as container runtimes do"
                    )
                ]
            }
            var findings = [fileSize(), descriptors(), pendingSignals(status: status), sandbox(status: status)]
            if getpid() == 1 {
                findings.append(.ok("process 1", "ends by the exit status of a signal, 128 + its number"))
            }
            if let variable = environmentVariable("SWIFT_BACKTRACE") {
                findings.append(
                    .ok(
                        "SWIFT_BACKTRACE",
                        "\"\(variable)\"; where it is on, Swift's backtracer runs after Mayday and may take seconds"
                    )
                )
            }
            return findings
        #else
            return [.problem("platform", "crashes are captured on Linux only")]
        #endif
    }

    #if os(Linux)
        /// A limit by its name in `/proc/self/limits` (proc(5)); the greatest number when there is none, or it is not known.
        private static func limit(_ name: String) -> (soft: UInt64, hard: UInt64) {
            let line = value(ofLine: name, in: readFile("/proc/self/limits", limit: 8 << 10) ?? [])
            let numbers = (line ?? []).split(separator: UInt8(ascii: " ")).prefix(2).map {
                UInt64(String(decoding: $0, as: UTF8.self)) ?? .max
            }
            return numbers.count == 2 ? (numbers[0], numbers[1]) : (.max, .max)
        }

        private static func fileSize() -> Finding {
            let limit = mayday_inspect_file_size_limit()
            // Reports of many threads have 200 KB.
            guard limit < 1 << 20 else { return .ok("file size limit", "none that matters") }
            return .warning(
                "file size limit",
                "\(limit) bytes (RLIMIT_FSIZE): a report that is longer goes through memory, and to standard error if it cannot be delivered",
                "raise it: ulimit -f"
            )
        }

        private static func descriptors() -> Finding {
            let limit = limit("Max open files")
            let own = try? FileDescriptor(opening: "/proc/self/fd", flags: O_RDONLY | O_DIRECTORY)
            guard let own, let open = try? own.names().count else { return .ok("descriptors", "not known") }
            let left = limit.soft - min(limit.soft, UInt64(open))
            let text = "\(open) of \(limit.soft) are open (RLIMIT_NOFILE, at most \(limit.hard))"
            guard left < 16, limit.hard - limit.soft < 16 else { return .ok("descriptors", text) }
            return .warning(
                "descriptors",
                "\(text): without a free one a report has fewer stacks",
                "raise the hard limit: ulimit -Hn"
            )
        }

        /// Threads are stopped by queued signals, which count for the whole user.
        private static func pendingSignals(status: [UInt8]) -> Finding {
            let check = "pending signals"
            guard let value = value(ofLine: "SigQ:\t", in: status) else { return .ok(check, "not known") }
            let numbers = value.split(separator: UInt8(ascii: "/")).compactMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
            guard numbers.count == 2 else { return .ok(check, "not known") }
            let text = "\(numbers[0]) of \(numbers[1]) of this user are queued (RLIMIT_SIGPENDING)"
            guard numbers[1] - numbers[0] < 64 else { return .ok(check, text) }
            return .warning(
                check,
                "\(text): where none can be queued, a crash has a core file of the wrong place, and no deadlines",
                "find who queues signals and does not take them, or raise it: ulimit -i"
            )
        }

        private static func sandbox(status: [UInt8]) -> Finding {
            switch value(ofLine: "Seccomp:\t", in: status).map({ String(decoding: $0, as: UTF8.self) }) {
            case "0"?: .ok("seccomp", "off")
            case "2"?: .ok("seccomp", "a filter is on; Mayday.rehearse() shows that it lets a report through")
            case "1"?: .problem("seccomp", "strict mode: no report can be written", "use a filter instead")
            default: .ok("seccomp", "not known")
            }
        }
    #endif
}
