"""Damaged files, read one after another: what may come out of them, and what may not."""

from __future__ import annotations

import contextlib
import io
import os
import random
import resource
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from unicodedata import category
from unittest import mock

from fuzzing.files import Kind, write_all
from fuzzing.mutation import mutated
from weigh.errors import WeighWarning

SECONDS = 10  # of processor time for one input; all good ones take less than one
_WAITING = 120  # seconds for one input in all, on a machine that is busy with other things
MEMORY = 2 << 30  # bytes beyond what the process has when it begins
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # what turns a line around
_ALLOWED = (0, 1, 2, 3, 4)  # exit codes that docs/cli.md lists


class TooSlowError(BaseException):
    """Not an `Exception`, since those are reported by the command itself."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What came of an input that should have been read or refused."""

    kind: str
    said: str
    content: bytes

    @property
    def place(self) -> str:
        """Its last line, by which the same fault is known again."""
        lines = self.said.rstrip("\n").split("\n")
        places = [line.strip() for line in lines if line.startswith("  File ")]
        return "; ".join([*places[-1:], lines[-1][:200]])


@dataclass(slots=True)
class Attack:
    """Good files in a folder, of which one at a time is damaged."""

    folder: Path
    seed: int
    kinds: Sequence[Kind] = ()
    tried: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Write the good files; each of them must be read without an error."""
        with self._surroundings():
            self.kinds = write_all(self.folder)
            self._seeds = {kind.file: (self.folder / kind.file).read_bytes() for kind in self.kinds}
            for kind in self.kinds:
                code, said = self._read(kind)
                if code != 0:
                    raise AssertionError(f"{kind.name}: the good file is refused: {said}")

    _seeds: dict[str, bytes] = field(init=False, default_factory=dict)

    def inputs(self, kind: Kind, count: int, start: int = 0) -> Iterator[Fault]:
        """Try so many inputs of a kind, and yield what came of bad ones.

        An input depends on the seed, the kind and its number alone.
        """
        others = list(self._seeds.values())
        with self._surroundings():
            for number in range(start, start + count):
                chance = random.Random(f"{self.seed} {kind.name} {number}")
                fault = self.attempt(kind, mutated(self._seeds[kind.file], chance, others))
                if fault is not None:
                    yield fault

    def replay(self, kinds: Sequence[Kind], content: bytes) -> Iterator[Fault]:
        """Try one input as every one of some kinds."""
        with self._surroundings():
            for kind in kinds:
                fault = self.attempt(kind, content)
                if fault is not None:
                    yield fault

    def attempt(self, kind: Kind, content: bytes) -> Fault | None:
        """Read an input, which is taken away again."""
        path = self.folder / kind.file
        path.write_bytes(content)
        self.tried[kind.name] += 1
        try:
            with _limited():
                code, said = self._read(kind)
            self.codes[code] += 1
            if code not in _ALLOWED:
                return Fault(kind.name, f"{said}\nexit code {code}", content)
            if "not enough memory" in said:
                return Fault(kind.name, said, content)
            if any(category(c) in ("Cc", "Cs") or c in _TURNS for c in said.replace("\n", "")):
                return Fault(kind.name, f"{said!r}\ncontrol characters reach the terminal", content)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException:
            return Fault(kind.name, traceback.format_exc(), content)
        finally:
            path.write_bytes(self._seeds[kind.file])
        return None

    def _read(self, kind: Kind) -> tuple[int, str]:
        written, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with contextlib.redirect_stdout(written), contextlib.redirect_stderr(said):
            code = kind.read(self.folder)
        said.flush()
        return code, said.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def _surroundings(self) -> Iterator[None]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, {**kept, "WEIGH_DEBUG": "1"}, clear=True),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", WeighWarning)
            warnings.simplefilter("ignore", ResourceWarning)
            yield


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, _frame: FrameType | None) -> None:
        raise TooSlowError(signal.Signals(number).name)

    before = resource.getrlimit(resource.RLIMIT_AS)
    known = Path("/proc/self/statm")
    if known.exists():  # elsewhere the memory has no limit
        taken = int(known.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, before[1]))
    handlers = {number: signal.signal(number, stop) for number in (signal.SIGALRM, signal.SIGPROF)}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(_WAITING)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)
