"""`weigh cite`: what to cite for a result, or for a comparison that is planned."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser
from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.report.view import Used

USAGE = "[-m METRIC]... [option]... [RESULT]..."
EXAMPLE = "weigh cite -m bleu,ter --test paired-bootstrap"

_CHOICES = ("metric", "test", "runs_as_sample", "adjust", "interval", "compat")


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    parser.add_argument_group("result").add_argument(
        "results",
        metavar="RESULT",
        nargs="*",
        default=[],
        help="what any verb wrote with --format json, or a page, which says all that it used; '-' "
        "is stdin; without it, the options tell, with the defaults of compare",
    )
    options.add_metrics(parser)
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--test",
        metavar="TEST",
        action="append",
        default=[],
        help="tests, as for compare (default: randomization)",
    )
    group.add_argument(
        "--runs-as-sample",
        action=argparse.BooleanOptionalAction,
        help="runs as a sample, as for compare",
    )
    group.add_argument(
        "--adjust",
        metavar="METHOD",
        default="holm",
        help="correction for the number of comparisons, as for compare (default: holm)",
    )
    group.add_argument(
        "--interval",
        metavar="KIND",
        type=options.interval_name,
        default="percentile",
        help="percentile, expanded, bca or t (default: percentile)",
    )
    group.add_argument(
        "--compat",
        metavar="TEST",
        action="append",
        default=[],
        help="another tool's test, as for compare",
    )


def run(arguments: argparse.Namespace) -> int:
    """Find out what was used and print its references."""
    methods = _used(arguments) if arguments.results else _planned(arguments)

    from weigh.report.citations import bibtex

    terminal.write(bibtex(methods))
    return 0


def _used(arguments: argparse.Namespace) -> Used:
    for name in _CHOICES:
        if name in arguments.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} beside a result, which says what it used; leave it out")
    from weigh.read.stream import read_whole, shown
    from weigh.report.citations import together
    from weigh.report.cited import methods_of
    from weigh.report.restored import restore
    from weigh.report.view import command_of, is_known, restored, view

    used = []
    for path in arguments.results:
        text, name = read_whole(path), shown(path)
        if is_known(command_of(text, name)):
            used.append(view(restored(text, name)).used)
        else:
            used.append(methods_of(restore(text, name)))
    return together(used)


def _planned(arguments: argparse.Namespace) -> Used:
    from weigh.comparing.plan import DEFAULT_TESTS, Plan
    from weigh.metrics.registry import key_of, parse_metrics
    from weigh.report.citations import planned

    metrics = [key_of(metric) for metric in parse_metrics(arguments.metric)]
    plan = Plan(
        tests=options.names(arguments.test) or DEFAULT_TESTS,
        runs_as_sample=bool(arguments.runs_as_sample),
        adjust=arguments.adjust,
        interval=arguments.interval,
        compat=options.names(arguments.compat),
    )
    return planned(metrics, plan)
