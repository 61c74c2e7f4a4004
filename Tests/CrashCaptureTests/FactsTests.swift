#if os(Linux)

    import CaptureChildCrashes
    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// What a report says of the process and its host.
    @Suite struct FactsTests {
        private let id = String(repeating: "0123456789abcdef", count: 4)

        private func fact(_ name: String, _ text: String) -> String? {
            guard let found = capture_child_fact(name, text) else { return nil }
            defer { free(found) }
            return String(cString: found)
        }

        @Test(arguments: [
            ("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "Debian GNU/Linux 12 (bookworm)"),
            ("ID=alpine\nPRETTY_NAME='Alpine Linux v3.20'\n", "Alpine Linux v3.20"),
            ("PRETTY_NAME=Plain", "Plain"),
            ("PRETTY_NAME=\"", "\""),
            ("PRETTY_NAME=\n", ""),
            ("NAME=x\n", nil),
            ("", nil),
        ])
        func operatingSystem(release: String, expected: String?) {
            #expect(fact("os", release) == expected)
        }

        @Test(arguments: [
            "12:memory:/docker/ID\n0::/docker/ID\n",
            "0::/system.slice/docker-ID.scope\n",
            "0::/kubepods.slice/kubepods-burstable.slice/kubepods-pod1.slice/cri-containerd-ID.scope\n",
            "0::/kubepods/besteffort/pod1/ID\n",
            "0::/machine.slice/libpod-ID.scope/container\n",
            "1:name=a:/b:c/ID",
        ])
        func containerOfGroup(text: String) {
            #expect(fact("group-container", text.replacing("ID", with: id)) == id)
        }

        @Test(arguments: [
            "0::/\n", "0::/user.slice/session-1.scope\n", "", "x", "0::/docker/\u{fffd}\n", "0:", "::", "0::/ID0\n",
        ])
        func noContainer(text: String) {
            #expect(fact("group-container", text.replacing("ID", with: id)) == nil)
        }

        @Test func containerOfMounts() {
            let mounts = """
                600 500 0:30 / / rw - overlay overlay rw
                700 600 8:1 /var/lib/docker/containers/\(id)/hostname /etc/hostname rw - ext4 /dev/sda1 rw

                """
            #expect(fact("mounted-container", mounts) == id)
            #expect(fact("mounted-container", mounts.replacing("/etc/hostname", with: "/etc/resolv.conf")) == id)
            #expect(fact("mounted-container", mounts.replacing("/etc/hostname", with: "/mnt")) == nil)
            #expect(fact("mounted-container", "") == nil)
        }

        /// Of the group itself and of those above it.
        @Test(arguments: [
            ("0::/a/b\n", ["/a/b", "/a", ""].map { "/sys/fs/cgroup\($0)/memory.max" }),
            ("0::/\n", ["/sys/fs/cgroup/memory.max"]),
            ("", ["/sys/fs/cgroup/memory.max"]),
            ("4:memory:/a\n0::/\n", ["/a", ""].map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }),
            ("0::/b\n4:cpu,memory:/a\n", ["/a", ""].map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }),
            ("4:memory:/a\n0::/b\n", ["/a", ""].map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }),
        ])
        func memoryLimitFiles(groups: String, expected: [String]) {
            #expect(fact("limit-files", groups)?.split(separator: "\n").map(String.init) == expected)
        }

        @Test func memoryLimitFilesAreBounded() throws {
            let deep = String(repeating: "/a", count: 100)
            let files = try #require(fact("limit-files", "0::\(deep)\n")).split(separator: "\n")
            #expect(files.count == 8)
            #expect(files.first == "/sys/fs/cgroup\(deep)/memory.max" && files.last == "/sys/fs/cgroup/memory.max")
        }

        @Test(arguments: [
            ("1048576\n", UInt64(1_048_576)), ("0", 0), ("max\n", .max), ("", .max), ("99999999999999999999\n", .max),
        ])
        func memoryLimit(text: String, expected: UInt64) {
            #expect(fact("limit", text) == "\(expected)")
        }

        @Test func hostAndProcessAreAsTheKernelSays() async throws {
            let before = Timestamp.now()
            let run = try await CaptureRun("segv")
            let header = try run.onlyReport().header
            let host = try #require(header.host)
            let name = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
            #expect(host.name == name.trimmingCharacters(in: .newlines))
            let kernel = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
            #expect(host.kernel == kernel.trimmingCharacters(in: .newlines))
            #expect(host.cpus == ProcessInfo.processInfo.activeProcessorCount)
            let memory = try #require(host.memory)
            #expect(memory > 0 && memory <= ProcessInfo.processInfo.physicalMemory)

            #expect(header.process.path == CaptureRun.child)
            let started = try #require(header.process.started.flatMap { Timestamp($0) })
            // The kernel counts in hundredths of a second.
            #expect(started.microseconds >= before.microseconds - 20_000)
            #expect(started.microseconds <= Timestamp.now().microseconds)
            #expect(started.microseconds % 10_000 == 0)
        }
    }

#endif
