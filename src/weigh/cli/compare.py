"""`weigh compare`: which systems differ, and how sure that is."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser, number, positive
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weigh.comparing.plan import Plan
    from weigh.comparing.result import Result
    from weigh.read.missing import Missing

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh compare -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/middling.en"
)

_GATE_CODES = {"pass": 0, "fail": 3, "inconclusive": 4}


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    systems = parser.add_argument_group("systems")
    options.add_systems(systems)
    systems.add_argument(
        "--baseline",
        metavar="NAME",
        help="compare all others with this system instead of all pairs",
    )
    systems.add_argument(
        "--scores",
        action=argparse.BooleanOptionalAction,
        help="SYS are not texts but files of segment scores, [METRIC=]FILE, or METRIC:lower=FILE "
        "where small is good, METRIC:ratio=FILE for ratios of two sums",
    )
    options.add_metrics(parser)
    options.add_inputs(parser)
    options.add_statistics(parser)
    _add_tests(parser)
    _add_questions(parser)
    options.add_intervals(parser, default="percentile")
    output = options.add_output(parser)
    saving.add_arguments(output)
    output.add_argument(
        "--details",
        action=argparse.BooleanOptionalAction,
        help="with --format json, add distributions and segments, so that 'weigh report' can show "
        "them",
    )
    options.add_work(parser)


def _add_tests(parser: Parser) -> None:
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--test",
        metavar="TEST",
        action="append",
        default=[],
        help="randomization, bootstrap or paired-bootstrap, or for means of segment scores tukey "
        "or scheffe; several with commas or by repeating it (default: randomization)",
    )
    group.add_argument(
        "--alternative",
        metavar="WHICH",
        default="two-sided",
        help="two-sided, better or worse: what A may be, compared with B (default: two-sided)",
    )
    group.add_argument(
        "--trials",
        metavar="N",
        type=positive,
        default=10_000,
        help="number of random trials (default: 10000)",
    )
    group.add_argument(
        "--alpha",
        metavar="SHARE",
        type=number,
        default=0.05,
        help="significance level (default: .05)",
    )
    group.add_argument(
        "--adjust",
        metavar="METHOD",
        default="holm",
        help="correction for the number of comparisons: holm, bonferroni, sidak, bh, by, maxt or "
        "none (default: holm)",
    )
    group.add_argument(
        "--family",
        metavar="WHICH",
        default="metric",
        help="comparisons that are corrected together: those by one metric, or all "
        "(default: metric)",
    )
    group.add_argument(
        "--p-value",
        metavar="KIND",
        default="plus-one",
        help="plus-one, (c + 1)/(trials + 1), or plain, c/trials (default: plus-one)",
    )
    group.add_argument(
        "--runs-as-sample",
        action=argparse.BooleanOptionalAction,
        help="ask about training again and not about these very runs: test and intervals by "
        "Student's t with the variance over runs too, of which each system needs two or more "
        "(three are better; numbers may differ)",
    )
    group.add_argument(
        "--compat",
        metavar="TEST",
        action="append",
        default=[],
        help="show another tool's test beside: sacrebleu-bs, moses-bs or multeval, all known to "
        "reject too often",
    )


def _add_questions(parser: Parser) -> None:
    group = parser.add_argument_group("further questions")
    group.add_argument(
        "--margin",
        metavar="METRIC=D",
        action="append",
        default=[],
        help="ask whether systems differ by less than D, the largest difference that does not "
        "matter to you; repeat it for more metrics",
    )
    group.add_argument(
        "--detect",
        metavar="METRIC=D",
        action="append",
        default=[],
        help="tell how many segments a true difference of D needs to be found 4 times in 5",
    )
    group.add_argument(
        "--gate",
        action=argparse.BooleanOptionalAction,
        help="exit with 3 if a system is worse than the baseline, with 4 if that is left open: by "
        "--margin, or by too few segments",
    )
    group.add_argument(
        "--least-units",
        metavar="N",
        type=positive,
        default=10,
        help="with fewer segments (or documents) leave --margin and --gate open (default: 10)",
    )
    group.add_argument(
        "--scale",
        metavar="METRIC=D",
        action="append",
        default=[],
        help="D is the most that one segment can change by METRIC, which --margin asks where few "
        "segments differ; known of 0–100 metrics and of 0/1 scores",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, report."""
    if arguments.details and arguments.format != "json":
        raise UsageError("--details is for --format json; use --html for a page with them")
    saving.check(arguments)
    result, digits = (_compare_scores if arguments.scores else _compare_texts)(arguments)
    for warning in result.warnings:
        terminal.say(warning)

    from weigh.report.compared import CompareReport
    from weigh.report.comparisons import FORMATS, as_table

    report = CompareReport(result, digits)
    if saving.is_wanted(arguments):
        from weigh.report.page import page
        from weigh.report.pictures import comparison_pictures

        saving.save(report, arguments, page, comparison_pictures)
    if not arguments.details:
        report = CompareReport(replace(result, evidence=None), digits)
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0 if result.gate is None else _GATE_CODES[result.gate.verdict]


def _compare_texts(arguments: argparse.Namespace) -> tuple[Result, Mapping[str, int]]:
    from weigh.metrics.registry import key_of, parse_metric, parse_metrics

    metrics = parse_metrics(arguments.metric)
    plan = _plan(arguments, lambda name: key_of(parse_metric(name)))

    from weigh.comparing.procedure import compare

    given = inputs.read(arguments, metrics)
    with Progress("comparing", quiet=arguments.quiet) as progress:
        result = compare(
            given.systems,
            given.test_set,
            given.metrics,
            evidence=_wants_evidence(arguments),
            stored=given.stored,
            plan=plan,
            threads=arguments.threads,
            progress=progress,
        )
    return _with_missing(result, given.missing), options.decimals(given.metrics)


def _compare_scores(arguments: argparse.Namespace) -> tuple[Result, Mapping[str, int]]:
    inputs.refuse_texts(arguments)
    from weigh.read.scores import read_scores

    plan = _plan(arguments, lambda name: name)
    given = read_scores(
        arguments.systems,
        arguments.documents,
        arguments.slices,
        arguments.id if "id" in arguments.given else None,
        allow_missing=bool(arguments.allow_missing),
    )

    from weigh.comparing.procedure import compare_scores

    with Progress("comparing", quiet=arguments.quiet) as progress:
        result = compare_scores(
            given.scores,
            lower=given.lower,
            ratio=given.ratio,
            documents=given.documents,
            slices=given.slices,
            numbers=given.numbers,
            evidence=_wants_evidence(arguments),
            plan=plan,
            threads=arguments.threads,
            progress=progress,
        )
    digits = dict.fromkeys(given.scores, options.DECIMALS_UNKNOWN)
    return _with_missing(result, given.missing), digits


def _with_missing(result: Result, missing: Missing | None) -> Result:
    """Return the result with a warning of segments that were left out."""
    if missing is None:
        return result
    return replace(result, warnings=(str(missing), *result.warnings))


def _wants_evidence(arguments: argparse.Namespace) -> bool:
    return bool(arguments.details or arguments.html or arguments.plots)


def _plan(arguments: argparse.Namespace, key: Callable[[str], str]) -> Plan:
    from weigh.comparing.plan import DEFAULT_TESTS, Plan

    tests, interval = options.names(arguments.test), arguments.interval
    if arguments.runs_as_sample:  # what weigh.toml says of these gives way
        tests = tests if "test" in arguments.given else ()
        interval = interval if "interval" in arguments.given else "percentile"
    return Plan(
        tests=tests or DEFAULT_TESTS,
        alternative=arguments.alternative,
        trials=arguments.trials,
        alpha=arguments.alpha,
        adjust=arguments.adjust,
        family=arguments.family,
        p_value=arguments.p_value,
        baseline=arguments.baseline,
        interval=interval,
        level=arguments.level,
        margin=options.by_metric(arguments.margin, "--margin", key),
        detect=options.by_metric(arguments.detect, "--detect", key),
        scale=options.by_metric(arguments.scale, "--scale", key),
        gate=bool(arguments.gate),
        least_units=arguments.least_units,
        compat=options.names(arguments.compat),
        runs_as_sample=bool(arguments.runs_as_sample),
        seed=arguments.seed,
    )
