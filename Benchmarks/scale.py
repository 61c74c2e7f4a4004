"""How a crash grows with the threads and the loaded objects of the process, and what each new thread pays before any crash."""

import re
import shutil
import statistics
import subprocess

from capture import Subject
from harness import BUILD, ROOT, Failure, bench, fresh_directory, interleaved, log, rounds, swift_build

THREADS = (8, 64, 256, 1000)
OBJECTS = (10, 100, 300)
NEW_THREADS = 1000


def crash(name, arguments, count, kind, least):
    """A crash with `count` of what grows: the handler up to its end line, and all that Mayday adds to the crash."""
    subject = Subject(f"Crasher-{count}-{name}", arguments)
    to_end_line = []

    def mayday():
        elapsed = subject.mayday()
        lines = [line for line in subject.lines if line["type"] == kind]
        if len(lines) < least:
            raise Failure(f"the report has {len(lines)} {name} instead of {least}")
        if any(not line.get("frames", True) for line in lines):
            raise Failure("a thread has no stack in the report")
        end = subject.lines[-1]
        if end.get("cut"):
            raise Failure(f"the capture was cut short: {end['cut']}")
        to_end_line.append(end["duration_us"] / 1000)
        return elapsed

    values = interleaved({"mayday": mayday, "nothing": subject.nothing}, rounds(9))
    added = statistics.median(ours - bare for ours, bare in zip(values["mayday"], values["nothing"]))
    log(f"scale: {count} {name}: the crash alone takes {statistics.median(values['nothing']):.1f} ms")
    bench(f"scale-{count}-{name}-to-end-line", statistics.median(to_end_line), "ms")
    bench(f"scale-{count}-{name}-added", added, "ms")


def shared_objects(count):
    """A directory of small shared objects, files of their own each: the loader takes equal files for one."""
    directory = fresh_directory(f"objects-{count}")
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Failure("no C compiler to make shared objects with: install gcc or clang")
    first = directory / "object-0.so"
    source = b"int plugin(int value) { return value + 1; }\n"
    command = [compiler, "-shared", "-fPIC", "-O2", "-Wl,--build-id", "-x", "c", "-", "-o", str(first)]
    subprocess.run(command, input=source, check=True)
    for index in range(1, count):
        shutil.copyfile(first, directory / f"object-{index}.so")
    return directory


def new_threads():
    """What starting a thread costs more in a process that Mayday guards."""
    programs = swift_build(ROOT / "Benchmarks", BUILD / "programs", ["Threads", "ThreadsWithMayday"])
    environment = {"MAYDAY_SPOOL": str(fresh_directory("threads-spool")), "SWIFT_BACKTRACE": "enable=no"}

    def measure(program):
        done = subprocess.run([str(program), str(NEW_THREADS)], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{program.name}: {done.stderr}")
        return {name: float(value) for name, value in re.findall(r"(\w+)=(\S+)", done.stdout)}

    values = interleaved(
        {"bare": lambda: measure(programs / "Threads"), "linked": lambda: measure(programs / "ThreadsWithMayday")}, rounds(31)
    )

    def added(name):
        return statistics.median(ours[name] - bare[name] for ours, bare in zip(values["linked"], values["bare"]))

    for name in ("in_turn_ns", "alive_ns"):
        log(f"a thread without Mayday, {name}: {statistics.median(bare[name] for bare in values['bare']):.0f} ns")
    bench("scale-new-thread-added", added("in_turn_ns") / 1000, "us")
    bench(f"scale-new-thread-beside-{NEW_THREADS}-added", added("alive_ns") / 1000, "us")
    bench("scale-new-thread-added-address-space", added("size_kb"), "kB")
    bench("scale-new-thread-added-anonymous-memory", added("anonymous_kb"), "kB")


def run():
    crasher = swift_build(ROOT / "Benchmarks", BUILD / "programs", ["Crasher"]) / "Crasher"
    (BUILD / "work").mkdir(exist_ok=True)
    for count in THREADS:
        crash("threads", [crasher, count], count, "thread", count)
    for count in OBJECTS:
        crash("objects", [crasher, 8, shared_objects(count)], count, "image", count)
    new_threads()
