import CrashReport

extension Report {
    /// The same for reports that seem to be of one issue, before anybody has looked up functions: of one kind, with the same signal,
    /// type of error or fingerprint, and the same innermost frames of the same builds. Of this process only.
    var alike: Int {
        var hasher = Hasher()
        hasher.combine(header.kind)
        if let fingerprint = ownFingerprint {
            hasher.combine(fingerprint)
            return hasher.finalize()
        }
        hasher.combine(crash?.signal.number)
        hasher.combine(error?.typeName)
        let frames = crashedThread?.frames.prefix(8) ?? []
        for frame in frames {
            // Where a library lies differs from process to process.
            let image = image(of: frame)
            hasher.combine(image?.buildID ?? image?.name)
            hasher.combine(image.map { frame.offset ?? frame.address &- $0.base } ?? 0)
        }
        if frames.isEmpty { hasher.combine(title.filter { !$0.isNumber }) }
        return hasher.finalize()
    }
}
