// A service that crashes in one of two places, or handles an error, with the backends that `scripts/interop` names.

import Glibc
import Mayday
import MaydayOTLP
import MaydaySentry
import MaydayWebhook

func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

struct Cart {
    var prices: [Int]

    @inline(never) func price(at index: Int) -> Int { prices[index] }
    @inline(never) func total(upTo count: Int) -> Int { (0...count).reduce(0) { $0 + price(at: $1) } }
}

// swift-format-ignore: NeverForceUnwrap
@inline(never) func discount(of percent: Int?) -> Int { percent! }

var uploaders: [any ReportUploader] = []
if let dsn = variable("INTEROP_SENTRY") { uploaders.append(try SentryUploader(dsn: dsn)) }
if let endpoint = variable("INTEROP_OTLP") {
    uploaders.append(try OTLPUploader(endpoint: endpoint))
}
if let url = variable("INTEROP_WEBHOOK") { uploaders.append(try WebhookUploader(url: url)) }
try Mayday.start(.init(release: "shop@2.1.0", environment: "interop"), uploader: uploaders)

struct StockError: Error {
    let sku: String
}

@inline(never) func reserve(_ sku: String) throws { throw StockError(sku: sku) }

Mayday.setTag("region", "eu-1")
Mayday.breadcrumb("cart loaded", category: "cart", data: ["items": 3])
switch CommandLine.arguments.dropFirst().first {
case "discount": print(discount(of: CommandLine.arguments.count > 9 ? 1 : nil))
case "error":
    do { try reserve("tea") } catch { Mayday.capture(error) }
    exit(await Mayday.flush(timeout: .seconds(60)) ? 0 : 1)
case "flush":
    // Each round stops at the first failure of a backend, and tries the report that was tried least.
    for _ in 1...20 where await Mayday.flush(timeout: .seconds(30)) { exit(0) }
    exit(1)
default: print(Cart(prices: [1, 2, 3]).total(upTo: 3))
}
