import CrashCapture
import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

@Suite struct SpoolTests {
    private let uploader = UploaderName("collector")

    /// Opens the spool at the first place that can be used, as `start` does; returns the refusal, or the path.
    private func refusal(
        of places: [(path: String, existing: String?)],
        service: String = "checkout"
    ) -> (problem: String?, path: String) {
        var strings: [UnsafeMutablePointer<CChar>?] = []
        defer { strings.forEach { free($0) } }
        let places = places.map { path, existing in
            let base = strdup(existing ?? path)
            let below = strdup(String(path.dropFirst(existing?.count ?? path.count)))
            strings += [base, below]
            let text = MaydayText(bytes: base, length: (existing ?? path).utf8.count)
            return MaydaySpoolPlace(base: text, below: below, must_exist: existing != nil)
        }
        var directory = MaydaySpoolDirectory()
        withText(service) { mayday_spool_directory_create(places, places.count, $0, &directory) }
        if directory.fd >= 0 { close(directory.fd) }
        return (SpoolError(directory)?.description, directory.pathText)
    }

    /// Opens the spool at a path as `start` does, and returns the refusal.
    private func refusal(_ path: String, existing: String? = nil, service: String = "checkout") -> String? {
        refusal(of: [(path, existing)], service: service).problem
    }

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return Int(status.st_mode & 0o7777)
    }

    // MARK: Whose directory it is

    @Test func `what is missing is created for this user alone`() throws {
        let directory = try TemporaryDirectory()
        let root = "\(directory.path)/a/b/spool"
        #expect(refusal(of: [(root, nil)]) == (nil, "\(root)/checkout"))
        for path in ["/a", "/a/b", "/a/b/spool", "/a/b/spool/checkout"] {
            #expect(try mode(directory.path + path) == 0o700)
        }
    }

    @Test func `a directory that others may read is taken as it is`() throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        #expect(refusal(directory.path) == nil)
        #expect(try mode(directory.path) == 0o755)
    }

    @Test(arguments: [0o777, 0o1777, 0o720, 0o702])
    func `a directory that others may write to is refused`(mode: Int) throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, mode_t(mode))
        let text = String(mode, radix: 8)
        #expect(refusal(directory.path) == "\(directory.path) is writable by others (mode 0\(text))")
    }

    @Test func `a service's directory that others may write to is refused`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir("\(directory.path)/checkout", 0o700) == 0)
        chmod("\(directory.path)/checkout", 0o777)
        #expect(refusal(directory.path) == "\(directory.path)/checkout is writable by others (mode 0777)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory to another user"))
    func `another user's directory is refused`() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/spool"
        #expect(mkdir(path, 0o700) == 0 && chown(path, 4_242, 4_242) == 0)
        #expect(refusal(path) == "\(path) belongs to user 4242, not to user 0")
    }

    @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func `an unwritable directory is refused`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir("\(directory.path)/checkout", 0o700) == 0)
        chmod("\(directory.path)/checkout", 0o500)
        defer { chmod("\(directory.path)/checkout", 0o700) }
        #expect(refusal(directory.path) == "cannot write to \(directory.path)/checkout: Permission denied")
    }

    @Test func `a symbolic link is refused, whatever it leads to`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir("\(directory.path)/real", 0o700) == 0)
        #expect(symlink("real", "\(directory.path)/link") == 0)
        #expect(symlink("../real", "\(directory.path)/real/checkout") == 0)
        #expect(refusal("\(directory.path)/link") == "\(directory.path)/link is a symbolic link")
        #expect(refusal("\(directory.path)/real") == "\(directory.path)/real/checkout is a symbolic link")
        #expect(symlink("nowhere", "\(directory.path)/dangling") == 0)
        #expect(refusal("\(directory.path)/dangling") == "\(directory.path)/dangling is a symbolic link")
    }

    @Test func `a file is refused, and so is what lies below one`() throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: URL(fileURLWithPath: "\(directory.path)/file"))
        #expect(refusal("\(directory.path)/file") == "\(directory.path)/file is not a directory")
        #expect(
            refusal("\(directory.path)/file/spool") == "cannot create \(directory.path)/file/spool: Not a directory"
        )
    }

    @Test func `a place where nothing can be created is refused`() {
        #expect(refusal("/proc/mayday/spool") == "cannot create /proc/mayday: No such file or directory")
    }

    @Test func `a home that does not exist is not made up, and the next candidate is taken`() throws {
        let directory = try TemporaryDirectory()
        let home = "\(directory.path)/home"
        #expect(refusal("\(home)/spool", existing: home) == "cannot find \(home): No such file or directory")
        let other = "\(directory.path)/other"
        #expect(refusal(of: [("\(home)/spool", home), (other, directory.path)]) == (nil, "\(other)/checkout"))
        let refused = refusal(of: [("\(home)/spool", home), ("/proc/mayday", nil)])
        #expect(refused.problem == "cannot find \(home): No such file or directory")
        #expect(access(home, F_OK) != 0)
    }

    @Test(arguments: [
        ("checkout", "checkout"), ("Check_out-2.0", "Check_out-2.0"), ("a/b", "a%2Fb"), ("a%2Fb", "a%252Fb"),
        ("..", "%2E."), (".hidden", "%2Ehidden"), ("büro", "b%C3%BCro"), ("a b\n", "a%20b%0A"),
    ])
    func `no two services share a directory`(service: String, name: String) {
        #expect(SpoolEntry.fileName(for: service) == name)
    }

    @Test func `the directory of a long name is short enough, and its own`() {
        let long = String(repeating: "ü", count: 100)
        let names = [long + "a", long + "b"].map(SpoolEntry.fileName(for:))
        #expect(names[0] != names[1])
        #expect(names.allSatisfy { $0.utf8.count <= 255 && $0.contains("~") })
    }

    // MARK: What is in it

    @Test func `only the names of reports are the spool's`() throws {
        let test = try TestSpool()
        let id = try test.add(seed: 2)
        let part = try #require(SpoolEntry(fileName: "\(TestSpool.report(seed: 1).header.id).jsonl.gz.part"))
        try test.write([], to: part.fileName)
        let others = [
            "\(id).jsonl", "\(id).jsonl.gz.tmp", "x\(id).jsonl.gz", "\(id.uppercased()).jsonl.gz", "\(id)x.jsonl.gz",
            "report.jsonl.gz", ".jsonl.gz", "4f5e9f0c-0000-4000-8000-000000000000.jsonl.gz", "\(id).jsonl.gz.part.part",
        ]
        for name in others { try test.write([1], to: name) }
        let spool = try Spool(opening: test.path)
        #expect(try spool.entries() == [part, SpoolEntry(id: id, isPart: false)])
    }

    @Test func `a name that is not UTF-8 is left alone`() throws {
        let test = try TestSpool()
        let name = Array(test.path.utf8).map { CChar(bitPattern: $0) } + [47, -1, -2, 0]
        let file = open(name, O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0)
        close(file)
        #expect(try Spool(opening: test.path).entries() == [])
    }

    @Test func `a report is claimed by one, until it is let go`() throws {
        let test = try TestSpool()
        let id = try test.add(seed: 1)
        let spool = try Spool(opening: test.path)
        func claim() throws -> String {
            switch try spool.claim(id, for: uploader) {
            case .claimed(let report):
                #expect(try describe(spool.claim(id, for: uploader)) == "taken")
                #expect(try report.read() == TestSpool.report(seed: 1).encode())
                return "claimed"
            case .taken: return "taken"
            case .gone: return "gone"
            }
        }
        #expect(try claim() == "claimed")
        #expect(try claim() == "claimed")
        unlink("\(test.path)/\(id).jsonl.gz")
        #expect(try claim() == "gone")
    }

    @Test func `uploaders do not wait for each other's claims`() throws {
        let test = try TestSpool()
        let id = try test.add(seed: 1)
        let spool = try Spool(opening: test.path)
        guard case .claimed(let report) = try spool.claim(id, for: UploaderName("sentry")) else {
            Issue.record("not claimed")
            return
        }
        #expect(try describe(spool.claim(id, for: UploaderName("sentry"))) == "taken")
        #expect(try describe(spool.claim(id, for: UploaderName("collector"))) == "claimed")
        #expect(report.entry.id == id)
    }

    private func describe(_ claim: consuming Claim) -> String {
        switch claim {
        case .claimed: "claimed"
        case .taken: "taken"
        case .gone: "gone"
        }
    }

    @Test func `what has a report's name but is no file is not claimed`() throws {
        let test = try TestSpool()
        let names = (1...3).map { TestSpool.report(seed: $0).header.id }
        #expect(mkdir("\(test.path)/\(names[0]).jsonl.gz", 0o700) == 0)
        #expect(mkfifo("\(test.path)/\(names[1]).jsonl.gz", 0o600) == 0)
        #expect(symlink("/etc/passwd", "\(test.path)/\(names[2]).jsonl.gz") == 0)
        let spool = try Spool(opening: test.path)
        for name in names {
            #expect(throws: (any Error).self) { _ = try spool.claim(name, for: uploader) }
        }
    }

    // MARK: Reports whose writer died

    /// Settles the one `.part` file of a spool, some seconds after it was written.
    private func settle(_ test: TestSpool, after seconds: Int = 0) throws {
        let spool = try Spool(opening: test.path)
        for entry in try spool.entries() { try spool.settle(entry, now: time(nil) + seconds) }
    }

    private let report = TestSpool.report(seed: 1)
    private var part: String { "\(report.header.id).jsonl.gz.part" }

    @Test func `a report that was cut short becomes a report, at whatever byte it was cut`() throws {
        let test = try TestSpool()
        let gzip = report.encode()
        // Deflate may hold a line back, so the first line is there somewhere before the end and stays from there on.
        var promoted = false
        for length in Array(stride(from: 1, through: gzip.count, by: 7)) + [gzip.count] {
            try test.write(Array(gzip[..<length]), to: part)
            try settle(test)
            let files = test.files()
            if promoted { try #require(files.contains("\(report.header.id).jsonl.gz"), "cut at \(length)") }
            if files.contains("\(report.header.id).jsonl.gz") {
                promoted = true
                unlink("\(test.path)/\(report.header.id).jsonl.gz")
            } else {
                try #require(test.files("rejected") == [part, "\(report.header.id).txt"].sorted(), "cut at \(length)")
                unlink("\(test.path)/rejected/\(part)")
            }
        }
        #expect(promoted)
    }

    @Test func `a writer that lives is left alone`() throws {
        let test = try TestSpool()
        try test.write(report.encode(), to: part)
        let writer = open("\(test.path)/\(part)", O_WRONLY | O_CLOEXEC)
        defer { close(writer) }
        #expect(flock(writer, LOCK_EX | LOCK_NB) == 0)
        try settle(test, after: 3_600)
        #expect(test.files() == [part])
    }

    @Test func `an empty file may be about to get its writer's lock, for a minute`() throws {
        let test = try TestSpool()
        try test.write([], to: part)
        try settle(test, after: 60)
        #expect(test.files() == [part])
        try settle(test, after: 62)
        #expect(test.files() == [])
    }

    @Test(arguments: [
        Array("not gzip".utf8),
        Gzip.compress(Array("not JSON\n".utf8)),
        Gzip.compress(Array("{\"type\":\"crash\"}\n".utf8)),
        Gzip.compress(Array("{\"type\":\"report\"}\n".utf8)),
        Gzip.compress(Array("{\"type\":\"report\",\"id\":\"../../etc/passwd\"}\n".utf8)),
        TestSpool.report(seed: 9).encode(),
    ])
    func `what is no report is set aside with the reason`(bytes: [UInt8]) throws {
        let test = try TestSpool()
        try test.write(bytes, to: part)
        try settle(test)
        #expect(test.files() == ["rejected"])
        #expect(test.files("rejected") == [part, "\(report.header.id).txt"].sorted())
        #expect(
            test.text("rejected/\(report.header.id).txt")
                == "its writer was killed before its first line was complete, or it is another's\n"
        )
    }
}
