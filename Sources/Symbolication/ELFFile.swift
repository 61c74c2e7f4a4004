import CDwfl
import Glibc

/// An ELF file open for reading: its build id, addresses and sections.
///
/// Sections are read, unless asked to be mapped: a file that is cut short while it is open then gives an error and not a SIGBUS.
/// Not thread-safe, as libelf's handles are not.
final class ELFFile {
    let path: String
    let size: Int
    let handle: OpaquePointer
    /// GNU build id in lower-case hex.
    let buildID: String?
    /// Lowest mapped address, in the file's own addresses: what a report's `base` is the run-time address of.
    let base: UInt64
    /// Where the file has code, in its own addresses.
    let code: CodeRanges
    /// True when it ends before what its headers say that it holds.
    let isCut: Bool

    private let descriptor: Int32
    private let isMapped: Bool

    /// Opens a regular file; devices, pipes and directories are refused without being read.
    ///
    /// - Parameter isMapped: only what is looked at is read; for a process that may be ended by a file that others change.
    convenience init(path: String, isMapped: Bool = false) throws(ELFFileError) {
        // The path comes from a report: opening a pipe lets its writer go on, and opening a device may do anything, so they
        // are not opened at all; should one take the file's place meanwhile, O_NONBLOCK keeps the open from waiting.
        var before = stat()
        guard stat(path, &before) == 0 else { throw .unreadable(errno) }
        guard before.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .unreadable(errno) }
        try self.init(descriptor: descriptor, path: path, isMapped: isMapped)
    }

    /// Takes an open file, and closes it in the end, also when this throws.
    init(descriptor: Int32, path: String, isMapped: Bool) throws(ELFFileError) {
        if let problem = mayday_libdw_load() {
            close(descriptor)
            throw .noLibrary(String(cString: problem))
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile
        }
        // Files of the kernel look regular, and reading some waits, or takes what somebody else waits for (/proc/kmsg).
        guard facts.st_size >= Self.headerSize, !Self.isKernelFile(descriptor) else {
            close(descriptor)
            throw .notELF
        }
        elf_version(UInt32(EV_CURRENT))
        guard let handle = elf_begin(descriptor, isMapped ? ELF_C_READ_MMAP : ELF_C_READ, nil) else {
            close(descriptor)
            throw .notELF
        }
        guard elf_kind(handle) == ELF_K_ELF else {
            elf_end(handle)
            close(descriptor)
            throw .notELF
        }
        self.path = path
        // Sizes are added up, and a sparse file may have any.
        self.size = min(Int(facts.st_size), 1 << 50)
        self.descriptor = descriptor
        self.isMapped = isMapped
        self.handle = handle
        self.buildID = Self.readBuildID(handle)
        self.base = Self.readBase(handle)
        self.code = Self.readCode(handle)
        self.isCut = Self.readEnd(handle) > UInt64(facts.st_size)
    }

    deinit {
        elf_end(handle)
        close(descriptor)
    }

    /// Has the system read single pages of a mapped file while `body` runs, which looks at places all over it. It would read megabytes
    /// around each of them, which is most of the file.
    func readingHereAndThere(_ body: () -> Void) {
        var size = 0
        let start = isMapped ? elf_rawfile(handle, &size) : nil
        if let start { madvise(start, size, MADV_RANDOM) }
        body()
        if let start { madvise(start, size, MADV_NORMAL) }
    }

    /// File name in `.gnu_debuglink`: where the debug information was split off to.
    var debugLink: String? {
        var checksum: GElf_Word = 0
        guard let name = dwelf_elf_gnu_debuglink(handle, &checksum) else { return nil }
        let text = String(cString: name)
        // A name, never a path: it comes out of the file.
        return text.isEmpty || text.contains("/") ? nil : text
    }

    /// First section of that name.
    func section(named wanted: String) -> OpaquePointer? {
        sections { _, name, _ in name == wanted }
    }

    /// First section of that type.
    func section(type: Int32) -> OpaquePointer? {
        sections { header, _, _ in header.sh_type == GElf_Word(bitPattern: type) }
    }

    private func sections(where matches: (GElf_Shdr, String, OpaquePointer) -> Bool) -> OpaquePointer? {
        var names = 0
        guard elf_getshdrstrndx(handle, &names) == 0 else { return nil }
        var section = elf_nextscn(handle, nil)
        while let current = section {
            var header = GElf_Shdr()
            if gelf_getshdr(current, &header) != nil {
                let name = elf_strptr(handle, names, Int(header.sh_name)).map { String(cString: $0) } ?? ""
                if matches(header, name, current) { return current }
            }
            section = elf_nextscn(handle, current)
        }
        return nil
    }

    /// Bytes of the smallest header of an ELF file, that of 32 bits.
    private static let headerSize = 52

    /// True for what proc(5) and sysfs(5) show: the magic numbers are those of statfs(2).
    private static func isKernelFile(_ descriptor: Int32) -> Bool {
        var system = statfs()
        guard fstatfs(descriptor, &system) == 0 else { return false }
        return [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163].contains(Int(system.f_type))
    }

    private static func readBuildID(_ handle: OpaquePointer) -> String? {
        var bytes: UnsafeRawPointer?
        let count = dwelf_elf_gnu_build_id(handle, &bytes)
        guard count > 0, count <= 64, let bytes else { return nil }
        return hex(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private static func readBase(_ handle: OpaquePointer) -> UInt64 {
        var base: UInt64?
        var count = 0
        guard elf_getphdrnum(handle, &count) == 0 else { return 0 }
        for index in 0..<Int32(min(count, 4096)) {
            var header = GElf_Phdr()
            guard gelf_getphdr(handle, index, &header) != nil, header.p_type == GElf_Word(PT_LOAD) else { continue }
            base = min(base ?? .max, header.p_vaddr & ~0xfff)
        }
        return base ?? 0
    }

    /// Where the file ends by its headers. Segments are not asked: those of a file with only debug information are elsewhere.
    private static func readEnd(_ handle: OpaquePointer) -> UInt64 {
        var header = GElf_Ehdr()
        guard gelf_getehdr(handle, &header) != nil, header.e_shoff > 0 else { return 0 }
        let table = UInt64(header.e_shnum) * UInt64(header.e_shentsize)
        var end = header.e_shoff.addingReportingOverflow(table).partialValue
        var section = elf_nextscn(handle, nil)
        while let current = section {
            var header = GElf_Shdr()
            if gelf_getshdr(current, &header) != nil, header.sh_type != GElf_Word(SHT_NOBITS) {
                let (sum, overflow) = header.sh_offset.addingReportingOverflow(header.sh_size)
                end = max(end, overflow ? .max : sum)
            }
            section = elf_nextscn(handle, current)
        }
        return end
    }

    /// By sections: a segment of code may hold read-only data too, and a file that holds only debug information still lists them.
    private static func readCode(_ handle: OpaquePointer) -> CodeRanges {
        var code = CodeRanges()
        var section = elf_nextscn(handle, nil)
        while let current = section {
            var header = GElf_Shdr()
            if gelf_getshdr(current, &header) != nil, header.sh_flags & GElf_Xword(SHF_EXECINSTR) != 0 {
                let (end, overflow) = header.sh_addr.addingReportingOverflow(header.sh_size)
                if !overflow { code.ranges.append(header.sh_addr..<end) }
            }
            section = elf_nextscn(handle, current)
        }
        return code
    }
}

/// Address ranges that hold code. What debug information says of others is left over from functions that the linker threw away.
struct CodeRanges {
    var ranges: [Range<UInt64>] = []

    func contains(_ address: UInt64) -> Bool { ranges.contains { $0.contains(address) } }
}

/// Why a file cannot be used.
enum ELFFileError: Error, Equatable {
    /// libdw cannot be loaded, with the reason.
    case noLibrary(String)
    /// `errno` of the open.
    case unreadable(Int32)
    /// A directory, device or pipe.
    case notAFile
    /// Not an ELF object, or cut short.
    case notELF
}

/// Lower-case hex, two digits a byte.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
