import Foundation

/// Reports in the spool of a service that go by another name: each name has its own directory, and only a service of that name
/// delivers what is in it.
enum StrandedReports {
    /// - Parameters:
    ///   - target: the directory of the service that is looked at, as it is called there.
    ///   - path: a path that leads to it from here.
    static func look(beside target: String, through path: String, _ checkup: inout Checkup) {
        let spool = "\(path)/.."
        let own = identity(path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []
        for name in names.sorted() {
            let other = "\(spool)/\(name)"
            guard let place = identity(other), place != own else { continue }
            let reports = ((try? FileManager.default.contentsOfDirectory(atPath: other)) ?? []).count {
                $0.hasSuffix(".jsonl.gz")
            }
            guard reports > 0, !isHeld(place) else { continue }
            let parent = (target as NSString).deletingLastPathComponent
            checkup.warning(
                "other names",
                "\(reports == 1 ? "1 report waits" : "\(reports) reports wait") in \(parent)/\(name), for a service of that "
                    + "name, which is not running here",
                "if this service had that name before, move the files to \(target)"
            )
        }
    }

    /// Which directory it is; nil for what is none.
    private struct Identity: Equatable {
        let device: dev_t
        let file: ino_t
    }

    private static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard stat("\(path)/.", &status) == 0 else { return nil }
        return Identity(device: status.st_dev, file: status.st_ino)
    }

    /// True when a process that may be looked at has it open, as a capture does.
    private static func isHeld(_ place: Identity) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { $0.allSatisfy(\.isNumber) }.contains { process in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
            return files.contains { identity("/proc/\(process)/fd/\($0)") == place }
        }
    }
}
