import CCrypto
import Foundation

/// SHA-256 of a file, as the header `Repr-Digest` (RFC 9530) has it.
public struct FileDigest: Sendable, Equatable {
    /// The 32 bytes.
    let bytes: [UInt8]

    /// Reads a whole file; nil when it cannot be read.
    public init?(of path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let context = EVP_MD_CTX_new() else { return nil }
        defer {
            close(descriptor)
            EVP_MD_CTX_free(context)
        }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            guard EVP_DigestUpdate(context, buffer, count) == 1 else { return nil }
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return nil }
        bytes = digest
    }

    /// Reads `sha-256=:BASE64:`, alone or in a list; nil when there is none.
    public init?(header: String) {
        for entry in header.split(separator: ",") {
            let text = entry.trimmingPrefix(while: { $0 == " " })
            let name = "sha-256=:"
            guard text.lowercased().hasPrefix(name), text.hasSuffix(":"),
                let data = Data(base64Encoded: String(text.dropFirst(name.count).dropLast())), data.count == 32
            else { continue }
            bytes = [UInt8](data)
            return
        }
        return nil
    }

    /// As it stands in the header.
    public var header: String { "sha-256=:\(Data(bytes).base64EncodedString()):" }

    /// As it stands in the name of a file.
    var hex: String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
