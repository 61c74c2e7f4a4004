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
    /// Without the fraction. A time below zero is -1, and one above what fits in becomes the largest.
    fileprivate var wholeMilliseconds: Int64 {
        guard attoseconds >= 0 else { return -1 }
        // A millisecond is 2¹⁵ times 5¹⁵ attoseconds. `components`, or a division of 128 bits, would be the first to call
        // functions that bring 64 or 128 KB into memory.
        return Int64(clamping: attoseconds >> 15) / 30_517_578_125
    }
}
