internal import CrashCapture
internal import CrashReport

/// How grave something is.
public enum Level: Int32, Sendable, Equatable, CaseIterable {
    case debug = 1
    case info
    case warning
    case error
    case fatal
}

/// What a report should tell of the time before it. All of it may be called from any thread and before `start`, and is kept
/// in memory that a crash at that very moment still finds: whole, or as it was before.
extension Mayday {
    /// Notes that something happened. The last 128 stand in every report.
    ///
    /// Takes about 50 ns and allocates nothing; with `data` 300 ns and three allocations. Never waits.
    ///
    /// - Parameters:
    ///   - message: up to 240 bytes; what is longer is cut.
    ///   - category: area of the service, up to 40 bytes.
    ///   - level: how grave it is.
    ///   - data: details, 200 bytes of JSON in all; more is left out, and the breadcrumb says so.
    public static func breadcrumb(
        _ message: String,
        category: String? = nil,
        level: Level? = nil,
        data: [String: any ContextValue] = [:]
    ) {
        var message = message
        var category = category ?? ""
        let details = data.isEmpty ? [] : ContextText.object(of: data)
        message.withUTF8 { message in
            category.withUTF8 { category in
                details.withUnsafeBufferPointer { details in
                    mayday_breadcrumb_add(
                        text(message),
                        text(category),
                        level?.rawValue ?? MAYDAY_NO_LEVEL,
                        text(details)
                    )
                }
            }
        }
    }

    /// Sets a tag: a short fact to filter by. nil removes it.
    ///
    /// Tags, user and context share 96 names of at most 64 bytes, with 400 bytes of JSON each: longer text is cut, and
    /// for what does not fit at all a warning is printed, once.
    public static func setTag(_ name: String, _ value: String?) {
        ProcessValues.set(MAYDAY_TAG, name, value.map { .string($0) })
    }

    /// Says who is affected, for a service that works for one user at a time; in others, say it in `withContext`.
    /// Replaces what was said before.
    public static func setUser(_ user: [String: any ContextValue]) {
        ProcessValues.replaceUser(by: user.mapValues(\.json))
    }

    /// Sets any other value that every report should have. nil removes it.
    public static func setContext(_ name: String, _ value: (any ContextValue)?) {
        ProcessValues.set(MAYDAY_CUSTOM, name, value?.json)
    }

    /// As above, for values of several types: `Mayday.setContext("cart", ["items": 3, "sku": "tea"])`.
    public static func setContext(_ name: String, _ values: [String: any ContextValue]) {
        setContext(name, .values(values))
    }

    /// Runs `operation` with values that the reports of this task have, and those of the tasks it starts: handled errors, and
    /// a crash, where it happens while the task runs. Of threads that the task hands work to, nothing is known.
    ///
    /// Contexts nest; an inner value hides the outer one of the same name. 1,024 at a time reach crashes, with 1,000 bytes of
    /// JSON each.
    ///
    /// - Parameters:
    ///   - values: anything, shown under `custom`.
    ///   - request: the request in flight, shown as such: `["method": "GET", "path": "/cart", "id": id]`.
    public static func withContext<Result>(
        _ values: [String: any ContextValue] = [:],
        request: [String: any ContextValue] = [:],
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = ContextScope.current.with(values, request: request)
        return try await ContextScope.$stored.withValue(scope, operation: operation, isolation: isolation)
    }

    /// As above, for code that does not await.
    public static func withContext<Result>(
        _ values: [String: any ContextValue] = [:],
        request: [String: any ContextValue] = [:],
        operation: () throws -> Result
    ) rethrows -> Result {
        try ContextScope.$stored.withValue(ContextScope.current.with(values, request: request), operation: operation)
    }
}

/// Lends bytes to the capture for the time of a call.
func text(_ bytes: UnsafeBufferPointer<UInt8>) -> MaydayText {
    MaydayText(bytes: UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), length: bytes.count)
}
