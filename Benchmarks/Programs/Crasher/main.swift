// A service that crashes when it is told to, or does only what a crash report cannot do without.
//
//     Crasher THREADS                    starts Mayday; a byte on standard input: index out of range
//     Crasher THREADS uncaptured         the same, but the handler is taken away before the crash
//     Crasher THREADS FILE DIRECTORY     a byte on standard input: the floor, then the same crash
//     Crasher THREADS OBJECTS            as the first, with every shared object of the directory OBJECTS loaded
//
// The floor is to write the bytes of FILE to DIRECTORY, durably: write, fsync, rename, fsync of the directory.

import Mayday

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

func fail(_ what: String) -> Never {
    perror("Crasher: \(what)")
    exit(2)
}

func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fail(path) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
}

func writeDurably(_ bytes: [UInt8], to directory: String) {
    let partial = "\(directory)/floor.partial"
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { fail(partial) }
    guard rename(partial, "\(directory)/floor.jsonl.gz") == 0 else { fail(directory) }
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0, fsync(folder) == 0 else { fail(directory) }
}

/// Threads that wait, each some calls deep, as those of a server do.
func startThreads(_ count: Int) {
    for _ in 0..<count {
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { _ in waitForever(depth: 12) }, nil)
        guard status == 0 else { fail("pthread_create") }
    }
}

@inline(never)
func waitForever(depth: Int) -> UnsafeMutableRawPointer? {
    guard depth > 0 else {
        while pause() == -1 {}
        return nil
    }
    let result = waitForever(depth: depth - 1)
    return result.map { $0 + depth }
}

/// Loads every shared object of a directory, as plug-ins are.
func load(_ directory: String) {
    guard let entries = opendir(directory) else { fail(directory) }
    while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name.hasSuffix(".so") else { continue }
        guard dlopen("\(directory)/\(name)", RTLD_NOW) != nil else { fail(name) }
    }
    closedir(entries)
}

@inline(never)
func suggestion(_ index: Int, of words: [String]) -> String { words[index] }

let arguments = CommandLine.arguments
guard (2...4).contains(arguments.count), let threads = Int(arguments[1]), threads > 0 else {
    print("usage: Crasher THREADS [uncaptured | FILE DIRECTORY | OBJECTS]")
    exit(2)
}
let isUncaptured = arguments.count == 3 && arguments[2] == "uncaptured"
keepBallast()
// The environment says what is measured: MAYDAY_ENABLED, MAYDAY_SPOOL, MAYDAY_DSN, MAYDAY_DELIVERY_DEADLINE.
try Mayday.start(
    MaydayConfiguration(release: "crasher@1.0.0", environment: "benchmark"),
    uploader: CollectorUploader(dsn: "http://key@127.0.0.1:9/1")
)
let floor = arguments.count == 4 ? (bytes: contents(of: arguments[2]), directory: arguments[3]) : nil
if arguments.count == 3, !isUncaptured { load(arguments[2]) }
startThreads(threads - 1)
print("ready")
fflush(nil)

var byte: UInt8 = 0
guard read(0, &byte, 1) == 1 else { exit(0) }
if isUncaptured {
    // The trap of a failed check, by machine.
    signal(SIGILL, SIG_DFL)
    signal(SIGTRAP, SIG_DFL)
}
if let floor {
    let start = ContinuousClock.now
    writeDurably(floor.bytes, to: floor.directory)
    print("floor_us=\((ContinuousClock.now - start) / .microseconds(1))")
    fflush(nil)
}
print(suggestion(9, of: ["tea", "coffee"]))
