"""Every verb that writes, while one of its writes fails or ends the program; Linux alone.

Verbs run in children of this process, into which a small library is loaded before the system's own
(`failing_writes.c`). It counts the calls that change files of a folder, those of SQLite too, and
lets one of them fail: the disk is full, the device fails, Ctrl-C arrives, the process is killed.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import gzip
import os
import pkgutil
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
FAULTS = {
    "full disk": errno.ENOSPC,
    "failing device": errno.EIO,
    "Ctrl-C": -signal.SIGINT,
    "kill -9": -signal.SIGKILL,
}
# What verbs do without where it cannot be written, and what SQLite takes up the next time.
_SPARED = ("compiled.npz", "-wal", "-shm", "-journal")
# Seconds after which a verb hangs.
_PATIENCE = 120


@dataclass(frozen=True)
class Verb:
    """A command that writes into the folder `out`.

    Where it is `growing`, files are filled step by step; otherwise each is there in full or as it
    was before. `old` says that it writes over what is there, and `once` that it never does. What
    it `spares` is kept for later runs alone: where that cannot be written it is done without.
    """

    name: str
    command: str
    old: bool = True
    growing: bool = False
    once: bool = False
    spares: bool = False


_TWO = "-r reference.en good.en poor.en --trials 20"
VERBS = (
    Verb("sample", "sample -n 20 -o out reference.en good.en --force"),
    Verb("page", f"compare {_TWO} --html out/page.html"),
    Verb("pictures", f"compare {_TWO} --plots out"),
    Verb("plan", "human plan --hits 2 -r reference.en -o out good.en poor.en middling.en --force"),
    Verb("demo", "demo campaign --segments 60 --hits 2 --judges 2 --force out"),
    Verb("tune", "tune --nbest nbest -r one -m wer --starts 1 -o out/weights --texts out"),
    Verb(
        "preference",
        "validate preference --nbest nbest.txt -r reference.en -m chrf -m bleu -o out",
        old=False,
        once=True,
    ),
    Verb("train", "translate train -s reference.en -t good.en -o out/model --force", old=False),
    Verb(
        "paraphrases",
        "score -r reference.en -m meteor:stages=exact+paraphrase:paraphrases=table good.en",
        spares=True,
    ),
    Verb(
        "decoder",
        "tune --decoder cp·nbest·{nbest} --init init -r one -m wer --starts 1 --dir out "
        "-o out/weights",
        old=False,
        growing=True,
    ),
    Verb("labels", "rypt labels import out/labels.db labels.jsonl", old=False, growing=True),
    Verb("campaign", "campaign close out/campaign.db", old=False, growing=True),
    Verb("campaign copy", "campaign backup out/campaign.db out/copy.db", old=False, once=True),
)
_NBEST = "0 ||| a b ||| lm= 1 tm= 2 ||| 3\n0 ||| a c ||| lm= 2 tm= 1 ||| 3\n"


@dataclass
class Injection:
    """The runs of verbs with faults: how many there were, and what went wrong."""

    folder: Path
    runs: Counter[tuple[str, str]] = field(default_factory=Counter)
    finished: int = 0
    wrong: list[str] = field(default_factory=list)
    _clean: dict[str, Run] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the files that verbs read, and import what they need once for all."""
        self._given = self.folder / "given"
        self._given.mkdir()
        for path in (*(_ROOT / "examples").glob("*.en"), _ROOT / "examples" / "nbest.txt"):
            shutil.copy(path, self._given)
        (self._given / "nbest").write_text(_NBEST)
        (self._given / "one").write_text("a b\n")
        (self._given / "table").write_text("0.5\nthe cat\na cat\n" * 60_000)  # large: it is kept
        (self._given / "init").write_text("lm_0 1\ntm_0 1\n")
        shutil.copy(
            next((_ROOT / "examples" / "rypt").glob("labels*")), self._given / "labels.jsonl"
        )
        (self._given / "out").mkdir()
        self._in_child(self._start_campaign)
        for package in ("weigh", "weigh_lab"):
            for module in pkgutil.walk_packages([str(_ROOT / "src" / package)], f"{package}."):
                if not module.name.endswith("__main__"):
                    import_module(module.name)
        # METEOR keeps the hash of a file that was not written just now. How long ago it was
        # written depends on the load of the machine, so that here no file is old enough.
        vars(sys.modules["weigh.metrics.meteor.resources"])["_SETTLED"] = 10**18

    def _start_campaign(self) -> int:
        from weigh.web.campaigns import start_campaign
        from weigh.web.tasks import write_demonstration

        tasks = self.folder / "tasks"
        tasks.mkdir()
        write_demonstration(tasks, marked=False)
        campaign = start_campaign(tasks, None, database=f"sqlite:///{self.folder}/campaign.db")
        campaign.database.close()
        return 0

    def attack(self, verb: Verb, fault: str, most: int | None = None) -> None:
        """Let a fault happen at each write of a verb, or at so many of them."""
        clean = self._clean.get(verb.name) or self._run(verb, 0, 0, self._place(verb, {}))
        self._clean[verb.name] = clean
        if clean.code != 0 or not clean.calls:
            self.wrong.append(f"{verb.name}: without a fault, exit code {clean.code}: {clean.said}")
            return
        for number in _spread(clean.calls, most, [*FAULTS].index(fault)):
            self._attack_at(verb, fault, number, clean)

    def _attack_at(self, verb: Verb, fault: str, number: int, clean: Run) -> None:
        old = {name: b"%s\n" % content for name, content in clean.files.items() if verb.old}
        place = self._place(verb, old)
        before = _files(place)
        run = self._run(verb, FAULTS[fault], number, place)
        self.runs[verb.name, fault] += 1
        self.finished += run.code == 0
        where = f"{verb.name}, {fault} at write {number} of {clean.calls}"
        self.wrong += [f"{where}: {each}" for each in _problems(verb, fault, run, before, clean)]
        if verb.once and (run.files == clean.files or run.code == 0 or fault == "kill -9"):
            return  # what is there is not written over
        again = self._run(verb, 0, 0, place)
        if again.code != 0 or again.printed != clean.printed:
            self.wrong.append(f"{where}: run again, exit code {again.code}: {again.said}")
        elif not verb.growing and any(again.files.get(k) != v for k, v in clean.files.items()):
            self.wrong.append(f"{where}: run again, it writes something else")

    def _place(self, verb: Verb, old: dict[str, bytes]) -> Path:
        """Return a new folder in which a verb finds what it reads, and old files to replace."""
        place = self.folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self._given, place)
        for name, content in old.items():
            path = place / "out" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if verb.name.startswith("campaign"):
            shutil.copy(self.folder / "campaign.db", place / "out")
        return place

    def _run(self, verb: Verb, fault: int, number: int, place: Path) -> Run:
        """Run a verb in a child of this process, with a fault at a write, and look at its files."""
        printed, said, calls = (self.folder / name for name in ("stdout", "stderr", "calls"))
        for path in (printed, said, calls):
            path.write_bytes(b"")
        arguments = [word.replace("·", " ") for word in verb.command.split()]

        def work() -> int:
            for stream, path in ((1, printed), (2, said)):
                os.dup2(os.open(path, os.O_WRONLY), stream)
            os.chdir(place)
            if verb.spares:
                os.environ["XDG_CACHE_HOME"] = str(place / "out")
            library = ctypes.CDLL(None)
            library.arm(str(place).encode(), fault, ctypes.c_long(number))
            from weigh.cli import main

            code = main(arguments)
            sys.stdout.flush()
            calls.write_text(str(library.counted()))
            return code

        code = self._in_child(work)
        return Run(
            code, printed.read_text(), said.read_text(), int(calls.read_text() or 0), _files(place)
        )

    @staticmethod
    def _in_child(work: Callable[[], int]) -> int:
        """Return the exit code of a child that does some work, negative for a signal."""
        child = os.fork()
        if not child:
            code = 99
            try:
                signal.alarm(_PATIENCE)
                atexit._clear()  # what this process will do is not the child's
                signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background
                code = work()
                atexit._run_exitfuncs()
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@dataclass(frozen=True)
class Run:
    """What came of a run: exit code, output, messages, writes that were counted, and files."""

    code: int
    printed: str
    said: str
    calls: int
    files: dict[str, bytes]


def _problems(
    verb: Verb, fault: str, run: Run, before: dict[str, bytes], clean: Run
) -> Iterator[str]:
    """Yield what is wrong with a run that met a fault."""
    killed = fault == "kill -9"
    expected = {"Ctrl-C": 130, "kill -9": -9}.get(fault, 1)
    # A failure that changes nothing, or what is spared, need not be told.
    harmless = expected == 1 and (verb.spares or run.files == clean.files)
    if run.code != expected and not (run.code == 0 and harmless):
        yield f"exit code {run.code}: {run.said}"
    if not killed and run.code != 0:
        last = run.said.rstrip("\n").rpartition("\n")[2]
        if not last.startswith("weigh: ") or "bug in weigh" in last or "Traceback" in run.said:
            yield f"said {run.said!r}"
    for name, content in {} if verb.growing else run.files.items():
        if killed and ".part" in name:
            continue
        if name not in before and name not in clean.files:
            if not (killed and name.endswith(".old")):
                yield f"{name} is left behind"
        elif content not in (before.get(name), clean.files.get(name)):
            yield f"{name} is neither old nor new"


def _files(place: Path) -> dict[str, bytes]:
    """Return the files in `out` by name; what has a date inside without it."""
    out = place / "out"
    found = {}
    for path in sorted(out.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            if path.suffix == ".gz" and ".part" not in str(path):
                content = gzip.decompress(content)
            elif path.suffix == ".db":
                content = _dumped(path)
            if not path.name.endswith(_SPARED):
                found[str(path.relative_to(out))] = content
    return found


def _dumped(path: Path) -> bytes:
    """Return what a database holds but times, if SQLite finds nothing wrong with it."""
    with closing(sqlite3.connect(path)) as database:
        [[found]] = database.execute("PRAGMA integrity_check")
        if found != "ok":
            return b"damaged"
        return re.sub(
            r"\d{10}\.\d+|\d{4}-\d\d-\d\d[ T][\d:.]+", "", "\n".join(database.iterdump())
        ).encode()


def _spread(calls: int, most: int | None, shift: int) -> list[int]:
    """Return the numbers of so many of all calls, for each fault others.

    >>> _spread(8, 2, 0), _spread(8, 2, 3), _spread(2, 5, 0)
    ([1, 5], [4, 8], [1, 2])
    """
    if most is None or calls <= most:
        return list(range(1, calls + 1))
    faults = len(FAULTS)
    return [1 + (at * faults + shift) * (calls - 1) // (most * faults - 1) for at in range(most)]


def loaded(script: str, arguments: list[str]) -> int | None:
    """Run a script again with the library loaded, and return its exit code; None if it is."""
    if "WEIGH_FAILING_WRITES" in os.environ:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "failing_writes.so"
        source = Path(__file__).with_name("failing_writes.c")
        build = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, source]
        subprocess.run([*build, "-ldl"], check=True)
        surroundings = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "WEIGH_FAILING_WRITES": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [sys.executable, script, *arguments]
        return subprocess.run(command, env=surroundings, check=False).returncode
