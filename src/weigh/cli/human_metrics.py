"""`weigh human metrics`: metrics held against judgments of people."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, options, saving
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.human.plan import MetricsPlan
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.human.metrics import MetricsResult
    from weigh.read.answers import Judgments, Preferences
    from weigh.read.missing import Missing

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
    with Progress("comparing", quiet=arguments.quiet) as progress:
        held = _with_scores if arguments.scores else _with_texts
        result, missing = held(answers, plan, arguments, progress)
    if missing is not None:
        result = replace(result, remarks=(str(missing), *result.remarks))
    judgments.present(result, arguments)
    return 0


def _with_scores(
    answers: Judgments | Preferences,
    plan: MetricsPlan,
    arguments: argparse.Namespace,
    progress: Progress,
) -> tuple[MetricsResult, Missing | None]:
    inputs.refuse_texts(arguments)
    from weigh.human.metrics import human_metrics
    from weigh.read.scores import read_scores

    given = read_scores(arguments.scores, allow_missing=bool(arguments.allow_missing))
    if given.ratio:
        raise UsageError(
            f"--scores {given.ratio[0]}:ratio: two numbers for each segment, but one was "
            "expected; divide them first"
        )
    result = human_metrics(
        answers,
        given.scores,
        plan=plan,
        quality=arguments.quality,
        lower=given.lower,
        threads=arguments.threads,
        progress=progress,
    )
    return result, given.missing


def _with_texts(
    answers: Judgments | Preferences,
    plan: MetricsPlan,
    arguments: argparse.Namespace,
    progress: Progress,
) -> tuple[MetricsResult, Missing | None]:
    from weigh.human.metrics import human_metrics
    from weigh.metrics.registry import parse_metrics

    texts = inputs.read(
        argparse.Namespace(systems=arguments.system, **vars(arguments)),
        parse_metrics(arguments.metric),
    )
    result = human_metrics(
        answers,
        texts.systems,
        texts.test_set,
        texts.metrics,
        plan,
        quality=arguments.quality,
        stored=texts.stored,
        threads=arguments.threads,
        progress=progress,
    )
    return result, texts.missing
