#if os(Linux)
    import Foundation
    import Synchronization

    /// A pseudo-terminal for children: nobody types, and what they write can be looked at.
    public final class Terminal: Sendable {
        /// The children's side, for `ChildProcess`.
        public let descriptor: Int32
        private let own: Int32
        private let text = Mutex([UInt8]())

        /// A terminal of 80 columns that no child inherits unasked.
        public init() throws {
            own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
            // What posix_openpt, unlockpt and ptsname do, of which Swift sees none: TIOCSPTLCK, TIOCGPTPEER.
            var isLocked: Int32 = 0
            guard own >= 0, ioctl(own, 0x4004_5431, &isLocked) == 0 else {
                throw SystemError(call: "open of /dev/ptmx", code: errno)
            }
            descriptor = ioctl(own, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError(call: "open of a terminal", code: errno) }
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
        }

        deinit {
            close(descriptor)
            close(own)
        }

        /// All that was written so far.
        public var output: String {
            text.withLock { text in
                var piece = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(own, &piece, piece.count)
                    guard count > 0 else { return String(decoding: text, as: UTF8.self) }
                    text += piece[..<count]
                }
            }
        }
    }
#endif
