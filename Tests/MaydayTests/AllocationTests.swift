import TestSupport
import Testing

/// What telling costs in allocations, counted by an allocator in front of libc's in a child.
@Suite(.patience) struct AllocationTests {
    @Test func `a breadcrumb without data allocates nothing`() async throws {
        let spool = try TemporaryDirectory()
        let outcome = try await ChildProcess.run(
            BuiltProduct.path("AllocationChild"),
            environment: ["MAYDAY_SPOOL": spool.path, "SWIFT_BACKTRACE": "enable=no"]
        )
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        var counts: [Substring: Int] = [:]
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            counts[words[0]] = words.last.flatMap { Int($0) }
        }
        // The counter counts: 1,000 arrays, and the dictionaries that hold data.
        #expect(counts["array"] == 1_000, "\(outcome.output)")
        #expect(counts["breadcrumb-with-data"] ?? 0 >= 100_000, "\(outcome.output)")
        #expect(counts["breadcrumb"] == 0, "\(outcome.output)")
        #expect(counts["breadcrumb-in-full"] == 0, "\(outcome.output)")
    }
}
