/// The configuration after its defaults and the environment's overrides: what `start` acts on.
struct ResolvedConfiguration: Sendable, Equatable {
    var release: String?
    var environment: String?
    var service: String
    /// Where the spool may be; the first that can be used is.
    var spoolCandidates: [SpoolCandidate]
    var deliveryDeadline: Duration
    var enabled: Bool
    /// What `start` prints about itself; for operators, by the environment alone.
    var selfCheck: StartCheck = .none
}

/// What `MAYDAY_SELF_CHECK` asks for.
enum StartCheck: Sendable, Equatable {
    case none
    /// `Mayday.selfCheck()`, on standard error.
    case check
    /// That, and `Mayday.rehearse()` in the background.
    case rehearsal
}

/// A directory that may become the spool.
struct SpoolCandidate: Sendable, Equatable {
    /// Absolute path of the spool.
    var path: String
    /// A directory above it that must be there already: a home that does not exist is not made up.
    var existing: String?
}

/// What resolving needs to know of the process; gathered by `Service.start`, given by tests.
struct ResolvingProcess: Sendable, Equatable {
    /// Name of the executable.
    var executable: String
    /// Effective user id.
    var user: UInt32
}

extension MaydayConfiguration {
    /// The variables that `resolved` reads.
    static let variables = [
        "MAYDAY_RELEASE", "MAYDAY_ENVIRONMENT", "MAYDAY_SERVICE", "MAYDAY_SPOOL", "MAYDAY_DELIVERY_DEADLINE",
        "MAYDAY_ENABLED", "MAYDAY_SELF_CHECK", "XDG_STATE_HOME", "HOME",
    ]

    /// Applies the environment's overrides and the defaults.
    func resolved(
        environment variables: [String: String],
        process: ResolvingProcess
    ) throws(ConfigurationError) -> ResolvedConfiguration {
        let settings = Settings(variables: variables)
        let release = try settings.text("MAYDAY_RELEASE", or: release, named: "release")
        let service = try settings.text("MAYDAY_SERVICE", or: service, named: "service")
        return ResolvedConfiguration(
            release: release,
            environment: try settings.text("MAYDAY_ENVIRONMENT", or: environment, named: "environment"),
            service: service ?? release.flatMap(serviceName(ofRelease:)) ?? process.executable,
            spoolCandidates: try settings.spoolCandidates(or: spool, user: process.user),
            deliveryDeadline: try settings.deliveryDeadline(or: deliveryDeadline),
            enabled: try settings.flag("MAYDAY_ENABLED", or: enabled),
            selfCheck: try settings.selfCheck()
        )
    }
}

/// `checkout` of `checkout@1.4.2`; nil when there is nothing before the `@`, or no `@`.
private func serviceName(ofRelease release: String) -> String? {
    guard let at = release.utf8.firstIndex(of: UInt8(ascii: "@")), at != release.startIndex else { return nil }
    return String(release[..<at])
}

/// False for what is not a setting of ours and cannot be a place for the spool.
private func isUsablePath(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/") && path.unicodeScalars.allSatisfy { !isControl($0) && $0 != "\u{fffd}" }
}

/// True for the control characters, C0 and C1.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
}

/// Reads one setting at a time: the variable when there is one, else the configuration's own value.
private struct Settings {
    let variables: [String: String]

    /// The value of a variable; empty counts as absent.
    func variable(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func text(_ name: String, or own: String?, named property: String) throws(ConfigurationError) -> String? {
        let (setting, value) = given(name, or: own, named: property)
        guard let value else { return nil }
        let limit = 200
        guard !value.isEmpty else {
            throw ConfigurationError(setting: setting, value: value, remedy: "write a text, or leave it out")
        }
        guard value.utf8.count <= limit else {
            throw ConfigurationError(setting: setting, value: value, remedy: "write at most \(limit) bytes")
        }
        try checkCharacters(of: value, setting: setting)
        return value
    }

    private func checkCharacters(of value: String, setting: String) throws(ConfigurationError) {
        guard !value.unicodeScalars.contains(where: isControl) else {
            throw ConfigurationError(setting: setting, value: value, remedy: "write it without control characters")
        }
        // Reading the environment leaves this mark where a value was not UTF-8.
        guard !value.unicodeScalars.contains("\u{fffd}") else {
            throw ConfigurationError(setting: setting, value: value, remedy: "write it in UTF-8")
        }
    }

    func spoolCandidates(or own: String?, user: UInt32) throws(ConfigurationError) -> [SpoolCandidate] {
        let (setting, value) = given("MAYDAY_SPOOL", or: own, named: "spool")
        if let value {
            try checkCharacters(of: value, setting: setting)
            guard value.utf8.first == UInt8(ascii: "/") else {
                let remedy = "write an absolute path, for example /var/lib/checkout/mayday"
                throw ConfigurationError(setting: setting, value: value, remedy: remedy)
            }
            return [SpoolCandidate(path: value, existing: nil)]
        }
        var candidates: [SpoolCandidate] = []
        if let state = variable("XDG_STATE_HOME"), isUsablePath(state) {
            candidates.append(SpoolCandidate(path: "\(state)/mayday", existing: nil))
        }
        if let home = variable("HOME"), isUsablePath(home) {
            candidates.append(SpoolCandidate(path: "\(home)/.local/state/mayday", existing: home))
        }
        candidates.append(SpoolCandidate(path: "/var/tmp/mayday-\(user)", existing: "/var/tmp"))
        return candidates
    }

    func deliveryDeadline(or own: Duration) throws(ConfigurationError) -> Duration {
        let name = "MAYDAY_DELIVERY_DEADLINE"
        let remedy = "write seconds from 0 to 60, for example 5, 2.5s or 500ms"
        let limits = Duration.zero...Duration.seconds(60)
        guard let value = variable(name) else {
            guard limits.contains(own) else {
                let setting = "MaydayConfiguration.deliveryDeadline"
                throw ConfigurationError(setting: setting, value: "\(own)", remedy: "give from 0 to 60 seconds")
            }
            return own
        }
        guard let duration = duration(from: value), limits.contains(duration) else {
            throw ConfigurationError(setting: name, value: value, remedy: remedy)
        }
        return duration
    }

    func selfCheck() throws(ConfigurationError) -> StartCheck {
        let name = "MAYDAY_SELF_CHECK"
        if let value = variable(name), value.utf8.elementsEqual("rehearse".utf8) { return .rehearsal }
        let remedy = "write true, false or rehearse"
        return try flag(name, or: false, remedy: remedy) ? .check : .none
    }

    func flag(
        _ name: String,
        or own: Bool,
        remedy: String = "write true or false"
    ) throws(ConfigurationError) -> Bool {
        guard let value = variable(name) else { return own }
        switch value.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default: throw ConfigurationError(setting: name, value: value, remedy: remedy)
        }
    }

    /// The value that counts, and where it was given.
    private func given(_ name: String, or own: String?, named property: String) -> (setting: String, value: String?) {
        if let value = variable(name) { return (name, value) }
        return ("MaydayConfiguration.\(property)", own)
    }
}

/// `5`, `2.5s` or `500ms`; nil for anything else.
private func duration(from text: String) -> Duration? {
    var number = text[...]
    var unit = Duration.seconds(1)
    if number.hasSuffix("ms") {
        number = number.dropLast(2)
        unit = .milliseconds(1)
    } else if number.hasSuffix("s") {
        number = number.dropLast(1)
    }
    let digits = number.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard digits, let value = Double(number), value <= 1_000_000 else { return nil }
    return unit * value
}
