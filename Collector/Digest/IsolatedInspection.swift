import Foundation
public import Symbolication

/// Looks at a file that came from elsewhere, in a process of its own.
public enum IsolatedInspection {
    /// What a file says of itself, which may be packed; nil when it is no ELF file.
    ///
    /// - Parameter arguments: make this program call `DigestService.run`.
    public static func facts(
        of path: String,
        arguments: [String],
        limits: WorkerLimits = WorkerLimits()
    ) throws(IsolationError) -> DebugFileFacts? {
        do throws(WorkerEnd) {
            let worker = try WorkerProcess("/proc/self/exe", arguments)
            try worker.send(.inspect(Array(path.utf8)))
            guard case .inspected(let json) = try worker.receive(before: .now + limits.time) else {
                throw WorkerEnd(reason: "answered in a way that is not understood")
            }
            return try? JSONDecoder().decode(DebugFileFacts?.self, from: Data(json))
        } catch {
            throw .ended(error.reason)
        }
    }
}
