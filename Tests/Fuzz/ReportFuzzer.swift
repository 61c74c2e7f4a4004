// What `make fuzz` runs: bodies as a service sends them, by libFuzzer, guided by what the reader did with the last ones.
// Compiled together with the reader, so that its branches are seen.

/// The first byte says how: the rest is JSON Lines, or a gzip body as it comes over HTTP, or is compressed to one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReport(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = [UInt8](UnsafeBufferPointer(start: start + 1, count: count - 1))
    // Small, so that a bomb is one at the sizes that are tried.
    let limits = ReportLimits(
        expandedBytes: 1 << 20,
        ratio: 20,
        ratioFrom: 128 << 10,
        lineBytes: 64 << 10,
        lines: 512,
        frames: 2_000,
        values: 4_000
    )
    do throws(ReportDecodingError) {
        let decoded =
            switch start.pointee % 3 {
            case 0: try Report.decode(jsonLines: bytes, limits: limits)
            case 1: try Report.decode(gzip: bytes, limits: limits)
            default: try Report.decode(gzip: Gzip.compress(bytes, level: 1), limits: limits)
            }
        // What was read is written, and is the same when it is read again.
        let written = decoded.report.jsonLines
        guard written.count <= limits.expandedBytes else { return 0 }
        let again = try Report.decode(jsonLines: written, limits: .symbolicated)
        precondition(again.report == decoded.report, "a report that was written and read is another one")
    } catch {
        precondition(!error.description.isEmpty && error.description.utf8.count < 2_000, "an error that says nothing")
    }
    return 0
}
