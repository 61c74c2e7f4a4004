internal import CrashReport

/// What Swift's backtracer wrote of a crash (`SWIFT_BACKTRACE=format=json`), as far as it is used.
///
/// Format: "JSON Crash Logs" in `docs/Backtracing.rst` of Swift. The captured memory is left out: reports hold none.
struct BacktracerLog: Equatable {
    var time = ""
    var description = ""
    var faultAddress: UInt64 = 0
    var platform = ""
    var architecture = ""
    var threads: [Thread] = []
    /// Threads that it was told to leave out.
    var omittedThreads: Int?
    var images: [Image]?
    /// Seconds that the backtracer took.
    var duration: Double?

    struct Thread: Equatable {
        var name: String?
        var crashed = false
        var registers: [Register] = []
        var frames: [Frame] = []
    }

    struct Frame: Equatable {
        var kind: Kind
        /// Of all kinds but `omittedFrames` and `truncated`.
        var address: UInt64 = 0
        /// Of `omittedFrames`.
        var count: Int?
        var inlined = false
        /// As the linker knows it.
        var symbol: String?
        /// From the symbol to the address.
        var offset: Int?
        /// As people write it, with the offset.
        var description: String?
        /// Name of the image.
        var image: String?
        var location: Location?
    }

    enum Kind: String, CaseIterable {
        case programCounter, returnAddress, asyncResumePoint, omittedFrames, truncated
    }

    struct Location: Equatable {
        var file: String
        var line: Int
        var column: Int
    }

    struct Image: Equatable {
        var name: String?
        var buildID: String?
        var path: String?
        var base: UInt64
        var end: UInt64
    }

    /// Frames that are read: more have been left out by the backtracer unless it was told otherwise.
    static let maximumFrames = 100_000
}

extension BacktracerLog {
    /// Reads one, and nothing but one.
    init(_ bytes: [UInt8], maximumFrames: Int = maximumFrames) throws(BacktracerLogError) {
        do throws(JSONError) {
            self = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
                var reader = try JSONReader(buffer)
                let log = try BacktracerLog(from: &reader, maximumFrames)
                try reader.end()
                return log
            }
        } catch {
            throw BacktracerLogError(error)
        }
    }

    private init(from reader: inout JSONReader, _ maximumFrames: Int) throws(JSONError) {
        var time: String?
        var kind: String?
        var description: String?
        var faultAddress: UInt64?
        var platform: String?
        var architecture: String?
        var threads: [Thread]?
        var framesLeft = maximumFrames
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "timestamp": time = try reader.time()
            case "kind": kind = try reader.checked("\"crashReport\"") { $0 == "crashReport" }
            case "description": description = try reader.string()
            case "faultAddress": faultAddress = try reader.hex()
            case "platform": platform = try reader.string()
            case "architecture": architecture = try reader.string()
            case "threads":
                threads = try reader.list { reader throws(JSONError) in try Thread(from: &reader, &framesLeft) }
            case "omittedThreads": omittedThreads = try reader.count()
            case "images": images = try reader.list { reader throws(JSONError) in try Image(from: &reader) }
            case "backtraceTime": duration = try reader.seconds()
            default: try reader.skip()
            }
        }
        _ = try reader.required(kind, "kind")
        self.time = try reader.required(time, "timestamp")
        self.description = try reader.required(description, "description")
        self.faultAddress = try reader.required(faultAddress, "faultAddress")
        self.platform = try reader.required(platform, "platform")
        self.architecture = try reader.required(architecture, "architecture")
        self.threads = try reader.required(threads, "threads")
        guard self.threads.lazy.filter(\.crashed).count == 1 else {
            throw JSONError(.mismatch, at: 0, "expected one thread that crashed").inside("threads")
        }
    }
}

extension BacktracerLog.Thread {
    fileprivate init(from reader: inout JSONReader, _ framesLeft: inout Int) throws(JSONError) {
        var frames: [BacktracerLog.Frame]?
        var left = framesLeft
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "name": name = try reader.string()
            case "crashed": crashed = try reader.bool()
            case "registers":
                try reader.members { name, reader throws(JSONError) in
                    registers.append(Register(name: name.text, value: try reader.hex()))
                }
            case "frames":
                frames = try reader.list { reader throws(JSONError) in
                    left -= 1
                    guard left >= 0 else {
                        throw JSONError(.limit, at: 0, "too many frames: have the backtracer leave some out (limit=64)")
                    }
                    return try BacktracerLog.Frame(from: &reader)
                }
            default: try reader.skip()
            }
        }
        framesLeft = left
        self.frames = try reader.required(frames, "frames")
    }
}

extension BacktracerLog.Frame {
    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var kind: BacktracerLog.Kind?
        var address: UInt64?
        var frame = Self(kind: .truncated)
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "kind": kind = try reader.word()
            case "address": address = try reader.hex()
            case "count": frame.count = try reader.count()
            case "inlined": frame.inlined = try reader.bool()
            case "symbol": frame.symbol = try reader.string()
            case "offset": frame.offset = try reader.integer()
            case "description": frame.description = try reader.string()
            case "image": frame.image = try reader.string()
            case "sourceLocation": frame.location = try BacktracerLog.Location(from: &reader)
            default: try reader.skip()
            }
        }
        frame.kind = try reader.required(kind, "kind")
        if frame.hasAddress { frame.address = try reader.required(address, "address") }
        self = frame
    }

    /// True for a frame, false for what stands in place of some.
    var hasAddress: Bool { kind != .omittedFrames && kind != .truncated }
}

extension BacktracerLog.Location {
    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var file: String?
        var line: Int?
        var column: Int?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "file": file = try reader.string()
            case "line": line = try reader.count()
            case "column": column = try reader.count()
            default: try reader.skip()
            }
        }
        self.init(
            file: try reader.required(file, "file"),
            line: try reader.required(line, "line"),
            column: column ?? 0
        )
    }
}

extension BacktracerLog.Image {
    fileprivate init(from reader: inout JSONReader) throws(JSONError) {
        var image = Self(base: 0, end: 0)
        var base: UInt64?
        var end: UInt64?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "name": image.name = try reader.string()
            case "buildId": image.buildID = try reader.buildID().lowercased()
            case "path": image.path = try reader.string()
            case "baseAddress": base = try reader.hex()
            case "endOfText": end = try reader.hex()
            default: try reader.skip()
            }
        }
        image.base = try reader.required(base, "baseAddress")
        image.end = try reader.required(end, "endOfText")
        guard image.base <= image.end else {
            throw JSONError(.mismatch, at: 0, "expected an address behind baseAddress").inside("endOfText")
        }
        self = image
    }
}

extension JSONReader {
    /// A duration that is not negative.
    fileprivate mutating func seconds() throws(JSONError) -> Double {
        let value = try value()
        let seconds: Double? =
            switch value {
            case .integer(let whole): Double(whole)
            case .number(let number): number
            default: nil
            }
        guard let seconds, seconds >= 0 else { throw JSONError(.mismatch, at: 0, "expected a number of 0 or more") }
        return seconds
    }
}

/// Why something that begins as what Swift's backtracer writes is not that, and what to do about it.
public struct BacktracerLogError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Field and problem: `threads[0].frames[3].address: expected a hex string`.
    public let problem: String

    init(problem: String) { self.problem = problem }

    init(_ error: JSONError) { problem = "\(error)" }

    /// One line: problem, remedy. Safe on a terminal.
    public var description: String {
        "not what Swift's backtracer writes: \(problem); give it as `SWIFT_BACKTRACE=format=json` wrote it, whole"
    }
}
