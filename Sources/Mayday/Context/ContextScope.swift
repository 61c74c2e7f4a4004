internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// The values of one request or task. They live as long as a task that has them.
final class ContextScope: Sendable {
    /// Where a crash finds them; 0 when they do not fit. The capture reads it from memory: it stays the first property.
    let token: UInt64
    let request: [String: JSONValue]
    let values: [String: JSONValue]

    /// The current scope, as the Swift runtime keeps it.
    @TaskLocal static var stored: ContextScope?
    static var current: ContextScope { stored ?? outermost }
    private static let outermost = ContextScope(values: [:], request: [:])

    /// From the start of an object to its first property: its type and its reference counts (Swift's ABI, `HeapObject`).
    private static let firstProperty = 2 * MemoryLayout<Int>.size
    private static let watch: Void = mayday_scope_watch(Unmanaged.passUnretained($stored).toOpaque(), firstProperty)

    private init(values: [String: JSONValue], request: [String: JSONValue]) {
        self.values = values
        self.request = request
        let requestText = ContextText.members(request)
        let valuesText = ContextText.members(values)
        token = requestText.withUnsafeBufferPointer { request in
            valuesText.withUnsafeBufferPointer { values in
                request.isEmpty && values.isEmpty ? 0 : mayday_scope_open(text(request), text(values))
            }
        }
    }

    deinit { mayday_scope_close(token) }

    /// A scope within this one.
    func with(_ values: [String: any ContextValue], request: [String: any ContextValue]) -> ContextScope {
        _ = ContextScope.watch
        return ContextScope(
            values: self.values.merging(values.mapValues(\.json)) { _, inner in inner },
            request: self.request.merging(request.mapValues(\.json)) { _, inner in inner }
        )
    }
}
