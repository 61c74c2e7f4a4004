import CrashReport
import Store

/// What a channel tells somebody.
protocol Notice: Sendable {
    /// What happened, in a word.
    var name: String { get }
    /// For the log: the event and numbers, and nothing that a report says.
    var label: String { get }
    /// For a person: the sentence, and on a line of its own the command that shows more.
    var text: String { get }
    /// For a program, with a `text` for chats.
    var json: JSONValue { get }
    /// What a command has in its environment.
    var variables: [String: String] { get }
    /// What it is about: those of one issue keep their order. Nil for what is of none.
    var issue: IssueKey? { get }
}
