import CrashReport

/// How remarks lie in the store: `{"grouping": [text], "images": [{"index": 0, "text": text}], "warnings": [text]}`.
extension DigestRemarks {
    var json: String {
        let images = images.map {
            JSONValue.object(["index": .integer(Int64($0.index)), "text": .string($0.text)])
        }
        return JSONValue.object([
            "warnings": .array(warnings.map { .string($0) }), "grouping": .array(grouping.map { .string($0) }),
            "images": .array(images),
        ]).text
    }

    /// What is not there, or not as expected, is left out: a report is shown without remarks rather than not at all.
    init(json: String) {
        self.init()
        guard let value = try? JSONReader.parse(Array(json.utf8)) else { return }
        warnings = value["warnings"].texts
        grouping = value["grouping"].texts
        images = value["images"].elements.compactMap { image in
            guard case .integer(let index)? = image["index"], case .string(let text)? = image["text"] else {
                return nil
            }
            return Int(exactly: index).map { Image(index: $0, text: text) }
        }
    }
}

extension JSONValue? {
    fileprivate var elements: [JSONValue] {
        guard case .array(let elements)? = self else { return [] }
        return elements
    }

    fileprivate var texts: [String] {
        elements.compactMap { element in
            guard case .string(let text) = element else { return nil }
            return text
        }
    }
}
