import Synchronization

/// Bounds the memory that all uploads together hold. The last quarter is for small ones: a few large ones leave room for many.
final class UploadBudget: Sendable {
    private let left: Mutex<Int>
    private let reserve: Int
    /// Bytes above which an upload is large.
    private static let large = 256 << 10

    init(bytes: Int) {
        left = Mutex(bytes)
        reserve = bytes / 4
    }

    /// Takes some of it; false when so much is not left.
    ///
    /// - Parameter held: what the same upload has taken before.
    func take(_ bytes: Int, holding held: Int) -> Bool {
        let kept = held + bytes > Self.large ? reserve : 0
        return left.withLock { left in
            guard bytes <= left - kept else { return false }
            left -= bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { left.withLock { $0 += bytes } }
}
