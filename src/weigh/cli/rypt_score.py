"""`weigh rypt score`: scores of systems by labels, in all three ways, and how many labels count."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import judgments, labelled, options, terminal
from weigh.cli.parser import Parser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.rypt.metric import Rypt
    from weigh.types import Rows, System, TestSet

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS..."
EXAMPLE = (
    "weigh rypt score -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align good.en poor.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    labelled.add_arguments(parser)
    judgments.add_quiet(options.add_output(parser))


def run(arguments: argparse.Namespace) -> int:
    """Read, count, report."""
    systems, test_set, metric = labelled.read(arguments)

    from weigh.metrics.statistics import statistics
    from weigh.metrics.supply import supplied
    from weigh.report.rypt_score import FORMATS, LabelledScore, LabelScoreReport, as_table

    systems, test_set, _ = supplied(systems, test_set, [metric])
    rows = statistics(systems, test_set, metric)
    uneven = metric.uneven([system.name for system in systems], [own.sum(axis=0) for own in rows])
    remarks = [*_remarks(systems, rows, metric), *_scattered(test_set, metric)]
    if uneven is not None:
        remarks.append(f"no system is marked as the best, as {uneven}; label more")
    report = LabelScoreReport(
        [LabelledScore.of(system, metric) for system in systems],
        len(test_set),
        metric.signature(0),
        remarks,
        uneven,
    )
    if not arguments.quiet:
        for remark in report.remarks:
            terminal.say(remark)
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _remarks(systems: Sequence[System], rows: Sequence[Rows], metric: Rypt) -> list[str]:
    """Return what the table does not say itself: all but the shares of labelled nodes."""
    from weigh.read.stream import shown

    remarks = [
        remark
        for system, own in zip(systems, rows, strict=True)
        for remark in metric.remarks(system.name, own, system.outputs)[1:]
    ]
    return remarks + [
        f"{metric.name} of {shown(system.name)}: no node is labelled YES or NO, so that 'labelled' "
        "has no score; label some of the output"
        for system, own in zip(systems, rows, strict=True)
        if not own[:, :2].any()
    ]


def _scattered(test_set: TestSet, metric: Rypt) -> list[str]:
    """Return how many subtrees of dependency parses are no nodes."""
    from weigh.read.stream import shown
    from weigh.rypt.tree import read_trees
    from weigh.wording import plural

    count = read_trees(metric.parses, test_set.sources or (), flat=metric.flat).scattered
    if not count:
        return []
    are, their = ("is no node", "its") if count == 1 else ("are no nodes", "their")
    return [
        f"{shown(metric.parses)}: {plural(count, 'dependency subtree')} {are}, as {their} words do "
        "not stand together"
    ]
