"""`weigh validate accuracy`: how often tests conclude what people conclude."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, terminal, validation
from weigh.cli.parser import Parser, number
from weigh.cli.progress import Progress

USAGE = "--human FILE [-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh validate accuracy --human rankings.tsv -r reference.en -m bleu,ter good.en middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    validation.add_systems(parser)
    people = validation.add_people(parser)
    people.add_argument(
        "--human-alpha",
        metavar="SHARE",
        type=number,
        default=0.05,
        help="people's level in the second table; in the first it is the test's (default: .05)",
    )
    group = validation.add_tests(
        parser,
        tests="randomization,bootstrap,paired-bootstrap",
        alphas=".05,.01,.001",
        trials=10_000,
    )
    options.add_level(group, "confidence level of the intervals of accuracy")
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, test, hold against people, report."""
    saving.check(arguments)
    from weigh.validate.accuracy import AccuracyPlan, accuracy

    plan = AccuracyPlan(
        tests=options.names(arguments.test),
        alphas=validation.shares(arguments.alpha, "--alpha"),
        human_alpha=arguments.human_alpha,
        trials=arguments.trials,
        level=arguments.level,
        seed=arguments.seed,
    )
    gold, omissions, remarks = validation.read_gold(arguments)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("testing", quiet=arguments.quiet) as progress:
        result = accuracy(measured, gold, plan, threads=arguments.threads, progress=progress)
    remarks = (*remarks, *gold.remarks(plan.human_alpha))
    for remark in remarks:
        terminal.say(remark)

    from weigh.report.page import accuracy_page
    from weigh.report.pictures import accuracy_pictures
    from weigh.report.validation_accuracy import SHOWN, AccuracyReport

    remarks = (*measured.remarks, *remarks)
    report = AccuracyReport(
        result, gold.steps(plan.human_alpha), omissions, remarks, validation.extent(measured)
    )
    saving.show(report, arguments, SHOWN, accuracy_page, accuracy_pictures)
    return 0
