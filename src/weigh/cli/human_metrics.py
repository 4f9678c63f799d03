"""`weigh human metrics`: metrics held against judgments of people."""

from __future__ import annotations

import argparse

from weigh.cli import inputs, judgments, options, saving
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.human.plan import MetricsPlan
from weigh.options import add_options, plan_of

USAGE = "[option]... (-r REF --system SYS... | --statistics FILE | --scores FILE...) FILE..."
EXAMPLE = (
    "weigh human metrics judgments.jsonl -m bleu,ter -r reference.txt --system systems/ash "
    "--system systems/birch --system systems/elm"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "--system",
        metavar="SYS",
        action="append",
        default=[],
        help="file of a system's output, whose name is that of the judgments, or NAME=FILE; "
        "repeat it for all systems",
    )
    group.add_argument(
        "-r",
        "--ref",
        metavar="REF",
        action="append",
        default=[],
        help="file of references, one segment per line; repeat it for more references",
    )
    options.add_metrics(parser)
    options.add_statistics(parser, "--system")
    group.add_argument(
        "--scores",
        metavar="FILE",
        action="append",
        default=[],
        help="segment scores of other programs, METRIC=FILE or METRIC:lower=FILE, instead of "
        "texts; repeat it for more",
    )
    tests = parser.add_argument_group("tests")
    judgments.add_quality(tests)
    add_options(tests, MetricsPlan)
    saving.add_arguments(options.add_output(parser), content="all of it")
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rank by people, test by metrics, hold one against the other."""
    if bool(arguments.scores) == bool(arguments.system or arguments.statistics):
        raise UsageError(
            "give the systems' texts with --system or their statistics with --statistics, or "
            "segment scores with --scores"
        )
    saving.check(arguments)
    plan = plan_of(arguments, MetricsPlan(), seed=arguments.seed)
    answers = judgments.read_answers(arguments)
    named = {"systems": arguments.scores or arguments.system, "documents": None, "id": "id"}
    with Progress("comparing", quiet=arguments.quiet) as progress:
        from weigh.human.metrics import human_metrics

        measured = inputs.measure(argparse.Namespace(**vars(arguments) | named), progress)
        result = human_metrics(
            answers,
            measured,
            plan=plan,
            quality=arguments.quality,
            threads=arguments.threads,
            progress=progress,
        )
    judgments.present(result, arguments)
    return 0
