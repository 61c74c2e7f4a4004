import Glibc
import Mayday

struct StockError: Error, CustomStringConvertible {
    let sku: String
    var description: String { "no \(sku) left" }
}

enum CheckoutError: Error {
    case cannotReserve(sku: String, cause: StockError)
}

/// Handles errors and reports them, and delivers before it ends.
enum Reporting {
    static func run(_ scene: String) async {
        switch scene {
        case "error":
            Mayday.breadcrumb("cart loaded")
            Mayday.setTag("region", "eu-1")
            let id = Mayday.withContext(request: ["id": "r-1"]) { reserve("tea") }
            print(id ?? "nil")
        case "task":
            await Task.detached { await outer() }.value
        case "message":
            print(Mayday.capture(message: "the queue is long", level: .warning, fingerprint: "queue") ?? "nil")
        case "twice":
            Mayday.capture(message: "first")
            _ = await Mayday.flush(timeout: patience)
            Mayday.capture(message: "second")
        case "storm":
            for _ in 0..<1000 { _ = reserve("tea") }
        case "cases":
            for text in ["a", "b", "c"] {
                for error in [Declined.cash, .debit, .credit(text)] {
                    do { throw error } catch { Mayday.capture(error) }
                }
            }
        case "many":
            for index in 0..<400 { Mayday.capture(message: "number \(index)") }
        case "and-crash":
            _ = reserve("tea")
            await Mayday.flush(timeout: patience)
            fatalError("and then")
        default:
            print("unknown: \(scene)")
            exit(64)
        }
        print("flushed: \(await Mayday.flush(timeout: patience))")
    }

    @inline(never) private static func outer() async {
        await inner()
        await Task.yield()
    }

    @inline(never) private static func inner() async {
        await Task.yield()
        _ = reserve("tea")
        await Task.yield()
    }

    @inline(never) static func reserve(_ sku: String) -> String? {
        do {
            throw CheckoutError.cannotReserve(sku: sku, cause: StockError(sku: sku))
        } catch {
            return Mayday.capture(error)
        }
    }
}

private enum Declined: Error {
    case cash, debit
    case credit(String)
}
