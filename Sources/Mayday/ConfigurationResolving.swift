internal import CrashCapture

extension MaydayConfiguration {
    /// Starts with the environment's overrides; a value that cannot be used is returned, and nothing was done.
    func start(_ outcome: inout MaydayStart) -> ConfigurationError? {
        withProgram { program in
            mayday_start(&program, &outcome)
            return configurationError(outcome.mistake)
        }
    }

    /// Lends the configuration to C for the time of a call.
    func withProgram<Result>(_ body: (inout MaydayProgram) -> Result) -> Result {
        withText(release) { release in
            withText(environment) { environment in
                withText(service) { service in
                    withText(spool) { spool in
                        var program = MaydayProgram(
                            release: release,
                            environment: environment,
                            service: service,
                            spool: spool,
                            delivery_deadline_ms: deliveryDeadline.wholeMilliseconds,
                            enabled: enabled
                        )
                        return body(&program)
                    }
                }
            }
        }
    }

    /// The mistake that `mayday_resolve` found, while the texts that it refers to are lent; nil when there is none.
    func configurationError(_ mistake: MaydayMistake) -> ConfigurationError? {
        guard let setting = mistake.setting, let remedy = mistake.remedy else { return nil }
        return ConfigurationError(
            setting: String(cString: setting),
            // A text is there for every setting but the one that is none.
            value: String(mistake.value) ?? "\(deliveryDeadline)",
            remedy: String(cString: remedy)
        )
    }
}

extension Duration {
    /// Without the fraction. A time below zero stays below zero, and one above what fits in becomes the largest.
    fileprivate var wholeMilliseconds: Int64 {
        // Not `components`, which is the first to call 128 KB of the standard library.
        let milliseconds = Int64(clamping: attoseconds / 1_000_000_000_000_000)
        return milliseconds == 0 && attoseconds < 0 ? -1 : milliseconds
    }
}
