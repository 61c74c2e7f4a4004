"""Functions, files and lines of addresses, beside llvm-symbolizer and addr2line, on the same file in the same run.

All three get addresses on standard input and answer with text on standard output: `mayday symbolicate` is what the collector
uses, asked as the others are. Beside it the process that the collector runs, asked over its own pipe (`digest`): there the
reading of a report, its grouping and writing are in the time.
"""

import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import threading
import time
from pathlib import Path
from statistics import median

from harness import ROOT, Failure, bench, fresh_directory, log, rounds, swift_build
from large import larger_program

ADDRESSES = 10_000


def functions(program):
    """Address ranges of the functions in the program's own code, by its symbol table."""
    found = []
    listing = subprocess.run(["nm", "-S", "--defined-only", str(program)], check=True, stdout=subprocess.PIPE, text=True)
    for line in listing.stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT" and "Ballas" in fields[3] and int(fields[1], 16) > 64:
            found.append((int(fields[0], 16), int(fields[1], 16)))
    if len(found) < 100:
        raise Failure("the large program has too few functions of its own")
    return found


def build_id(program):
    notes = subprocess.run(["readelf", "-n", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in notes.splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    raise Failure("the large program has no build id")


def report(program, identity, addresses):
    """A report file with a frame at each address; trust `await` makes the address exact."""
    base = 0x5500_0000_0000
    lines = [
        {"type": "report", "version": 1, "id": "01a22bb5-57c6-7356-a87f-2b2e6b40795b", "kind": "crash",
         "time": "2026-11-30T09:07:14.502997Z", "process": {"pid": 1, "path": str(program)},
         "sdk": {"name": "mayday-swift", "version": "0.1.0"}},
        {"type": "crash", "thread": 1, "signal": {"number": 4, "name": "SIGILL", "code": 2}},
    ]
    # Threads of a thousand frames: a line has a limit.
    for thread, start in enumerate(range(0, len(addresses), 1000)):
        frames = [{"address": hex(base + a), "image": 0, "offset": hex(a), "trust": "await"} for a in addresses[start:start + 1000]]
        lines.append({"type": "thread", "id": thread + 1, "crashed": thread == 0, "frames": frames})
    lines.append({"type": "image", "path": str(program), "build_id": identity, "base": hex(base), "size": hex(1 << 30)})
    lines.append({"type": "end", "stages": [], "duration_us": 1})
    return gzip.compress(("\n".join(json.dumps(line) for line in lines) + "\n").encode(), 1)


class Process:
    def __init__(self, command, **options):
        environment = {k: v for k, v in os.environ.items() if k != "DEBUGINFOD_URLS"}
        self.child = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, **options)

    def peak(self):
        """Most resident memory so far, in megabytes."""
        for line in Path(f"/proc/{self.child.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        raise Failure("no peak of memory")

    def forget(self):
        """Takes away what it kept for the next process."""

    def end(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()


class Digest(Process):
    def __init__(self, mayday):
        # The third descriptor is the collector's file, to which the image at work is written.
        progress = os.open("/dev/null", os.O_WRONLY)
        super().__init__(["/bin/sh", "-c", 'exec "$0" symbolicate-worker 3>/dev/null', mayday])
        os.close(progress)

    def ask(self, prepared):
        self.child.stdin.write(struct.pack("<IB", len(prepared), ord("R")) + prepared)
        self.child.stdin.flush()
        size, kind = struct.unpack("<IB", self.child.stdout.read(5))
        answer = self.child.stdout.read(size)
        if kind != ord("D"):
            raise Failure(f"the worker failed: {answer.decode()}")
        # A line of what the report is, and behind it what was found of its stacks.
        return answer.partition(b"\n")[2]

    @staticmethod
    def known(answer):
        """How many addresses have a line."""
        lines = [json.loads(line) for line in gzip.decompress(answer).splitlines()]
        frames = [frame for line in lines if line["type"] == "stack" for frame in line["frames"]]
        return sum(any(symbol.get("line") for symbol in frame.get("symbols", [])) for frame in frames)


class Theirs(Process):
    """A tool that answers each line with some, and puts a mark between answers."""

    #: What ends an answer, or begins one.
    mark = b"\n\n"

    def __init__(self, command):
        super().__init__(command)
        self.tail = b"\n" if self.mark.startswith(b"\n0") else b""

    def tell(self, text):
        self.child.stdin.write(text)
        self.child.stdin.flush()

    def ask(self, addresses):
        # Answers are read while questions are written, as either pipe may be full; and not line by line, which would take as long as
        # answers that are known.
        text = "".join(f"{hex(a)}\n" for a in addresses) + "0x0\n"
        writer = threading.Thread(target=self.tell, args=[text.encode()])
        writer.start()
        pieces, blocks = [], 0
        while blocks <= len(addresses):
            piece = os.read(self.child.stdout.fileno(), 1 << 20)
            if not piece:
                raise Failure("the peer ended")
            pieces.append(piece)
            # The mark may lie across two pieces.
            whole = self.tail + piece
            blocks += whole.count(self.mark)
            self.tail = whole[max(0, len(whole) - len(self.mark) + 1):]
        writer.join()
        return b"".join(pieces)


class Ours(Theirs):
    """With answers kept in a directory, which is empty at first."""

    def __init__(self, mayday, program, data):
        super().__init__([mayday, "symbolicate", "--data", data, program])
        self.answers = Path(data) / "symbols" / "answers"

    def forget(self):
        for file in self.answers.glob("*"):
            file.unlink()


class LLVM(Theirs):
    def __init__(self, tool, program):
        super().__init__([tool, f"--obj={program}", "--inlines", "--output-style=LLVM"])


class Addr2line(Theirs):
    # -a prints the address in front of each answer.
    mark = b"\n0x"

    def __init__(self, program):
        super().__init__(["addr2line", "-i", "-f", "-a", "-e", program])


def evict(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def timed(action):
    start = time.perf_counter()
    value = action()
    return time.perf_counter() - start, value


def measure(start, first, batch, program):
    """Times of the first address on a cold and on a warm file, of a batch and of the same again, and of the batch in a process
    that begins when another has answered it before; and memory."""
    times = {}
    for name in ("cold", "warm"):
        if name == "cold":
            evict(program)
        begin = time.perf_counter()
        process = start()
        process.ask(first)
        times[f"first-{name}"] = time.perf_counter() - begin
        if name == "cold":
            process.end()
            process.forget()
    times["pass-1"], answer = timed(lambda: process.ask(batch))
    times["pass-2"], _ = timed(lambda: process.ask(batch))
    times["memory"] = process.peak()
    if isinstance(process, Ours) and answer.count(b"??\n") > len(batch) // 10:
        raise Failure(f"{answer.count(b'??')} of {len(batch)} addresses are not known")
    process.end()
    begin = time.perf_counter()
    process = start()
    process.ask(batch)
    times["restart"] = time.perf_counter() - begin
    process.end()
    return times, answer


def run():
    program, size = larger_program()
    mayday = swift_build(ROOT, ROOT / ".build" / "release-build", ["mayday"]) / "mayday"
    llvm = shutil.which("llvm-symbolizer")
    if not llvm:
        raise Failure("no llvm-symbolizer on the PATH: it is in the Swift toolchain")
    randomness = random.Random(7)
    ranges = functions(program)
    weights = [length for _, length in ranges]
    addresses = [low + randomness.randrange(length) for low, length in randomness.choices(ranges, weights, k=ADDRESSES)]
    identity = build_id(program)
    log(f"{ADDRESSES} addresses of {Path(program).name}, {size / 1e6:.0f} MB of debug information")
    one, all_of_them = report(program, identity, addresses[:1]), report(program, identity, addresses)

    figures = {"ours": [], "digest": [], "llvm-symbolizer": [], "addr2line": []}
    for _ in range(rounds(3)):
        # Nothing is known of the file until the process that is asked for all of them has ended.
        data = fresh_directory("answers")
        figures["ours"].append(measure(lambda: Ours(mayday, program, data), addresses[:1], addresses, program)[0])
        times, answer = measure(lambda: Digest(mayday), one, all_of_them, program)
        if Digest.known(answer) < ADDRESSES * 0.9:
            raise Failure(f"only {Digest.known(answer)} of {ADDRESSES} addresses have a line")
        figures["digest"].append(times)
        figures["llvm-symbolizer"].append(measure(lambda: LLVM(llvm, program), addresses[:1], addresses, program)[0])
        figures["addr2line"].append(measure(lambda: Addr2line(program), addresses[:1], addresses, program)[0])

    def middle(who, what):
        return median(times[what] for times in figures[who])

    for peer in ("llvm-symbolizer", "addr2line"):
        short = "llvm" if peer == "llvm-symbolizer" else peer
        for what, name in (("pass-1", "first-pass"), ("pass-2", "second-pass"), ("restart", "answers-kept")):
            ours, theirs = ADDRESSES / middle("ours", what), ADDRESSES / middle(peer, what)
            bench(f"symbolication-{name}-{short}", ours, "addresses/s", ours / theirs, peer)
        for what in ("first-cold", "first-warm"):
            bench(f"symbolication-{what}-{short}", middle("ours", what) * 1e3, "ms", middle(peer, what) / middle("ours", what), peer)
        bench(f"symbolication-memory-{short}", middle("ours", "memory"), "MB", middle(peer, "memory") / middle("ours", "memory"), peer)
    for what, name in (("pass-1", "first"), ("pass-2", "second")):
        ours = ADDRESSES / middle("digest", what)
        bench(f"symbolication-digest-{name}", ours, "frames/s", ours * middle("llvm-symbolizer", what) / ADDRESSES, "llvm-symbolizer")
