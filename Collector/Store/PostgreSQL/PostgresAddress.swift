import CPQ

/// Where a PostgreSQL database is, as a URL of libpq: `postgres://USER@HOST:PORT/DATABASE?…`.
public struct PostgresAddress: Sendable, Equatable, CustomStringConvertible {
    /// As given; it may hold a password.
    let url: String
    /// Without a password and parameters.
    public let description: String

    /// Reads a URL; nil when libpq would not take it, or it names no database.
    public init?(_ url: String) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"),
            let options = PQconninfoParse(url, nil)
        else { return nil }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val { given[String(cString: name)] = String(cString: value) }
            option += 1
        }
        guard let database = given["dbname"] else { return nil }
        let user = given["user"].map { "\($0)@" } ?? ""
        let port = given["port"].map { ":\($0)" } ?? ""
        self.url = url
        description = "postgres://\(user)\(given["host"] ?? "")\(port)/\(database)"
    }
}
