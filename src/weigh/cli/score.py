"""`weigh score`: scores of systems, metric by metric."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from weigh.cli import inputs, options, terminal
from weigh.cli.parser import Parser, positive
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.metrics.scoring import SystemScore
    from weigh.report.scores import ScoreReport

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS..."
EXAMPLE = "weigh score -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/poor.en"

_FEW_UNITS = 30
NOT_IN_LATEX = "does not fit in a LaTeX table; use --format tsv or json"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    options.add_systems(parser.add_argument_group("systems"))
    options.add_metrics(parser)
    options.add_inputs(parser)
    options.add_statistics(parser).add_argument(
        "--save-statistics",
        metavar="FILE",
        help="write the statistics of all metrics and systems to a file",
    )
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
    output.add_argument(
        "--details",
        action=argparse.BooleanOptionalAction,
        help="give what the scores are made of: precisions, lengths, edits",
    )
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, report."""
    for option in ("segments", "details"):
        if getattr(arguments, option) and arguments.format == "latex":
            raise UsageError(f"--{option} {NOT_IN_LATEX}")
    from weigh.metrics.registry import parse_metrics

    if not 0 < arguments.level < 1:
        raise UsageError(f"level {arguments.level}; give a number between 0 and 1, such as .95")
    metrics = parse_metrics(arguments.metric)

    if arguments.save_statistics is not None:
        from weigh.metrics.statistics_file import check_writable

        check_writable(arguments.save_statistics)
    given = inputs.read(arguments, metrics)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        scores = _scores(arguments, given, progress)
    report = _report(arguments, scores, given)
    for warning in report.warnings:
        terminal.say(warning)

    from weigh.report.scores import FORMATS, as_table

    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _scores(
    arguments: argparse.Namespace, given: inputs.Inputs, progress: Progress
) -> list[SystemScore]:
    keep = None
    if arguments.save_statistics is not None:
        from weigh.metrics.stored import Collection

        keep = Collection(given.systems, given.test_set)
    common: dict[str, Any] = {
        "segments": bool(arguments.segments),
        "details": bool(arguments.details),
        "stored": given.stored,
        "keep": keep,
        "threads": arguments.threads,
        "progress": progress,
    }
    if arguments.interval is None:
        from weigh.metrics.scoring import score

        scores = score(given.systems, given.test_set, given.metrics, **common)
    else:
        from weigh.comparing.intervals import score_with_intervals

        scores = score_with_intervals(
            given.systems,
            given.test_set,
            given.metrics,
            interval=arguments.interval,
            level=arguments.level,
            trials=arguments.trials,
            seed=arguments.seed,
            **common,
        )
    if keep is not None:
        from weigh.metrics.statistics_file import save_statistics

        save_statistics(keep.statistics(), arguments.save_statistics)
    return scores


def _report(
    arguments: argparse.Namespace, scores: Sequence[SystemScore], given: inputs.Inputs
) -> ScoreReport:
    from weigh.report.scores import IntervalMethod, ScoreReport

    test_set = given.test_set
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
    warnings = [] if given.missing is None else [str(given.missing)]
    warnings += [remark for entry in scores for remark in entry.remarks]
    if method is not None and method.units < 2:
        warnings.append(f"only 1 {method.unit}, which has no interval")
    elif method is not None and method.units < _FEW_UNITS:
        warnings.append(
            f"only {method.units} {method.unit}s: intervals are rough below {_FEW_UNITS}"
        )
    return ScoreReport(
        scores,
        segments=len(test_set),
        references=len(test_set.references) + len(given.systems[0].references),
        documents=documents,
        ids=test_set.ids,
        numbers=test_set.numbers,
        decimals=options.decimals(given.metrics),
        intervals=method,
        warnings=warnings,
    )
