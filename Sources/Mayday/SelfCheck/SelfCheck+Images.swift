internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Whether the collector could find functions and lines of what is loaded.
extension SelfCheck {
    static func buildIDs() -> Finding {
        let check = "build ids"
        let objects = LoadedImages.current()
        guard let executable = objects.first else { return .ok(check, "not known") }
        guard let buildID = executable.buildID else {
            return .problem(
                check,
                "the executable has none: no function or line of it can be found, and crashes are not told apart well",
                "link with --build-id (swift build -Xlinker --build-id)"
            )
        }
        let missing = objects.filter { $0.buildID == nil }
        guard missing.isEmpty else {
            let names = missing.prefix(5).map { lastComponent($0.path) }.joined(separator: ", ")
            return .warning(
                check,
                "\(buildID), and none in \(counted(missing.count, "library")): \(names)",
                "functions in these are not found: link them with --build-id"
            )
        }
        return .ok(check, "\(buildID), and one in each of \(counted(objects.count - 1, "other object"))")
    }

    static func debugInformation() -> Finding {
        let check = "debug information"
        guard let sections = ELFSections(path: "/proc/self/exe") else { return .ok(check, "not known") }
        if sections.contains(".debug_info") || sections.contains(".zdebug_info") {
            return .ok(check, "in the executable; the collector needs that file, at this path or by its build id")
        }
        if sections.contains(".gnu_debuglink") {
            return .ok(check, "split off; the collector needs the debug file, by the build id above")
        }
        if sections.contains(".symtab") {
            return .warning(
                check,
                "none: functions without lines, and no messages of traps in release",
                "build with -g"
            )
        }
        return .warning(
            check,
            "the executable is stripped: the collector finds functions and lines only in what was stripped off",
            "give the collector the unstripped file of this build (README, \"Functions and lines\")"
        )
    }
}
