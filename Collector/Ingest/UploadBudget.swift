import Synchronization

/// Bounds the memory that all uploads together hold.
final class UploadBudget: Sendable {
    private let left: Mutex<Int>

    init(bytes: Int) { left = Mutex(bytes) }

    /// Takes some of it; false when so much is not left.
    func take(_ bytes: Int) -> Bool {
        left.withLock { left in
            guard bytes <= left else { return false }
            left -= bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { left.withLock { $0 += bytes } }
}
