#if os(Linux)

    import Foundation
    import Synchronization

    /// Collects what a child writes and sees its end, on threads of its own.
    ///
    /// The end is the child's own: a descendant that lives on and holds the pipes is not waited for.
    final class Watch: Sendable {
        private struct State {
            var output: [UInt8] = []
            var errors: [UInt8] = []
            var outcome: ChildProcess.Outcome?
            var waiters: [@Sendable (borrowing State) -> Bool] = []
            /// False once the pid was reaped, after which it may belong to somebody else.
            var isAlive = true
        }

        private let pid: pid_t
        private let state = Mutex(State())

        init(pid: pid_t, output: Int32, errors: Int32, limit: Duration) throws {
            self.pid = pid
            let deadline = ContinuousClock.now.advanced(by: limit)
            let ending = try Pipe()
            Thread.detachNewThread {
                var info = siginfo_t()
                // Seen here, reaped by the other thread, so that the pid stays the child's until all is read.
                while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                var byte: UInt8 = 0
                _ = write(ending.write, &byte, 1)
            }
            Thread.detachNewThread { [self] in
                watch(output: output, errors: errors, ending: ending.read, deadline: deadline)
                for file in [output, errors, ending.read, ending.write] { close(file) }
            }
        }

        func kill(_ signal: Int32) {
            state.withLock { if $0.isAlive { _ = Foundation.kill(pid, signal) } }
        }

        func outcome() async -> ChildProcess.Outcome {
            await when { $0.outcome }
        }

        func line(containing text: String, number: Int, in stream: ChildProcess.Stream) async -> String? {
            await when { state -> String?? in
                let text = String(decoding: stream == .output ? state.output : state.errors, as: UTF8.self).split(
                    separator: "\n",
                    omittingEmptySubsequences: false
                )
                .dropLast().filter { $0.contains(text) }
                if text.count >= number { return String(text[number - 1]) }
                return state.outcome == nil ? nil : .some(nil)
            }
        }

        /// Waits until `find` gives something; it is asked after each change.
        private func when<Value: Sendable>(_ find: @escaping @Sendable (borrowing State) -> Value?) async -> Value {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if let value = find(state) {
                        continuation.resume(returning: value)
                    } else {
                        state.waiters.append { state in
                            guard let value = find(state) else { return false }
                            continuation.resume(returning: value)
                            return true
                        }
                    }
                }
            }
        }

        private func watch(output: Int32, errors: Int32, ending: Int32, deadline: ContinuousClock.Instant) {
            var isOverdue = false
            var open: [Int32: WritableKeyPath<State, [UInt8]>] = [output: \.output, errors: \.errors]
            while true {
                var polled = (Array(open.keys) + [ending]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
                _ = poll(&polled, nfds_t(polled.count), isOverdue ? -1 : Int32(max(0, min(left, 1e9).rounded(.up))))
                for (file, part) in open where drain(file, into: part) { open[file] = nil }
                if polled.last?.revents != 0 { break }
                if !isOverdue, deadline <= .now {
                    isOverdue = true
                    kill(SIGKILL)
                }
            }
            // What the child itself wrote is in the pipes by now.
            for (file, part) in open { _ = drain(file, into: part) }
            update { state in
                var status: Int32 = 0
                waitpid(pid, &status, 0)
                state.isAlive = false
                state.outcome = outcome(status, isOverdue: isOverdue, state)
            }
        }

        private func outcome(_ status: Int32, isOverdue: Bool, _ state: borrowing State) -> ChildProcess.Outcome {
            let signal = status & 0x7f
            return ChildProcess.Outcome(
                status: isOverdue ? .timedOut : signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal),
                dumpedCore: signal != 0 && status & 0x80 != 0,
                output: String(decoding: state.output, as: UTF8.self),
                errors: String(decoding: state.errors, as: UTF8.self)
            )
        }

        /// Reads what is there; true at the end of the file.
        private func drain(_ file: Int32, into part: WritableKeyPath<State, [UInt8]>) -> Bool {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(file, &buffer, buffer.count)
                guard count > 0 else { return count == 0 }
                update { $0[keyPath: part] += buffer[..<count] }
            }
        }

        private func update(_ change: (inout State) -> Void) {
            state.withLock { state in
                change(&state)
                let waiters = state.waiters
                state.waiters = []
                for waiter in waiters where !waiter(state) { state.waiters.append(waiter) }
            }
        }
    }

#endif
