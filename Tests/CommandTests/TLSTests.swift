#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @Suite("mayday serve with a certificate")
    struct TLSTests {
        private let collector: Collector
        private var directory: String { collector.temporary.path }
        private var certificate: [String] {
            ["--tls-certificate", "\(directory)/server.pem", "--tls-key", "\(directory)/server.key"]
        }

        /// An authority of its own, and a certificate of it for this machine.
        init() async throws {
            collector = try Collector()
            try await openssl(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/CN=authority",
                "-days",
                "2",
                "-keyout",
                "\(collector.temporary.path)/authority.key",
                "-out",
                "\(collector.temporary.path)/authority.pem"
            )
            try await openssl(
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/CN=other",
                "-days",
                "2",
                "-keyout",
                "\(collector.temporary.path)/other.key",
                "-out",
                "\(collector.temporary.path)/other.pem"
            )
            try await openssl(
                "req",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                "/CN=127.0.0.1",
                "-keyout",
                "\(directory)/server.key",
                "-out",
                "\(directory)/server.csr"
            )
            try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/names"))
            try await openssl(
                "x509",
                "-req",
                "-in",
                "\(directory)/server.csr",
                "-CA",
                "\(directory)/authority.pem",
                "-CAkey",
                "\(directory)/authority.key",
                "-CAcreateserial",
                "-days",
                "2",
                "-extfile",
                "\(directory)/names",
                "-out",
                "\(directory)/server.pem"
            )
        }

        private func openssl(_ arguments: String...) async throws {
            let outcome = try await ChildProcess.run("/usr/bin/openssl", arguments)
            try #require(outcome.status == .exited(0), "\(outcome.errors)")
        }

        @Test(
            "a service whose SSL_CERT_FILE has the authority delivers over HTTPS; one that does not know it keeps its report"
        )
        func delivers() async throws {
            let serving = try await collector.serve(certificate[0], certificate[1], certificate[2], certificate[3])
            let dsn = try await serving.secret("MAYDAY_DSN")
            #expect(dsn.hasPrefix("https://"))
            let child = try BuiltProduct.path("SDKChild")
            func send(_ authority: String, spool: String) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    child,
                    ["attach"],
                    environment: [
                        "MAYDAY_DSN": dsn, "MAYDAY_SPOOL": "\(directory)/\(spool)",
                        "SSL_CERT_FILE": "\(directory)/\(authority).pem",
                    ]
                )
            }
            #expect(try await send("other", spool: "a").output.contains("flushed: false"))
            let stranger = try await collector.run("reports", "--json").output
            #expect(!stranger.contains("\"id\""))
            #expect(try await send("authority", spool: "b").output.contains("flushed: true"))
            let known = try await collector.run("reports", "--json").output
            #expect(known.contains("\"id\""), "\(known)")
            let health = try await ChildProcess.run(
                "/usr/bin/curl",
                [
                    "--silent", "--fail", "--cacert", "\(directory)/authority.pem",
                    "https://127.0.0.1:\(serving.port)/healthz",
                ]
            )
            #expect(health.output == "{\"status\":\"ok\"}\n")
            let outcome = await serving.stop()
            #expect(outcome.status == .exited(0))
        }

        @Test("what is wrong with the files is said with the flag: exit 2")
        func refused() async throws {
            func serve(_ certificate: String, _ key: String) async throws -> String {
                let outcome = try await collector.run(
                    "serve",
                    "--listen",
                    "127.0.0.1:0",
                    "--tls-certificate",
                    certificate,
                    "--tls-key",
                    key
                )
                #expect(outcome.status == .exited(2))
                return outcome.errors
            }
            let (pem, key) = (certificate[1], certificate[3])
            #expect(
                try await serve("\(directory)/none", key).contains("--tls-certificate \(directory)/none: No such file")
            )
            #expect(try await serve(key, key).contains("--tls-certificate \(key): no certificate in PEM"))
            #expect(try await serve(pem, pem).contains("--tls-key \(pem): no private key in PEM"))
            #expect(try await serve(pem, "\(directory)/other.key").contains("is not the key of the first certificate"))
            let alone = try await collector.run("serve", "--listen", "127.0.0.1:0", "--tls-key", key)
            #expect(alone.status == .exited(2) && alone.errors.contains("--tls-key needs --tls-certificate FILE"))
        }
    }
#endif
