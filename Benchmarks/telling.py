"""What breadcrumbs, tags, contexts and handled errors cost their caller."""

import subprocess

from harness import BUILD, ROOT, Failure, bench, fresh_directory, swift_build


def run():
    (BUILD / "work").mkdir(exist_ok=True)
    programs = swift_build(ROOT / "Benchmarks", BUILD / "static", ["Telling"], "--static-swift-stdlib")
    environment = {"MAYDAY_SPOOL": str(fresh_directory("telling-spool")), "SWIFT_BACKTRACE": "enable=no"}
    done = subprocess.run([str(programs / "Telling")], env=environment, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failure(f"Telling: {done.stderr}")
    for line in done.stdout.splitlines():
        name, nanoseconds = line.split()
        bench(f"telling-{name}", int(nanoseconds), "ns")
