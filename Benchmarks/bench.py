"""Runs the groups of benchmarks; see `run`."""

import os
import sys

import capture
import delivery
import harness
import queries
import scale
import sdk
import store
import symbolication
import telling

GROUPS = {
    "capture": capture.run,
    "delivery": delivery.run,
    "queries": queries.run,
    "scale": scale.run,
    "sdk": sdk.run,
    "store": store.run,
    "symbolication": symbolication.run,
    "telling": telling.run,
}


def main():
    only = os.environ.get("ONLY", "")
    if only and only not in GROUPS:
        print(f"ONLY={only}: no such group of benchmarks; there are {', '.join(GROUPS)}", file=sys.stderr)
        return 2
    harness.no_core_files()
    # A high descriptor that was left open to us makes the tables of the children large. To grow one takes a process with
    # threads 10 ms, which must not be hidden where a service would pay for it.
    os.closerange(3, 4096)
    load, processors = os.getloadavg()[0], os.cpu_count()
    if load > processors / 2:
        harness.log(f"this machine is busy (load {load:.1f} on {processors} processors): what waits for disk or processor suffers")
    harness.BUILD.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, run in GROUPS.items():
        if only in ("", name):
            try:
                run()
            except harness.Failure as failure:
                print(f"bench: {name}: {failure}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


sys.exit(main())
