internal import Synchronization

/// What the service itself says of an error.
final class ErrorDescriber: Sendable {
    static let shared = ErrorDescriber()
    private let body = Mutex<(@Sendable (any Error) -> [String: any ContextValue])?>(nil)

    func set(_ body: @escaping @Sendable (any Error) -> [String: any ContextValue]) { self.body.withLock { $0 = body } }

    func describe(_ error: any Error) -> [String: any ContextValue]? {
        // Not within the lock: it is the service's code.
        let body = body.withLock { $0 }
        return body?(error)
    }
}

extension Mayday {
    /// Says what else reports should have of handled errors, and of those beneath them: values by name, 200 of them and 16 KiB.
    ///
    /// Domain, code, `userInfo` dictionaries and what an `Encodable` error encodes are there without it. It is for what only
    /// the service knows, or a library that Mayday does not link, as Foundation:
    ///
    ///     Mayday.describeErrors { error in
    ///         guard let error = error as? any CustomNSError else { return [:] }
    ///         return error.errorUserInfo.compactMapValues { $0 as? String }
    ///     }
    ///
    /// - Parameter describe: runs when a report is written, on no particular thread. The last one that was given counts.
    public static func describeErrors(_ describe: @escaping @Sendable (any Error) -> [String: any ContextValue]) {
        ErrorDescriber.shared.set(describe)
    }
}
