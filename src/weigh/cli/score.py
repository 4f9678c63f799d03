"""`weigh score`: scores of systems, metric by metric."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.metrics.scoring import SystemScore
    from weigh.report.scores import ScoreReport
    from weigh.types import Metric, System, TestSet

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS..."
EXAMPLE = "weigh score -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/poor.en"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    parser.add_argument_group("systems").add_argument(
        "systems",
        metavar="SYS",
        nargs="*",
        default=[],
        help="file of a system's output, one segment per line, or NAME=FILE, or NAME@RUN=FILE "
        "for one of several runs of a system; '-' is stdin, .gz is unpacked",
    )
    options.add_metrics(parser)
    options.add_inputs(parser)
    output = options.add_output(parser)
    output.add_argument(
        "--segments",
        action=argparse.BooleanOptionalAction,
        help="give the score of every segment too",
    )
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, report."""
    if arguments.segments and arguments.format == "latex":
        raise UsageError("--segments does not fit in a LaTeX table; use --format tsv or json")
    from weigh.metrics.registry import parse_metrics

    metrics = parse_metrics(arguments.metric)

    from weigh.metrics.scoring import score
    from weigh.read import read_inputs

    test_set, systems = read_inputs(
        arguments.systems,
        arguments.ref,
        arguments.src,
        arguments.documents,
        arguments.slices,
        arguments.id,
        arguments.text,
    )
    with Progress("scoring", quiet=arguments.quiet) as progress:
        scores = score(
            systems,
            test_set,
            metrics,
            segments=bool(arguments.segments),
            threads=arguments.threads,
            progress=progress,
        )
    report = _report(metrics, scores, test_set, systems)

    from weigh.report.scores import FORMATS, as_table

    if arguments.format == "table":
        terminal.write(as_table(report, terminal.screen()))
    else:
        terminal.write(FORMATS[arguments.format](report))
    return 0


def _report(
    metrics: Sequence[Metric],
    scores: Sequence[SystemScore],
    test_set: TestSet,
    systems: Sequence[System],
) -> ScoreReport:
    from weigh.metrics.registry import key_of
    from weigh.report.scores import ScoreReport

    return ScoreReport(
        scores,
        segments=len(test_set),
        references=len(test_set.references) + len(systems[0].references),
        documents=None if test_set.documents is None else len(set(test_set.documents)),
        ids=test_set.ids,
        # Two decimals on a scale of 0 to 100, more where the scale is unknown.
        decimals={key_of(metric): 2 if metric.perfect in (0, 100) else 4 for metric in metrics},
    )
