import Query
import Store

/// How the process ends.
enum ExitCode: Int32, Sendable {
    case done = 0
    /// Nothing was found, or the check failed.
    case nothingFound = 1
    /// The command line was wrong.
    case usage = 2
    /// The store or the server cannot be reached.
    case unreachable = 3
}

/// Why a command ended early: a line for standard error that says what to do, and the exit code.
struct CommandError: Error, Sendable {
    var code: ExitCode
    var text: String

    static func usage(_ text: String) -> CommandError { CommandError(code: .usage, text: text) }
    static func nothingFound(_ text: String) -> CommandError { CommandError(code: .nothingFound, text: text) }

    init(code: ExitCode, text: String) {
        self.code = code
        self.text = text
    }

    init(_ error: StoreError) { self.init(code: .unreachable, text: "\(error)") }

    init(_ error: QueryError) {
        switch error {
        case .store(let error): self.init(error)
        case .unreachable(let text): self.init(code: .unreachable, text: text)
        case .notFound, .unreadable, .wrong: self.init(code: .nothingFound, text: "\(error)")
        }
    }

    /// Runs what asks the store.
    static func wrapping<Value>(_ body: () throws(StoreError) -> Value) throws(CommandError) -> Value {
        do throws(StoreError) { return try body() } catch { throw CommandError(error) }
    }

    /// Runs what opens issues and reports.
    static func querying<Value>(_ body: () throws(QueryError) -> Value) throws(CommandError) -> Value {
        do throws(QueryError) { return try body() } catch { throw CommandError(error) }
    }
}
