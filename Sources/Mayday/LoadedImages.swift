internal import CrashCapture
internal import CrashReport

/// What is loaded now.
enum LoadedImages {
    private final class Collection {
        var images: [Image] = []
    }

    /// The executable first.
    static func current() -> [Image] {
        let collection = Collection()
        mayday_inspect_images(
            { context, object in
                guard let context, let object = object?.pointee, let path = object.path, object.size > 0 else { return }
                let id = UnsafeBufferPointer(
                    start: object.build_id,
                    count: object.build_id == nil ? 0 : object.build_id_length
                )
                let name = String(cString: path)
                Unmanaged<Collection>.fromOpaque(context).takeUnretainedValue().images.append(
                    Image(
                        path: name.isEmpty ? executablePath() ?? "" : name,
                        base: UInt64(object.base),
                        size: UInt64(object.size),
                        buildID: id.isEmpty ? nil : hexText(id)
                    )
                )
            },
            Unmanaged.passUnretained(collection).toOpaque()
        )
        return collection.images
    }
}

/// Lower-case hex, two digits a byte.
private func hexText(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
