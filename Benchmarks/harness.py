"""What all benchmarks share: builds, children that are crashed, paired rounds, and the lines that are printed."""

import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build" / "benchmarks"
SWIFT = os.environ.get("SWIFT") or "swift"


class Failure(Exception):
    """A benchmark that could not be measured honestly."""


def log(text):
    print(f"# {text}", file=sys.stderr, flush=True)


def bench(name, value, unit, ratio=None, peer=None):
    """The one form of a result. A ratio above 1 means that ours is better than the peer."""
    line = f"bench {name} {value:.3g} {unit}" if abs(value) < 1000 else f"bench {name} {value:.0f} {unit}"
    if ratio is not None:
        line += f" {ratio:.2f}x {peer}" if ratio < 100 else f" {ratio:.0f}x {peer}"
    print(line, flush=True)


def rounds(default):
    return int(os.environ.get("ROUNDS") or default)


def swift_build(package, scratch, products, *options):
    """Builds in release and returns the directory of the programs."""
    command = [SWIFT, "build", "-c", "release", "--package-path", str(package), "--scratch-path", str(scratch), *options]
    # SwiftPM does not see a new file of a package by path until it plans the build anew.
    if package != ROOT:
        (scratch / "release.yaml").unlink(missing_ok=True)
    for product in products:
        log(f"building {product}{' ' + ' '.join(options) if options else ''}")
        done = subprocess.run([*command, "--product", product], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failure(f"{product} does not build:\n{done.stdout[-4000:]}")
    shown = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(shown.stdout.strip())


def swift_backtrace():
    """Path of the toolchain's own backtracer."""
    found = shutil.which(SWIFT)
    for start in filter(None, [found, found and os.path.realpath(found)]):
        path = Path(start).parent.parent / "libexec" / "swift" / "linux" / "swift-backtrace"
        if path.exists():
            return path
    target = subprocess.run([SWIFT, "-print-target-info"], stdout=subprocess.PIPE, text=True).stdout
    import json
    path = Path(json.loads(target)["paths"]["runtimeResourcePath"]).parent.parent / "libexec/swift/linux/swift-backtrace"
    if path.exists():
        return path
    raise Failure("swift-backtrace is not in the toolchain: set SWIFT to a swift of a whole toolchain")


def emptied_directory(name):
    """A directory without reports, kept from crash to crash as a service's spool is: to make it durable, too, costs
    milliseconds on ext4."""
    path = BUILD / "work" / name
    path.mkdir(parents=True, mode=0o700, exist_ok=True)
    for report in path.rglob("*.jsonl.gz"):
        report.unlink()
    return path


def fresh_directory(name):
    path = BUILD / "work" / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True, mode=0o700)
    path.chmod(0o700)
    return path


class Child:
    """A child process that says when it is ready, and whose end is waited for without polling."""

    def __init__(self, arguments, environment, output, ready, limit=180):
        self.output = Path(output)
        base = {name: value for name, value in os.environ.items() if not name.startswith(("MAYDAY_", "SWIFT_BACKTRACE"))}
        with open(self.output, "wb") as errors:
            self.process = subprocess.Popen(
                [str(argument) for argument in arguments],
                env={**base, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.watchdog = threading.Timer(limit, self.process.kill)
        self.watchdog.daemon = True
        self.watchdog.start()
        self.last_words = ""
        self.first_line = self.process.stdout.readline().decode(errors="replace").strip()
        if ready not in self.first_line:
            self.end()
            errors = self.output.read_text(errors="replace")
            raise Failure(f"{arguments[0]} said {self.first_line!r} instead of {ready!r}: {errors[-500:]}")

    def status_field(self, name):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise Failure(f"/proc/PID/status has no {name}")

    def context_switches(self):
        """How often its threads stopped running so far, all together: each ran since, or sleeps."""
        total = 0
        for status in Path(f"/proc/{self.process.pid}/task").glob("*/status"):
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
            total += int(fields["voluntary_ctxt_switches"]) + int(fields["nonvoluntary_ctxt_switches"])
        return total

    def timers(self):
        """Timers that it has, of timer_create and timerfd_create. Alarms of setitimer would be seen as wake-ups."""
        process = Path(f"/proc/{self.process.pid}")
        files = [os.readlink(file) for file in (process / "fd").iterdir()]
        return (process / "timers").read_text().count("ID: ") + sum("timerfd" in file for file in files)

    def wait(self):
        """Waits for the end; returns the signal that ended it, or 0."""
        status = os.waitpid(self.process.pid, 0)[1]
        self.process.returncode = status
        self.last_words = self.process.stdout.read().decode(errors="replace")
        self.close()
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    def end(self):
        """Ends it in order, by closing its input, or by a signal when that does not help."""
        if self.process.returncode is None:
            self.process.terminate()
            self.process.wait()
        self.close()

    def close(self):
        self.watchdog.cancel()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def interleaved(variants, count):
    """Runs every variant once a round, the order turning with the round; returns the values of each, by name."""
    values = {name: [] for name in variants}
    names = list(variants)
    # The first of each fills caches, and is not counted.
    for name in names:
        variants[name]()
    for number in range(count):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            values[name].append(variants[name]())
    return values


def median_ratio(peer, ours):
    """Median of the ratios of each round: what disturbs a round disturbs both of its values."""
    return statistics.median(a / b for a, b in zip(peer, ours))


def no_core_files():
    """A core file of a crashed child takes longer than all that is measured here."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


CRASHES = {signal.SIGILL, signal.SIGTRAP}
