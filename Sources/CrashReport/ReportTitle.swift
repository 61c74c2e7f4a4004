extension Report {
    /// Headline: the message of the crash, else its signal; type and text of a handled error. One line or several, as it was written.
    public var title: String {
        if let crash {
            if let message = crash.message, !message.isEmpty { return message }
            return crash.signal.label
        }
        if let message { return message }
        if let error { return "\(error.typeName): \(error.text)" }
        return header.kind == .crash ? "A crash whose signal was not written" : header.kind.description
    }

    /// The image that a frame is in; nil when it is in none, or when the file was cut before its line.
    public func image(of frame: Frame) -> Image? {
        guard let index = frame.image, images.indices.contains(index) else { return nil }
        return images[index]
    }
}

extension CrashSignal {
    /// `SIGSEGV (SEGV_MAPERR)`.
    public var label: String { codeName.map { "\(name) (\($0))" } ?? name }
}

extension TaskFacts {
    /// `task 12 "checkout"`, as one line of text.
    public var label: String { "task \(id)" + (name.map { " \"\($0.madeVisible())\"" } ?? "") }
}

extension FrameSymbol {
    /// `Cart.swift:41`, with the file's name only; nil when the file is not known.
    public var place: String? {
        guard let file else { return nil }
        return file.lastPathComponent + (line.map { ":\($0)" } ?? "")
    }

    /// `Cart.total(of:) (Cart.swift:41)`.
    public var label: String { place.map { "\(function) (\($0))" } ?? function }
}

extension Image {
    /// The file's name without its directories.
    public var name: String { path.lastPathComponent }
}

extension String {
    /// What comes after the last slash.
    package var lastPathComponent: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        let name = self[index(after: slash)...]
        return name.isEmpty ? self : String(name)
    }
}
