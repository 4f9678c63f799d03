"""`weigh sample`: a small test set that is spread over a large one, or tells systems apart."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser, one_of, positive, repeated, switch
from weigh.cli.saving import check_free
from weigh.errors import InputError, UsageError
from weigh.files import write_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.comparing.choosing import ChosenResult

USAGE = "-n N -o DIR [--by WHAT] [option]... FILE..."
EXAMPLE = "weigh sample -n 10 -o small examples/source.de examples/reference.en examples/good.en"

_LINES = "lines.txt"
# Formats that are joined by id, or whose lines are no segments.
_NOT_LINES = (".tsv", ".jsonl", ".xml", ".sgm", ".sgml")
# What tells systems apart, and means nothing for a random draw.
_FOR_BY = (
    *("system", "ref", "metric", "scores", "score_columns", "allow_missing"),
    *("format", "html", "plots"),
)
_BY = ("difference", "diversity")


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    files = parser.add_argument_group("files")
    files.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="files of the large test set, one segment per line: sources, references, outputs; "
        "the same lines are taken of all",
    )
    files.add_argument(
        "-n",
        "--size",
        metavar="N",
        type=positive,
        help="number of segments to draw, or of documents",
    )
    files.add_argument(
        "--documents",
        metavar="FILE",
        help="file with the document of each segment: draw N whole documents, spread over all",
    )
    files.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="directory to write to: each file under its name, less .gz, the documents' file too, "
        f"and the numbers of the lines drawn in {_LINES}; with --by it may be left out",
    )
    switch(files, "--force", "overwrite files that exist")
    chosen = parser.add_argument_group("segments that tell systems apart")
    chosen.add_argument(
        "--by",
        metavar="WHAT",
        type=one_of("--by", _BY),
        help="choose the N on which metrics' scores of systems vary most (difference), or on which "
        "the outputs are most unlike each other (diversity), and show what a random draw would "
        "give; such a sample ranks systems, it estimates no score",
    )
    repeated(
        chosen,
        "--system",
        metavar="SYS",
        help="file of a system's output, or NAME=FILE, whose lines are taken too; repeat it for "
        "all systems",
    )
    repeated(
        chosen,
        "-r",
        "--ref",
        metavar="REF",
        help="file of references for the metrics, whose lines are taken too; repeat it for more",
    )
    options.add_metrics(chosen)
    repeated(
        chosen,
        "--scores",
        metavar="FILE",
        help="segment scores of other programs, METRIC=FILE or METRIC:lower=FILE, instead of "
        "texts, or a table of all systems; repeat it for more",
    )
    chosen.add_argument(
        "--score-columns",
        metavar="ROLE=COL,...",
        help="--scores is a table with these columns, such as system=model,item=id,score=comet "
        "(default: by common names)",
    )
    saving.add_arguments(options.add_output(parser), content="all of it")
    work = parser.add_argument_group("work")
    options.add_seed(work)
    switch(work, "--quiet", "do not say what was written")


def run(arguments: argparse.Namespace) -> int:
    """Read, draw, write."""
    by = arguments.by
    if by is None:
        other = next((name for name in _FOR_BY if name in arguments.given), None)
        if other is not None:
            raise UsageError(
                f"--{other.replace('_', '-')} tells systems apart, which a random draw does not; "
                f"add --by {' or '.join(_BY)}"
            )
        if not arguments.files:
            raise UsageError("no file given; name the files of the large test set")
    if arguments.size is None:
        raise UsageError("no size given; say how many to draw with -n N")
    if arguments.output is None and by is None:
        raise UsageError("no directory given; name one with -o DIR")
    saving.check(arguments)
    paths = _paths(arguments)
    texts = _read(paths)
    outputs = _output_names(paths)
    if arguments.output is not None:
        check_free(Path(arguments.output), [*outputs, _LINES], force=bool(arguments.force))
    labels = None if arguments.documents is None else texts[paths.index(arguments.documents)]
    if by is None:
        all_of_them, chosen = _drawn(arguments, len(texts[0]), labels)
        _write(arguments, dict(zip(outputs, texts, strict=True)), chosen, all_of_them)
        return 0
    result = _chosen(arguments, labels)
    chosen = [number - 1 for number in result.numbers]
    if texts and len(texts[0]) <= max(chosen):
        raise InputError(
            f"{paths[0]}: {len(texts[0]):,} lines, but the segment {max(chosen) + 1:,} has scores; "
            "give texts and scores of one test set"
        )
    if arguments.output is not None:
        all_of_them = result.test_set.segments if labels is None else len(set(labels))
        _write(arguments, dict(zip(outputs, texts, strict=True)), chosen, all_of_them)
    saving.present(result, arguments)
    return 0


def _write(
    arguments: argparse.Namespace,
    texts: Mapping[str, Sequence[str]],
    chosen: Sequence[int],
    all_of_them: int,
) -> None:
    """Write the lines of every file, and their numbers."""
    from weigh.read.sampled import lines_text

    contents = {name: "".join(f"{lines[at]}\n" for at in chosen) for name, lines in texts.items()}
    contents[_LINES] = lines_text([at + 1 for at in chosen], arguments.by)
    write_files(Path(arguments.output), contents)
    if not arguments.quiet:
        noun = (
            "segments" if arguments.documents is None else f"documents ({len(chosen):,} segments)"
        )
        terminal.say(
            f"{arguments.size:,} of {all_of_them:,} {noun} in {arguments.output}: "
            f"{', '.join(contents)}"
        )


def _paths(arguments: argparse.Namespace) -> list[str]:
    """Return the files that lines are taken of, each once."""
    from weigh.read.inputs import FileArgument

    named = [FileArgument.parse(each).path for each in (*arguments.ref, *arguments.system)]
    if arguments.documents is not None:
        named.append(arguments.documents)
    return [*arguments.files, *dict.fromkeys(each for each in named if each not in arguments.files)]


def _drawn(
    arguments: argparse.Namespace, size: int, labels: Sequence[str] | None
) -> tuple[int, list[int]]:
    """Return how many there are to draw from, and the places of the lines that were drawn."""
    from weigh.stats.broad import broad_document_sample, broad_sample

    if labels is None:
        return size, broad_sample(size, arguments.size, arguments.seed)
    return len(set(labels)), broad_document_sample(labels, arguments.size, arguments.seed)


def _chosen(arguments: argparse.Namespace, labels: Sequence[str] | None) -> ChosenResult:
    """Read systems or their scores, and choose."""
    if bool(arguments.scores) == bool(arguments.system):
        raise UsageError(
            "give the systems' texts with --system and -r, or segment scores with --scores"
        )
    if arguments.score_columns is not None and not arguments.scores:
        raise UsageError("--score-columns is for a table of --scores; name it too")
    from weigh.comparing.choosing import choose_segments, line_numbers

    given = argparse.Namespace(
        systems=arguments.scores or arguments.system,
        scores=arguments.scores,
        columns=arguments.score_columns,
        ref=arguments.ref,
        metric=arguments.metric,
        statistics=[],
        documents=None,
        allow_missing=arguments.allow_missing,
        given=arguments.given - {"documents"},
        chosen=arguments.chosen,
        threads=0,
    )
    measured = inputs.measure(given)
    if labels is not None and measured.ids is not None:  # rows of a table, in any order
        numbers = line_numbers(measured)
        if max(numbers) <= len(labels):
            labels = [labels[number - 1] for number in numbers]
    return choose_segments(
        measured,
        arguments.size,
        arguments.by,
        documents=labels,
        seed=arguments.seed,
    )


def _read(paths: Sequence[str]) -> list[tuple[str, ...]]:
    from weigh.read import read_texts
    from weigh.read.text import Frame, shown

    texts: list[tuple[str, ...]] = []
    for path in paths:
        if _less_gz(path).lower().endswith(_NOT_LINES):
            raise InputError(
                f"{shown(path)}: not plain text, whose lines are segments; "
                "convert it to one segment per line"
            )
        texts.append(read_texts(path))
        Frame(shown(paths[0]), len(texts[0])).check_lines(shown(path), len(texts[-1]))
    return texts


def _less_gz(path: str) -> str:
    return path[:-3] if path.lower().endswith(".gz") else path


def _output_names(paths: Sequence[str]) -> list[str]:
    """Return a plain file name for each path: its own, or its path ending where that is taken."""
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
    """Return a path ending as the name of one file, which leads to no other directory."""
    return "_".join("up" if part == ".." else part for part in name.split("/") if part)
