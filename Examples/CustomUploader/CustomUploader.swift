// A service with a backend of its own: each crash is a line of JSON on standard output, where the platform collects logs.
//
//     swift run CustomUploader          crashes, and prints the line before it ends
//     swift run CustomUploader | jq .

import CrashReport
import Mayday

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An uploader: a stable name, and one function that returns when the backend has the report.
struct LogUploader: ReportUploader {
    let name = "log"

    func upload(_ report: SpooledReport) async throws(UploadError) {
        let decoded: Report
        do throws(ReportDecodingError) { decoded = try Report.decode(gzip: report.gzip).report } catch {
            // It will be no better next time: set it aside.
            throw .rejected(reason: "the report cannot be read: \(error)")
        }
        let line = line(of: decoded)
        guard line.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) == line.count else {
            throw .retry(after: .seconds(10), reason: "standard output cannot be written to")
        }
    }

    private func line(of report: Report) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (key, value) in [
            ("level", "fatal"), ("time", report.header.time), ("report", report.header.id), ("message", report.title),
            ("release", report.header.release ?? "unknown"), ("thread", report.crashedThread?.name ?? "unknown"),
        ] {
            json.key(key)
            json.string(value)
        }
        json.endObject()
        json.endLine()
        return json.bytes
    }
}

@main
struct Worker {
    static func main() throws {
        try Mayday.start(.init(release: "worker@1.0.0", environment: "example"), uploader: LogUploader())
        let jobs: [String] = []
        print(jobs[CommandLine.arguments.count])
    }
}
