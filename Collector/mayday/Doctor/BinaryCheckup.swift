import CrashReport
import Foundation
import Symbolication
import SymbolStore

/// What can be known of a service before it runs.
enum BinaryCheckup {
    static func run(_ path: String, kept: SymbolStore) throws(CommandError) -> Checkup {
        let file: BinaryFile
        do throws(BinaryFileError) { file = try BinaryFile(path: path) } catch {
            switch error {
            case .unreadable(let reason):
                throw .nothingFound("\(path): \(reason.lowercased()); give the path of a binary")
            case .noLibrary: throw CommandError(code: .unreachable, text: error.description)
            case .notABinary: throw .nothingFound("\(path) is not a binary: give the executable of a service")
            }
        }
        var checkup = Checkup(path)
        capture(file, &checkup)
        symbols(file, kept: kept, &checkup)
        library(
            "libunwind.so.8",
            package: "libunwind8",
            without: "where the service runs, stacks may have gaps and no async callers",
            &checkup
        )
        library(
            "libcurl.so.4",
            package: "libcurl4",
            without: "where the service runs, reports to a collector stay in the spool",
            &checkup
        )
        return checkup
    }

    private static func capture(_ file: BinaryFile, _ checkup: inout Checkup) {
        if file.hasCapture {
            checkup.ok("Mayday", "linked")
        } else {
            checkup.problem(
                "Mayday",
                "not in it: no crash is captured, unless a library brings it",
                "add the product Mayday to the target, and call Mayday.start as the first line of main"
            )
        }
    }

    /// Build id and debug information, which the collector may keep itself.
    static func symbols(_ file: BinaryFile, kept: SymbolStore, _ checkup: inout Checkup) {
        guard let buildID = file.buildID else {
            checkup.problem(
                "build id",
                "none: no function or line can be found for its reports",
                "link with --build-id (swift build -Xlinker --build-id)"
            )
            return
        }
        checkup.ok("build id", buildID)
        let check = "debug information"
        if file.shortcoming != nil, let entry = kept.entry(of: buildID), entry.content == .debugInformation {
            return checkup.ok(check, "kept by the collector, in \(kept.path)")
        }
        switch file.shortcoming {
        case nil:
            checkup.ok(check, file.debugFile == file.path ? "in the binary" : "in \(file.debugFile ?? "the binary")")
        case .stripped?, .noDebugInformation?:
            let isStripped = file.shortcoming == .stripped
            checkup.warning(
                check,
                isStripped
                    ? "stripped, and no debug file has its build id: reports have offsets and no functions"
                    : "none, and no debug file has its build id: functions without lines",
                "give the collector the unstripped binary of this build, or what `objcopy --only-keep-debug` makes of it: "
                    + "`mayday symbols add FILE`, or put it to \(file.places.first ?? "/usr/lib/debug/.build-id")"
            )
        case .cut?:
            checkup.warning(check, "the file is cut short: used as far as it goes", "copy or build it again")
        case .shared?:
            checkup.warning(
                check,
                "shared out among files by dwz, which is not read: functions without lines",
                "keep the debug file from before dwz, with `mayday symbols add`"
            )
        case .compressed?:
            checkup.warning(
                check,
                "compressed in a way that the libdw here cannot read: functions without lines",
                "compress it with zlib, or not at all"
            )
        // The file itself was found, so that the others cannot be.
        case .damaged?, .leftOut?, .noBuildID?, .notFound?, .otherBuild?, .notAnObject?, .noLibrary?:
            checkup.warning(check, "damaged: used as far as it goes", "build it again")
        }
    }

    /// A library that is loaded at run time, on this machine.
    static func library(_ name: String, package: String, without consequence: String, _ checkup: inout Checkup) {
        if let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) {
            dlclose(handle)
            checkup.ok(name, "can be loaded on this machine")
        } else {
            let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
            checkup.warning(
                name,
                "cannot be loaded on this machine (\(reason)); without it, \(consequence)",
                ErrorRemedy.ofLoading(reason, package: package)
            )
        }
    }
}
