#if os(Linux)
    import CrashReport
    import Foundation
    import Symbolication
    import TestSupport
    import Testing

    /// A real debuginfod server with our own builds. It binds every interface, so it runs in a network of its own.
    @Suite("mayday serve --debuginfod")
    struct DebuginfodTests {
        private let collector: Collector
        private let program: String
        private let buildID: String
        private let missing = "00112233445566778899aabbccddeeff00112233"

        init() throws {
            collector = try Collector()
            program =
                URL(fileURLWithPath: Collector.mayday).deletingLastPathComponent()
                .appendingPathComponent("CaptureChild").path
            buildID = try #require(try BinaryFile(path: program).buildID)
        }

        private func report(_ id: String, _ buildID: String) throws -> String {
            var report = SampleReport.symbolless(buildID: buildID)
            report.header.id = id
            let path = "\(collector.temporary.path)/\(id).jsonl.gz"
            try Data(report.encode()).write(to: URL(fileURLWithPath: path))
            return path
        }

        /// Both processes in one network; ends them by their numbers, and prints what the collector logged and what it shows.
        private let script = """
            set -eu
            ip link set lo up
            cd "$1"; mayday=$2 report=$3 other=$4 id=$5 missing=$6
            debuginfod -d debuginfod.sqlite -p 8002 -F files >debuginfod.log 2>&1 & server=$!
            trap 'kill $server $collector 2>/dev/null || true' EXIT; collector=
            curl -sf --retry 900 --retry-delay 1 --retry-all-errors "http://127.0.0.1:8002/buildid/$id/debuginfo" >/dev/null
            DEBUGINFOD_URLS="http://127.0.0.1:9 http://127.0.0.1:8002/" "$mayday" serve --debuginfod \\
                --listen 127.0.0.1:7171 --data data >serve.out 2>serve.log & collector=$!
            curl -s --retry 900 --retry-delay 1 --retry-all-errors http://127.0.0.1:7171/healthz >/dev/null
            "$mayday" import --data data "$report" "$other" >/dev/null
            await() { for try in $(seq 30000); do grep -q "$1" serve.log && return; sleep 0.02; done; cat serve.log; exit 1; }
            await "build $id is here; 1 report is digested again"
            await "debuginfod: http://127.0.0.1:9: build $missing"
            # The other report stays behind in the first one.
            await "report $(basename "$report" .jsonl.gz) of project 1 is in issue 2, which is new"
            # Asked for once: what no server has is remembered over a restart.
            while [ ! -e "data/symbols/debuginfod/$missing" ]; do sleep 0.02; done
            cat serve.log
            "$mayday" show --data data --full "$(basename "$report" .jsonl.gz)"
            """

        @Test("a file that a report lacks comes from a server, and its report is digested again")
        func fetch() async throws {
            guard try await Self.hasNetworks() else { return }
            let directory = collector.temporary.path
            try FileManager.default.createDirectory(atPath: "\(directory)/files", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: program, toPath: "\(directory)/files/CaptureChild")
            let outcome = try await ChildProcess.run(
                "/usr/bin/unshare",
                [
                    "--net", "--map-root-user", "sh", "-c", script, "sh", directory, Collector.mayday,
                    try report("01a22bb5-57c6-7356-a87f-2b2e6b40795b", buildID),
                    try report("01a22bb5-57c6-7356-a87f-2b2e6b40795c", missing), buildID, missing,
                ]
            )
            #expect(outcome.status == .exited(0), "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains(".c:") || outcome.output.contains(".swift:"), "\(outcome.output)")
            let kept = try await collector.run("symbols", "list", "--data", "\(directory)/data")
            #expect(
                kept.output.hasPrefix("\(buildID)  from http://127.0.0.1:8002, debug information, "),
                "\(kept.output)"
            )
            #expect(kept.output.contains("\(missing)  1 report"))
        }

        @Test("servers must be named")
        func usage() async throws {
            let outcome = try await collector.run("serve", "--debuginfod", environment: ["DEBUGINFOD_URLS": ""])
            #expect(outcome.status == .exited(2) && outcome.errors.contains("DEBUGINFOD_URLS"), "\(outcome.errors)")
        }

        /// Whether a process may have a network of its own, and the programs are there.
        private static func hasNetworks() async throws -> Bool {
            for tool in ["unshare", "debuginfod", "ip", "curl"] {
                let places = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
                guard places.contains(where: { access("\($0)/\(tool)", X_OK) == 0 }) else {
                    print("not tested: there is no \(tool)")
                    return false
                }
            }
            let outcome = try await ChildProcess.run("/usr/bin/unshare", ["--net", "--map-root-user", "true"])
            if outcome.status != .exited(0) { print("not tested: no network of its own: \(outcome.errors)") }
            return outcome.status == .exited(0)
        }
    }
#endif
