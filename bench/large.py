"""Large jobs as people run them: files are made, and the commands of weigh measured on them.

`python bench/scale.py --large [--write]` runs them all. Each command has a process of its own and
runs once: CPU seconds of all threads, seconds on the wall, and the peak of memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

_BLOCK = 20_000
_WORDS = 30_000


class Cost(NamedTuple):
    """What a command took: seconds of CPU and of the wall, and MB at its peak."""

    cpu: float
    wall: float
    memory: float


def cost_of(command: Sequence[str], folder: Path) -> Cost:
    """Return what `weigh` with these arguments takes, in a process of its own."""
    start = time.perf_counter()
    with (folder / "printed").open("wb") as printed:
        process = subprocess.Popen([sys.executable, "-m", "weigh", *command], stdout=printed)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"weigh {' '.join(command)} ended with {process.returncode}")
    wall = time.perf_counter() - start
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024 / 1e6)


def _lines(words: np.ndarray, lengths: np.ndarray, vocabulary: np.ndarray) -> list[str]:
    found = vocabulary[words].tolist()
    ends = lengths.cumsum().tolist()
    return [" ".join(found[end - n : end]) for end, n in zip(ends, lengths.tolist(), strict=True)]


def _texts(size: int, versions: int) -> Iterator[list[list[str]]]:
    """Yield blocks of references and of versions of them, each with more words replaced."""
    import numpy as np

    rng = np.random.default_rng(7)
    vocabulary = np.array([f"w{word}" for word in range(_WORDS)], dtype=object)
    for start in range(0, size, _BLOCK):
        lengths = rng.integers(5, 40, min(_BLOCK, size - start))
        words = (rng.pareto(1.1, lengths.sum()) * 3).astype(np.int64) % _WORDS
        block = [_lines(words, lengths, vocabulary)]
        for version in range(versions):
            share = 0.25 + 0.1 * version / versions
            other = (rng.pareto(1.1, len(words)) * 3).astype(np.int64) % _WORDS
            changed = np.where(rng.random(len(words)) < share, other, words)
            block.append(_lines(changed, lengths, vocabulary))
        yield block


def make_texts(folder: Path, systems: int, segments: int) -> None:
    """Write references, `ref`, and outputs of systems, `S00` and so on."""
    names = ["ref", *(f"S{number:02}" for number in range(systems))]
    files: list[IO[str]] = [(folder / name).open("w", encoding="utf-8") for name in names]
    for block in _texts(segments, systems):
        for file, lines in zip(files, block, strict=True):
            file.writelines(f"{line}\n" for line in lines)
    for file in files:
        file.close()


def make_list(folder: Path, sentences: int, candidates: int = 1_000, features: int = 10) -> None:
    """Write references, `ref`, and an n-best list, `nbest`, in the format of Moses."""
    import numpy as np

    rng = np.random.default_rng(7)
    vocabulary = np.array([f"w{word}" for word in range(_WORDS)], dtype=object)
    names = [f"F{number}=" for number in range(features)]
    row = " ".join(f"{name} %.4f" for name in names)
    with (folder / "ref").open("w") as references, (folder / "nbest").open("w") as nbest:
        for sentence in range(sentences):
            length = int(rng.integers(5, 40))
            words = (rng.pareto(1.1, length) * 3).astype(np.int64) % _WORDS
            references.write(" ".join(vocabulary[words].tolist()) + "\n")
            # Decoders' candidates are alike: each position has a few words to choose from.
            choices = (rng.pareto(1.1, (length, 4)) * 3).astype(np.int64) % _WORDS
            choices[:, 0] = words
            taken = rng.integers(0, 5, (candidates, length)) % 4
            right = (taken == 0).sum(axis=1)
            values = rng.normal(right[:, None], 4.0, (candidates, features))
            texts = vocabulary[choices[np.arange(length), taken]].tolist()
            for text, cells in zip(texts, values.tolist(), strict=True):
                nbest.write(f"{sentence} ||| {' '.join(text)} ||| {row % tuple(cells)} ||| 0\n")


def make_scores(path: Path, size: int, systems: int = 20, judges: int = 2_000) -> None:
    """Write direct assessments as CSV, JSON lines or Parquet, as the name of the file ends.

    Every tenth is a control: a damaged version of what the same judge saw before it.
    """
    import numpy as np

    rng = np.random.default_rng(7)
    segments = max(size // (systems * 5), 1)
    titles = ("judge", "kind", "system", "segment", "value")
    numbers = np.arange(size)
    is_bad = numbers % 10 == 9
    numbers -= is_bad
    system = numbers % systems
    columns = (
        rng.integers(0, judges, size)[numbers],
        np.where(is_bad, "bad", "system"),
        system,
        numbers // systems % segments,
        rng.normal(60 + 0.2 * system - 25 * is_bad, 15).clip(0, 100).round(),
    )
    _write_table(path, titles, columns, ("judge%d", "%s", "system%d", "%d", "%d"))


def make_arena(path: Path, size: int, models: int = 100) -> None:
    """Write preferences of a chat arena as CSV, JSON lines or Parquet."""
    import numpy as np

    rng = np.random.default_rng(7)
    first = rng.integers(0, models, size)
    second = (first + rng.integers(1, models, size)) % models
    better = 1 / (1 + np.exp(0.02 * (first - second)))
    drawn = rng.random(size)
    winner = np.where(rng.random(size) < 0.2, 2, np.where(drawn < better, 0, 1))
    names = ("model_a", "model_b", "tie")
    words = np.array(names, dtype=object)[winner]
    _write_table(
        path,
        ("judge", "model_a", "model_b", "winner"),
        (rng.integers(0, size // 20 + 1, size), first, second, words),
        ("u%d", "model%d", "model%d", "%s"),
    )


def _write_table(
    path: Path, titles: Sequence[str], columns: Sequence[np.ndarray], forms: Sequence[str]
) -> None:
    if path.suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        whole = {
            title: column.tolist() if form == "%d" else [form % cell for cell in column.tolist()]
            for title, column, form in zip(titles, columns, forms, strict=True)
        }
        parquet.write_table(pyarrow.table(whole), path)
        return
    quoted = [form if form == "%d" else f'"{form}"' for form in forms]
    objects = ", ".join(f'"{title}": {form}' for title, form in zip(titles, quoted, strict=True))
    row = f"{{{objects}}}\n" if path.suffix == ".jsonl" else ",".join(forms) + "\n"
    with path.open("w", encoding="utf-8") as file:
        if path.suffix == ".csv":
            file.write(",".join(titles) + "\n")
        for start in range(0, len(columns[0]), _BLOCK):
            cells = [column[start : start + _BLOCK].tolist() for column in columns]
            file.writelines(row % each for each in zip(*cells, strict=True))


# The jobs: what is made in a folder for a size, and the arguments of the command that is measured.


def _compared(systems: int, segments: int, *options: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        make_texts(folder, systems, segments)
        outputs = [str(folder / f"S{number:02}") for number in range(systems)]
        return [
            "compare",
            "-m",
            "bleu",
            *options,
            "--format",
            "json",
            "-r",
            str(folder / "ref"),
            *outputs,
        ]

    return make


def _tuned(candidates: int) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        make_list(folder, candidates // _PER_SENTENCE, _PER_SENTENCE)
        return [
            "tune",
            "--nbest",
            str(folder / "nbest"),
            "-r",
            str(folder / "ref"),
            "--starts",
            "5",
        ]

    return make


def _judged(
    make_table: Callable[[Path, int], None], size: int, verb: str, ending: str = "csv"
) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        path = folder / f"judgments.{ending}"
        make_table(path, size)
        return ["human", verb, str(path)]

    return make


_PER_SENTENCE = 1_000
_MANY = (1_000_000, 10_000_000)

# By the name of what grows: for each size, what makes its files.
JOBS: dict[str, dict[int, Callable[[Path], list[str]]]] = {
    "systems, all pairs, 3,000 segments, 100,000 trials": {
        size: _compared(size, 3_000, "--trials", "100000") for size in (25, 50, 100)
    },
    "segments of 20 systems": {size: _compared(20, size) for size in (250_000, 1_000_000)},
    "candidates of n-best lists, 10 features": {size: _tuned(size) for size in _MANY},
    "direct assessments, `human rank`, CSV": {
        size: _judged(make_scores, size, "rank") for size in _MANY
    },
    "direct assessments, `human rank`, JSON lines": {
        size: _judged(make_scores, size, "rank", "jsonl") for size in _MANY
    },
    "direct assessments, `human rank`, Parquet": {
        size: _judged(make_scores, size, "rank", "parquet") for size in _MANY
    },
    "direct assessments, `human quality`": {
        size: _judged(make_scores, size, "quality") for size in _MANY
    },
    "preferences of an arena, `human rank`": {
        size: _judged(make_arena, size, "rank") for size in _MANY
    },
}


def measured(name: str, size: int) -> Cost:
    """Return what a job takes; its files are made for it, and deleted."""
    with tempfile.TemporaryDirectory() as folder:
        return cost_of(JOBS[name][size](Path(folder)), Path(folder))
