"""`weigh rypt infer`: expected RYPT, with chances in place of the hard rules of percolation."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import labelled, options, terminal
from weigh.cli.parser import Parser, number, positive
from weigh.cli.progress import Progress
from weigh.errors import InputError, UsageError, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.rypt.inferred import AlignedOutput
    from weigh.types import System

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS..."
EXAMPLE = (
    "weigh rypt infer -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align --held-out .2 good.en poor.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    labelled.add_arguments(parser, aggregate=False)  # every answer counts
    check = parser.add_argument_group("check")
    check.add_argument(
        "--held-out",
        metavar="SHARE",
        type=number,
        help="hide this share of the labels besides, and tell how well they are told from the "
        "others: by inference and by the hard rules",
    )
    check.add_argument(
        "--draws",
        metavar="N",
        type=positive,
        default=5,
        help="hide labels so many times, others each time (default: 5)",
    )
    options.add_seed(check)
    output = options.add_output(parser)
    output.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="show no progress bar"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, infer, report."""
    if arguments.held_out is None:
        for name in ("draws", "seed"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for --held-out SHARE; leave it out")
    systems, test_set, metric = labelled.read(arguments)

    from weigh.read.words import words_of
    from weigh.report.rypt_infer import FORMATS, InferReport, as_table
    from weigh.rypt.inferred import evidence_of_systems, infer_systems, read_votes
    from weigh.rypt.tree import read_trees

    given = test_set.sources or ()
    sources = [words_of(source) for source in given]
    texts = [" ".join(words) for words in sources]
    trees = read_trees(metric.parses, given, flat=metric.flat)
    votes = read_votes(metric.labels, texts)
    evidence = evidence_of_systems(
        trees.trees,
        [votes.get(text, {}) for text in texts],
        [
            _aligned(system, path, sources)
            for system, path in zip(systems, _paths(systems, metric.alignments), strict=True)
        ],
    )
    with Progress("inferring", quiet=arguments.quiet) as progress:
        inferred = infer_systems(
            [system.name for system in systems],
            evidence,
            share=arguments.held_out,
            draws=arguments.draws,
            seed=arguments.seed,
            progress=progress,
        )
    remarks = []
    if trees.unparsed:
        one = "a tree of its words" if trees.unparsed == 1 else "trees of their words"
        fate = f"taken for {one}" if metric.flat else "left out"
        count = plural(len(sources), "sentence")
        remarks.append(f"{trees.unparsed:,} of {count} without a parse, {fate}")
    report = InferReport(
        inferred, len(sources), metric.labels, metric.parses, trees.unparsed, tuple(remarks)
    )
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _paths(systems: Sequence[System], pattern: str) -> list[str]:
    """Return the file of each system's alignments."""
    from weigh.metrics.supply import path_of
    from weigh.read.stream import shown

    paths = [path_of(pattern, system, "--alignments") for system in systems]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UsageError(
            f"--alignments: {shown(twice)} is one file for several systems; tell them apart by "
            "{system} in the path"
        )
    return paths


def _aligned(system: System, path: str, sources: Sequence[Sequence[str]]) -> AlignedOutput:
    """Return a system's output with its word links."""
    from weigh.read import read_texts
    from weigh.read.alignment import check_links, parse_links
    from weigh.read.stream import shown
    from weigh.read.words import words_of
    from weigh.rypt.inferred import AlignedOutput
    from weigh.rypt.alignment import alignments_of

    lines = read_texts(path)
    if len(lines) != len(sources):
        raise InputError(
            f"{shown(path)}: {plural(len(lines), 'line')}, but the source has "
            f"{plural(len(sources), 'sentence')}; give one for each"
        )

    def where(place: int) -> str:
        return f"{shown(path)}: line {place + 1:,}"

    outputs = [words_of(text) for text in system.outputs.texts]
    links = parse_links(alignments_of(lines, system.outputs.texts, where).lines, where)
    check_links(links, list(map(len, sources)), list(map(len, outputs)), where)
    return AlignedOutput(outputs, links)
