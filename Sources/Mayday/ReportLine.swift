internal import CrashReport

/// The id in the `report` line of a report file that may be cut short anywhere; nil when it does not begin with that line.
func reportID(in gzip: [UInt8]) -> String? {
    guard let expanded = try? Gzip.expand(gzip, limit: 64 << 20).bytes,
        let end = expanded.firstIndex(of: UInt8(ascii: "\n")),
        let line = try? JSONReader.parse(Array(expanded[..<end])),
        line["type"] == .string("report"),
        case .string(let id) = line["id"], ReportID.isValid(id)
    else { return nil }
    return id
}
