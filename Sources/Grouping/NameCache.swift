import CrashReport
import Symbolication

/// What is known of functions by their names alone. Crashes repeat, and reading a name costs more than everything else of a digest.
///
/// Not thread-safe; one belongs to each digester.
final class NameCache {
    /// What a name says.
    struct Facts {
        let name: FunctionName
        let origin: FrameOrigin
    }

    private struct Key: Hashable {
        let function: String
        let mangled: String?
        let hasFile: Bool
    }

    private var known: [Key: Facts] = [:]

    /// Names kept, so that a long-running collector does not keep every name that it has ever seen.
    private static let limit = 32_768

    func facts(of symbol: FrameSymbol) -> Facts {
        let key = Key(function: symbol.function, mangled: symbol.mangled, hasFile: symbol.file != nil)
        if let facts = known[key] { return facts }
        let facts = Facts(name: FunctionName(symbol.function), origin: FrameOrigin(of: symbol))
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known[key] = facts
        return facts
    }
}
