"""The judgment page under load: a hundred judges at once, on SQLite and on PostgreSQL.

    python bench/serve.py [--judges 100] [--judgments 20000] [--think 1] [--only sqlite] [--write]
    python bench/serve.py --idle 1000 [--judges 20] [--seconds 60] [--write]

The real command serves HITs of 100 items to simulated judges on loopback, each with a connection
and a session of its own: see an item, think, send the answer, be led to the next. First they think,
then they answer as fast as they are served. At the end the database is read: none lost, none
double, and as many judgments of every item as were asked for, all of different people. Beside it
stands a bare Starlette page with the same traffic, one insert for each answer, and nothing else.

With --idle, clients who send half a request keep so many connections open, and open new ones a
second after the server closes them, while judges work for so many seconds.

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
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

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
    """What a judge did: the answers that were saved, as (slot, item), and the times of requests.

    Slots and items are those in the pages, sealed for the session.
    """

    session: str
    saved: list[tuple[int, int]]
    times: list[tuple[str, float]]


async def judge(link: str, think: float, number: int, seconds: float = float("inf")) -> Judged:
    """Judge until there is nothing left, or for so many seconds."""
    until = time.monotonic() + seconds
    rng = random.Random(number)
    connection = Connection(link)
    await asyncio.sleep(rng.random() * max(think, 0.2))  # nobody comes at the same moment
    await connection.request("GET", urlsplit(link).path, label="enter")
    saved = []
    while time.monotonic() < until:
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
        while status == 503:  # the page keeps the answer, to be sent again
            connection.times.append(("unsaved", 0.0))
            await asyncio.sleep(1.0)
            status, headers, said = await connection.request("POST", "/work/answer", form, "answer")
        assert status == 303, said
        assert urlsplit(headers["location"]).path == "/work"
        saved.append((int(form["slot"]), int(form["item"])))
        if rng.random() < 0.01:  # a click too many
            status, _, said = await connection.request("POST", "/work/answer", form, "answer")
            assert status == 303, said
    connection.close()
    return Judged(connection.cookie.partition("=")[2], saved, connection.times)


class Idle(NamedTuple):
    """Clients who send half a request: how many connections they opened, and the most at once."""

    opened: int
    most: int


async def stay_idle(base: str, count: int, addresses: int, seconds: float) -> Idle:
    """Keep so many connections open, from so many addresses, each with half a request."""
    parts = urlsplit(base)
    until = time.monotonic() + seconds
    opened, now, most = 0, 0, 0

    async def client(number: int) -> None:
        nonlocal opened, now, most
        address = f"127.0.1.{1 + number % addresses}" if addresses else "127.0.0.1"
        while (left := until - time.monotonic()) > 0:
            try:
                reader, writer = await asyncio.open_connection(
                    parts.hostname, parts.port, local_addr=(address, 0)
                )
            except OSError:
                await asyncio.sleep(1.0)
                continue
            opened, now = opened + 1, now + 1
            most = max(most, now)
            try:
                writer.write(b"POST /work/answer HTTP/1.1\r\nHost: x\r\nContent-Le")
                async with asyncio.timeout(left):
                    await reader.read()
            except (OSError, TimeoutError):
                pass
            finally:
                now -= 1
                writer.close()
            await asyncio.sleep(1.0)

    await asyncio.gather(*map(client, range(count)))
    return Idle(opened, most)


def run_idle(base: str, count: int, addresses: int, seconds: float) -> Idle:
    return asyncio.run(stay_idle(base, count, addresses, seconds))


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
    return Judged("", [(number, each) for each in range(count)], connection.times)


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


def write_tasks(folder: Path, hits: int, size: int = 100) -> None:
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
                for number in range(1, size + 1)
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


def check(database: str, judged: Sequence[Judged], items: int) -> str:
    """Compare what the database has with what judges were told; return what was found."""
    from weigh.read.campaign_tables import read_campaign
    from weigh.web.campaigns import open_campaign
    from weigh.web.guard import Seal

    answers = read_campaign(database).answers
    campaign = open_campaign(database)
    secret = campaign.secret()
    campaign.database.close()
    told: Counter[tuple[int, int]] = Counter()
    for each in judged:
        seal = Seal(secret, each.session)
        told.update((seal.reveal("slot", s), seal.reveal("item", i)) for s, i in each.saved)
    by_item: dict[tuple[str, int], list[str]] = defaultdict(list)
    for answer in answers:
        by_item[answer.batch, answer.about["number"]].append(answer.judge)
    lost = len(told) - len(answers)
    double = sum(count - 1 for count in told.values())
    exact = sum(len(who) == len(set(who)) == PER_ITEM for who in by_item.values())
    assert (lost, double, exact) == (0, 0, items), (lost, double, exact)
    unsaved = sum(label == "unsaved" for each in judged for label, _ in each.times)
    again = f", {unsaved} of them sent again as the database was busy" if unsaved else ""
    return f"{lost} lost, {double} double, {exact:,} items with {PER_ITEM} judges each{again}"


def write_part(heading: str, text: str) -> None:
    """Replace the part of bench/serve.md below a heading, or the first part, which has none."""
    place = HERE / "serve.md"
    first, *others = re.split(r"(?m)^(?=## )", place.read_text(encoding="utf-8"))
    parts = {"": first} | {part.partition("\n")[0]: part for part in others}
    parts[heading] = f"{heading}\n\n{text}" if heading else text
    joined = "\n".join(part.rstrip("\n") + "\n" for part in parts.values())
    place.write_text(joined, encoding="utf-8")


def measure_idle(judges: int, idle: int, seconds: float, think: float) -> str:
    """Let judges work beside clients who send half a request; return a table."""
    command = f"python bench/serve.py --idle {idle} --judges {judges} --seconds {seconds:g}"
    lines = [
        f"{date.today().isoformat()}, `{command}`. {judges} judges, who think for {0.5 * think:g} "
        f"to {1.5 * think:g} s, work for {seconds:g} s on SQLite. Beside them {idle:,} clients on "
        "loopback each send half a request, and come again a second after the server has closed "
        "their connection.",
        "",
        "| | opened | most at once | judgments | p50 ms | p95 ms | p99 ms | CPU of the server |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(lines), flush=True)
    load = os.getloadavg()[0]
    for name, count, addresses in (
        ("no idle connections", 0, 0),
        (f"{idle:,} from 10 other addresses", idle, 10),
        (f"{idle:,} from the judges' address", idle, 0),
    ):
        with tempfile.TemporaryDirectory() as folder:
            write_tasks(Path(folder), judges)
            place = str(Path(folder) / "answers.db")
            # Idle clients have a process of their own: who judges is not to wait for them.
            with (
                served(Path(folder), place, judges) as (process, links),
                ProcessPoolExecutor(1) as other,
            ):
                flood = other.submit(run_idle, links[0], count, addresses, seconds)
                work = [judge(link, think, n, seconds) for n, link in enumerate(links)]
                figures, _ = measured(process, work)
                idled = flood.result()
        p50, p95, p99 = (f"{1000 * each:.0f}" for each in figures.quantiles)
        lines.append(
            f"| {name} | {idled.opened:,} | {idled.most:,} | {figures.judgments:,} | {p50} | "
            f"{p95} | {p99} | {figures.cpu / figures.seconds:.0%} |"
        )
        print(lines[-1], flush=True)
    lines += [
        "",
        f"The load of the machine was {load:.0f} before and {os.getloadavg()[0]:.0f} at the end, "
        f"on {os.cpu_count()} cores: times are upper bounds.",
    ]
    return "\n".join(lines) + "\n"


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
    parser.add_argument("--judges", type=int)
    parser.add_argument("--idle", type=int, metavar="N", help="measure beside N idle connections")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, with --idle")
    parser.add_argument("--judgments", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=100, help="items of a HIT")
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--no-bare", action="store_true")
    parser.add_argument("--flat-out-only", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.idle is not None:
        text = measure_idle(
            arguments.judges or 20, arguments.idle, arguments.seconds, arguments.think
        )
        if arguments.write:
            write_part("## Idle connections", text)
        return 0
    arguments.judges = arguments.judges or 100
    hits = arguments.judgments // (arguments.size * PER_ITEM)
    thinking = f"think {arguments.think:g} s"
    paces = (
        {"flat out": 0.0}
        if arguments.flat_out_only
        else {thinking: arguments.think, "flat out": 0.0}
    )
    lines = [
        f"{arguments.judges} judges, HITs of {arguments.size} items, {PER_ITEM} judgments of each "
        "item. An answer is two requests: the form, and the page with the next item. Judges think "
        f"for {0.5 * arguments.think:g} to {1.5 * arguments.think:g} s, or not at all. CPU is the "
        f"server's, without PostgreSQL's own; the client shares the machine's {os.cpu_count()} "
        f"cores, on which {os.getloadavg()[0]:.0f} other tasks were running when it began.",
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
                write_tasks(folder, hits, arguments.size)
                place = f"{url}#run-{number}" if url else str(folder / "answers.db")
                with served(folder, place, arguments.judges) as (process, links):
                    work = [judge(link, think, n) for n, link in enumerate(links)]
                    figures, judged = measured(process, work)
                    note(figures, f"`weigh serve`, {kind}, {pace}")
                findings.append(f"{kind}, {pace}: {check(place, judged, hits * arguments.size)}.")
                print(findings[-1], flush=True)
            if not arguments.no_bare:
                place = url or str(
                    Path(stack.enter_context(tempfile.TemporaryDirectory())) / "x.db"
                )
                with bare(place) as (process, base):
                    count = arguments.judgments // arguments.judges
                    work = [bare_judge(base, 0.0, n, count) for n in range(arguments.judges)]
                    note(measured(process, work)[0], f"bare page with one insert, {kind}, flat out")
    findings.append(
        f"The load of the machine was {os.getloadavg()[0]:.0f} at the end: with more than its "
        f"{os.cpu_count()} cores to do, times are upper bounds."
    )
    text = "\n".join([*lines, "", *findings]) + "\n"
    if arguments.write:
        write_part("", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
