import CrashCapture
import Foundation
import MaydayTestKit
import Testing

@testable import Mayday

/// What `mayday_resolve` makes of a configuration, in Swift.
private struct Resolved: Equatable {
    var release: String?
    var environment: String?
    var service: String?
    var spools: [String]
    /// What must be there already, for each of them.
    var existing: [String?]
    var deadlineMilliseconds: UInt32
    var enabled: Bool

    init(
        release: String? = nil,
        environment: String? = nil,
        service: String?,
        spools: [String],
        existing: [String?],
        deadlineMilliseconds: UInt32,
        enabled: Bool
    ) {
        self.release = release
        self.environment = environment
        self.service = service
        self.spools = spools
        self.existing = existing
        self.deadlineMilliseconds = deadlineMilliseconds
        self.enabled = enabled
    }

    init(_ settings: MaydaySettings) {
        let places = withUnsafeBytes(of: settings.spools) {
            Array($0.bindMemory(to: MaydaySpoolPlace.self).prefix(settings.spool_count))
        }
        self.init(
            release: String(settings.release),
            environment: String(settings.environment),
            service: String(settings.service),
            spools: places.map { (String($0.base) ?? "") + String(cString: $0.below) },
            existing: places.map { $0.must_exist ? String($0.base) : nil },
            deadlineMilliseconds: settings.delivery_deadline_ms,
            enabled: settings.enabled
        )
    }
}

@Suite struct ConfigurationTests {
    private func resolve(
        _ configuration: MaydayConfiguration = .init(),
        _ environment: [String: String] = [:]
    ) throws(ConfigurationError) -> Resolved {
        let result = configuration.withProgram { program -> Result<Resolved, ConfigurationError> in
            var settings = MaydaySettings()
            var mistake = MaydayMistake()
            let variables = environment.map { strdup("\($0)=\($1)") }
            defer { variables.forEach { free($0) } }
            var vector: [UnsafePointer<CChar>?] = variables.map { UnsafePointer($0) } + [nil]
            return withText("checkout-service") { executable in
                "/mayday-1000".withCString { directory in
                    _ = mayday_resolve(&program, &vector, executable, directory, &settings, &mistake)
                    if let error = configuration.configurationError(mistake) { return .failure(error) }
                    return .success(Resolved(settings))
                }
            }
        }
        return try result.get()
    }

    @Test func `everything has a default`() throws {
        #expect(
            try resolve()
                == Resolved(
                    service: "checkout-service",
                    spools: ["/var/tmp/mayday-1000"],
                    existing: ["/var/tmp"],
                    deadlineMilliseconds: 5_000,
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
                == Resolved(
                    release: "b@2",
                    environment: "staging",
                    service: "b",
                    spools: ["/b"],
                    existing: [nil],
                    deadlineMilliseconds: 2_500,
                    enabled: false
                )
        )
    }

    @Test func `a variable that is empty counts as absent`() throws {
        let configuration = MaydayConfiguration(release: "a@1", spool: "/a", enabled: false)
        let names = [
            "MAYDAY_RELEASE", "MAYDAY_ENVIRONMENT", "MAYDAY_SERVICE", "MAYDAY_SPOOL", "MAYDAY_DELIVERY_DEADLINE",
            "MAYDAY_ENABLED", "XDG_STATE_HOME", "HOME",
        ]
        let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
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
            try resolve(.init(), environment).spools == expected + ["/var/tmp/mayday-1000"]
        )
    }

    @Test(
        arguments: [
            ("5", 5_000), ("5s", 5_000), ("0", 0), ("0.25", 250), (".5", 500), ("250ms", 250), ("0ms", 0),
            ("60", 60_000),
            ("0.0009", 1), ("1.1", 1_100),
        ] as [(String, UInt32)]
    )
    func deadline(text: String, expected: UInt32) throws {
        #expect(try resolve(.init(), ["MAYDAY_DELIVERY_DEADLINE": text]).deadlineMilliseconds == expected)
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.seconds(60), 60_000), (.milliseconds(2_500), 2_500), (.microseconds(1_500), 1),
        ] as [(Duration, UInt32)]
    )
    func `deadline of the program`(deadline: Duration, expected: UInt32) throws {
        #expect(try resolve(.init(deliveryDeadline: deadline)).deadlineMilliseconds == expected)
    }

    @Test func `an error of the program's deadline says what it is`() throws {
        let error = try #require(throws: ConfigurationError.self) { try resolve(.init(deliveryDeadline: .seconds(61))) }
        #expect(
            error.description == #"MaydayConfiguration.deliveryDeadline is "61.0 seconds": give from 0 to 60 seconds"#
        )
    }

    @Test(arguments: ["1", "true", "YES", "on"])
    func on(text: String) throws { #expect(try resolve(.init(enabled: false), ["MAYDAY_ENABLED": text]).enabled) }

    @Test(arguments: [
        ("MAYDAY_DELIVERY_DEADLINE", "soon", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "-1", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "61", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "1e1", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "nan", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", "1.2.3", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        ("MAYDAY_DELIVERY_DEADLINE", ".", "write seconds from 0 to 60, for example 5, 2.5s or 500ms"),
        (
            "MAYDAY_DELIVERY_DEADLINE", String(repeating: "9", count: 500),
            "write seconds from 0 to 60, for example 5, 2.5s or 500ms"
        ),
        ("MAYDAY_RELEASE", "a\u{85}", "write it without control characters"),
        ("MAYDAY_SPOOL", "/a\nb", "write it without control characters"),
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
        (MaydayConfiguration(deliveryDeadline: .nanoseconds(-1)), "MaydayConfiguration.deliveryDeadline"),
        (MaydayConfiguration(deliveryDeadline: .seconds(1e18)), "MaydayConfiguration.deliveryDeadline"),
        (MaydayConfiguration(spool: ""), "MaydayConfiguration.spool"),
    ])
    func `a bad value of the program is named by its property`(configuration: MaydayConfiguration, setting: String)
        throws
    {
        let error = try #require(throws: ConfigurationError.self) { try resolve(configuration) }
        #expect(error.setting == setting)
    }

    @Test(arguments: [2, -1, 1.000_000_1, -Double.leastNonzeroMagnitude, .nan, .infinity])
    func `a share of the errors that is none is refused by start`(share: Double) throws {
        let configuration = MaydayConfiguration(errorLimits: ErrorLimits(sampling: share))
        let error = #expect(throws: StartError.self) {
            try Mayday.start(configuration, uploader: InMemoryUploader())
        }
        guard case .configuration(let mistake) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(mistake.setting == "MaydayConfiguration.errorLimits.sampling" && mistake.value == "\(share)")
        #expect(mistake.remedy == "give from 0 to 1, the share of the errors that is reported")
        for share in [0, -0.0, 0.5, 1] { #expect(ErrorLimits(sampling: share).mistake == nil) }
    }

    @Test func `the error reads well`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try resolve(.init(), ["MAYDAY_ENABLED": "perhaps"])
        }
        #expect(error.description == #"MAYDAY_ENABLED is "perhaps": write true or false"#)
    }
}
