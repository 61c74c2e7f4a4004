import Glibc

extension Collection<UInt8> {
    /// Where these bytes are first; nil when they are not there. A search by characters would be a tenth of a report's digestion.
    func firstIndex(of text: StaticString) -> Index? {
        let found = withContiguousStorageIfAvailable { $0.firstOffset(of: text) }
        // Text that is not in memory as it is read.
        let offset = found ?? Array(self).withUnsafeBufferPointer { $0.firstOffset(of: text) }
        return offset.map { index(startIndex, offsetBy: $0) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func firstOffset(of text: StaticString) -> Int? {
        guard let baseAddress, count >= text.utf8CodeUnitCount else { return nil }
        var offset = 0
        let last = count - text.utf8CodeUnitCount
        let first = Int32(text.utf8Start.pointee)
        while offset <= last, let found = memchr(baseAddress + offset, first, last - offset + 1) {
            offset = UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
            if memcmp(baseAddress + offset, text.utf8Start, text.utf8CodeUnitCount) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
