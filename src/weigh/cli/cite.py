"""`weigh cite`: BibTeX for a result or a planned comparison."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Parser
from weigh.comparing.plan import Plan
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.report.view import Used

USAGE = "[-m METRIC]... [option]... [RESULT]..."
EXAMPLE = "weigh cite -m bleu,ter --test paired-bootstrap"

_OF_PLAN = ("tests", "runs_as_sample", "adjust", "interval")
_CHOICES = ("metric", "test", "runs_as_sample", "adjust", "interval")


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument_group("result").add_argument(
        "results",
        metavar="RESULT",
        nargs="*",
        default=[],
        help="a result saved with --format json, or a page; '-' is stdin. Without it, the options "
        "below describe a comparison, with the defaults of compare",
    )
    options.add_metrics(parser)
    add_options(parser.add_argument_group("comparison"), Plan, only=_OF_PLAN)


def run(arguments: argparse.Namespace) -> int:
    """Print the references of the methods used."""
    methods = _methods_of_results(arguments) if arguments.results else _methods_of_plan(arguments)

    from weigh.report.citations import bibtex

    terminal.write(bibtex(methods))
    return 0


def _methods_of_results(arguments: argparse.Namespace) -> Used:
    for name in _CHOICES:
        if name in arguments.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} does not apply to a saved result; leave it out")
    from weigh.report.citations import together
    from weigh.report.view import load, view

    return together([view(load(path)).used for path in arguments.results])


def _methods_of_plan(arguments: argparse.Namespace) -> Used:
    from weigh.metrics.registry import key_of, parse_metrics
    from weigh.report.citations import planned

    metrics = [key_of(metric) for metric in parse_metrics(arguments.metric)]
    return planned(metrics, plan_of(arguments, Plan()))
