/// The `attachment` line: a file that the service has its reports take along, or its bytes.
public struct AttachedFile: Sendable, Equatable {
    /// Name by which it is shown, `checkout.log`; one of a name is in a report.
    public var name: String
    /// Media type, `text/plain`; nil when it was not said.
    public var contentType: String?
    /// Where it is on the machine of the service; nil for bytes that were given.
    public var path: String?
    /// Its bytes; nil as long as it was not read, and when it could not be.
    public var data: [UInt8]?
    /// Bytes of the whole file, when `data` is only its end; nil when it is all.
    public var wholeSize: Int?
    /// Why it could not be read.
    public var problem: String?

    /// A file that is to be read, or one that was.
    public init(
        name: String,
        contentType: String? = nil,
        path: String? = nil,
        data: [UInt8]? = nil,
        wholeSize: Int? = nil,
        problem: String? = nil
    ) {
        self.name = name
        self.contentType = contentType
        self.path = path
        self.data = data
        self.wholeSize = wholeSize
        self.problem = problem
    }

    /// True when it has to be read yet.
    public var isPending: Bool { data == nil && problem == nil && path != nil }

    /// Bytes of `data` at most, so that its line is within those of the report format.
    public static let largestData = 512 << 10
}

extension AttachedFile {
    init(from reader: inout JSONReader) throws(JSONError) {
        var name: String?
        self.init(name: "")
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "name": name = try reader.string()
            case "content_type": contentType = try reader.string()
            case "path": path = try reader.string()
            case "data": data = try reader.base64()
            case "whole_size": wholeSize = try reader.count()
            case "problem": problem = try reader.string()
            default: try reader.skip()
            }
        }
        self.name = try reader.required(name, "name")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("name", name)
        writer.field("content_type", contentType)
        writer.field("path", path)
        writer.field("whole_size", wholeSize)
        writer.field("problem", problem)
        writer.field("data", data.map(Base64.encode))
    }
}

extension JSONReader {
    fileprivate mutating func base64() throws(JSONError) -> [UInt8] {
        skipSpace()
        let start = position
        guard let bytes = Base64.decode(try string()) else {
            throw JSONError(.mismatch, at: start, "expected base64 with padding")
        }
        return bytes
    }
}

extension [AttachedFile] {
    /// Adds a file; one of the same name is replaced by it.
    mutating func attach(_ file: AttachedFile) {
        if let index = firstIndex(where: { $0.name == file.name }) {
            self[index] = file
        } else {
            append(file)
        }
    }
}

extension Report {
    /// Adds a file; one of the same name is replaced by it.
    public mutating func attach(_ file: AttachedFile) { attachments.attach(file) }

    /// Lines to go behind those of a report's file, with the files' bytes: gzip, as another member of it.
    public static func attachmentLines(_ files: [AttachedFile]) -> [UInt8] {
        var writer = JSONWriter()
        for file in files { writer.line("attachment") { file.write(to: &$0) } }
        return Gzip.compress(writer.bytes)
    }
}
