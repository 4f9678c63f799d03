"""`weigh score`: scores of systems, metric by metric."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser, positive
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.metrics.scoring import SystemScore
    from weigh.read.missing import Missing
    from weigh.report.scores import ScoreReport
    from weigh.types import Metric, System, TestSet

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS..."
EXAMPLE = "weigh score -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/poor.en"

_FEW_UNITS = 30


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    options.add_systems(parser.add_argument_group("systems"))
    options.add_metrics(parser)
    options.add_inputs(parser)
    intervals = options.add_intervals(parser, default=None)
    intervals.add_argument(
        "--trials",
        metavar="N",
        type=positive,
        default=10_000,
        help="number of bootstrap samples (default: 10000)",
    )
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

    if not 0 < arguments.level < 1:
        raise UsageError(f"level {arguments.level}; give a number between 0 and 1, such as .95")
    metrics = parse_metrics(arguments.metric)

    from weigh.metrics.supply import supplied
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
    systems, test_set, missing = supplied(
        systems, test_set, metrics, allow_missing=bool(arguments.allow_missing)
    )
    with Progress("scoring", quiet=arguments.quiet) as progress:
        scores = _scores(arguments, systems, test_set, metrics, progress)
    report = _report(arguments, metrics, scores, test_set, systems, missing)
    for warning in report.warnings:
        terminal.say(warning)

    from weigh.report.scores import FORMATS, as_table

    if arguments.format == "table":
        terminal.write(as_table(report, terminal.screen()))
    else:
        terminal.write(FORMATS[arguments.format](report))
    return 0


def _scores(
    arguments: argparse.Namespace,
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric],
    progress: Progress,
) -> list[SystemScore]:
    if arguments.interval is None:
        from weigh.metrics.scoring import score

        return score(
            systems,
            test_set,
            metrics,
            segments=bool(arguments.segments),
            threads=arguments.threads,
            progress=progress,
        )
    from weigh.comparing.intervals import score_with_intervals

    return score_with_intervals(
        systems,
        test_set,
        metrics,
        interval=arguments.interval,
        level=arguments.level,
        trials=arguments.trials,
        seed=arguments.seed,
        segments=bool(arguments.segments),
        threads=arguments.threads,
        progress=progress,
    )


def _report(
    arguments: argparse.Namespace,
    metrics: Sequence[Metric],
    scores: Sequence[SystemScore],
    test_set: TestSet,
    systems: Sequence[System],
    missing: Missing | None,
) -> ScoreReport:
    from weigh.report.scores import IntervalMethod, ScoreReport

    documents = None if test_set.documents is None else len(set(test_set.documents))
    method = None
    if arguments.interval is not None:
        method = IntervalMethod(
            arguments.interval,
            arguments.level,
            arguments.trials,
            arguments.seed,
            "segment" if documents is None or arguments.interval == "t" else "document",
            len(test_set) if documents is None or arguments.interval == "t" else documents,
        )
    warnings = [] if missing is None else [str(missing)]
    if method is not None and method.units < _FEW_UNITS:
        warnings.append(
            f"only {method.units} {method.unit}s: intervals are rough below {_FEW_UNITS}"
        )
    return ScoreReport(
        scores,
        segments=len(test_set),
        references=len(test_set.references) + len(systems[0].references),
        documents=documents,
        ids=test_set.ids,
        decimals=options.decimals(metrics),
        intervals=method,
        warnings=warnings,
    )
