internal import CrashCapture
internal import CrashReport

// What the backends say, and what they were not sent.
extension SelfCheck {
    /// Looks at everything, and asks the backends.
    static func run(_ service: Service?, asking timeout: Duration) async -> SelfCheck {
        guard let service, service.isCapturing else { return run(service) }
        let paused = Set(service.pauses.map(\.uploader.name))
        let tasks = service.uploaders.map { uploader in
            Task {
                let deadline = ContinuousClock.now.advanced(by: timeout)
                let isPaused = paused.contains(uploader.name)
                return await firstResult(within: timeout) {
                    await finding(of: uploader, isPaused: isPaused, deadline: deadline)
                }
                    ?? problem(of: uploader, "no answer within \(timeout)")
            }
        }
        var findings: [Finding] = []
        for task in tasks { findings.append(await task.value) }
        return run(service, backends: findings)
    }

    private static func finding(
        of uploader: any ReportUploader,
        isPaused: Bool,
        deadline: ContinuousClock.Instant
    ) async -> Finding {
        do throws(UploadError) {
            guard try await uploader.probe(deadline: deadline) else {
                return .ok(
                    "backend",
                    "\(uploader.destination): it cannot be asked without a report; Mayday.rehearse() sends one"
                )
            }
            let outlook = isPaused ? "is sent reports after the pause that it asked for" : "would take a report"
            return .ok("backend", "\(uploader.destination): it is there, and \(outlook)")
        } catch {
            return problem(of: uploader, error.reason)
        }
    }

    private static func problem(of uploader: any ReportUploader, _ reason: String) -> Finding {
        .problem(
            "backend",
            "\(uploader.destination): \(reason)",
            "reports wait in the spool, if there is one, until that is put right"
        )
    }

    /// What this process did not report; nothing when it reported all.
    static func discarded() -> [Finding] {
        let counts = DiscardTotals.all
        guard !counts.isEmpty else { return [] }
        // What the service wants itself is no reason to warn.
        let isWanted = counts.keys.allSatisfy { $0 == .sampled || $0 == .beforeSend }
        return [
            Finding(
                check: "discarded",
                status: isWanted ? .ok : .warning,
                text: "reports that were not sent since the start: \(counts.text)",
                remedy: isWanted ? nil : "raise errorLimits or spoolLimits, or see what the backend refuses"
            )
        ]
    }
}

extension Service {
    /// What `MAYDAY_SELF_CHECK` asks for, on standard error, before `start` returns: a program that ends soon has said it, too.
    func printSelfCheck() {
        // The pool has a thread of its own for this; where `start` holds its only one, the backends are not asked.
        let asking = Duration.seconds(5)
        let check = waitUntil(.now.advanced(by: asking + .seconds(1))) { await SelfCheck.run(self, asking: asking) }
        for line in (check ?? SelfCheck.run(self)).description.split(separator: "\n") {
            StandardError.say(String(line))
        }
        guard selfCheck == MAYDAY_CHECK_AND_REHEARSE else { return }
        let rehearsal = waitUntil(.now.advanced(by: Rehearsal.limit(of: self))) { await Rehearsal.run(of: self) }
        StandardError.say(rehearsal?.description ?? "rehearsal: it did not come to an end in time")
    }
}
