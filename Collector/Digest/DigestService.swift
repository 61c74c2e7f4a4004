import CrashReport
import Foundation
import Grouping
public import Symbolication

/// The process that reads debug files: digests what it is sent, until there is nothing more.
///
/// Debug files come from outside. What they do to libdw, to the demanglers or to memory they do here, within limits; the
/// collector starts another one.
public struct DigestService {
    private let input: Int32
    private let output: Int32
    private let progress: Int32
    private let limits: WorkerLimits

    /// Descriptor at which the image is noted that is being worked on: a file of the collector.
    static let progressDescriptor: Int32 = 3

    /// A service on standard input and output.
    public init(limits: WorkerLimits) {
        self.init(input: STDIN_FILENO, output: STDOUT_FILENO, progress: Self.progressDescriptor, limits: limits)
    }

    init(input: Int32, output: Int32, progress: Int32, limits: WorkerLimits) {
        self.input = input
        self.output = output
        self.progress = progress
        self.limits = limits
    }

    /// Serves until the other end is closed.
    public func run(_ symbolicator: Symbolicator) {
        closeInherited()
        limits.apply()
        let digester = Digester(symbolicator: symbolicator)
        let written = StackLines()
        let progress = ProgressNote(progress)
        symbolicator.onUse = progress.note
        while let message = read() {
            switch message {
            case .leftOut(let json):
                symbolicator.leftOut = (try? JSONDecoder().decode([String: String].self, from: Data(json))) ?? [:]
            case .report(let gzip):
                limits.applyForReport()
                guard write(answer(gzip, digester, written)) else { return }
                progress.note(-1)
            case .group(let gzip):
                limits.applyForReport()
                guard write(group(gzip, digester)) else { return }
            case .inspect(let path):
                limits.applyForReport()
                let facts = DebugFileFacts(upload: String(decoding: path, as: UTF8.self))
                guard write(.inspected((try? [UInt8](JSONEncoder().encode(facts))) ?? [])) else { return }
            case .digested, .inspected, .failed:
                return
            }
        }
    }

    /// Connections and files of the collector that came along are nobody's here.
    private func closeInherited() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            guard let descriptor = Int32(name), descriptor > max(STDERR_FILENO, progress) else { continue }
            close(descriptor)
        }
    }

    private func answer(_ gzip: [UInt8], _ digester: Digester, _ written: StackLines) -> WorkerMessage {
        do throws(ReportDecodingError) {
            let decoded = try Report.decode(gzip: gzip)
            return .digested(DigestOutcome(digester.digest(decoded.report), of: decoded, written: written).message)
        } catch {
            return .failed(Array("\(error)".utf8))
        }
    }

    private func group(_ gzip: [UInt8], _ digester: Digester) -> WorkerMessage {
        do throws(ReportDecodingError) {
            let decoded = try Report.decode(gzip: gzip, limits: .symbolicated)
            return .digested(DigestOutcome(digester.group(decoded.report), of: decoded).message)
        } catch {
            return .failed(Array("\(error)".utf8))
        }
    }

    private func read() -> WorkerMessage? {
        guard let header = read(WorkerMessage.headerLength), let length = WorkerMessage.length(header),
            let payload = read(length)
        else { return nil }
        return WorkerMessage(header: header, payload: payload)
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                Foundation.read(input, $0.baseAddress?.advanced(by: done), count - done)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    private func write(_ message: WorkerMessage) -> Bool {
        var rest = message.bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Where it is noted which image is being worked on: memory that is a file of the collector, and so is read whatever happens to this
/// process next. A call for each frame of another image would take a tenth of a digestion.
private struct ProgressNote {
    /// Nil when there is no such file.
    private let memory: UnsafeMutablePointer<Int32>?

    init(_ descriptor: Int32) {
        var facts = stat()
        let size = MemoryLayout<Int32>.size
        guard fstat(descriptor, &facts) == 0, facts.st_size >= size else {
            memory = nil
            return
        }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        memory = mapped == MAP_FAILED ? nil : mapped?.bindMemory(to: Int32.self, capacity: 1)
    }

    func note(_ image: Int) { memory?.pointee = Int32(clamping: image) }
}
