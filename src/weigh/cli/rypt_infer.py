"""`weigh rypt infer`: expected RYPT, with chances in place of the hard rules of percolation."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser, number, positive
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.rypt.evidence import AlignedOutput
    from weigh.types import System

USAGE = "-s SRC --parses FILE --labels STORE --alignments FILE SYS... [option]..."
EXAMPLE = (
    "weigh rypt infer -s source.de --parses source.mrg --labels labels.db "
    "--alignments {system}.align --held-out .2 sysA sysB"
)
_NEEDED = {"src": "-s SRC", "parses": "--parses FILE", "labels": "--labels STORE"}


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    systems = parser.add_argument_group("systems")
    options.add_systems(systems)
    systems.add_argument(
        "--alignments",
        metavar="FILE",
        help="alignment of each SYS with the source, links of words as 0-0 1-2 or derivations, "
        "one line for each segment; {system} stands for the system's name",
    )
    sources = parser.add_argument_group("sources")
    sources.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised, one on each line"
    )
    sources.add_argument(
        "--parses", metavar="FILE", help="parses of the sources: brackets, .conllu or .spans"
    )
    sources.add_argument(
        "--flat",
        action=argparse.BooleanOptionalAction,
        help="take a sentence without a parse as a tree of its words, instead of leaving it out",
    )
    sources.add_argument(
        "--labels", metavar="STORE", help="what people said: a store of labels, .jsonl or .tsv"
    )
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
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, infer, report."""
    for name, remedy in _NEEDED.items():
        if getattr(arguments, name) is None:
            raise UsageError(f"no {name} given; add it with {remedy}")
    if not arguments.systems:
        raise UsageError("no system given; name at least one file")
    if arguments.alignments is None:
        raise UsageError("no alignments given; add them with --alignments {system}.align")
    if arguments.held_out is None:
        for name in ("draws", "seed"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for --held-out SHARE; leave it out")

    from weigh.read import read_inputs
    from weigh.read.words import words_of
    from weigh.report.rypt_infer import FORMATS, InferReport, as_table
    from weigh.rypt.evidence import evidence_of_systems, read_votes
    from weigh.rypt.inferred import infer_systems
    from weigh.rypt.tree import read_trees

    test_set, systems = read_inputs(arguments.systems, [], arguments.src)
    assert test_set.sources is not None  # it was asked for
    sources = [words_of(source) for source in test_set.sources]
    trees = read_trees(arguments.parses, test_set.sources, flat=bool(arguments.flat))
    texts = [" ".join(words) for words in sources]
    votes = read_votes(arguments.labels, texts)
    evidence = evidence_of_systems(
        trees.trees,
        [votes.get(text, {}) for text in texts],
        [_aligned(system, sources, arguments.alignments) for system in systems],
    )
    inferred = infer_systems(
        [system.name for system in systems],
        evidence,
        share=arguments.held_out,
        draws=arguments.draws,
        seed=arguments.seed,
    )
    remarks = []
    if trees.unparsed:
        fate = "are trees of their words" if arguments.flat else "are left out"
        remarks.append(f"{trees.unparsed:,} of {len(sources):,} sentences have no parse and {fate}")
    report = InferReport(
        inferred, arguments.labels, arguments.parses, trees.unparsed, tuple(remarks)
    )
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _aligned(system: System, sources: list[list[str]], pattern: str) -> AlignedOutput:
    from weigh.errors import InputError
    from weigh.metrics.supply import path_of
    from weigh.read import read_texts
    from weigh.read.alignment import check_links, parse_links
    from weigh.read.stream import shown
    from weigh.read.words import words_of
    from weigh.rypt.evidence import AlignedOutput
    from weigh.rypt.judged import alignments_of

    path = path_of(pattern, system, "--alignments")
    lines = read_texts(path)
    if len(lines) != len(sources):
        raise InputError(
            f"{shown(path)}: {len(lines):,} lines, but there are {len(sources):,} sources; "
            "give one for every sentence"
        )

    def where(place: int) -> str:
        return f"{shown(path)}: line {place + 1:,}"

    outputs = [words_of(text) for text in system.outputs.texts]
    links = parse_links(alignments_of(lines, system.outputs.texts, where).lines, where)
    check_links(links, list(map(len, sources)), list(map(len, outputs)), where)
    return AlignedOutput(outputs, links)
