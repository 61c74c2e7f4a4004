import Foundation
import Query
import Remote
import Store

/// Where a command reads: the store of this machine, its database, or another collector.
enum Place {
    /// With where it is, for what is only known on its machine.
    case store(any Store, StoreLocation)
    case server(RemoteReader)

    /// Calls `body` with what reads there.
    func reading<Value>(_ body: (any Reader) throws(QueryError) -> Value) throws(CommandError) -> Value {
        try CommandError.querying { () throws(QueryError) in try body(reader) }
    }

    /// What reads there.
    var reader: any Reader {
        switch self {
        case .store(let store, _): StoreReader(store)
        case .server(let reader): reader
        }
    }
}

extension Arguments {
    /// Opens what the flags name, else the variables.
    func place() throws(CommandError) -> Place {
        let variables = ProcessInfo.processInfo.environment
        if has("--server"), has("--data") || has("--store") {
            throw usage("--server is another collector than --data or --store: give one of them")
        }
        guard let url = value("--server") ?? serverVariable else { return .store(try openStore(), try location()) }
        let name = has("--server") ? "--server" : "MAYDAY_SERVER"
        let base = try BaseURL(url, self, flag: name)
        guard let token = variables["MAYDAY_ADMIN_TOKEN"], !token.isEmpty else {
            throw usage(
                "\(name) needs the token of that collector in MAYDAY_ADMIN_TOKEN: its first start printed it, and "
                    + "`mayday projects rotate admin` makes another"
            )
        }
        guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw usage("MAYDAY_ADMIN_TOKEN is no token: it has blanks or line ends in it")
        }
        return .server(RemoteReader(url: base.text, token: token))
    }
}
