import Foundation
import TestSupport
import Testing

/// The example is what it says: a crash is a line of JSON on standard output.
@Suite(.patience) struct CustomUploaderTests {
    @Test func `a crash is a line of the log`() async throws {
        let home = try TemporaryDirectory()
        let environment = Children.environment(home: home)
        let outcome = try await ChildProcess.run(BuiltProduct.path("CustomUploader"), environment: environment)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.output)")
        let line = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: String])
        #expect(line["message"]?.contains("Index out of range") == true)
        #expect(line["release"] == "worker@1.0.0")
        #expect(outcome.errors.contains("delivered to log"))
    }
}
