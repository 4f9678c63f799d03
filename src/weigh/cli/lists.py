"""N-best lists on the command line: their options, and what is said of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.types import Metric, TestSet


def add_lists(group: argparse._ArgumentGroup, *, also: str = "") -> None:
    """Add the options for lists, references and sources; `also` says what else may be a list."""
    group.add_argument(
        "--nbest",
        metavar="FILE",
        action="extend",
        nargs="+",
        default=[],
        help=f"n-best list of Moses, Joshua or Z-MERT, or JSON lines (.jsonl){also}; several are "
        "merged",
    )
    add_references(group, "-r", "--ref", help="file of references, one segment per line")
    group.add_argument("-s", "--src", metavar="SRC", help="file of source texts")


def add_references(group: argparse._ArgumentGroup, *names: str, help: str) -> None:
    """Add an option that takes files of references, in one place or several."""
    group.add_argument(
        *names,
        metavar="REF",
        action="extend",
        nargs="+",
        default=[],
        help=f"{help}; several are several references",
    )


def read_references(
    references: Sequence[str], sources: str | None, metrics: Sequence[Metric]
) -> TestSet:
    """Read the test set of a list, which some metrics need no references for."""
    from weigh.read import read_test_set

    return read_test_set(
        references, sources, references_needed=any(metric.needs_references for metric in metrics)
    )


def say_missing(missing: Sequence[int], total: int) -> None:
    """Say which of all sentences have no candidates."""
    for remark in missing_remarks(missing, total):
        terminal.say(remark)


def missing_remarks(missing: Sequence[int], total: int) -> tuple[str, ...]:
    """Return what is to be said of sentences without candidates: nothing where there are none."""
    from weigh.tuning.gather import missing_remarks

    return missing_remarks(missing, total)
