internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// Tags, user and custom values of the process, in the capture's memory.
enum ProcessValues {
    private static let userNames = Mutex<Set<String>>([])
    private static let hasWarned = Atomic<Bool>(false)

    /// Sets a value; nil removes it.
    static func set(_ kind: MaydayValueKind, _ name: String, _ value: JSONValue?) {
        let json = value.map { ContextText.value($0, limit: Int(MAYDAY_VALUE_JSON)) } ?? []
        var key = name
        let status = key.withUTF8 { name in
            json.withUnsafeBufferPointer { mayday_value_set(kind, text(name), text($0)) }
        }
        switch status {
        case MAYDAY_VALUE_TOO_LONG:
            warn("the name '\(name)' is empty or longer than \(MAYDAY_VALUE_NAME) bytes; take a shorter one")
        case MAYDAY_VALUES_FULL:
            warn(
                "'\(name)' is one name too many: there are \(MAYDAY_VALUES); what changes with a request belongs into withContext"
            )
        default: break
        }
    }

    static func replaceUser(by user: [String: JSONValue]) {
        userNames.withLock { names in
            for name in names where user[name] == nil { set(MAYDAY_USER, name, nil) }
            for (name, value) in user { set(MAYDAY_USER, name, value) }
            names = Set(user.keys)
        }
    }

    /// Once: a mistake in a request handler would say it with every request.
    private static func warn(_ problem: String) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        StandardError.warn("a tag, user or context value is not in reports: \(problem)")
    }
}
