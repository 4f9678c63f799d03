"""`weigh human agreement`: how far judges agree, with each other and with themselves."""

from __future__ import annotations

import argparse

from weigh.cli import judgments, options, saving
from weigh.cli.parser import Parser
from weigh.errors import UsageError
from weigh.human.plan import AgreementPlan
from weigh.options import add_options, plan_of

USAGE = "[option]... FILE..."
EXAMPLE = "weigh human agreement --categories 5 judgments.jsonl"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    group = parser.add_argument_group("agreement")
    add_options(group, AgreementPlan)
    group.add_argument(
        "--replicate",
        metavar="FILE",
        action="append",
        default=[],
        help="judgments of a second run: show how both correlate; repeat it for more files",
    )
    output = options.add_output(parser)
    saving.add_arguments(output, content="all of it")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, measure, report."""
    if "weights" in arguments.given and arguments.categories is None:
        raise UsageError("--weights are for kappas of scores; add --categories N")
    saving.check(arguments)
    plan = plan_of(arguments, AgreementPlan(), bounds=arguments.bounds)
    from weigh.human.agreement import agreement

    answers = judgments.read_answers(arguments)
    second = None
    if arguments.replicate:
        second = judgments.read_answers(arguments, arguments.replicate, names=True)
    judgments.present(agreement(answers, plan, replicate=second), arguments)
    return 0
