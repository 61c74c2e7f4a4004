import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Paths of images come out of reports: only regular files of a disk are opened.
@Suite struct HostilePathTests {
    @Test func pipesAreNotOpened() throws {
        let directory = try TemporaryDirectory()
        let pipe = "\(directory.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        // While nobody has a pipe open for reading, a writer that does not wait is told ENXIO.
        #expect(throws: ELFFileError.notAFile) { try ELFFile(path: pipe) }
        try FileManager.default.createSymbolicLink(atPath: "\(directory.path)/link", withDestinationPath: pipe)
        #expect(throws: ELFFileError.notAFile) { try ELFFile(path: "\(directory.path)/link") }
        let writer = open(pipe, O_WRONLY | O_NONBLOCK)
        #expect(writer < 0 && errno == ENXIO)
        if writer >= 0 { close(writer) }
    }

    @Test func devicesDirectoriesAndLoopsAreRefused() throws {
        let directory = try TemporaryDirectory()
        let loop = "\(directory.path)/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        for path in ["/dev/zero", "/dev/tty", "/dev/ptmx", "/", directory.path] {
            #expect(throws: ELFFileError.notAFile, "\(path)") { try ELFFile(path: path) }
        }
        #expect(throws: ELFFileError.unreadable(ELOOP)) { try ELFFile(path: loop) }
        #expect(throws: ELFFileError.self) { try ELFFile(path: "/" + String(repeating: "a/", count: 5_000)) }
    }

    @Test func filesOfTheKernelAreNotRead() throws {
        // /proc/self/mem gives an error wherever it is read; /proc/kmsg takes lines from the log of the kernel.
        for path in [
            "/proc/self/mem", "/proc/self/maps", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled",
        ]
        where FileManager.default.fileExists(atPath: path) {
            #expect(throws: ELFFileError.notELF, "\(path)") { try ELFFile(path: path) }
        }
        // A link of proc to a file of a disk is that file.
        #expect(throws: Never.self) { try ELFFile(path: "/proc/self/exe") }
    }

    @Test func sparseFilesOfAnySizeEnd() throws {
        let directory = try TemporaryDirectory()
        let whole = try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe")).prefix(64)
        for (name, start) in [("zeros", Data()), ("header", whole)] {
            let path = "\(directory.path)/\(name)"
            try start.write(to: URL(fileURLWithPath: path))
            try #require(truncate(path, 1 << 42) == 0)
            do {
                let file = try ELFFile(path: path)
                #expect(file.buildID == nil)
                #expect(file.size == 1 << 42)
            } catch ELFFileError.notELF {
                #expect(name == "zeros")
            }
        }
    }
}
