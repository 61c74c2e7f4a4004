internal import CrashReport

/// A value of the configuration, or of an environment variable that overrides it, that cannot be used.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where the value was given: `MAYDAY_SPOOL`, or `MaydayConfiguration.spool`.
    public let setting: String
    /// The value, as it was given.
    public let value: String
    /// What is wrong with it and what to write instead.
    public let remedy: String

    /// An error about a setting, for an adapter's own settings too.
    public init(setting: String, value: String, remedy: String) {
        self.setting = setting
        self.value = value
        self.remedy = remedy
    }

    /// The setting, its value and the remedy in one line.
    public var description: String { "\(setting) is \"\(value.madeVisible(limit: 200))\": \(remedy)" }
}

/// Why `Mayday.start` did not start. Only mistakes of the program or its deployment; what the machine cannot give
/// (a spool, a library) is a warning on standard error, and the service runs.
public enum StartError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A value of the configuration or of the environment cannot be used.
    case configuration(ConfigurationError)
    /// `start` was called before in this process; that first call stays in force.
    case alreadyStarted
    /// There is no uploader, or one whose `name` is empty, or two have the same: reports would be lost, or go to one of them only.
    case uploaders(problem: String)

    /// One line that says what to do.
    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .alreadyStarted: "Mayday.start was called before: call it once, as the first line of main"
        case .uploaders(let problem): problem
        }
    }

    @usableFromInline
    static func check(_ name: String) throws(StartError) {
        guard !name.isEmpty else { throw .uploaders(problem: "an uploader's name is empty: give it a stable one") }
    }

    static func check(_ uploaders: [any ReportUploader]) throws(StartError) {
        guard !uploaders.isEmpty else {
            throw .uploaders(problem: "there is no uploader: give one, or set enabled to false")
        }
        // They are few, and at the first line of `main` a set would take longer than all of `start`.
        for (index, uploader) in uploaders.enumerated() {
            let name = uploader.name
            try check(name)
            guard !uploaders[..<index].contains(where: { $0.name == name }) else {
                let name = name.madeVisible(limit: 100)
                throw .uploaders(problem: "two uploaders have the name \"\(name)\": give one of them another name")
            }
        }
    }
}
