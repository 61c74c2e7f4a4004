"""What linking and starting Mayday costs a service that does not crash: two small programs, linked statically, with and without."""

import shutil
import statistics
import subprocess
import time

from harness import BUILD, ROOT, Child, Failure, bench, fresh_directory, interleaved, log, rounds, swift_build

WATCHED_SECONDS = 5


def stripped_size(program):
    copy = BUILD / "work" / f"{program.name}.stripped"
    subprocess.run(["strip", "-s", "-o", str(copy), str(program)], check=True)
    return copy.stat().st_size


def run():
    if not shutil.which("strip"):
        raise Failure("strip is missing: install binutils")
    (BUILD / "work").mkdir(exist_ok=True)
    programs = swift_build(
        ROOT / "Benchmarks", BUILD / "static", ["Idle", "IdleWithMayday"], "--static-swift-stdlib"
    )
    bare, linked = programs / "Idle", programs / "IdleWithMayday"
    environment = {"MAYDAY_SPOOL": str(fresh_directory("sdk-spool")), "SWIFT_BACKTRACE": "enable=no"}

    def whole_run(program):
        start = time.perf_counter()
        done = subprocess.run([str(program)], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        elapsed = time.perf_counter() - start
        if done.returncode != 0 or done.stderr:
            raise Failure(f"{program.name}: {done.stderr.decode(errors='replace')}")
        return elapsed * 1000

    def at_rest(program):
        child = Child([program, "rest"], environment, BUILD / "work" / "rest.stderr", "ready")
        try:
            fields = [child.status_field(name) for name in ("VmRSS", "RssAnon", "Threads")]
            return fields[0] * 1024 / 1e6, fields[1] * 1024 / 1e6, fields[2]
        finally:
            child.end()

    def watched():
        """Of a service at rest: how often any of its threads ran, and its timers."""
        child = Child([linked, "rest"], environment, BUILD / "work" / "rest.stderr", "ready")
        try:
            # What it still does to come to rest is not counted.
            time.sleep(0.5)
            before = child.context_switches()
            time.sleep(WATCHED_SECONDS)
            return child.context_switches() - before, child.timers()
        finally:
            child.end()

    times = interleaved({"bare": lambda: whole_run(bare), "linked": lambda: whole_run(linked)}, rounds(101))
    later = [with_it - without for with_it, without in zip(times["linked"], times["bare"])]
    log(f"start: {statistics.median(times['bare']):.2f} ms without, {statistics.median(times['linked']):.2f} ms with")
    bench("sdk-added-start-up", statistics.median(later), "ms")

    rest = interleaved({"bare": lambda: at_rest(bare), "linked": lambda: at_rest(linked)}, rounds(15))
    def added(index):
        return statistics.median(value[index] for value in rest["linked"]) - statistics.median(
            value[index] for value in rest["bare"]
        )

    log(f"resident memory: {statistics.median(value[0] for value in rest['bare']):.1f} MB without")
    bench("sdk-added-resident-memory", added(0), "MB")
    # The rest of it are pages of the files of the program and its libraries, which the kernel shares and takes back.
    bench("sdk-added-anonymous-memory", added(1), "MB")
    bench("sdk-added-threads-at-rest", added(2), "threads")

    switches, timers = watched()
    bench(f"sdk-wake-ups-at-rest-in-{WATCHED_SECONDS}-s", switches, "wake-ups")
    bench("sdk-timers-at-rest", timers, "timers")

    sizes = [stripped_size(program) / 1e6 for program in (bare, linked)]
    log(f"static binary, stripped: {sizes[0]:.2f} MB without, {sizes[1]:.2f} MB with")
    bench("sdk-added-static-binary", sizes[1] - sizes[0], "MB")
