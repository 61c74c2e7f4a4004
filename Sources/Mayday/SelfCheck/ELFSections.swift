#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The names of the sections of a 64-bit ELF file of this machine's byte order (elf(5)).
struct ELFSections {
    private var names: [[UInt8]] = []

    /// nil for a file that cannot be read, or is none.
    init?(path: String) {
        guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK),
            let header = try? file.read(limit: 64), header.count == 64,
            header.starts(with: [0x7f, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F"), 2])
        else { return nil }
        let offset = Int(clamping: number(header, at: 40, bytes: 8))
        let size = Int(number(header, at: 58, bytes: 2))
        let count = Int(number(header, at: 60, bytes: 2))
        let nameIndex = Int(number(header, at: 62, bytes: 2))
        guard size >= 64, count > 0, nameIndex < count,
            let table = try? file.read(at: offset, limit: size * count), table.count == size * count
        else { return nil }
        func field(_ section: Int, at place: Int, bytes: Int) -> UInt64 {
            number(table, at: section * size + place, bytes: bytes)
        }
        let length = Int(clamping: field(nameIndex, at: 32, bytes: 8))
        let start = Int(clamping: field(nameIndex, at: 24, bytes: 8))
        guard length <= 1 << 20, let texts = try? file.read(at: start, limit: length) else { return nil }
        names = (0..<count).compactMap { section in
            let place = Int(field(section, at: 0, bytes: 4))
            return place < texts.count ? Array(texts[place...].prefix { $0 != 0 }) : nil
        }
    }

    func contains(_ name: String) -> Bool { names.contains { $0.elementsEqual(name.utf8) } }
}

/// A number in little-endian order, as all machines have it that Mayday runs on.
private func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> UInt64 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
