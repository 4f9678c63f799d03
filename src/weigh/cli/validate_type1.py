"""`weigh validate type1`: how often tests find a difference where there is none."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import saving, terminal, validation
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.comparing.measure import Measured

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS...|--nbest LIST"
# What is for systems and not for n-best lists.
_FOR_SYSTEMS = ("scores", "statistics", "allow_missing")
EXAMPLE = (
    "weigh validate type1 -r examples/reference.en -m bleu --nulls 200 examples/good.en "
    "examples/middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.validate.plan import Type1Plan

    validation.add_systems(parser)
    tests = parser.add_argument_group("tests")
    add_options(tests, Type1Plan, only=("tests", "alphas", "trials", "compat", "level"))
    nulls = parser.add_argument_group("equal systems")
    nulls.add_argument(
        "--nbest",
        metavar="LIST",
        action="append",
        default=[],
        help="make them of n-best lists instead of SYS: each takes for every segment two texts of "
        "its list; several lists are merged",
    )
    add_options(nulls, Type1Plan, only=("nulls", "size"))
    validation.add_long_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, make equal systems, test them, report."""
    saving.check(arguments)
    from weigh.validate.plan import Type1Plan
    from weigh.validate.type1 import type1

    plan = plan_of(arguments, Type1Plan(), seed=arguments.seed)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = (_measure_lists if arguments.nbest else validation.measure)(arguments, progress)
    with Progress("testing equal systems", quiet=arguments.quiet) as progress:
        result = type1(
            measured, plan, resume=arguments.resume, threads=arguments.threads, progress=progress
        )
    saving.present(result, arguments)
    return 0


def _measure_lists(arguments: argparse.Namespace, progress: Progress) -> Measured:
    if arguments.systems:
        raise UsageError("systems and --nbest are given; give one or the other")
    for name in _FOR_SYSTEMS:
        if name in arguments.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} is for systems and not for --nbest; leave it out")
    from weigh.metrics.registry import parse_metrics
    from weigh.read import read_test_set
    from weigh.tuning.gather import read_nbest
    from weigh.validate.type1 import measure_list

    metrics = parse_metrics(arguments.metric)
    test_set = read_test_set(
        arguments.ref,
        arguments.src,
        arguments.documents,
        id_column=arguments.id,
        text_column=arguments.text,
        references_needed=any(metric.needs_references for metric in metrics),
    )
    measured = measure_list(
        read_nbest(arguments.nbest, test_set),
        test_set,
        metrics,
        threads=arguments.threads,
        progress=progress,
    )
    for remark in measured.remarks:
        terminal.say(remark)
    return measured
