internal import CrashReport

/// A value of the configuration, or of an environment variable that overrides it, that cannot be used.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where the value was given: `MAYDAY_SPOOL`, or `MaydayConfiguration.spool`.
    public let setting: String
    /// The value, as it was given.
    public let value: String
    /// What is wrong with it and what to write instead.
    public let remedy: String

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

    /// One line that says what to do.
    public var description: String {
        switch self {
        case .configuration(let error): error.description
        case .alreadyStarted: "Mayday.start was called before: call it once, as the first line of main"
        }
    }
}
