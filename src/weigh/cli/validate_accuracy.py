"""`weigh validate accuracy`: how often tests conclude what people conclude."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, terminal, validation
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.options import add_options, plan_of

USAGE = "--human FILE [-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh validate accuracy --human rankings.tsv -r reference.en -m bleu,ter good.en middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.validate.plan import AccuracyPlan

    validation.add_systems(parser)
    validation.add_people(parser, AccuracyPlan, only=("quality", "unit", "human_alpha"))
    tests = parser.add_argument_group("tests")
    add_options(tests, AccuracyPlan, only=("tests", "alphas", "trials", "level"))
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, test, hold against people, report."""
    saving.check(arguments)
    from weigh.validate.accuracy import accuracy
    from weigh.validate.plan import AccuracyPlan

    plan = plan_of(arguments, AccuracyPlan(), seed=arguments.seed)
    answers = validation.read_answers(arguments)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("testing", quiet=arguments.quiet) as progress:
        result = accuracy(measured, answers, plan, threads=arguments.threads, progress=progress)
    for remark in result.remarks[len(measured.remarks) :]:
        terminal.say(remark)
    saving.present(result, arguments)
    return 0
