/// Delivers reports to a Mayday collector over HTTP.
///
/// libcurl (`libcurl.so.4`) is loaded when something is first sent; without it a report stays in the spool, and a line on
/// standard error says so. Proxies are used as libcurl does (`https_proxy`, `http_proxy`, `no_proxy`), but never on the
/// way to this machine itself. Redirects are not followed: they would take the key elsewhere.
public struct CollectorUploader: Sendable {
    /// `collector`, or what was given.
    public let name: String
    let dsn: DSN

    /// A collector by its DSN, `scheme://KEY@host[:port][/prefix]/PROJECT`, which the environment variable `MAYDAY_DSN`
    /// overrides.
    ///
    /// - Parameters:
    ///   - dsn: the DSN that `mayday serve` or `mayday projects` prints.
    ///   - name: another name for a second collector; only the first, `collector`, is overridden by the variable.
    /// - Throws: `DSNError`, which names the part that is wrong.
    public init(dsn: String, name: String = "collector") throws(DSNError) {
        self.name = name
        self.dsn = try DSN(dsn, variable: name == "collector" ? "MAYDAY_DSN" : nil)
    }
}
