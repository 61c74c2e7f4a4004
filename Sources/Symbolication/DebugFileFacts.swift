import CDwfl

/// What a file says of itself that might be kept for symbolication.
public struct DebugFileFacts: Sendable, Equatable, Codable {
    /// GNU build id in lower-case hex; nil when it has none, and cannot be found by one.
    public var buildID: String?
    /// What it has.
    public var content: Content
    /// True when it ends before what its headers announce.
    public var isCut: Bool
    /// Bytes.
    public var size: Int

    /// What a file has, the better above the lesser.
    public enum Content: String, Sendable, Codable, CaseIterable, Comparable {
        /// Nothing that a frame could be named by.
        case nothing
        /// Names that are exported, which a stripped library has.
        case exportedNames = "exported names"
        /// Names of functions, without files and lines.
        case names
        /// DWARF: functions, inlined ones too, files and lines.
        case debugInformation = "debug information"

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// Less complete than.
        public static func < (left: Content, right: Content) -> Bool { left.rank < right.rank }
    }

    /// Looks at an ELF file; nil when it is none.
    public init?(path: String) {
        guard let file = try? ELFFile(path: path) else { return nil }
        self.init(file)
    }

    /// Looks at an ELF file that may be packed, as it comes from elsewhere; nil when it is none, or its packing is damaged.
    public init?(upload path: String) {
        guard let packing = UnpackedFile.isPacked(path) else { return nil }
        guard packing else {
            self.init(path: path)
            return
        }
        guard let descriptor = UnpackedFile.open(path, isStrict: true),
            let file = try? ELFFile(descriptor: descriptor, path: path, isMapped: true)
        else { return nil }
        self.init(file)
    }

    private init(_ file: ELFFile) {
        buildID = file.buildID
        isCut = file.isCut
        size = file.size
        content = file.content
    }
}

extension ELFFile {
    /// What the file has, by its sections.
    var content: DebugFileFacts.Content {
        if section(named: ".debug_info") != nil, !isShared { return .debugInformation }
        if section(type: SHT_SYMTAB) != nil { return .names }
        return section(type: SHT_DYNSYM) != nil ? .exportedNames : .nothing
    }

    /// True when `dwz` moved some of its debug information to another file.
    var isShared: Bool { section(named: ".gnu_debugaltlink") != nil }

    /// What debug information is that the file has and that cannot be read; nil when it has none.
    var obstacle: ImageNote.Reason? {
        guard let information = section(named: ".debug_info") else { return nil }
        if isShared { return .shared }
        var header = GElf_Shdr()
        // libdw leaves a section as it is that it cannot unpack: it begins with the number of the packing.
        guard gelf_getshdr(information, &header) != nil, header.sh_flags & GElf_Xword(SHF_COMPRESSED) != 0,
            let data = elf_getdata(information, nil)?.pointee, data.d_size >= 4, let start = data.d_buf,
            UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)) != UInt32(ELFCOMPRESS_ZLIB)
        else { return .damaged }
        return .compressed
    }
}
