internal import CZlib
import Glibc

/// A file of a symbol store, unpacked into one that has no name and is gone with its descriptor.
public enum UnpackedFile {
    /// What a packed file may unpack to: a gigabyte of debug information is a large service.
    static let limit = 4 << 30

    /// Descriptor of the unpacked file; nil when there is no such file, or no room for it. One that is cut is unpacked as far as it goes.
    ///
    /// - Parameter isStrict: a packing that is damaged or cut is no file.
    static func open(_ path: String, isStrict: Bool = false) -> Int32? {
        let packed = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard packed >= 0 else { return nil }
        guard let input = gzdopen(packed, "rb") else {
            close(packed)
            return nil
        }
        defer { gzclose_r(input) }
        gzbuffer(input, 256 << 10)
        guard let output = temporary() else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var total = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { gzread(input, $0.baseAddress, UInt32($0.count)) }
            guard count > 0 else {
                // At the end of a file that is cut, reading fails or says so only when it is closed.
                var code: Int32 = 0
                gzerror(input, &code)
                guard isStrict, count < 0 || code != Z_OK || gzdirect(input) != 0 else { return output }
                close(output)
                return nil
            }
            total += Int(count)
            guard total <= limit, write(buffer[..<Int(count)], to: output) else {
                close(output)
                return nil
            }
        }
    }

    /// True for gzip; nil when there is no such file.
    public static func isPacked(_ path: String) -> Bool? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var start: [UInt8] = [0, 0]
        return read(descriptor, &start, 2) == 2 && start == [0x1f, 0x8b]
    }

    private static func temporary() -> Int32? {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(directory)/mayday-symbols-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return nil }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
