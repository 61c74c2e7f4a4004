#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("Reports that were cut short, and such that stand for many, as listed and shown")
    struct CutReportTests {
        private func lines(_ outcome: ChildProcess.Outcome) -> [String] {
            outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }

        @Test("a report of an error that occurred many times says how many, in the list as in the report")
        func occurrences() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            var many = SampleReport.old(1).report()
            many.header.occurrences = 999
            #expect(try serving.post(many.encode(), key: key).status == 201)
            #expect(try serving.post(SampleReport.old(2, hours: 1).gzip(), key: key).status == 201)
            _ = await serving.stop()
            let list = lines(try await collector.run("reports", environment: ["COLUMNS": "120"]))
            #expect(list.count == 3 && list[2].contains("  999 × Index out of range"), "\(list)")
            #expect(!list[1].contains("×"))
            let json = try await collector.run("reports", "--json").output
            #expect(json.contains(#""occurrences":999"#) && json.contains(#""occurrences":1,"#), "\(json)")
        }

        @Test("a report that was cut in the middle of the crash is marked in every list, and an issue of none but such")
        func cutShort() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            var some = SampleReport.old(1).report()
            var all = SampleReport.old(4, hours: 3, message: nil, function: "Checkout.pay(with:)").report()
            var bare = SampleReport.old(2, hours: 1, message: nil).report()
            (bare.threads, bare.images) = ([], [])
            (some.end, all.end, bare.end) = (nil, nil, nil)
            for gzip in [
                some.encode().dropLast(9), SampleReport.old(3, hours: 2).gzip()[...], bare.encode()[...],
                all.encode().dropLast(9),
            ] {
                #expect(try serving.post(Array(gzip), key: key).status == 201)
            }
            _ = await serving.stop()
            #expect(try Golden.difference(lines(try await collector.run("list")), "list-cut.txt") == nil)
            let wide = try await collector.run("reports", environment: ["COLUMNS": "120"])
            #expect(try Golden.difference(lines(wide), "reports-cut.txt") == nil)
            let shown = try await collector.run("show", bare.header.id)
            #expect(try Golden.difference(lines(shown), "show-cut.txt") == nil)
            for (command, name) in [("list", "issues"), ("reports", "reports")] {
                let json = try await collector.run(command, "--json").output
                let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
                let marks = try #require(object[name] as? [[String: Any]]).map { $0["cut_short"] as? Bool }
                #expect(marks == (command == "list" ? [true, false, true] : [true, false, true, true]))
            }
        }
    }
#endif
