import CrashReport
import Foundation
import Testing

@testable import Mayday

@Suite struct FactsTests {
    private let id = String(repeating: "0123456789abcdef", count: 4)

    private func groups(_ text: String) -> ControlGroups { ControlGroups(Array(text.utf8)) }

    private func mountedID(_ text: String) -> String? { containerID(fromMounts: Array(text.utf8)) }

    @Test(arguments: [
        ("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "Debian GNU/Linux 12 (bookworm)"),
        ("ID=alpine\nPRETTY_NAME='Alpine Linux v3.20'\n", "Alpine Linux v3.20"),
        ("PRETTY_NAME=Plain", "Plain"),
        ("PRETTY_NAME=\"", "\""),
        ("PRETTY_NAME=\n", nil),
        ("NAME=x\n", nil),
        ("", nil),
    ])
    func operatingSystemName(release: String, expected: String?) {
        #expect(operatingSystem(fromRelease: Array(release.utf8)) == expected)
    }

    @Test(arguments: [
        "12:memory:/docker/ID\n0::/docker/ID\n",
        "0::/system.slice/docker-ID.scope\n",
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-pod1.slice/cri-containerd-ID.scope\n",
        "0::/kubepods/besteffort/pod1/ID\n",
        "0::/machine.slice/libpod-ID.scope/container\n",
    ])
    func `container id from the cgroup`(text: String) {
        #expect(groups(text.replacing("ID", with: id)).containerID == id)
    }

    @Test(arguments: ["0::/\n", "0::/user.slice/session-1.scope\n", "", "x", "0::/docker/\u{fffd}\n"])
    func `no container id`(text: String) {
        #expect(groups(text).containerID == nil)
    }

    @Test func `container id from the mounts`() {
        let mounts = """
            600 500 0:30 / / rw - overlay overlay rw
            700 600 8:1 /var/lib/docker/containers/\(id)/hostname /etc/hostname rw - ext4 /dev/sda1 rw

            """
        #expect(mountedID(mounts) == id)
        #expect(mountedID(mounts.replacing("/etc/hostname", with: "/mnt")) == nil)
        #expect(mountedID("") == nil)
    }

    @Test func `memory limits of the group and those above it`() {
        #expect(
            groups("0::/a/b\n").memoryLimitFiles
                == ["/a/b", "/a", ""].map { "/sys/fs/cgroup\($0)/memory.max" }
        )
        #expect(groups("0::/\n").memoryLimitFiles == ["/sys/fs/cgroup/memory.max"])
        #expect(
            groups("4:memory:/a\n0::/\n").memoryLimitFiles
                == ["/a", ""].map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }
        )
        let deep = String(repeating: "/a", count: 100)
        #expect(groups("0::\(deep)\n").memoryLimitFiles.count == 8)
    }

    @Test(arguments: [
        ("Name:\tx\nCpus_allowed:\t3\n", 2), ("Cpus_allowed:\tff,ffffffff\n", 40), ("Cpus_allowed:\t0\n", nil),
        ("", nil),
    ])
    func processorCount(status: String, expected: Int?) {
        #expect(processors(fromStatus: Array(status.utf8)) == expected)
    }

    @Test func `this host has the facts that every Linux has`() throws {
        let host = HostFacts.current()
        let name = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
        #expect(host.name == name.trimmingCharacters(in: .newlines))
        let kernel = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        #expect(host.kernel == kernel.trimmingCharacters(in: .newlines))
        #expect(host.cpus == ProcessInfo.processInfo.activeProcessorCount)
        let memory = try #require(host.memory)
        #expect(memory > 0 && memory <= ProcessInfo.processInfo.physicalMemory)
    }

    @Test func `the start of this process lies in the past, after its boot`() throws {
        let uptime = RunningProcess.uptime
        let started = try #require(RunningProcess.started)
        #expect(uptime > .zero)
        // The kernel counts in hundredths of a second.
        let elapsed = Duration.microseconds(Timestamp.now().microseconds - started.microseconds)
        #expect(uptime <= elapsed + .milliseconds(20))
    }

    @Test func `members are JSON without braces, whatever the texts hold`() throws {
        let facts = KnownFacts(
            configuration: ResolvedConfiguration(
                release: "a\"b@1\\2",
                environment: nil,
                service: "ü\u{1}\n",
                spoolCandidates: [],
                deliveryDeadline: .seconds(5),
                enabled: true
            ),
            host: HostFacts(name: "h", cpus: 2, memory: 4_096),
            executable: "/usr/bin/che\u{fffd}ckout",
            started: Timestamp(microseconds: 0)
        )
        let report = try JSONReader.parse(Array("{\(facts.reportMembers)}".utf8))
        #expect(
            report
                == .object([
                    "service": .string("ü\u{1}\n"),
                    "release": .string("a\"b@1\\2"),
                    "host": .object(["name": .string("h"), "cpus": .integer(2), "memory": .string("0x1000")]),
                    "sdk": .object(["name": .string("mayday-swift"), "version": .string(KnownFacts.version)]),
                ])
        )
        let process = try JSONReader.parse(Array("{\(facts.processMembers)}".utf8))
        #expect(
            process
                == .object([
                    "name": .string("che\u{fffd}ckout"),
                    "path": .string("/usr/bin/che\u{fffd}ckout"),
                    "started": .string("1970-01-01T00:00:00.000000Z"),
                ])
        )
    }
}
