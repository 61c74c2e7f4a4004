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
            for name in ["authority", "other"] { try await selfSigned(name, subject: name) }
            try await sign("server", names: "IP:127.0.0.1", days: 2)
        }

        /// Makes `NAME.pem` and `NAME.key`, which nobody vouches for.
        private func selfSigned(_ name: String, subject: String, _ more: String...) async throws {
            let files = ["-keyout", "\(directory)/\(name).key", "-out", "\(directory)/\(name).pem"]
            let request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(subject)", "-days", "2"]
            try await openssl(request + files + more)
        }

        /// Makes `NAME.pem` and `NAME.key`, for which the authority vouches.
        private func sign(_ name: String, names: String, days: Int) async throws {
            let base = "\(directory)/\(name)"
            let request = ["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)"]
            try await openssl(request + ["-keyout", "\(base).key", "-out", "\(base).csr"])
            try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: "\(base).names"))
            let authority = [
                "-CA", "\(directory)/authority.pem", "-CAkey", "\(directory)/authority.key", "-CAcreateserial",
            ]
            try await openssl(
                ["x509", "-req", "-in", "\(base).csr", "-extfile", "\(base).names", "-days", "\(days)"] + authority
                    + ["-out", "\(base).pem"]
            )
        }

        private func openssl(_ arguments: [String]) async throws {
            let outcome = try await ChildProcess.run("/usr/bin/openssl", arguments)
            try #require(outcome.status == .exited(0), "\(outcome.errors)")
        }

        @Test(
            "a certificate that cannot be trusted is named as what it is, and the report stays",
            arguments: [
                ("self-signed", "self-signed certificate"), ("expired", "certificate has expired"),
                ("elsewhere", "no alternative certificate subject name matches target host name '127.0.0.1'"),
            ]
        )
        func untrusted(certificate: String, says: String) async throws {
            switch certificate {
            case "self-signed":
                try await selfSigned(certificate, subject: "127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
            case "expired":
                // The collector would not start with it.
                try await sign(certificate, names: "IP:127.0.0.1", days: -1)
                let server = try ChildProcess(
                    "/usr/bin/openssl",
                    [
                        "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", "\(directory)/expired.pem", "-key",
                        "\(directory)/expired.key",
                    ]
                )
                let line = try #require(await server.line(containing: "ACCEPT"))
                let port = try #require(line.firstMatch(of: /:(\d+)$/).flatMap { UInt16($0.1) })
                try await expectRefused("https://KEY@127.0.0.1:\(port)/1", port, says: says)
                return server.kill(SIGKILL)
            default: try await sign(certificate, names: "DNS:mayday.example.com", days: 2)
            }
            let files = ["\(directory)/\(certificate).pem", "\(directory)/\(certificate).key"]
            let serving = try await collector.serve("--tls-certificate", files[0], "--tls-key", files[1])
            try await expectRefused(serving.secret("MAYDAY_DSN"), serving.port, says: says)
            #expect(try await !collector.run("reports", "--json").output.contains("\"id\""))
            #expect(await serving.stop().status == .exited(0))
        }

        /// A handled error and a crash, of which each says why it is not delivered, and stays.
        private func expectRefused(_ dsn: String, _ port: UInt16, says: String) async throws {
            let environment = [
                "MAYDAY_DSN": dsn, "MAYDAY_SPOOL": "\(directory)/spool", "SSL_CERT_FILE": "\(directory)/authority.pem",
                "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
            ]
            let place = "collector at 127.0.0.1:\(port): no answer: "
            let child = try BuiltProduct.path("SDKChild")
            let handled = try await ChildProcess.run(child, ["attach"], environment: environment)
            #expect(handled.output == "flushed: false\n")
            #expect(handled.errors.contains("reports stay in the spool: \(place)"), "\(handled.errors)")
            #expect(handled.errors.contains(says), "\(handled.errors)")
            let crashed = try await ChildProcess.run(child, ["crash"], environment: environment)
            #expect(crashed.errors.contains("not delivered, kept in \(directory)/spool/"), "\(crashed.errors)")
            #expect(crashed.errors.contains(says), "\(crashed.errors)")
            let waiting = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/spool/SDKChild")
            #expect(waiting.count { $0.hasSuffix(".jsonl.gz") } == 2)
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

        @Test("only ciphers are taken whose keys the server's own key does not give away, and nothing before TLS 1.2")
        func forwardSecrecy() async throws {
            let serving = try await collector.serve(certificate[0], certificate[1], certificate[2], certificate[3])
            func isTaken(_ options: String...) async throws -> Bool {
                let address = ["s_client", "-connect", "127.0.0.1:\(serving.port)", "-verify_quiet"]
                let outcome = try await ChildProcess.run("/usr/bin/openssl", address + options)
                return outcome.status == .exited(0)
            }
            #expect(try await isTaken("-tls1_3"))
            #expect(try await isTaken("-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"))
            for cipher in ["AES256-GCM-SHA384", "AES128-SHA"] {
                #expect(try await !isTaken("-tls1_2", "-cipher", cipher), "\(cipher)")
            }
            #expect(try await !isTaken("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"))
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("a client that does not trust it, or speaks the other protocol, is told what to do")
        func clients() async throws {
            let serving = try await collector.serve(certificate[0], certificate[1], certificate[2], certificate[3])
            let token = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            func run(_ command: String, _ url: String, _ more: [String: String] = [:]) async throws -> String {
                let environment = ["MAYDAY_ADMIN_TOKEN": token, "COLUMNS": "1000"].merging(more) { $1 }
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    [command, "--server", url],
                    environment: environment
                )
                return outcome.output + outcome.errors
            }
            let (secure, plain) = ("https://127.0.0.1:\(serving.port)", "http://127.0.0.1:\(serving.port)")
            for command in ["list", "doctor"] {
                let stranger = try await run(command, secure)
                #expect(stranger.contains("SSL_CERT_FILE=FILE names the authorities to trust"), "\(stranger)")
                let other = try await run(command, plain)
                #expect(other.contains("if it speaks TLS there, the URL begins with https://"), "\(other)")
                #expect(!(stranger + other).contains("firewall"))
            }
            let known = try await run("doctor", secure, ["SSL_CERT_FILE": "\(directory)/authority.pem"])
            #expect(known.contains("0 problems, 0 warnings"), "\(known)")
            let missing = try await run("list", secure, ["SSL_CERT_FILE": "\(directory)/none.pem"])
            #expect(missing.contains("SSL_CERT_FILE has to name a file of certificates in PEM"), "\(missing)")
            _ = await serving.stop()
            let bare = try await collector.serve(data: "\(directory)/bare")
            let mistaken = try await run("list", "https://127.0.0.1:\(bare.port)")
            #expect(mistaken.contains("if it speaks no TLS there, the URL begins with http://"), "\(mistaken)")
            _ = await bare.stop()
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
