"""`weigh validate power`: how often differences are found, and how much data that takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import inputs, saving, terminal, validation
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.validate.power import PowerResult

USAGE = "[-r REF]... [-m METRIC]... [--human FILE]... [option]... SYS SYS"
EXAMPLE = (
    "weigh validate power -r examples/reference.en -m bleu --sizes 40,100 --simulations 100 "
    "examples/good.en examples/middling.en"
)
# What means nothing for judgments.
_FOR_OUTPUTS = (
    *("ref", "src", "metric", "text", "id", "documents", "scores", "statistics"),
    *("test", "trials"),
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.validate.plan import PowerPlan

    validation.add_systems(parser)
    people = validation.add_people(parser, PowerPlan, only=("quality",))
    people.description = (
        "With --human the pilot is a campaign: SYS are the names of two systems in it, and "
        "judgments are simulated instead of segments."
    )
    tests = ("tests", "alpha", "trials")
    add_options(parser.add_argument_group("tests"), PowerPlan, only=tests)
    add_options(parser.add_argument_group("simulation"), PowerPlan, without=(*tests, "quality"))
    validation.add_long_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, simulate, report."""
    saving.check(arguments)
    saving.present((_of_judgments if arguments.human else _of_outputs)(arguments), arguments)
    return 0


def _of_outputs(arguments: argparse.Namespace) -> PowerResult:
    from weigh.validate.plan import PowerPlan
    from weigh.validate.power import power

    key = inputs.key_of_metric(arguments)
    plan = plan_of(arguments, PowerPlan(), key=key, seed=arguments.seed)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        return power(
            measured, plan, resume=arguments.resume, threads=arguments.threads, progress=progress
        )


def _of_judgments(arguments: argparse.Namespace) -> PowerResult:
    if arguments.detect:
        raise UsageError("--detect is for metrics; 'weigh human plan --detect' is for judgments")
    for name in _FOR_OUTPUTS:
        if name in arguments.given:
            raise UsageError(f"--{name} is for outputs and not for --human; leave it out")
    from weigh.validate.judgment_power import judgment_power
    from weigh.validate.plan import PowerPlan

    plan = plan_of(arguments, PowerPlan(), seed=arguments.seed)
    answers = validation.read_answers(arguments)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        result = judgment_power(
            answers,
            arguments.systems,
            plan,
            resume=arguments.resume,
            threads=arguments.threads,
            progress=progress,
        )
    for remark in result.remarks:
        terminal.say(remark)
    return result
