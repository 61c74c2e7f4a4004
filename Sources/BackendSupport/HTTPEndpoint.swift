package import Mayday

/// Where an adapter posts to, `http[s]://host[:port][/path][?query]`.
package struct HTTPEndpoint: Sendable, Equatable {
    /// The address, as it was given.
    package let url: String
    /// Host and port, for people: path and query of a webhook are its key.
    package let authority: String
    /// True when the host is this machine; the way there never leads through a proxy.
    package let isLoopback: Bool

    /// The address in an environment variable, or `text` when there is none.
    ///
    /// - Throws: `ConfigurationError` that names the setting, and shows nothing of an address that may hold a key.
    package init(
        _ text: String,
        setting: String,
        variable: String?,
        example: String,
        environment: (String) -> String? = environmentVariable
    ) throws(ConfigurationError) {
        var (text, setting) = (text, setting)
        if let variable, let override = environment(variable), !override.isEmpty {
            (text, setting) = (override, variable)
        }
        let remedy = "write an address like \(example)"
        let error = ConfigurationError(setting: setting, value: "(not shown, it may hold a key)", remedy: remedy)
        let bytes = Array(text.utf8)
        let scheme = ["https://", "http://"].first { bytes.starts(with: $0.utf8) }
        guard let scheme, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw error }
        let rest = bytes[scheme.utf8.count...]
        let authority = rest.prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        // Ports, names and addresses are checked by the parser of DSNs; user and password belong into a header.
        guard !authority.contains(UInt8(ascii: "@")),
            let dsn = try? DSN("\(scheme)key@\(String(decoding: authority, as: UTF8.self))/1", variable: nil)
        else { throw error }
        url = text
        self.authority = dsn.authority
        isLoopback = dsn.isLoopback
    }
}
