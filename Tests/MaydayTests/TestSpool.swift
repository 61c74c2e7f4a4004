import CrashReport
import Foundation
import TestSupport

/// A spool for one test, with the directory of the service `SDKChild` in it, and children that use it.
final class TestSpool: Sendable {
    private let directory: TemporaryDirectory
    /// Path of the spool.
    var root: String { "\(directory.path)/spool" }
    /// Path of the service's directory in it.
    var path: String { "\(root)/SDKChild" }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// Puts a report into the spool and returns its id. Ids order as the seeds do.
    @discardableResult
    func add(seed: UInt64, part: Bool = false) throws -> String {
        let report = SampleReport(
            seed: seed,
            time: Timestamp(microseconds: 1_796_026_673_000_000 + Int64(seed) * 1_000_000)
        )
        .report()
        try write(report.encode(), to: part ? "\(report.header.id).jsonl.gz.part" : "\(report.header.id).jsonl.gz")
        return report.header.id
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Names in the service's directory, and in `rejected` below it, sorted.
    func files(_ below: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(below)")) ?? []).sorted()
    }

    func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Runs `SDKChild` on this spool with a collector on a port.
    func child(
        _ arguments: String...,
        port: UInt16,
        environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> ChildProcess {
        let own = ["MAYDAY_SPOOL": root, "MAYDAY_DSN": "http://KEY@127.0.0.1:\(port)/1"]
        return try ChildProcess(
            BuiltProduct.path("SDKChild"),
            arguments,
            environment: own.merging(environment) { $1 },
            descriptors: descriptors
        )
    }
}

extension ScriptedServer.Request {
    /// The id of the report in the body.
    var reportID: String? { (try? Report.decode(gzip: body))?.report.header.id }
}

extension ScriptedServer.Answer {
    /// A collector's 201.
    static func created(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        .status(201, body: #"{"id":"\#(request.reportID ?? "")"}"#)
    }
}
