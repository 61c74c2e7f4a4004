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
            let list = try await collector.linesOnTerminal("reports", columns: 120)
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
            let wide = try await collector.linesOnTerminal("reports", columns: 120)
            #expect(try Golden.difference(wide, "reports-cut.txt") == nil)
            let shown = try await collector.run("show", bare.header.id)
            #expect(try Golden.difference(lines(shown), "show-cut.txt") == nil)
            for (command, name) in [("list", "issues"), ("reports", "reports")] {
                let json = try await collector.run(command, "--json").output
                let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
                let marks = try #require(object[name] as? [[String: Any]]).map { $0["cut_short"] as? Bool }
                #expect(marks == (command == "list" ? [true, false, true] : [true, false, true, true]))
            }
        }

        @Test("the whole report takes the place of the one that was cut, over HTTP and by import, and its issue")
        func completed() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            let reports = (1...2).map { SampleReport.old($0).report() }
            for report in reports {
                var bare = report
                (bare.threads, bare.images, bare.end) = ([], [], nil)
                bare.crash?.message = nil
                #expect(try serving.post(bare.encode(), key: key).status == 201)
            }
            _ = await serving.child.line(containing: "digest: report \(reports[1].header.id) ", in: .errors)
            #expect(try serving.post(reports[0].encode(), key: key).status == 201)
            let again = try serving.post(reports[0].encode(), key: key)
            #expect(again.status == 200)
            #expect(again.body.contains("duplicate"))
            _ = await serving.stop()
            let path = "\(collector.temporary.path)/whole.jsonl.gz"
            try Data(reports[1].encode()).write(to: URL(fileURLWithPath: path))
            #expect(try await collector.run("import", path).output == "1 imported\n")
            #expect(try await collector.run("import", path).output == "1 there already\n")
            let list = try await collector.run("list", "--json").output
            let object = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [String: Any])
            let issues = try #require(object["issues"] as? [[String: Any]])
            #expect(issues.map { $0["cut_short"] as? Bool } == [false], "\(list)")
            #expect(issues.map { $0["count"] as? Int } == [2], "\(list)")
            let checked = try await collector.run("check")
            #expect(checked.status == .exited(0), "\(checked.output)\(checked.errors)")
        }
    }
#endif
