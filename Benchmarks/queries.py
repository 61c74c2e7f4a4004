"""How long the one waits who asks a store of a million reports, beside one of ten thousand."""

import gzip
import os
import shutil
import sqlite3
import statistics
import subprocess
import time

from harness import ROOT, Failure, bench, fresh_directory, log, rounds, swift_build
from store import Postgres, prepared

SIZES = ((10_000, 1_000), (1_000_000, 10_000))
WEEKS = 14 * 86_400 * 1_000_000
RELEASES, HOSTS, HOURS = 4, 5, 100
BODIES = "received_bodies", "digested_bodies"


# Newer than any rules of grouping: a collector that starts on it regroups nothing.
RULES = 1_000_000


def statements(reports, issues, body):
    """Digested reports of so many issues, over two weeks, as SQL of both databases: through the server it would take half an hour.
    Only the newest of each issue has its bytes, `body` as a literal; no list reads those of others."""
    now = int(time.time() * 1e6)
    step = WEEKS // reports

    def numbers(count):
        return f"WITH RECURSIVE n(k) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT k + 1 FROM n WHERE k < {count - 1})"

    # Rows are numbered from 1 in the order of k, and the newest come first.
    return [
        f"""{numbers(issues)} INSERT INTO issues (project, number, fingerprint, kind, title, culprit, count, first_seen, last_seen, status, hosts,
            rules)
            SELECT 1, k + 1, 'fingerprint ' || k, 'crash', 'Index out of range in part ' || k, 'part' || k || '() (Part.swift:' || k || ')',
            {reports // issues}, {now - WEEKS} + k, {now} - k * {step}, 'open', {HOSTS}, {RULES}
            FROM n ORDER BY k""",
        f"UPDATE projects SET last_issue = {issues}",
        f"""{numbers(issues * RELEASES)} INSERT INTO issue_releases (issue, release, count, first_seen, last_seen)
            SELECT k / {RELEASES} + 1, 'checkout@1.' || (k % {RELEASES}) || '.0', {max(1, reports // issues // RELEASES)},
            {now - WEEKS} + k, {now} - k / {RELEASES} * {step} FROM n""",
        f"{numbers(issues * HOSTS)} INSERT INTO issue_hosts (issue, host) SELECT k / {HOSTS} + 1, 'web-' || (k % {HOSTS}) FROM n",
        f"""{numbers(issues * HOURS)} INSERT INTO issue_hours (issue, hour, count)
            SELECT k / {HOURS} + 1, {now // 3_600_000_000} - k % {HOURS}, 1 FROM n""",
        f"""{numbers(reports)} INSERT INTO reports (project, id, received, kind, time, service, release, environment, host, signal, digest,
            attempts, issue, title, culprit, bytes) SELECT 1, '0193a7f2-6e1c-7000-8000-' || (100000000000 + k), {now} - k * {step}, 'crash',
            {now} - k * {step}, 'checkout', 'checkout@1.' || (k % {RELEASES}) || '.0', 'production', 'web-' || (k % {HOSTS}), 'SIGILL', 1,
            1, k % {issues} + 1, 'Index out of range in part ' || (k % {issues}), 'part' || (k % {issues}) || '()', 8000 FROM n ORDER BY k""",
        *(f"INSERT INTO {table} (report, gzip) SELECT row, {body} FROM reports WHERE row <= {issues}" for table in BODIES),
    ]


class SQLite:
    name = "sqlite"

    def __init__(self, mayday, label):
        self.directory = fresh_directory(f"queries-{label}")
        self.arguments = ["--data", str(self.directory)]
        make_tables(mayday, self.arguments)

    def fill(self, reports, issues, body):
        database = sqlite3.connect(self.directory / "mayday.sqlite", isolation_level=None)
        database.executescript("PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; BEGIN")
        for statement in statements(reports, issues, f"X'{body.hex()}'"):
            database.execute(statement)
        database.execute("COMMIT")
        database.close()

    def remove(self):
        shutil.rmtree(self.directory)


class PostgreSQL:
    name = "postgres"

    def __init__(self, mayday, label, server):
        self.server, self.schema = server, f"queries_{label}"
        self.arguments = ["--store", f"{server.url}&options=-csearch_path%3D{self.schema}"]
        self.ask(f"CREATE SCHEMA {self.schema}")
        make_tables(mayday, self.arguments)

    def ask(self, sql):
        program = f"{os.path.dirname(self.server.control)}/psql"
        options = ["-q", "-v", "ON_ERROR_STOP=1", "-d", f"{self.server.url}&options=-csearch_path%3D{self.schema}"]
        subprocess.run([program, *options], input=sql, check=True, text=True)

    def fill(self, reports, issues, body):
        made = ";".join(statements(reports, issues, f"'\\x{body.hex()}'"))
        # The server does the last by itself within a minute of such a change.
        self.ask(f"SET synchronous_commit = off; BEGIN; {made}; COMMIT; VACUUM ANALYZE;")

    def remove(self):
        self.ask(f"SET client_min_messages = warning; DROP SCHEMA {self.schema} CASCADE")


def make_tables(mayday, arguments):
    """As the server makes them."""
    command = [str(mayday), "serve", "--json", "--listen", "127.0.0.1:0", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = server.stdout.readline()
    server.terminate()
    server.wait()
    server.stdout.close()
    if not said:
        raise Failure("mayday serve did not start")


def asked(mayday, store, arguments):
    """Milliseconds from the command's start to its end."""
    began = time.perf_counter()
    done = subprocess.run([str(mayday), *arguments, *store.arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    taken = (time.perf_counter() - began) * 1000
    if done.returncode or not done.stdout:
        raise Failure(f"mayday {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return taken


# N is an issue in the middle.
QUESTIONS = {
    "list": ["list"],
    "list-by-count": ["list", "--sort", "count"],
    "list-of-release": ["list", "--release", "checkout@1.3.0", "--status", "open"],
    "show": ["show", "N"],
    "reports": ["reports"],
    "stats": ["stats"],
}


def compare(mayday, stores):
    """Asks both sizes in turn; a ratio below 0.5 means that the large one takes more than twice as long."""
    for name, question in QUESTIONS.items():
        times = []
        for _ in range(rounds(15)):
            times.append([
                asked(mayday, store, [str(issues // 2) if word == "N" else word for word in question])
                for (_, issues), store in zip(SIZES, stores)
            ])
        few, many = zip(*times)
        ratio = statistics.median(small / large for small, large in times)
        bench(f"queries-{stores[0].name}-{name}-{SIZES[0][0]}-reports", statistics.median(few), "ms")
        bench(f"queries-{stores[0].name}-{name}-{SIZES[1][0]}-reports", statistics.median(many), "ms", ratio, "the-few")


def run():
    mayday = swift_build(ROOT, ROOT / ".build" / "release-build", ["mayday"]) / "mayday"
    head, rest = (path.read_bytes() for path in prepared(mayday))
    body = gzip.compress(head) + rest
    server = Postgres()
    try:
        for open_store in (SQLite, lambda mayday, label: PostgreSQL(mayday, label, server)):
            stores = []
            for reports, issues in SIZES:
                stores.append(open_store(mayday, str(reports)))
                log(f"filling {stores[-1].name} with {reports} reports in {issues} issues")
                stores[-1].fill(reports, issues, body)
            compare(mayday, stores)
            for store in stores:
                store.remove()
    finally:
        server.stop()
