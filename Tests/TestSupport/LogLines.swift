import Foundation

/// The lines that a dying process writes into its log, as `docs/report-format.md` says.
public func logLines(of gzip: [UInt8], id: String) -> [String] {
    let length = 384
    let count = (gzip.count + length - 1) / length
    let frame = "lines=\(count) bytes=\(gzip.count) crc32=\(checksum(gzip))"
    let lines = (0..<count).map { index in
        let part = Data(gzip[index * length..<min(gzip.count, (index + 1) * length)])
        let letters = part.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=",
            with: ""
        )
        return "\(index + 1) \(letters)"
    }
    return (["begin \(frame)"] + lines + ["end \(frame)"]).map { "mayday-report \(id) \($0)" }
}

/// CRC-32 as gzip has it (RFC 1952, section 8), bit by bit.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
        (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0) }
    }
}
