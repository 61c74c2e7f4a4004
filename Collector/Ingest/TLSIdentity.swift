internal import CCrypto
import Foundation

/// The certificate that a server shows, with the certificates above it, and its key.
public struct TLSIdentity: Sendable {
    /// PEM, the server's own first.
    let certificates: String
    /// PEM.
    let key: String

    /// Reads and checks what belongs together.
    public init(certificateFile: String, keyFile: String) throws(TLSError) {
        certificates = try Self.text(of: certificateFile, "--tls-certificate")
        key = try Self.text(of: keyFile, "--tls-key")
        guard let certificate = Self.parse(certificates, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
            throw TLSError("--tls-certificate \(certificateFile): no certificate in PEM, -----BEGIN CERTIFICATE-----")
        }
        defer { X509_free(certificate) }
        // An empty password, so that nobody is asked for one.
        let parsed = "".withCString { empty in
            Self.parse(key) { PEM_read_bio_PrivateKey($0, nil, nil, UnsafeMutableRawPointer(mutating: empty)) }
        }
        guard let parsed else {
            throw TLSError("--tls-key \(keyFile): no private key in PEM, or one with a password; give it without")
        }
        defer { EVP_PKEY_free(parsed) }
        guard X509_check_private_key(certificate, parsed) == 1 else {
            ERR_clear_error()
            throw TLSError("--tls-key \(keyFile) is not the key of the first certificate in \(certificateFile)")
        }
        guard X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
            throw TLSError("--tls-certificate \(certificateFile): it has expired; get a new one")
        }
    }

    private static func text(of path: String, _ flag: String) throws(TLSError) -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            let reason = access(path, R_OK) == 0 ? "it is no file" : String(cString: strerror(errno))
            throw TLSError("\(flag) \(path): \(reason); give a file in PEM that this user may read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func parse(_ pem: String, _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        pem.withCString { text in
            guard let source = BIO_new_mem_buf(text, -1) else { return nil }
            defer { BIO_free(source) }
            let found = read(source)
            if found == nil { ERR_clear_error() }
            return found
        }
    }
}

/// A certificate or its key cannot be used.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, with the flag, and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
