import Foundation
import Ingest
import Store

/// How services reach the collector: scheme, host and port.
struct BaseURL: Sendable {
    let text: String

    init(text: String) { self.text = text }

    /// Reads what was given with `--url`, another flag or a variable.
    init(_ given: String, _ arguments: Arguments, flag: String = "--url") throws(CommandError) {
        guard let parts = URLComponents(string: given), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil,
            (1...65_535).contains(parts.port ?? 1), ["", "/"].contains(parts.path), parts.query == nil,
            parts.fragment == nil
        else {
            throw arguments.usage("\(flag) \(given): expected http://HOST:PORT or https://HOST")
        }
        text = given.hasSuffix("/") ? String(given.dropLast()) : given
    }

    /// Where a server can be reached that listens there; the name of this host when it listens on all addresses.
    init(_ address: ListenAddress, isSecure: Bool) {
        var reached = address
        if ["0.0.0.0", "::"].contains(address.host) { reached.host = ProcessInfo.processInfo.hostName }
        text = "\(isSecure ? "https" : "http")://\(reached)"
    }

    /// `http://KEY@HOST:PORT/PROJECT`.
    func dsn(key: Secret, project: Int) -> String {
        text.replacing("://", with: "://\(key.text)@", maxReplacements: 1) + "/\(project)"
    }
}
