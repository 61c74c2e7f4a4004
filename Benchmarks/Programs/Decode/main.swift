// Reads one report again and again, and says what each step of it takes: `Decode FILE.jsonl.gz SECONDS`.

import CrashReport
import Foundation

guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[2]),
    let file = FileManager.default.contents(atPath: CommandLine.arguments[1])
else {
    FileHandle.standardError.write(Data("usage: Decode FILE.jsonl.gz SECONDS\n".utf8))
    exit(2)
}
let gzip = [UInt8](file)

/// Microseconds that one call takes, the fastest of batches of twenty.
func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let end = ContinuousClock.now + .seconds(seconds)
    var best = Duration.seconds(60)
    repeat {
        let began = ContinuousClock.now
        for _ in 0..<20 { try body() }
        best = min(best, began.duration(to: .now))
    } while ContinuousClock.now < end
    return best / .microseconds(1) / 20
}

let report = try Report.decode(gzip: gzip).report
let text = try Gzip.expand(gzip, limit: 64 << 20).bytes
let expand = try microseconds { _ = try Gzip.expand(gzip, limit: 64 << 20) }
let parse = try microseconds { _ = try Report.decode(jsonLines: text) }
let decode = try microseconds { _ = try Report.decode(gzip: gzip) }
let encode = microseconds { _ = report.encode() }
print(
    """
    {"expanded": \(text.count), "expand_us": \(expand), "parse_us": \(parse), "decode_us": \(decode), "encode_us": \(encode)}
    """
)
