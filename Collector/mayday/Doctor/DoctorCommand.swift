import CrashReport
import Foundation
import Query
import Store

/// `mayday doctor`.
enum DoctorCommand: Command {
    static let spec = CommandSpec(
        name: "doctor",
        summary: "Check that crashes would be reported: collector, binary, process",
        operands: "[BINARY]",
        operandCount: 0...1,
        options: [
            CommandSpec.Option(name: "--pid", value: "N", help: "check the running process N and its binary"),
            CommandSpec.Option(
                name: "--server",
                value: "URL",
                help: "check the collector that listens there (or MAYDAY_SERVER)"
            ),
            .json("what was found"),
        ],
        notes: [
            "Without BINARY and flags it checks the data directory and the `mayday serve` of this machine. With --server it "
                + "also tries MAYDAY_ADMIN_TOKEN or MAYDAY_READER_TOKEN, where one is set.",
            "BINARY is looked at and not run: its build id, its debug information, as the collector on this machine "
                + "looks it up, and the libraries it needs at a crash.",
            "A process is seen from outside. Mayday.selfCheck() in the service sees more, and Mayday.rehearse() "
                + "really crashes a child of it.",
            "Exit code 1 when there is a problem; warnings are none.",
        ],
        examples: ["mayday doctor", "mayday doctor /usr/bin/checkout", "mayday doctor --pid 4711 --json"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let pid = try arguments.number("--pid", upTo: Int(Int32.max))
        let (binary, server) = (arguments.operands.first, arguments.value("--server"))
        if [pid != nil, binary != nil, server != nil].count(where: \.self) > 1 {
            throw arguments.usage("BINARY, --pid and --server exclude each other: give one")
        }
        let kept = try arguments.symbols()
        if let binary { return show(try BinaryCheckup.run(binary, kept: kept), arguments, console) }
        if let pid { return show(try ProcessCheckup.run(pid, kept: kept), arguments, console) }
        if let server = server ?? arguments.serverVariable {
            let (checkup, isReached) = try CollectorCheckup.server(server, arguments)
            let code = show(checkup, arguments, console)
            return isReached ? code : .unreachable
        }
        let (checkup, isOpen) = CollectorCheckup.run(try arguments.location())
        let code = show(checkup, arguments, console)
        return isOpen ? code : .unreachable
    }

    private static func show(_ checkup: Checkup, _ arguments: Arguments, _ console: Console) -> ExitCode {
        if arguments.has("--json") {
            console.print(checkup.json)
        } else {
            console.print(checkup.text(console.layout))
        }
        return checkup.count(.problem) > 0 ? .nothingFound : .done
    }
}
