"""The judgment page under load: a hundred judges at once, on SQLite and on PostgreSQL.

    python bench/serve.py [--judges 100] [--judgments 20000] [--think 1] [--only sqlite] [--write]

The real command serves HITs of 100 items to simulated judges on loopback, each with a connection
and a session of its own: see an item, think, send the answer, be led to the next. First they think,
then they answer as fast as they are served. At the end the database is read: none lost, none
double, and as many judgments of every item as were asked for, all of different people. Beside it
stands a bare Starlette page with the same traffic, one insert for each answer, and nothing else.

The client takes CPU time as well, so that on a machine of two cores, or a busy one, the times
are upper bounds; the CPU time of the server for each request is told too. --write puts the figures
into bench/serve.md. PostgreSQL is started in a temporary directory, as the tests do it.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

SIZE = 100  # items of a HIT
PER_ITEM = 5
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')

# The least that a page with one insert can be, under the same server.
BARE = """
import sys, threading
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

place, port, page = sys.argv[1], int(sys.argv[2]), "<p>" + "word " * 300 + "</p>"
if "://" in place:
    import psycopg
    local = threading.local()
    def insert(values):
        if not hasattr(local, "connection"):
            local.connection = psycopg.connect(place, autocommit=True)
        local.connection.execute("INSERT INTO bare (judge, score) VALUES (%s, %s)", values)
    with psycopg.connect(place, autocommit=True) as made:
        made.execute("CREATE TABLE bare (id SERIAL PRIMARY KEY, judge TEXT, score TEXT)")
else:
    import sqlite3
    made = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    made.execute("PRAGMA journal_mode = WAL")
    made.execute("PRAGMA synchronous = FULL")
    made.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, judge TEXT, score TEXT)")
    lock = threading.Lock()
    def insert(values):
        with lock:
            made.execute("INSERT INTO bare (judge, score) VALUES (?, ?)", values)

async def save(request):
    async with request.form() as form:
        await run_in_threadpool(insert, (form["submission"], form["score"]))
    return RedirectResponse("/work", 303)

async def work(request):
    return HTMLResponse(page)

routes = [Route("/work", work), Route("/work/answer", save, methods=["POST"])]
uvicorn.run(Starlette(routes=routes), port=port, access_log=False, log_level="error")
"""


class Connection:
    """HTTP over one connection that is kept."""

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.cookie = ""
        self.times: list[tuple[str, float]] = []
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(
        self, method: str, path: str, fields: dict[str, str] | None = None, label: str = ""
    ) -> tuple[int, dict[str, str], str]:
        """Return status, headers and body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        body = urlencode(fields or {}).encode()
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        if self.cookie:
            head.append(f"Cookie: {self.cookie}")
        if fields is not None:
            head.append("Content-Type: application/x-www-form-urlencoded")
            head.append(f"Origin: http://{self.host}:{self.port}")
        head.append(f"Content-Length: {len(body)}")
        start = time.perf_counter()
        writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])
        }
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        self.times.append((label, time.perf_counter() - start))
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        return int(lines[0].split(" ")[1]), headers, content.decode()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


class Judged(NamedTuple):
    """What a judge did: the answers that were saved, as (slot, item), and the times of requests."""

    saved: list[tuple[int, int]]
    times: list[tuple[str, float]]


async def judge(link: str, think: float, number: int) -> Judged:
    """Judge until there is nothing left."""
    rng = random.Random(number)
    connection = Connection(link)
    await asyncio.sleep(rng.random() * max(think, 0.2))  # nobody comes at the same moment
    await connection.request("GET", urlsplit(link).path, label="enter")
    saved = []
    while True:
        status, _, page = await connection.request("GET", "/work", label="item")
        assert status == 200, page
        form = {name: html.unescape(value) for name, value in _HIDDEN.findall(page)}
        if "item" not in form:
            if "/work/start" in page:
                await connection.request("POST", "/work/start", form, "start")
                continue
            if "Look again" in page:
                await asyncio.sleep(0.5)
                continue
            break
        if think:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * think)
        form["score"] = str(rng.randrange(101))
        form["active"] = "1.0"
        status, headers, said = await connection.request("POST", "/work/answer", form, "answer")
        assert status == 303, said
        assert headers["location"] == "/work"
        saved.append((int(form["slot"]), int(form["item"])))
        if rng.random() < 0.01:  # a click too many
            status, _, said = await connection.request("POST", "/work/answer", form, "answer")
            assert status == 303, said
    connection.close()
    return Judged(saved, connection.times)


async def bare_judge(base: str, think: float, number: int, count: int) -> Judged:
    """Send as many answers to the bare page."""
    rng = random.Random(number)
    connection = Connection(base)
    await asyncio.sleep(rng.random() * max(think, 0.2))
    for each in range(count):
        await connection.request("GET", "/work", label="item")
        if think:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * think)
        form = {"submission": f"{number}-{each}", "score": "50", "csrf": "x" * 32}
        status, _, said = await connection.request("POST", "/work/answer", form, "answer")
        assert status == 303, said
    connection.close()
    return Judged([(number, each) for each in range(count)], connection.times)


async def everybody(work: Sequence[Any]) -> list[Judged]:
    return await asyncio.gather(*work)


class Figures(NamedTuple):
    """What a run took."""

    judgments: int
    requests: int
    seconds: float
    cpu: float
    quantiles: tuple[float, float, float]

    def row(self, name: str) -> str:
        p50, p95, p99 = (f"{1000 * each:.0f}" for each in self.quantiles)
        rate, cpu = self.requests / self.seconds, 1000 * self.cpu / self.requests
        return f"| {name} | {self.judgments:,} | {rate:.0f} | {p50} | {p95} | {p99} | {cpu:.1f} |"


def cpu_of(process: int) -> float:
    """Return the CPU seconds that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(process: int, work: Sequence[Any]) -> tuple[Figures, list[Judged]]:
    """Let everybody work; return what it took."""
    before, start = cpu_of(process), time.perf_counter()
    judged = asyncio.run(everybody(work))
    seconds, cpu = time.perf_counter() - start, cpu_of(process) - before
    times = sorted(
        took for each in judged for label, took in each.times if label in ("item", "answer")
    )
    at = [times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95, 0.99)]
    count = sum(len(each.saved) for each in judged)
    return Figures(count, len(times), seconds, cpu, (at[0], at[1], at[2])), judged


def write_tasks(folder: Path, hits: int) -> None:
    """Write HITs with sentences of some twenty words."""
    rng = random.Random(1)
    words = [f"{a}{b}{c}" for a in ("ka", "lo", "mi") for b in ("ren", "ta", "su") for c in "aeo"]

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randrange(10, 35)))

    with (folder / "hits.jsonl").open("w", encoding="utf-8") as file:
        for hit in range(hits):
            items = [
                {
                    "number": number,
                    "kind": "system",
                    "system": f"system-{number % 7}",
                    "segment": f"{hit}-{number}",
                    "text": sentence(),
                    "reference": sentence(),
                    "of": None,
                }
                for number in range(1, SIZE + 1)
            ]
            line = {"hit": f"hit-{hit}", "pair": "xx-yy", "scale": "adequacy", "items": items}
            file.write(json.dumps(line) + "\n")


@contextmanager
def served(folder: Path, database: str, judges: int) -> Iterator[tuple[int, list[str]]]:
    """Start the command; yield its process and the judges' links."""
    command = [sys.executable, "-m", "weigh", "serve", str(folder), "--database", database]
    command += ["--judges", str(judges), "--per-item", str(PER_ITEM), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            assert server.stdout is not None
            lines = [server.stdout.readline().split("\t") for _ in range(judges + 1)]
            yield server.pid, [line[1].strip() for line in lines[1:]]
        finally:
            server.terminate()


def check(database: str, judged: Sequence[Judged], hits: int) -> str:
    """Compare what the database has with what judges were told; return what was found."""
    from weigh.read.campaign_tables import read_campaign

    answers = read_campaign(database).answers
    told = Counter(place for each in judged for place in each.saved)
    by_item: dict[tuple[str, int], list[str]] = defaultdict(list)
    for answer in answers:
        by_item[answer.batch, answer.about["number"]].append(answer.judge)
    lost = len(told) - len(answers)
    double = sum(count - 1 for count in told.values())
    exact = sum(len(who) == len(set(who)) == PER_ITEM for who in by_item.values())
    assert (lost, double, exact) == (0, 0, hits * SIZE), (lost, double, exact)
    return f"{lost} lost, {double} double, {exact:,} items with {PER_ITEM} judges each"


@contextmanager
def bare(place: str) -> Iterator[tuple[int, str]]:
    """Start the bare page; yield its process and address."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", BARE, place, str(port)]) as server:
        try:
            for _ in range(200):
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            yield server.pid, f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--judges", type=int, default=100)
    parser.add_argument("--judgments", type=int, default=20_000)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--no-bare", action="store_true")
    parser.add_argument("--flat-out-only", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    hits = arguments.judgments // (SIZE * PER_ITEM)
    thinking = f"think {arguments.think:g} s"
    paces = (
        {"flat out": 0.0}
        if arguments.flat_out_only
        else {thinking: arguments.think, "flat out": 0.0}
    )
    lines = [
        f"{arguments.judges} judges, HITs of {SIZE} items, {PER_ITEM} judgments of each item. An "
        "answer is two requests: the form, and the page with the next item. Judges think for "
        f"{0.5 * arguments.think:g} to {1.5 * arguments.think:g} s, or not at all. CPU is the "
        "server's, without PostgreSQL's own; the client shares the machine's "
        f"{os.cpu_count()} cores.",
        "",
        "| | judgments | requests/s | p50 ms | p95 ms | p99 ms | CPU ms/request |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    findings = []
    print("\n".join(lines), flush=True)

    def note(figures: Figures, name: str) -> None:
        lines.append(figures.row(name))
        print(lines[-1], flush=True)

    with ExitStack() as stack:
        databases = {"sqlite": "", "postgresql": ""}
        if arguments.only:
            databases = {arguments.only: ""}
        if "postgresql" in databases:
            import postgres

            databases["postgresql"] = stack.enter_context(postgres.server(fsync=True))
        for kind, url in databases.items():
            for number, (pace, think) in enumerate(paces.items()):
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                write_tasks(folder, hits)
                place = f"{url}#run-{number}" if url else str(folder / "answers.db")
                with served(folder, place, arguments.judges) as (process, links):
                    work = [judge(link, think, n) for n, link in enumerate(links)]
                    figures, judged = measured(process, work)
                    note(figures, f"`weigh serve`, {kind}, {pace}")
                findings.append(f"{kind}, {pace}: {check(place, judged, hits)}.")
                print(findings[-1], flush=True)
            if not arguments.no_bare:
                place = url or str(
                    Path(stack.enter_context(tempfile.TemporaryDirectory())) / "x.db"
                )
                with bare(place) as (process, base):
                    count = arguments.judgments // arguments.judges
                    work = [bare_judge(base, 0.0, n, count) for n in range(arguments.judges)]
                    note(measured(process, work)[0], f"bare page with one insert, {kind}, flat out")
    text = "\n".join([*lines, "", *findings]) + "\n"
    if arguments.write:
        (HERE / "serve.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
