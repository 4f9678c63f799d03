"""`weigh sample`: draw a smaller test set from a large one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    FORCE,
    SEED_OPTION,
    argument,
    positional,
    positive,
    quiet,
    section,
    verb,
)
from weigh.cli.output import check_free
from weigh.errors import InputError, UsageError
from weigh.files import write_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LINES = "lines.txt"
# Formats that are joined by id, or whose lines are no segments.
_NOT_LINES = (".tsv", ".jsonl", ".xml", ".sgm", ".sgml")


@verb(
    "-n N -o DIR [option]... FILE...",
    "weigh sample -n 10 -o small examples/source.de examples/reference.en examples/good.en",
    section(
        "files",
        positional(
            "files FILE",
            "files of the large test set, one segment per line: sources, references, outputs; the "
            "same lines are drawn from all",
            nargs="+",
        ),
        argument(
            "-n --size N",
            "number of segments, or documents, to draw",
            type=positive,
            required=True,
        ),
        argument(
            "--documents FILE",
            "the document of each segment, one per line; draw N whole documents",
        ),
        argument(
            "-o --output DIR",
            "directory to write to: each file under its own name without .gz, and the numbers of "
            f"the drawn lines in {_LINES}",
            required=True,
        ),
        FORCE,
    ),
    section("work", SEED_OPTION, quiet("do not report the files written")),
)
def run(arguments: argparse.Namespace) -> None:
    """Read, draw, write."""
    paths = _paths(arguments)
    texts = _read(paths)
    outputs = _output_names(paths)
    check_free(Path(arguments.output), [*outputs, _LINES], force=bool(arguments.force))
    labels = None if arguments.documents is None else texts[paths.index(arguments.documents)]
    total, drawn = _draw(arguments, len(texts[0]), labels)
    _write(arguments, dict(zip(outputs, texts, strict=True)), drawn, total)


def _write(
    arguments: argparse.Namespace,
    texts: Mapping[str, Sequence[str]],
    drawn: Sequence[int],
    total: int,
) -> None:
    """Write the lines of every file, and their numbers."""
    from weigh.read.sampled import lines_text

    contents = {name: "".join(f"{lines[at]}\n" for at in drawn) for name, lines in texts.items()}
    contents[_LINES] = lines_text([at + 1 for at in drawn])
    write_files(Path(arguments.output), contents)
    noun = "segments" if arguments.documents is None else f"documents ({len(drawn):,} segments)"
    terminal.remark(
        f"{arguments.size:,} of {total:,} {noun} in {arguments.output}: {', '.join(contents)}"
    )


def _paths(arguments: argparse.Namespace) -> list[str]:
    """The files to draw from, each once."""
    if arguments.documents is None or arguments.documents in arguments.files:
        return list(arguments.files)
    return [*arguments.files, arguments.documents]


def _draw(
    arguments: argparse.Namespace, size: int, labels: Sequence[str] | None
) -> tuple[int, list[int]]:
    """The number of segments or documents, and the indices of the drawn lines."""
    from weigh.stats.broad import broad_document_sample, broad_sample

    if labels is None:
        return size, broad_sample(size, arguments.size, arguments.seed)
    return len(set(labels)), broad_document_sample(labels, arguments.size, arguments.seed)


def _read(paths: Sequence[str]) -> list[tuple[str, ...]]:
    from weigh.read import read_texts
    from weigh.read.text import Frame, shown

    texts: list[tuple[str, ...]] = []
    for path in paths:
        if _less_gz(path).lower().endswith(_NOT_LINES):
            raise InputError(f"{shown(path)}: not plain text; convert it to one segment per line")
        texts.append(read_texts(path))
        Frame(shown(paths[0]), len(texts[0])).check_lines(shown(path), len(texts[-1]))
    return texts


def _less_gz(path: str) -> str:
    return path[:-3] if path.lower().endswith(".gz") else path


def _output_names(paths: Sequence[str]) -> list[str]:
    """A file name for each path: its own, or its path ending if that is taken."""
    from weigh.read.inputs import file_names
    from weigh.read.text import shown

    names = [_flat(name) for name in file_names(paths)]
    for path, name in zip(paths, names, strict=True):
        if name == _LINES or names.count(name) > 1:
            other = "the list of line numbers" if name == _LINES else "another file"
            raise UsageError(
                f"{shown(path)}: would be written as {shown(name)}, like {other}; rename it or "
                "give it once"
            )
    return names


def _flat(name: str) -> str:
    """Turn a path ending into a file name without directories."""
    return "_".join("up" if part == ".." else part for part in name.split("/") if part)
