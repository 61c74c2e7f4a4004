import CrashReport
import Foundation
import TestSupport

@testable import Mayday

/// A spool for one test, with the directory of a service in it, and children that use it.
final class TestSpool: Sendable {
    private let directory: TemporaryDirectory
    let service: String
    /// Path of the spool.
    var root: String { "\(directory.path)/spool" }
    /// Path of the service's directory in it.
    var path: String { "\(root)/\(SpoolEntry.fileName(for: service))" }

    /// A spool in a directory of its own; `sharing` gives a second service in the same spool.
    init(service: String = "SDKChild", sharing other: TestSpool? = nil) throws {
        directory = try other?.directory ?? TemporaryDirectory()
        self.service = service
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// A day ago: services remove what is older than a month.
    private static let start = (Timestamp.now().microseconds / 1_000_000 - 86_400) * 1_000_000

    /// A report whose id orders as its seed does.
    static func report(seed: UInt64) -> Report {
        SampleReport(seed: seed, time: Timestamp(microseconds: start + Int64(seed) * 1_000_000)).report()
    }

    /// Puts a report into the spool and returns its id.
    @discardableResult
    func add(seed: UInt64) throws -> String {
        let report = TestSpool.report(seed: seed)
        try write(report.encode(), to: "\(report.header.id).jsonl.gz")
        return report.header.id
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Names in the service's directory, or in one below it, sorted; but that of what a crash leaves for the next start.
    func files(_ below: String = "") -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(below)")) ?? []
        return names.filter { !$0.hasPrefix("last-") }.sorted()
    }

    /// Ids of the reports that wait.
    func reports() -> [String] {
        files().compactMap(SpoolEntry.init(fileName:)).filter { !$0.isPart }.map(\.id)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Runs `SDKChild` on this spool with a collector on a port, when it has its turn.
    func run(
        _ arguments: String...,
        port: UInt16,
        environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) async throws -> ChildProcess.Outcome {
        try await run(arguments, port: port, environment: environment, descriptors: descriptors)
    }

    /// The same, with arguments that were put together.
    func run(
        _ arguments: [String],
        port: UInt16,
        environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) async throws -> ChildProcess.Outcome {
        try await ChildProcess.turnstile.pass {
            try await child(arguments, port: port, environment: environment, descriptors: descriptors).outcome()
        }
    }

    /// Starts one that a test talks to.
    func child(
        _ arguments: String...,
        port: UInt16,
        environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> ChildProcess {
        try child(arguments, port: port, environment: environment, descriptors: descriptors)
    }

    /// The same, with arguments that were put together.
    func child(
        _ arguments: [String],
        port: UInt16,
        environment: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> ChildProcess {
        let own = [
            "MAYDAY_SPOOL": root, "MAYDAY_SERVICE": service, "MAYDAY_DSN": "http://KEY@127.0.0.1:\(port)/1",
            "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
        ]
        return try ChildProcess(
            BuiltProduct.path("SDKChild"),
            arguments,
            environment: own.merging(environment) { $1 },
            descriptors: descriptors
        )
    }

    /// Runs `SDKChild` as the reporter of a report.
    func reporter(
        of report: String,
        port: UInt16,
        deadline: Duration = .seconds(60),
        descriptors: [Int32: Int32] = [:]
    ) async throws -> ChildProcess.Outcome {
        let milliseconds = Int(deadline / .milliseconds(1))
        return try await run(
            port: port,
            environment: ["MAYDAY_REPORTER": "\(milliseconds)", "MAYDAY_REPORT": report],
            descriptors: descriptors
        )
    }
}

extension ScriptedServer.Request {
    /// The id of the report in the body.
    var reportID: String? { (try? Report.decode(gzip: body))?.report.header.id }
}

extension ScriptedServer.Answer {
    /// A collector's 201; or its 400, to what is no report.
    static func created(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        guard let id = request.reportID else { return .status(400, body: #"{"error":"the file is empty"}"#) }
        return .status(201, body: #"{"id":"\#(id)"}"#)
    }
}
