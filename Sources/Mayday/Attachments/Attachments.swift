internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// The files that reports take along, in memory that a crash finds: their paths, not their bytes.
enum Attachments {
    /// How many a report takes.
    static let largestCount = 8
    private static let names = Mutex<Set<String>>([])

    /// Adds a file. Returns what is wrong with it and what to do; nil when it was added.
    static func add(path: String, name: String? = nil, contentType: String? = nil) -> String? {
        guard isAbsolute(path) else { return notAbsolute }
        var name = name ?? self.name(of: path)
        var members: [String: JSONValue] = ["path": .string(path)]
        if let type = contentType ?? self.contentType(of: name) { members["content_type"] = .string(type) }
        let json = ContextText.members(members)
        return names.withLock { names in
            guard names.contains(name) || names.count < largestCount else {
                return "there are \(largestCount) already; remove one first"
            }
            let status = name.withUTF8 { name in
                json.withUnsafeBufferPointer { mayday_value_set(MAYDAY_ATTACHMENT, text(name), text($0)) }
            }
            switch status {
            case MAYDAY_VALUE_SET:
                names.insert(name)
                return nil
            case MAYDAY_VALUE_TOO_LONG:
                return "its name is empty or above \(MAYDAY_VALUE_NAME) bytes, or its path is too long"
            case MAYDAY_VALUES_FULL: return "there are \(MAYDAY_VALUES) tags, values and attachments; remove some"
            default: return "another thread was changing values all the time"
            }
        }
    }

    static func remove(_ name: String) {
        var key = name
        names.withLock { names in
            guard names.remove(name) != nil else { return }
            _ = key.withUTF8 { mayday_value_set(MAYDAY_ATTACHMENT, text($0), MaydayText()) }
        }
    }

    static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") && !path.utf8.contains(0) }
    static let notAbsolute = "write an absolute path, for example /var/log/checkout.log"

    /// The last part of a path.
    static func name(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        return String(path[start...])
    }

    /// What the end of a name says, for the few kinds that people attach.
    static func contentType(of name: String) -> String? {
        for (ending, type) in [
            (".log", "text/plain"), (".txt", "text/plain"), (".json", "application/json"), (".gz", "application/gzip"),
        ] where name.hasSuffix(ending) {
            return type
        }
        return nil
    }
}
