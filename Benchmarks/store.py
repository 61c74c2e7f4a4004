"""What the collector takes: durable reports a second over HTTP, on SQLite and on PostgreSQL, beside what the disk's database takes alone."""

import contextlib
import glob
import gzip
import json
import os
import pwd
import random
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import tempfile
import time
import urllib.request

from harness import BUILD, ROOT, Failure, bench, fresh_directory, log, rounds, swift_build

SECONDS = 4
CONNECTIONS = (1, 8, 64)


def elf(path):
    """The build id of a program or library, and where its code begins and ends."""
    with open(path, "rb") as file:
        image = file.read()
    table, size, count = struct.unpack_from("<Q", image, 32)[0], *struct.unpack_from("<HH", image, 54)
    build_id, code = None, None
    for number in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", image, table + number * size)
        if kind == 1 and flags & 1:
            code = address, address + length
        while kind == 4 and length >= 12:
            name, described, note = struct.unpack_from("<III", image, offset)
            start = offset + 12 + (name + 3 & ~3)
            if note == 3 and image[offset + 12:offset + 16] == b"GNU\0":
                build_id = image[start:start + described].hex()
            step = start + (described + 3 & ~3) - offset
            offset, length = offset + step, length - step
    return build_id, code


def images_of(program):
    """A program and the libraries that it loads, so that there are functions to look up."""
    listed = subprocess.run(["ldd", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    paths = [str(program)] + [word for word in listed.split() if word.startswith("/")]
    return [(path, *elf(path)) for path in dict.fromkeys(map(os.path.realpath, paths))][:24]


def report_lines(program):
    """A report as a service of some size makes it: 8 threads, 60 frames on the crashed one, 20 breadcrumbs, and the images
    of a real program, a third of the frames in its own code."""
    chance = random.Random(1)
    images = images_of(program)

    def base(number):
        return 0x7F1000000000 + (number << 28)

    def frames(count):
        found = []
        for index in range(count):
            image = 0 if chance.random() < 1 / 3 else chance.randrange(len(images))
            offset = chance.randrange(*images[image][2])
            found.append({
                "address": hex(base(image) + offset), "image": image, "offset": hex(offset), "trust": "cfi" if index else "context",
            })
        return found

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
    for number, (path, build_id, code) in enumerate(images):
        lines.append({"type": "image", "path": path, "build_id": build_id, "base": hex(base(number)), "size": hex(code[1])})
    for number in range(20):
        lines.append({"type": "breadcrumb", "time": "2026-11-30T08:17:52.000000Z", "message": f"cart {number} loaded", "data": {"items": number}})
    lines.append({"type": "end", "stages": ["report", "crash", "threads", "images", "end"], "duration_us": 1840, "unwinder": "libunwind"})
    return head, lines


def prepared(program):
    head, lines = report_lines(program)
    directory = BUILD / "work"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "head.json").write_text(json.dumps(head) + "\n")
    # As a dying process writes them: without blanks.
    rest = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (directory / "rest.gz").write_bytes(gzip.compress(rest.encode(), 6))
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


def numbers(port):
    """The server's own figures, by name and label."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if line[:1] != "#"]
    return {name: int(value) for name, value in lines}


def digested_a_second(port):
    """How fast what waits is digested when nothing more comes; None when too little waits to tell."""
    done, waiting = 'mayday_digests_total{result="done"}', 'mayday_undigested_reports{state="pending"}'
    first, began, rate = numbers(port), time.perf_counter(), None
    while time.perf_counter() < began + SECONDS:
        time.sleep(0.25)
        found = numbers(port)
        if not found[waiting]:
            break
        rate = (found[done] - first[done]) / (time.perf_counter() - began)
    return rate


def child_of(process):
    """The process that a server has started: the one that reads debug files."""
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as file:
                number, rest = file.read().split(" ", 1)
        except OSError:
            continue
        if int(rest.rsplit(")", 1)[1].split()[1]) == process.pid:
            return int(number)
    raise Failure("the collector has started no process that reads debug files")


def digestion_alone(mayday, load, store, files):
    """Reports digested a second when nothing else runs and symbols are warm: what reads debug files is stopped until enough of them wait."""
    done, waiting = 'mayday_digests_total{result="done"}', 'mayday_undigested_reports{state="pending"}'
    with serving(mayday, store) as (server, port, key):
        def post(connections, seconds):
            command = [str(load), port, key, str(connections), str(seconds), *map(str, files)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

        def drain():
            # Seldom: each time, the database counts all that wait.
            while (found := numbers(port))[waiting]:
                time.sleep(0.2)
            return found[done]

        post(1, 1)
        first = drain()
        reader = child_of(server)
        os.kill(reader, signal.SIGSTOP)
        try:
            post(16, SECONDS)
        finally:
            os.kill(reader, signal.SIGCONT)
        began = time.perf_counter()
        return (drain() - first) / (time.perf_counter() - began)


@contextlib.contextmanager
def serving(mayday, store):
    """A collector, its port and the key of its project."""
    with open(BUILD / "work" / "serve.stderr", "wb") as errors:
        server = subprocess.Popen(
            [str(mayday), "serve", "--json", "--listen", "127.0.0.1:0", *store], stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        said = json.loads(server.stdout.readline())
        yield server, said["listening"].rsplit(":", 1)[1], said["dsn"].split("//")[1].split("@")[0]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def served(mayday, load, store, connections, files):
    """What one load of some seconds found, and what the server took for it."""
    with serving(mayday, store) as (server, port, key):
        done = subprocess.run(
            [str(load), port, key, str(connections), str(SECONDS), *map(str, files)], stdout=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise Failure("the load generator failed")
        found = json.loads(done.stdout)
        found["digested"] = digested_a_second(port)
        status = open(f"/proc/{server.pid}/status").read()
        found["memory_mb"] = int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6
        if found["refused"]:
            raise Failure(f"{found['refused']} reports were not answered 201")
        return found


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


def postgres_floor(server, size, together):
    """PostgreSQL alone: blobs of that size from so many connections, each a commit, by its own load generator."""
    directory = os.path.dirname(server.control)
    subprocess.run([f"{directory}/psql", "-q", "-d", server.url, "-c", "CREATE TABLE IF NOT EXISTS floor (id UUID PRIMARY KEY, gzip BYTEA)"], check=True)
    script = BUILD / "work" / "floor.sql"
    script.write_text(f"INSERT INTO floor VALUES (gen_random_uuid(), decode('{os.urandom(size).hex()}', 'hex'));\n")
    done = subprocess.run(
        [f"{directory}/pgbench", "-n", "-M", "prepared", "-c", str(together), "-T", "2", "-f", str(script), server.url],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    return float(done.stdout.split("tps = ")[1].split()[0])


def run():
    programs = swift_build(ROOT / "Benchmarks", BUILD / "dynamic", ["Load"])
    mayday = swift_build(ROOT, ROOT / ".build" / "release-build", ["mayday"]) / "mayday"
    files = prepared(mayday)
    for connections in CONNECTIONS:
        ratios, results = [], []
        for _ in range(rounds(3)):
            store = ["--data", str(fresh_directory("store-data"))]
            results.append(served(mayday, programs / "Load", store, connections, files))
            ratios.append(results[-1]["answered"] / results[-1]["seconds"] / floor(results[-1]["bytes"], connections))
        show(f"store-sqlite-{connections}", results, statistics.median(ratios), "SQLite-alone")
    alone = [
        digestion_alone(mayday, programs / "Load", ["--data", str(fresh_directory("store-data"))], files) for _ in range(rounds(3))
    ]
    bench("store-sqlite-digested-alone", statistics.median(alone), "/s")
    server = Postgres()
    try:
        for connections in CONNECTIONS:
            ratios, results = [], []
            for number in range(rounds(3)):
                name = f"bench{connections}_{number}"
                command = [f"{os.path.dirname(server.control)}/psql", "-q", "-d", server.url, "-c", f"CREATE SCHEMA {name}"]
                subprocess.run(command, check=True)
                store = ["--store", f"{server.url}&options=-csearch_path%3D{name}"]
                results.append(served(mayday, programs / "Load", store, connections, files))
                alone = postgres_floor(server, results[-1]["bytes"], connections)
                ratios.append(results[-1]["answered"] / results[-1]["seconds"] / alone)
            show(f"store-postgres-{connections}", results, statistics.median(ratios), "PostgreSQL-alone")
        alone = []
        for number in range(rounds(3)):
            name = f"alone{number}"
            command = [f"{os.path.dirname(server.control)}/psql", "-q", "-d", server.url, "-c", f"CREATE SCHEMA {name}"]
            subprocess.run(command, check=True)
            store = ["--store", f"{server.url}&options=-csearch_path%3D{name}"]
            alone.append(digestion_alone(mayday, programs / "Load", store, files))
        bench("store-postgres-digested-alone", statistics.median(alone), "/s")
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
    # A load that leaves nothing to digest says nothing of it.
    digested = [result["digested"] for result in results if result["digested"]]
    if digested:
        bench(f"{name}-digested-after-it", statistics.median(digested), "/s")
