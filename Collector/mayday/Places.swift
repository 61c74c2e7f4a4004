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
        if case .intake = spec.place, variables["MAYDAY_ADMIN_TOKEN"]?.isEmpty != false {
            throw usage(
                "\(name) needs the admin token of that collector in MAYDAY_ADMIN_TOKEN (`mayday projects rotate admin` there makes "
                    + "another): a reader's token brings no reports in"
            )
        }
        guard let (variable, token) = Self.tokenVariable(variables) else {
            throw usage(
                "\(name) needs a token of that collector in MAYDAY_READER_TOKEN, which `mayday projects rotate reader` makes, "
                    + "or in MAYDAY_ADMIN_TOKEN, which also decides about issues: its first start printed it"
            )
        }
        guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw usage("\(variable) is no token: it has blanks or line ends in it")
        }
        return .server(RemoteReader(url: base.text, token: token, tokenName: Self.said(variable, variables)))
    }

    /// The variable, and which other one was passed over for it.
    private static func said(_ variable: String, _ variables: [String: String]) -> String {
        let isAlone = variable != "MAYDAY_ADMIN_TOKEN" || variables["MAYDAY_READER_TOKEN"]?.isEmpty != false
        return isAlone ? variable : "\(variable), which goes before MAYDAY_READER_TOKEN"
    }

    /// The token that another collector is asked with, and its variable: the one that may do more.
    static func tokenVariable(_ variables: [String: String]) -> (name: String, token: String)? {
        ["MAYDAY_ADMIN_TOKEN", "MAYDAY_READER_TOKEN"]
            .compactMap { name in variables[name].flatMap { $0.isEmpty ? nil : (name, $0) } }.first
    }
}
