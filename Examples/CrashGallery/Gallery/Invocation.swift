/// What the command line asks for.
enum Invocation {
    case list
    case crash(CrashKind, Stage)
    case wrong(String)

    /// Reads `list` or `KIND [--thread main|thread|dispatch|task]`.
    init(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        switch arguments.count {
        case 1 where arguments[0] == "list":
            self = .list
        case 1, 3:
            self = Self.crash(named: arguments[0], options: arguments.dropFirst())
        default:
            self = .wrong("usage: CrashGallery list | KIND [--thread main|thread|dispatch|task]")
        }
    }

    private static func crash(named name: String, options: ArraySlice<String>) -> Invocation {
        guard let kind = gallery.first(where: { $0.name == name }) else {
            return .wrong("no kind \(name); `CrashGallery list` names them all")
        }
        guard let option = options.first, let value = options.last else {
            return .crash(kind, kind.stages[0])
        }
        guard option == "--thread", let stage = Stage(rawValue: value), kind.stages.contains(stage) else {
            let stages = kind.stages.map(\.rawValue).joined(separator: "|")
            return .wrong("\(option) \(value): \(name) takes --thread \(stages)")
        }
        return .crash(kind, stage)
    }
}
