import Foundation
import TestSupport
import Testing

/// A running CheckoutService with a spool of its own.
struct Checkout: Sendable {
    let child: ChildProcess
    let port: UInt16

    /// Starts the service and waits until it listens.
    init(_ build: Build, home: TemporaryDirectory, _ variables: [String: String]) async throws {
        var environment = Children.environment(home: home)
        environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
        child = try ChildProcess(build.checkoutService, environment: environment.merging(variables) { $1 })
        guard let line = await child.line(containing: "listens on") else {
            let outcome = await child.outcome()
            throw Collector.Failure(description: "the service ended with \(outcome.status): \(outcome.errors)")
        }
        port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
    }

    /// Sends a request that the service answers.
    func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> HTTPClient.Answer {
        try HTTPClient(port: port).request(method, path, body: body.map { Array($0.utf8) })
    }

    /// Sends the request that the service does not survive, and waits for its end.
    func crash(_ bug: Bug) async throws -> ChildProcess.Outcome {
        #expect(throws: HTTPClient.Closed.self) { try ask(bug.body == nil ? "GET" : "POST", bug.path, bug.body) }
        return await child.outcome()
    }
}

/// A bug of CheckoutService: the request that meets it, and what must be said of it.
struct Bug: Sendable, CaseIterable {
    let path: String
    let body: String?
    let signal: Int32
    /// Part of the issue's title.
    let title: String
    /// Function of the culprit, its file, and parts of the lines it may crash at: several where a stack overflows.
    let function: String
    let file: String
    let lines: [String]

    /// `Suggestions.swift:18`, by looking the lines up in the source.
    func places() throws -> [String] {
        let directory = file.hasSuffix(".c") ? "CCoupons" : "Service"
        let path = "\(Package.root)/Examples/CheckoutService/\(directory)/\(file)"
        let source = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        return try lines.map { line in
            let index = try #require(source.firstIndex { $0.contains(line) }, "\(file) has no line with \(line)")
            return "\(file):\(index + 1)"
        }
    }

    static let allCases = [
        Bug(
            path: "/suggestions/tea?count=9",
            body: nil,
            signal: SIGILL,
            title: "Index out of range",
            function: "closure #1 in Suggestions.first(_:of:)",
            file: "Suggestions.swift",
            lines: ["skus[$0]"]
        ),
        Bug(
            path: "/shipping",
            body: #"{"items": []}"#,
            signal: SIGILL,
            title: "Unexpectedly found nil while unwrapping an Optional value",
            function: "Shipping.country(of:)",
            file: "Shipping.swift",
            lines: ["order.address!"]
        ),
        Bug(
            path: "/payments",
            body: #"{"method": "cheque"}"#,
            signal: SIGILL,
            title: "no fee agreed for payment by cheque",
            function: "Payment.perMille.getter",
            file: "Payment.swift",
            lines: ["fatalError("]
        ),
        Bug(
            path: "/checkout",
            body: #"{"items": [], "coupon": "TEA-10-2001"}"#,
            signal: SIGABRT,
            title: "double free detected",
            function: "coupon_free",
            file: "CCoupons.c",
            lines: ["    free(coupon);"]
        ),
        Bug(
            path: "/bundles/hamper",
            body: nil,
            signal: SIGSEGV,
            title: "stack overflow",
            function: "Pricing.priceOfParts(_:_:)",
            file: "Pricing.swift",
            lines: ["else { return 0 }", "reduce(", "sum + priceOfParts"]
        ),
    ]
}
