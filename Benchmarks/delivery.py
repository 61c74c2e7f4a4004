"""Reports through the spool: how many a second, and how much memory is needed where thousands wait."""

import gzip
import json
import os
import shutil
import socket
import statistics
import subprocess
import threading
import time

from harness import BUILD, ROOT, Failure, bench, fresh_directory, interleaved, log, median_ratio, rounds, swift_build

REPORTS = 600
WAITING = 10_000


class Server:
    """Answers as a collector does, with as little work as can be; keeps the bodies when asked to."""

    def __init__(self, status=201):
        self.status, self.bodies = status, []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.serve(connection)

    def serve(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return
            data += part
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65536)
        self.bodies.append(body)
        # The first line has the id.
        report = json.loads(gzip.decompress(body).split(b"\n", 1)[0])["id"]
        text = json.dumps({"id": report}).encode()
        connection.sendall(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (self.status, len(text), text))

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def run_program(program, server, spool, *arguments):
    environment = {
        "MAYDAY_SPOOL": str(spool), "MAYDAY_SERVICE": "bench", "MAYDAY_DSN": f"http://KEY@127.0.0.1:{server.port}/1",
        "SWIFT_BACKTRACE": "enable=no",
    }
    done = subprocess.run([str(program), *arguments], env=environment, capture_output=True, text=True, timeout=170)
    if done.returncode != 0:
        raise Failure(f"Delivering {arguments}: {done.stderr[-2000:]}")
    return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def write_and_sync(bodies, directory):
    """The floor: the same bytes, each in a file of its own that is durable, and removed."""
    start = time.perf_counter()
    for number, body in enumerate(bodies):
        path = directory / f"{number}"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(file, body)
        os.fsync(file)
        os.close(file)
        os.unlink(path)
    return time.perf_counter() - start


def waiting_reports(spool, body, count):
    """That many files with the name of a report."""
    shutil.rmtree(spool, ignore_errors=True)
    (spool / "bench").mkdir(parents=True, mode=0o700)
    spool.chmod(0o700)
    milliseconds = int(time.time() * 1000) - count
    lines = gzip.decompress(body)
    old = json.loads(lines.split(b"\n", 1)[0])["id"].encode()
    for number in range(count):
        digits = f"{milliseconds + number:012x}"
        report = f"{digits[:8]}-{digits[8:]}-7{number % 4096:03x}-8000-{number:012x}"
        (spool / "bench" / f"{report}.jsonl.gz").write_bytes(gzip.compress(lines.replace(old, report.encode()), 1))


def run():
    (BUILD / "work").mkdir(exist_ok=True)
    program = swift_build(ROOT / "Benchmarks", BUILD / "static", ["Delivering"], "--static-swift-stdlib") / "Delivering"
    spool = fresh_directory("delivery-spool")
    floor = fresh_directory("delivery-floor")
    server = Server()

    def through_the_spool():
        server.bodies = []
        result = run_program(program, server, spool, "write", str(REPORTS))
        if not result["done"] or len(server.bodies) != REPORTS:
            raise Failure(f"{len(server.bodies)} of {REPORTS} reports came")
        return result["nanoseconds"] / 1e9

    def written():
        return write_and_sync(bodies, floor)

    through_the_spool()
    bodies = list(server.bodies)
    times = interleaved({"spool": through_the_spool, "floor": written}, rounds(5))
    log(f"{REPORTS} reports of {statistics.mean(map(len, bodies)):.0f} bytes")
    rate = REPORTS / statistics.median(times["spool"])
    bench("delivery-reports-a-second", rate, "reports/s", median_ratio(times["floor"], times["spool"]), "write+fsync+remove")

    # A backend that is down leaves them all waiting, and one that works takes them all.
    busy = Server(status=503)

    def memory(count, at):
        waiting_reports(spool, bodies[0], count)
        before = len(server.bodies)
        result = run_program(program, at, spool, "deliver")
        if at is server and len(server.bodies) - before != count:
            raise Failure(f"{len(server.bodies) - before} of {count} reports came")
        return result["memory"] * 1024 / 1e6, result["nanoseconds"] / 1e9

    few, many, all_of_them = memory(1, busy)[0], memory(WAITING, busy), memory(WAITING, server)
    log(f"at most {few:.1f} MB with 1 report waiting; looking through {WAITING} of them takes {many[1] * 1000:.0f} ms")
    bench(f"delivery-added-memory-with-{WAITING}-waiting", many[0] - few, "MB")
    bench(f"delivery-added-memory-for-{WAITING}-delivered", all_of_them[0] - few, "MB")
    server.close()
    busy.close()
