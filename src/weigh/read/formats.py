"""Foreign formats: recognition by content, and folders of logs.

A format is one function from a path to a `Table` with standard column names (see
`read/log_table.py`). Other packages add formats by entry points of the group `weigh.readers`, each
of which is a `Format`.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from weigh import plugins
from weigh.errors import InputError, plural
from weigh.read import benchmark_logs, logs, promptfoo, score_files
from weigh.read.log_stack import combine, listing
from weigh.read.log_table import Log
from weigh.read.table import Table
from weigh.read.text import STDIN, blocks, file_label, shown

_HEAD = 1 << 16
_MOST_FILES = 100_000
_GROUP = "weigh.readers"


@dataclass(frozen=True, slots=True)
class Head:
    """A file's path, and its first 64 kB, unpacked."""

    path: str
    start: bytes


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format. `name` is a singular noun: "inspect_ai log"."""

    name: str
    matches: Callable[[Head], bool]
    read: Callable[[str], Table]
    is_log: bool = True
    """Whether a folder of logs may hold such files."""


FORMATS = (
    Format(logs.INSPECT, logs.is_inspect, logs.read_inspect),
    Format(logs.LM_EVAL, logs.is_lm_eval, logs.read_lm_eval),
    Format(promptfoo.PROMPTFOO, promptfoo.is_promptfoo, promptfoo.read_promptfoo),
    Format("promptfoo log", promptfoo.is_promptfoo_lines, promptfoo.refuse_promptfoo_lines),
    Format(benchmark_logs.HELM, benchmark_logs.is_helm, benchmark_logs.read_helm),
    Format(
        benchmark_logs.EVERY_EVAL_EVER,
        benchmark_logs.is_every_eval_ever,
        benchmark_logs.read_every_eval_ever,
    ),
    Format("COMET file", score_files.is_comet, score_files.read_comet, is_log=False),
    Format(
        "output of comet-score",
        score_files.is_comet_output,
        score_files.read_comet_output,
        is_log=False,
    ),
    Format("MetricX file", score_files.is_metricx, score_files.read_metricx, is_log=False),
    Format(
        "mt-metrics-eval file",
        score_files.is_segment_scores,
        score_files.read_segment_scores,
        is_log=False,
    ),
    Format("file of numbers", score_files.is_numbers, score_files.read_numbers, is_log=False),
)
"""The formats that weigh knows by itself, most specific first."""


def find_format(path: str) -> Format | None:
    """The format of a file by its content; None for plain tables, texts and standard input."""
    if path == STDIN:
        return None
    head = _read_head(path)
    return next(
        (candidate for candidate in (*_added_formats(), *FORMATS) if candidate.matches(head)), None
    )


def _added_formats() -> Iterator[Format]:
    for name in plugins.entries(_GROUP):
        added = plugins.load(_GROUP, name)
        if not isinstance(added, Format):
            package = plugins.package_of(_GROUP, name)
            raise InputError(f"reader {name!r} of {package} is not a Format; uninstall the package")
        yield added


def _read_head(path: str) -> Head:
    start = b""
    for block in blocks(path):
        start += block
        if len(start) >= _HEAD:
            break
    return Head(path, start[:_HEAD])


# Folders.


def read_folder(path: str) -> Table:
    """Read every finished log in a folder and its subfolders into one table."""
    name = f"{path.rstrip('/')}/"
    tables: list[Table] = []
    kinds: Counter[str] = Counter()
    read_beside: set[str] = set()
    others: dict[str, str] = {}
    unusable: list[str] = []
    for file in _files_below(path):
        label = shown(os.path.relpath(file, path).replace(os.sep, "/"))
        try:
            file_format = find_format(file)
        except InputError:  # not to be read, so no log
            file_format = None
        if file_format is None or not file_format.is_log:
            others[file] = label
            continue
        try:
            table = file_format.read(file)
        except InputError as error:
            reason = str(error).removeprefix(f"{shown(file)}: ").rpartition("; ")
            unusable.append(f"{label} ({reason[0] or reason[2]})")
            continue
        if isinstance(table, Log) and not table.facts.is_finished:
            unusable.append(f"{label} (unfinished)")
            continue
        tables.append(table)
        read_beside |= table.facts.beside if isinstance(table, Log) else set()
        kinds[file_format.name] += 1
    if not tables:
        if unusable:
            raise InputError(
                f"{shown(name)}: no finished log, only {listing(unusable)}; to use them "
                "anyway, give the files by name"
            )
        raise InputError(
            f"{shown(name)}: no logs of evaluation tools in this folder; give result files"
        )
    table = combine(tables, name, kinds)
    summary, *remarks = table.remarks
    if not isinstance(table, Log):  # a single log is counted where logs are stacked
        remarks.insert(0, f"{file_label(name).removesuffix('/')}/: {summary}")
    if unusable:
        remarks.append(f"skipped {plural(len(unusable), 'log')}: {listing(unusable)}")
    passed = [label for file, label in others.items() if file not in read_beside]
    if passed:
        remarks.append(f"skipped {plural(len(passed), 'other file')}, such as {passed[0]}")
    return replace(table, remarks=tuple(remarks))


def _files_below(path: str) -> Iterator[str]:
    """Yield regular files in the order of their names, without hidden ones."""
    seen: set[tuple[int, int]] = set()
    count = 0

    def fail(error: OSError) -> None:
        raise InputError(f"{shown(str(error.filename))}: cannot be read ({error.strerror})")

    for folder, folders, files in os.walk(path, followlinks=True, onerror=fail):
        about = os.stat(folder)  # noqa: PTH116
        is_new = (about.st_dev, about.st_ino) not in seen
        seen.add((about.st_dev, about.st_ino))
        folders[:] = sorted(name for name in folders if is_new and not name.startswith("."))
        for file in sorted(files) if is_new else ():
            count += 1
            if count > _MOST_FILES:
                raise InputError(
                    f"{shown(path)}: more than {_MOST_FILES:,} files; give a smaller folder"
                )
            full = os.path.join(folder, file)  # noqa: PTH118
            if not file.startswith(".") and _is_regular(full):
                yield full


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:  # a link to nothing
        return False


def stack_logs(tables: Sequence[Table]) -> Table:
    """Stack logs: copies count once, and repetitions of a model and task become runs."""
    name = tables[0].name if len(tables) == 1 else f"{len(tables):,} logs"
    kinds = Counter(table.facts.kind for table in tables if isinstance(table, Log))
    return combine(tables, name, kinds)
