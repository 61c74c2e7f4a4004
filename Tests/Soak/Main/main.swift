// One child of the soak: a busy process that crashes. `scripts/soak` starts it, and says what its options mean.

import Dispatch
import Glibc
import Mayday
import SoakLoad

/// A reporter that does well, or not.
struct SoakUploader: ReportUploader {
    let name = "soak"
    let mode: String
    let out: String

    func upload(_ report: SpooledReport) async throws(UploadError) {
        switch mode {
        case "crash": soak_crash("null")
        case "hang":
            while true { pause() }
        default: break
        }
        let path = "\(out)/\(report.id).jsonl.gz"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw .retry(after: nil, reason: "errno \(errno)") }
        defer { close(file) }
        guard write(file, report.gzip, report.gzip.count) == report.gzip.count else {
            let error = errno
            // Where no file may have a byte, an empty one would count as a report.
            unlink(path)
            throw .retry(after: nil, reason: "errno \(error)")
        }
    }
}

func option(_ name: String, _ otherwise: String = "") -> String {
    String(cString: soak_option(CommandLine.argc, CommandLine.unsafeArgv, name, otherwise))
}

func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

func burn() -> Int {
    var lists: [[Int]] = []
    for length in 1..<200 { lists.append(Array(0..<length)) }
    return lists.reduce(0) { $0 + $1.count }
}

func keepDispatchBusy() {
    DispatchQueue.global().async {
        _ = burn()
        keepDispatchBusy()
    }
}

func keepTasksBusy() {
    Task.detached {
        while true {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { burn() } }
            }
            try? await Task.sleep(for: .microseconds(200))
        }
    }
}

func crash(_ kinds: String) {
    let kind = kinds.split(separator: ",").first.map(String.init) ?? ""
    if kind == "fatal" { fatalError("the soak ends here") }
    soak_crash(kind)
}

func crash(in place: String, _ kinds: String) {
    if soak_crash_in(place, kinds) { return }
    switch place {
    case "dispatch": DispatchQueue.global().async { crash(kinds) }
    case "serial": DispatchQueue(label: "soak").async { crash(kinds) }
    case "task": Task.detached { crash(kinds) }
    case "here": crash(kinds)
    default: fatalError("no place \(place)")
    }
}

let condition = option("--condition", "none")
soak_suffer_before(condition)
do {
    try Mayday.start(
        .init(release: "soak@1"),
        uploader: SoakUploader(mode: variable("SOAK_REPORTER"), out: variable("SOAK_OUT"))
    )
} catch {
    print("start: \(error)")
    exit(2)
}
soak_load(Int32(option("--threads", "0")) ?? 0, option("--load", "s"), UInt64(option("--seed", "1")) ?? 1)
if option("--dispatch") == "yes" { keepDispatchBusy() }
if option("--tasks") == "yes" { keepTasksBusy() }
soak_suffer_after(condition, variable("MAYDAY_SPOOL"))
usleep(UInt32(option("--delay", "0")) ?? 0)
print("ready")
fflush(nil)
crash(in: option("--place", "main"), option("--crash", "null"))
soak_wait_for_end()
