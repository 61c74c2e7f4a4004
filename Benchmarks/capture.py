"""How long a crash takes until its report is safe, against Swift's own backtracer and against a floor."""

import gzip
import json
import os
import re
import socket
import statistics
import time

from harness import (
    BUILD, CRASHES, ROOT, Child, Failure, bench, emptied_directory, fresh_directory, interleaved, log, median_ratio, rounds,
    swift_backtrace, swift_build,
)
from large import large_program

# No core file, no reporter: the report lies in the spool, durable, when the process is gone.
MAYDAY = {"SWIFT_BACKTRACE": "enable=no", "MAYDAY_DELIVERY_DEADLINE": "0"}
NOTHING = {"SWIFT_BACKTRACE": "enable=no", "MAYDAY_ENABLED": "false"}
PEERS = {
    "swift-backtrace-text": "format=text",
    "swift-backtrace-json": "format=json",
    "swift-backtrace-symbolicate-off": "format=text,symbolicate=off",
}
FLOOR = "write-and-fsync"


def read_report(spool):
    """The one report below the spool, as its lines; fails when it is not there or not whole."""
    files = list(spool.rglob("*.jsonl.gz"))
    if len(files) != 1:
        raise Failure(f"{len(files)} reports in {spool} after a crash, instead of 1")
    data = files[0].read_bytes()
    lines = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    if lines[-1]["type"] != "end":
        raise Failure(f"{files[0]} has no end line")
    return data, lines


class Subject:
    """A program that crashes when it is told to."""

    def __init__(self, name, arguments, ready="ready"):
        self.name = name
        self.arguments = arguments
        self.ready = ready
        self.report = b""
        self.lines = []
        self.last_words = ""

    def trigger(self, child):
        """What is to be called to crash the child."""
        return lambda: (child.process.stdin.write(b"!"), child.process.stdin.flush())

    def crash(self, environment, more=()):
        """Milliseconds from the trigger to the end of the process, and the path of its standard error."""
        output = BUILD / "work" / f"{self.name}.stderr"
        child = Child([*self.arguments, *more], environment, output, self.ready)
        try:
            trigger = self.trigger(child)
            # What others left to write must not wait in our fsync; and the threads of the child reach their places meanwhile.
            os.sync()
            time.sleep(0.02)
            start = time.perf_counter()
            trigger()
            ended_by = child.wait()
            end = time.perf_counter()
        finally:
            child.end()
        self.last_words = child.last_words
        if ended_by not in CRASHES:
            raise Failure(f"{self.name} ended by signal {ended_by} instead of a trap: {output.read_text(errors='replace')[-500:]}")
        return (end - start) * 1000, output

    def mayday(self):
        spool = emptied_directory("spool")
        elapsed, _ = self.crash({**MAYDAY, "MAYDAY_SPOOL": str(spool)})
        self.report, self.lines = read_report(spool)
        return elapsed

    def nothing(self):
        return self.crash(NOTHING)[0]

    def peer(self, options, backtracer):
        file = BUILD / "work" / "swift-backtrace.txt"
        file.unlink(missing_ok=True)
        common = f"enable=yes,color=no,interactive=no,swift-backtrace={backtracer},output-to={file}"
        elapsed, output = self.crash({"MAYDAY_ENABLED": "false", "SWIFT_BACKTRACE": f"{common},{options}"})
        text = file.read_text(errors="replace") if file.exists() else ""
        if "json" in options:
            json.loads(text or "null")["threads"]
        elif "crashed" not in text:
            raise Failure(f"Swift's backtracer wrote no backtrace of {self.name}: {output.read_text(errors='replace')[-500:]}")
        return elapsed


class Checkout(Subject):
    """The example service, crashed over HTTP."""

    def __init__(self, program):
        super().__init__("CheckoutService", [program], ready="http://")

    def trigger(self, child):
        address = re.search(r"http://([\d.]+):(\d+)", child.first_line)
        if not address:
            raise Failure(f"CheckoutService does not say where it listens: {child.first_line!r}")
        connection = socket.create_connection((address[1], int(address[2])), timeout=30)
        return lambda: connection.sendall(b"GET /suggestions/tea?count=9 HTTP/1.1\r\nHost: bench\r\n\r\n")


class Floor:
    """The same crash after nothing but a durable write of as many bytes, by the Crasher."""

    def __init__(self, crasher, threads):
        self.subject = Subject("Crasher-floor", [crasher, threads])
        self.file = BUILD / "work" / "floor-bytes"

    def run(self, report):
        self.file.write_bytes(report)
        return self.subject.crash(NOTHING, more=[self.file, emptied_directory("floor")])[0]


def compare(group, subject, crasher, count, backtracer):
    """One subject: Mayday, Swift's backtracer in its forms, and the floor, in turn."""
    subject.mayday()
    # As many threads as the subject has: to end them is a part of the time.
    floor = Floor(crasher, threads=sum(line["type"] == "thread" for line in subject.lines))
    variants = {"mayday": subject.mayday, FLOOR: lambda: floor.run(subject.report)}
    for peer, options in PEERS.items():
        variants[peer] = lambda options=options: subject.peer(options, backtracer)
    values = interleaved(variants, count)
    ours = statistics.median(values["mayday"])
    for peer in [*PEERS, FLOOR]:
        log(f"{group}: {peer} {statistics.median(values[peer]):.1f} ms, Mayday {ours:.1f} ms")
        bench(f"{group}-vs-{peer}", ours, "ms", median_ratio(values[peer], values["mayday"]), peer)


def handler(crasher):
    """The handler alone, with 8 threads: what it adds to a crash, against the durable write of as many bytes.

    Beside the same process without its handler. To end a process that merely has Mayday in it takes longer, too, by what is
    to be unmapped: that has a line of its own."""
    subject = Subject("Crasher", [crasher, 8])
    uncaptured = Subject("Crasher-uncaptured", [crasher, 8, "uncaptured"])
    floor = Floor(crasher, threads=8)
    to_end_line = []

    def mayday():
        elapsed = subject.mayday()
        to_end_line.append(subject.lines[-1]["duration_us"] / 1000)
        return elapsed

    def least():
        floor.run(subject.report)
        return int(re.search(r"floor_us=(\d+)", floor.subject.last_words)[1]) / 1000

    mayday()
    variants = {
        "mayday": mayday,
        "uncaptured": lambda: uncaptured.crash({**MAYDAY, "MAYDAY_SPOOL": str(emptied_directory("spool"))})[0],
        "nothing": subject.nothing,
        FLOOR: least,
    }
    values = interleaved(variants, rounds(31))
    threads = sum(line["type"] == "thread" for line in subject.lines)
    if threads != 8:
        raise Failure(f"the report has {threads} threads instead of 8")
    added = statistics.median(ours - crash for ours, crash in zip(values["mayday"], values["uncaptured"]))
    installed = statistics.median(ours - crash for ours, crash in zip(values["uncaptured"], values["nothing"]))
    durable = statistics.median(values[FLOOR])
    log(f"handler: the crash alone takes {statistics.median(values['nothing']):.2f} ms, a durable write {durable:.2f} ms")
    bench("capture-uncaptured-end-8-threads", installed, "ms")
    bench("capture-handler-8-threads", added, "ms", durable / added, FLOOR)
    bench("capture-handler-8-threads-to-end-line", statistics.median(to_end_line), "ms")
    bench("capture-report-size-8-threads", len(subject.report) / 1000, "kB")


def delivered(crasher):
    """Crash to the collector's 201: the process waits for its reporter, which takes the report out of the spool then."""
    tool = swift_build(ROOT, ROOT / ".build/release-build", ["mayday"]) / "mayday"
    data = fresh_directory("collector") / "data"
    server = Child(
        [tool, "serve", "--data", data, "--listen", "127.0.0.1:0", "--json"], {}, BUILD / "work" / "serve.stderr", "{"
    )
    try:
        dsn = json.loads(server.first_line).get("dsn")
        if not dsn:
            raise Failure(f"mayday serve printed no DSN: {server.first_line}")
        subject = Subject("Crasher-delivered", [crasher, 8])

        def run():
            spool = emptied_directory("spool")
            environment = {"SWIFT_BACKTRACE": "enable=no", "MAYDAY_SPOOL": str(spool), "MAYDAY_DSN": dsn}
            elapsed, output = subject.crash(environment)
            if list(spool.rglob("*.jsonl.gz")):
                raise Failure(f"the report was not delivered: {output.read_text(errors='replace')[-500:]}")
            return elapsed

        bench("capture-to-collector-201", statistics.median(interleaved({"run": run}, rounds(15))["run"]), "ms")
    finally:
        server.end()


def run():
    backtracer = swift_backtrace()
    crasher = swift_build(ROOT / "Benchmarks", BUILD / "programs", ["Crasher"]) / "Crasher"
    (BUILD / "work").mkdir(exist_ok=True)
    checkout = Checkout(swift_build(ROOT, ROOT / ".build/release-build", ["CheckoutService"]) / "CheckoutService")
    handler(crasher)
    delivered(crasher)
    compare("capture-checkout", checkout, crasher, rounds(15), backtracer)
    bench("capture-checkout-report-size", len(checkout.report) / 1000, "kB")
    program, size = large_program()
    log(f"the large program has {size / 1e6:.0f} MB of debug information")
    compare("capture-large", Subject("LargeCrasher", [program, 1]), crasher, rounds(5), backtracer)
