"""What the collector takes: durable reports a second over HTTP, on SQLite and on PostgreSQL, beside what the disk's database takes alone."""

import glob
import gzip
import json
import os
import pwd
import random
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time

from harness import BUILD, ROOT, Failure, bench, fresh_directory, log, rounds, swift_build

SECONDS = 4
CONNECTIONS = (1, 8, 64)


def report_lines():
    """A report as a service of some size makes it: 8 threads, 60 frames on the crashed one, 24 images, 20 breadcrumbs."""
    chance = random.Random(1)

    def frames(count):
        found = []
        for index in range(count):
            image, offset = chance.randrange(24), chance.randrange(1 << 22)
            base = 0x7F1000000000 + (image << 24)
            found.append({"address": hex(base + offset), "image": image, "offset": hex(offset), "trust": "cfi" if index else "context"})
        return found

    def name(number):
        return f"/usr/lib/x86_64-linux-gnu/libservice-part-{number}.so.{number % 5}"

    head = {
        "type": "report", "version": 1, "id": "00000000-0000-7000-8000-000000000000", "kind": "crash",
        "time": "2026-11-30T08:17:53.123456Z", "service": "checkout", "release": "checkout@1.4.2", "environment": "production",
        "process": {"pid": 4711, "name": "CheckoutService", "path": "/srv/checkout/CheckoutService", "uptime_ms": 3723000},
        "host": {"name": "web-3", "os": "Debian GNU/Linux 12", "kernel": "6.1.0", "arch": "x86_64", "cpus": 2},
        "sdk": {"name": "mayday-swift", "version": "0.1.0"},
    }
    registers = {register: hex(chance.getrandbits(64)) for register in "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()}
    lines = [{
        "type": "crash", "signal": {"number": 4, "name": "SIGILL", "code": 2, "code_name": "ILL_ILLOPN"}, "fault_address": "0x7f1000001a40",
        "thread": 4711, "message": "Fatal error: Index out of range", "message_source": "swift", "registers": registers,
    }]
    for thread in range(8):
        line = {"type": "thread", "id": 4711 + thread, "name": f"worker-{thread}", "state": "S", "frames": frames(14 if thread else 60)}
        lines.append(line if thread else {**line, "crashed": True})
    for number in range(24):
        lines.append({"type": "image", "path": name(number), "build_id": f"{chance.getrandbits(160):040x}", "base": hex(0x7F1000000000 + (number << 24)), "size": "0x400000"})
    for number in range(20):
        lines.append({"type": "breadcrumb", "time": "2026-11-30T08:17:52.000000Z", "message": f"cart {number} loaded", "data": {"items": number}})
    lines.append({"type": "end", "stages": ["report", "crash", "threads", "images", "end"], "duration_us": 1840, "unwinder": "libunwind"})
    return head, lines


def prepared():
    head, lines = report_lines()
    directory = BUILD / "work"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "head.json").write_text(json.dumps(head) + "\n")
    (directory / "rest.gz").write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode(), 6))
    return directory / "head.json", directory / "rest.gz"


class Postgres:
    """A server of its own that waits for the disk, on a socket in a temporary directory."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            raise Failure("no PostgreSQL in /usr/lib/postgresql: run scripts/install-packages")
        self.control, self.change = f"{programs[-1]}/pg_ctl", []
        self.directory = tempfile.mkdtemp(prefix="mayday-bench-", dir="/var/tmp")
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
            os.chmod(self.directory, 0o755)
            self.change = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.run("initdb", "-o", "-A trust -U mayday -E UTF8 --locale=C.UTF-8 -N")
        self.run("-w", "-l", f"{self.directory}/log", "start", "-o", f"-k {self.directory} -c listen_addresses=")
        self.url = f"postgres://mayday@/postgres?host={self.directory}"

    def run(self, *arguments):
        command = [*self.change, self.control, "-s", "-D", f"{self.directory}/data", *arguments]
        subprocess.run(command, check=True, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def stop(self):
        self.run("-m", "immediate", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)


def served(mayday, load, store, connections, files):
    """What one load of some seconds found, and what the server took for it."""
    with open(BUILD / "work" / "serve.stderr", "wb") as errors:
        server = subprocess.Popen(
            [str(mayday), "serve", "--json", "--listen", "127.0.0.1:0", *store], stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        said = json.loads(server.stdout.readline())
        key = said["dsn"].split("//")[1].split("@")[0]
        port = said["listening"].rsplit(":", 1)[1]
        done = subprocess.run(
            [str(load), port, key, str(connections), str(SECONDS), *map(str, files)], stdout=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise Failure("the load generator failed")
        found = json.loads(done.stdout)
        status = open(f"/proc/{server.pid}/status").read()
        found["memory_mb"] = int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6
        if found["refused"]:
            raise Failure(f"{found['refused']} reports were not answered 201")
        return found
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def floor(size, together):
    """SQLite alone: blobs of that size, so many a commit, each commit on the disk."""
    directory = fresh_directory("store-floor")
    database = sqlite3.connect(directory / "floor.sqlite", isolation_level=None)
    database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE bodies (id TEXT PRIMARY KEY, gzip BLOB)")
    body, count, end = os.urandom(size), 0, time.perf_counter() + 2
    while time.perf_counter() < end:
        database.execute("BEGIN")
        for _ in range(together):
            count += 1
            database.execute("INSERT INTO bodies VALUES (?, ?)", (f"{count:036d}", body))
        database.execute("COMMIT")
    rate = count / (2 + time.perf_counter() - end)
    database.close()
    shutil.rmtree(directory)
    return rate


def run():
    programs = swift_build(ROOT / "Benchmarks", BUILD / "dynamic", ["Load"])
    mayday = swift_build(ROOT, ROOT / ".build" / "release-build", ["mayday"]) / "mayday"
    files = prepared()
    for connections in CONNECTIONS:
        ratios, results = [], []
        for _ in range(rounds(3)):
            store = ["--data", str(fresh_directory("store-data"))]
            results.append(served(mayday, programs / "Load", store, connections, files))
            ratios.append(results[-1]["answered"] / results[-1]["seconds"] / floor(results[-1]["bytes"], connections))
        show(f"store-sqlite-{connections}", results, statistics.median(ratios), "SQLite-alone")
    server = Postgres()
    try:
        for connections in CONNECTIONS:
            results = []
            for number in range(rounds(3)):
                name = f"bench{connections}_{number}"
                command = [f"{os.path.dirname(server.control)}/psql", "-q", "-d", server.url, "-c", f"CREATE SCHEMA {name}"]
                subprocess.run(command, check=True)
                store = ["--store", f"{server.url}&options=-csearch_path%3D{name}"]
                results.append(served(mayday, programs / "Load", store, connections, files))
            show(f"store-postgres-{connections}", results)
    finally:
        server.stop()


def show(name, results, ratio=None, peer=None):
    def middle(field):
        return statistics.median(result[field] for result in results)

    log(f"{name}: reports of {results[0]['bytes']} bytes, digestion running beside")
    bench(f"{name}-durable-reports", statistics.median(result["answered"] / result["seconds"] for result in results), "/s", ratio, peer)
    bench(f"{name}-p50", middle("p50_ms"), "ms")
    bench(f"{name}-p99", middle("p99_ms"), "ms")
    bench(f"{name}-memory", middle("memory_mb"), "MB")
