import Testing

@testable import Mayday

@Suite struct ConfigurationTests {
    private let process = ResolvingProcess(executable: "checkout-service", user: 1000)

    private func resolve(
        _ configuration: MaydayConfiguration = .init(),
        _ environment: [String: String] = [:]
    ) throws(ConfigurationError) -> ResolvedConfiguration {
        try configuration.resolved(environment: environment, process: process)
    }

    @Test func `everything has a default`() throws {
        #expect(
            try resolve()
                == ResolvedConfiguration(
                    release: nil,
                    environment: nil,
                    service: "checkout-service",
                    spoolCandidates: [SpoolCandidate(path: "/var/tmp/mayday-1000", existing: "/var/tmp")],
                    deliveryDeadline: .seconds(5),
                    enabled: true
                )
        )
    }

    @Test(arguments: [
        ("checkout@1.4.2", nil, "checkout"),
        ("checkout", nil, "checkout-service"),
        ("@1.4.2", nil, "checkout-service"),
        ("a@b@c", nil, "a"),
        ("checkout@1.4.2", "payments", "payments"),
        (nil, nil, "checkout-service"),
    ])
    func service(release: String?, service: String?, expected: String) throws {
        #expect(try resolve(.init(release: release, service: service)).service == expected)
    }

    @Test func `the environment overrides the configuration`() throws {
        let configuration = MaydayConfiguration(
            release: "a@1",
            environment: "production",
            service: "a",
            spool: "/a",
            deliveryDeadline: .seconds(1),
            enabled: true
        )
        let resolved = try resolve(
            configuration,
            [
                "MAYDAY_RELEASE": "b@2", "MAYDAY_ENVIRONMENT": "staging", "MAYDAY_SERVICE": "b", "MAYDAY_SPOOL": "/b",
                "MAYDAY_DELIVERY_DEADLINE": "2.5", "MAYDAY_ENABLED": "off", "HOME": "/home/b",
            ]
        )
        #expect(
            resolved
                == ResolvedConfiguration(
                    release: "b@2",
                    environment: "staging",
                    service: "b",
                    spoolCandidates: [SpoolCandidate(path: "/b", existing: nil)],
                    deliveryDeadline: .milliseconds(2_500),
                    enabled: false
                )
        )
    }

    @Test func `a variable that is empty counts as absent`() throws {
        let configuration = MaydayConfiguration(release: "a@1", spool: "/a", enabled: false)
        let empty = Dictionary(uniqueKeysWithValues: MaydayConfiguration.variables.map { ($0, "") })
        #expect(try resolve(configuration, empty) == resolve(configuration))
    }

    @Test func `a release from the environment names the service`() throws {
        #expect(try resolve(.init(), ["MAYDAY_RELEASE": "cart@7"]).service == "cart")
    }

    @Test(arguments: [
        (["XDG_STATE_HOME": "/state", "HOME": "/home/a"], ["/state/mayday", "/home/a/.local/state/mayday"]),
        (["HOME": "/home/a"], ["/home/a/.local/state/mayday"]),
        (["XDG_STATE_HOME": "state", "HOME": "."], []),
    ])
    func `default places of the spool`(environment: [String: String], expected: [String]) throws {
        #expect(
            try resolve(.init(), environment).spoolCandidates.map(\.path) == expected + ["/var/tmp/mayday-1000"]
        )
    }

    @Test(arguments: [
        ("5", Duration.seconds(5)), ("5s", .seconds(5)), ("0", .zero), ("0.25", .milliseconds(250)),
        ("250ms", .milliseconds(250)), ("60", .seconds(60)),
    ])
    func deadline(text: String, expected: Duration) throws {
        #expect(try resolve(.init(), ["MAYDAY_DELIVERY_DEADLINE": text]).deliveryDeadline == expected)
    }

    @Test(arguments: ["1", "true", "YES", "on"])
    func on(text: String) throws { #expect(try resolve(.init(enabled: false), ["MAYDAY_ENABLED": text]).enabled) }

    @Test(arguments: [
        ("MAYDAY_DELIVERY_DEADLINE", "soon", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "-1", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "61", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "1e1", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "nan", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "s", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_ENABLED", "perhaps", "write true or false"),
        ("MAYDAY_SPOOL", "spool", "write an absolute path, for example /var/lib/checkout/mayday"),
        ("MAYDAY_RELEASE", "a\u{1b}[31m", "write it without control characters"),
        ("MAYDAY_ENVIRONMENT", "a\nb", "write it without control characters"),
        ("MAYDAY_SERVICE", String(repeating: "x", count: 201), "write at most 200 bytes"),
    ])
    func `a bad variable is named, with the remedy`(name: String, value: String, remedy: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try resolve(.init(), [name: value]) }
        #expect(error == ConfigurationError(setting: name, value: value, remedy: remedy))
        #expect(error.description.hasPrefix("\(name) is \""))
        #expect(!error.description.contains("\u{1b}") && !error.description.contains("\n"))
    }

    @Test(arguments: [
        (MaydayConfiguration(release: ""), "MaydayConfiguration.release"),
        (MaydayConfiguration(environment: "\u{0}"), "MaydayConfiguration.environment"),
        (MaydayConfiguration(service: ""), "MaydayConfiguration.service"),
        (MaydayConfiguration(spool: "here"), "MaydayConfiguration.spool"),
        (MaydayConfiguration(deliveryDeadline: .seconds(-1)), "MaydayConfiguration.deliveryDeadline"),
        (MaydayConfiguration(deliveryDeadline: .seconds(61)), "MaydayConfiguration.deliveryDeadline"),
    ])
    func `a bad value of the program is named by its property`(configuration: MaydayConfiguration, setting: String)
        throws
    {
        let error = try #require(throws: ConfigurationError.self) { try resolve(configuration) }
        #expect(error.setting == setting)
    }

    @Test func `the error reads well`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try resolve(.init(), ["MAYDAY_ENABLED": "perhaps"])
        }
        #expect(error.description == #"MAYDAY_ENABLED is "perhaps": write true or false"#)
    }
}
