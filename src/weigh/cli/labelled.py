"""What verbs about labels of source constituents read: sources, parses, alignments, labels."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.parser import Parser, choice
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.rypt.metric import Rypt
    from weigh.types import System, TestSet

_NEEDED = ("src", "labels", "parses", "alignments")


def add_arguments(parser: Parser, *, aggregate: bool = True) -> None:
    """Add the systems and all that their outputs are counted by."""
    group = parser.add_argument_group("files")
    group.add_argument(
        "systems",
        metavar="SYS",
        nargs="+",
        help="file of a system's output, one segment per line, or NAME=FILE, or NAME@RUN=FILE",
    )
    add_sources(group)
    group.add_argument(
        "--labels", metavar="STORE", help="store of labels, or labels as .jsonl, .tsv or .csv"
    )
    if aggregate:
        add_aggregate(group)
    group.add_argument(
        "--alignments",
        metavar="FILE",
        help="links of source and output words as 0-0 1-2, or derivations; {system} in the path "
        "stands for the system's name",
    )


def _aggregate(value: str) -> str:
    from weigh.rypt.labels import AGGREGATES

    return choice(value, "aggregate", AGGREGATES)


def add_aggregate(group: argparse._ArgumentGroup) -> None:
    """Add how the labels of several judges become one."""
    group.add_argument(
        "--aggregate",
        metavar="HOW",
        type=_aggregate,
        default="majority",
        help="labels of several judges on one entry become one by majority, by any-yes, or "
        "weighted by each judge's agreement with the others; ties are NOT SURE "
        "(default: majority)",
    )


def add_sources(group: argparse._ArgumentGroup) -> None:
    """Add the source texts and their parses."""
    group.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised as they were labelled"
    )
    group.add_argument(
        "--parses",
        metavar="FILE",
        help="parses of the sources: Penn brackets, .conllu or .spans, one for each",
    )
    group.add_argument(
        "--flat",
        action=argparse.BooleanOptionalAction,
        help="take a sentence without a parse for a tree of its words instead of leaving it out",
    )


def read(arguments: argparse.Namespace) -> tuple[tuple[System, ...], TestSet, Rypt]:
    """Return the systems, the test set of their sources, and the metric that counts them."""
    for name in _NEEDED:
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file")
    from weigh.read import read_inputs
    from weigh.rypt.metric import Rypt

    metric = Rypt(
        labels=arguments.labels,
        parses=arguments.parses,
        alignments=arguments.alignments,
        aggregate=getattr(arguments, "aggregate", "majority"),  # not of verbs that take all labels
        flat=bool(arguments.flat),
    )
    test_set, systems = read_inputs(arguments.systems, [], arguments.src, references_needed=False)
    return systems, test_set, metric
