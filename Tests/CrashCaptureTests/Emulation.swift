#if os(Linux)

    import CrashReport
    import Foundation
    import Testing

    /// The same tests on another machine: `scripts/test-aarch64` has the child run by qemu-user.
    enum Emulation {
        /// A script that runs the child in the emulator.
        static let child = variable("MAYDAY_EMULATED_CHILD")
        /// The child's executable.
        static let executable = variable("MAYDAY_EMULATED_EXECUTABLE")
        /// Where the libraries of that machine are.
        static let root = variable("MAYDAY_EMULATED_ROOT")

        /// True when the child runs in an emulator.
        static var isOn: Bool { child != nil }

        /// True when the child runs on aarch64, real or not.
        static var isAarch64: Bool {
            #if arch(arm64)
                true
            #else
                isOn
            #endif
        }

        /// Unwinding takes 50 times as long in an emulator: it gets the time.
        static let options = isOn ? ["--capture-deadline", "60000"] : []

        /// The emulator has a thread of its own in the process, which answers no signal.
        static func isOfTheEmulator(_ thread: ThreadStack) -> Bool {
            isOn && thread.name?.hasPrefix("qemu-") == true && thread.truncated == "unreadable"
        }

        private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips what an emulator cannot show.
        static func notEmulated(_ reason: Comment) -> Self { .disabled(if: Emulation.isOn, reason) }
        /// The emulator cannot run the child a second time, as the reporter.
        static var needsReporter: Self {
            .notEmulated(
                "qemu-user has no clone without an exit signal, and cannot execute the child again as the reporter"
            )
        }
    }

#endif
