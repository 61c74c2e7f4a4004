#if os(Linux)
    import TestSupport
    import Testing

    extension Collector {
        /// The lines that a command on the store prints on a terminal of so many columns, without colour.
        func linesOnTerminal(_ arguments: String..., columns: Int) async throws -> [String] {
            let command = ([Self.mayday] + arguments).joined(separator: " ")
            let outcome = try await ChildProcess.run(
                "/usr/bin/script",
                ["-qec", "stty rows 500 cols \(columns); \(command)", "/dev/null"],
                environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm", "NO_COLOR": "1", "MAYDAY_DATA": data]
            )
            try #require(outcome.status == .exited(0), "\(outcome.output)\(outcome.errors)")
            let text = outcome.output.replacing("\r\n", with: "\n")
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }
#endif
