import CrashReport
import Symbolication

/// How an outcome comes from the process that reads debug files: a line of JSON, and behind it the additions as they are stored.
extension DigestOutcome {
    var message: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("fingerprint", fingerprint)
        writer.texts("explanation", explanation)
        writer.field("title", title)
        writer.field("culprit", culprit)
        writer.texts("warnings", warnings)
        writer.key("tags")
        writer.beginObject()
        for (name, value) in tags { writer.field(name, value) }
        writer.endObject()
        writer.key("notes")
        writer.beginArray()
        for note in notes { note.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.bytes + additions
    }

    /// Nil for what is no such message.
    init?(message: [UInt8]) {
        guard let end = message.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        self.init(additions: Array(message[(end + 1)...]))
        do throws(JSONError) {
            try message[..<end].withUnsafeBufferPointer { bytes throws(JSONError) in
                var reader = try JSONReader(bytes)
                try read(&reader)
                try reader.end()
            }
        } catch {
            return nil
        }
        guard !fingerprint.isEmpty else { return nil }
    }

    private init(additions: [UInt8]) {
        (fingerprint, explanation, title, culprit) = ("", [], "", nil)
        (notes, warnings, tags) = ([], [], [:])
        self.additions = additions
    }

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        var found = self
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "fingerprint": found.fingerprint = try reader.string()
            case "explanation": found.explanation = try reader.texts()
            case "title": found.title = try reader.string()
            case "culprit": found.culprit = try reader.string()
            case "warnings": found.warnings = try reader.texts()
            case "tags":
                try reader.members { name, reader throws(JSONError) in found.tags[name.text] = try reader.string() }
            case "notes":
                try reader.elements { _, reader throws(JSONError) in
                    if let note = try ImageNote(from: &reader) { found.notes.append(note) }
                }
            default: try reader.skip()
            }
        }
        self = found
    }
}

extension ImageNote {
    fileprivate func write(to writer: inout JSONWriter) {
        let (word, detail) = reason.word
        writer.beginObject()
        writer.field("image", image)
        writer.field("path", path)
        writer.field("build_id", buildID)
        writer.field("reason", word)
        writer.field("detail", detail)
        writer.endObject()
    }

    /// Nil for a reason that is not known.
    fileprivate init?(from reader: inout JSONReader) throws(JSONError) {
        var note = ImageNote(image: 0, path: "", buildID: nil, reason: .stripped)
        var (word, detail) = ("", String?.none)
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "image": note.image = try reader.integer()
            case "path": note.path = try reader.string()
            case "build_id": note.buildID = try reader.string()
            case "reason": word = try reader.string()
            case "detail": detail = try reader.string()
            default: try reader.skip()
            }
        }
        guard let reason = Reason(word: word, detail: detail) else { return nil }
        note.reason = reason
        self = note
    }
}

extension ImageNote.Reason {
    fileprivate var word: (String, detail: String?) {
        switch self {
        case .noBuildID: ("no_build_id", nil)
        case .notFound(let error): ("not_found", error)
        case .otherBuild(let found): ("other_build", found)
        case .notAnObject: ("no_object", nil)
        case .noDebugInformation: ("no_debug_information", nil)
        case .stripped: ("stripped", nil)
        case .noLibrary(let problem): ("no_library", problem)
        case .damaged: ("damaged", nil)
        case .shared: ("shared", nil)
        case .compressed: ("compressed", nil)
        case .cut: ("cut", nil)
        case .leftOut(let harm): ("left_out", harm)
        }
    }

    fileprivate init?(word: String, detail: String?) {
        switch word {
        case "no_build_id": self = .noBuildID
        case "not_found": self = .notFound(detail ?? "")
        case "other_build": self = .otherBuild(detail)
        case "no_object": self = .notAnObject
        case "no_debug_information": self = .noDebugInformation
        case "stripped": self = .stripped
        case "no_library": self = .noLibrary(detail ?? "")
        case "damaged": self = .damaged
        case "shared": self = .shared
        case "compressed": self = .compressed
        case "cut": self = .cut
        case "left_out": self = .leftOut(detail ?? "")
        default: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func texts(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}

extension JSONReader {
    fileprivate mutating func texts() throws(JSONError) -> [String] {
        var texts: [String] = []
        try elements { _, reader throws(JSONError) in texts.append(try reader.string()) }
        return texts
    }
}
