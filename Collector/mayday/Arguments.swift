import Foundation
import Store
import SymbolStore

/// The arguments of one command, checked against its spec.
struct Arguments: Sendable {
    let spec: CommandSpec
    /// What stood after the flags.
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]

    /// Reads `--flag`, `--flag VALUE` and `--flag=VALUE`; after `--` all are operands.
    init(_ arguments: some Sequence<String>, for spec: CommandSpec) throws(CommandError) {
        self.spec = spec
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0] == "-h" ? "--help" : String(parts[0])
            guard let option = spec.allOptions.first(where: { $0.name == name }) else {
                if name == "--server", case .store = spec.place {
                    throw usage(
                        "--server: `mayday \(spec.name)` works on the store of its own machine only: run it where the collector is"
                    )
                }
                let known = spec.allOptions.map(\.name).joined(separator: ", ")
                throw usage("unknown flag \(name): it takes \(known)")
            }
            if values[name] != nil { throw usage("\(name) is given twice: give it once") }
            guard let valueName = option.value else {
                if parts.count > 1 { throw usage("\(name) takes no value: write it without =") }
                values[name] = ""
                continue
            }
            guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
                throw usage("\(name) needs a value: \(name) \(valueName)")
            }
            values[name] = value
        }
        if has("--help") { return }
        if operands.count < spec.operandCount.lowerBound { throw usage("\(spec.operands) is missing") }
        if operands.count > spec.operandCount.upperBound {
            let what = spec.operands.isEmpty ? "it takes flags only" : "it takes \(spec.operands)"
            throw usage("too many arguments, from \"\(operands[spec.operandCount.upperBound])\" on: \(what)")
        }
    }

    /// How many flags were given.
    var flagCount: Int { values.count }

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(_ name: String) -> String? { values[name] }

    /// A whole number from 1.
    func number(_ name: String, upTo limit: Int = .max) throws(CommandError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), (1...limit).contains(number) else {
            let range = limit == .max ? "a whole number from 1" : "a whole number from 1 to \(limit)"
            throw usage("\(name) \(text): expected \(range)")
        }
        return number
    }

    /// A time from a second on, as microseconds: `90m`, `12h`, `7d`.
    func duration(_ name: String) throws(CommandError) -> Int64? {
        guard let text = values[name] else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (1...1_000_000).contains(number)
        else {
            throw usage("\(name) \(text): expected a whole number and s, m, h or d, such as 7d")
        }
        return number * unit * 1_000_000
    }

    /// A number of bytes from `1M` on: `500M`, `20G`, with units of 1,024.
    func bytes(_ name: String) throws(CommandError) -> Int? {
        guard let text = values[name] else { return nil }
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Int(unit == nil ? text[...] : text.dropLast()),
            (1...(1 << 20)).contains(number) || unit == nil,
            number > 0
        else {
            throw usage("\(name) \(text): expected a whole number, with K, M, G or T behind it")
        }
        let bytes = number * (unit ?? 1)
        guard bytes >= 1 << 20 else {
            throw usage(
                "\(name) \(text): less than 1M holds hardly a report: write M, G or T behind the number, such as 20G"
            )
        }
        return bytes
    }

    /// How many to list.
    func limit() throws(CommandError) -> Int { try number("--limit", upTo: 100_000) ?? 50 }

    /// Where the store is: what the flags say, else the variables, else `./mayday-data`.
    func location() throws(CommandError) -> StoreLocation {
        func variable(_ name: String) -> String? {
            ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        switch (value("--data"), value("--store")) {
        case (_?, _?): throw usage("--data and --store name two stores: give one of them")
        case (let path?, nil): return .directory(DataDirectory(path))
        case (nil, let url?): return try database(url, givenBy: "--store")
        case (nil, nil):
            if let url = variable("MAYDAY_STORE") { return try database(url, givenBy: "MAYDAY_STORE") }
            return .directory(DataDirectory(variable("MAYDAY_DATA") ?? "./mayday-data"))
        }
    }

    /// Where debug files are kept: what `MAYDAY_SYMBOLS` says, else in the directory of the store.
    func symbols() throws(CommandError) -> SymbolStore {
        let variables = ProcessInfo.processInfo.environment
        if let path = variables["MAYDAY_SYMBOLS"], !path.isEmpty { return SymbolStore(path) }
        if case .directory(let directory) = try location() { return SymbolStore(directory.symbols) }
        let data = variables["MAYDAY_DATA"].flatMap { $0.isEmpty ? nil : $0 } ?? "./mayday-data"
        return SymbolStore(DataDirectory(data).symbols)
    }

    /// The URL is not repeated: it may hold a password.
    private func database(_ url: String, givenBy name: String) throws(CommandError) -> StoreLocation {
        guard let address = PostgresAddress(url) else {
            throw usage("\(name): expected postgres://USER@HOST:PORT/DATABASE, as libpq takes it")
        }
        return .database(address)
    }

    /// The collector that MAYDAY_SERVER names; nil where a flag names a store of this machine.
    var serverVariable: String? {
        guard !has("--data"), !has("--store") else { return nil }
        return ProcessInfo.processInfo.environment["MAYDAY_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Opens the store that is there. Whoever has named another collector did not mean it.
    func openStore() throws(CommandError) -> any Store {
        if serverVariable != nil, !has("--server") {
            let words = spec.operandWords.isEmpty ? [] : operands.prefix(1)
            let command = ([spec.name] + words).joined(separator: " ")
            throw usage(
                "MAYDAY_SERVER names another collector, and `mayday \(command)` works on the store of its own machine only: "
                    + "run it there, or name a store here with --data DIR or --store URL"
            )
        }
        let location = try location()
        return try CommandError.wrapping { () throws(StoreError) in try location.open() }
    }

    /// A wrong command line, with where to read more.
    func usage(_ text: String) -> CommandError {
        .usage("\(text); see `mayday \(spec.name) --help`")
    }
}
