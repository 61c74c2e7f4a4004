public import CrashReport

extension SampleReport {
    /// A report with every field of the format.
    public static var full: Report {
        var report = SampleReport(isSymbolicated: true).report()
        report.header.isRehearsal = true
        report.header.process.forked = true
        report.header.host?.container = "4f1c"
        report.header.host?.pod = "checkout-7d9f"
        report.header.host?.namespace = "shop"
        report.header.host?.node = "n-3"
        report.header.host?.instance = "a"
        report.crash?.sender = SignalSender(pid: 12, uid: 1_000)
        report.threads[0].task = TaskFacts(id: 12, name: "checkout")
        report.threads[0].omitted = OmittedFrames(index: 3, count: 9_000)
        report.threads[1].omitted = OmittedFrames(index: 2)
        report.threads[1].truncated = "deadline"
        report.threads[2].frames[1].trust = .fp
        report.threads[2].frames[2].trust = .await
        report.images[2].buildID = nil
        report.error = HandledError(
            typeName: "PaymentError",
            text: "declined",
            detail: ErrorDetail(domain: "Shop.Payment", code: -3, values: ["tries": .array([.integer(1), .null])]),
            chain: [
                UnderlyingError(
                    typeName: "HTTPError",
                    text: "status 402 \u{1b}[31m",
                    detail: ErrorDetail(domain: "HTTP", code: 402, values: ["path": .string("/pay")])
                )
            ]
        )
        report.attachments = [
            AttachedFile(
                name: "checkout.log",
                contentType: "text/plain",
                path: "/l",
                data: [0, 255, 10],
                wholeSize: 9_000
            ),
            AttachedFile(name: "gone", path: "/gone", problem: "No such file or directory (errno 2)"),
            AttachedFile(name: "later", path: "/later"), AttachedFile(name: "empty", data: []),
        ]
        report.context = Context(
            tags: ["region": "eu-1"],
            user: ["id": .integer(7)],
            request: ["path": .string("/cart"), "ms": .number(1.5)],
            custom: ["nested": .object(["list": .array([.null, .bool(false)])])]
        )
        report.breadcrumbs = [
            Breadcrumb(
                time: report.header.time,
                message: "cart loaded",
                category: "cart",
                level: "info",
                data: ["n": .integer(3)]
            ),
            Breadcrumb(time: report.header.time, message: "paid"),
        ]
        report.end?.cut = [CutStage(stage: "threads", reason: "deadline")]
        return report
    }
}
