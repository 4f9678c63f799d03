"""What the verbs of `weigh validate` share: systems, tests, and the files of people's answers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, options, saving, terminal
from weigh.cli.parser import Parser
from weigh.errors import UsageError
from weigh.options import add_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.comparing.measure import Measured
    from weigh.engine.threads import Progress
    from weigh.read.answers import Judgments, Preferences


def add_systems(parser: Parser) -> None:
    """Add the systems, and what they are scored on and by."""
    group = parser.add_argument_group("systems")
    options.add_systems(group)
    group.add_argument(
        "--scores",
        action=argparse.BooleanOptionalAction,
        help="SYS are not texts but files of segment scores, [METRIC=]FILE, or METRIC:lower=FILE "
        "where small is good",
    )
    options.add_metrics(parser)
    options.add_inputs(parser, slices=False)
    options.add_statistics(parser)


def add_people(parser: Parser, plan: type, *, only: Sequence[str]) -> argparse._ArgumentGroup:
    """Add the answers of people, and those options of a plan that are about them."""
    group = parser.add_argument_group("people")
    group.add_argument(
        "--human",
        metavar="FILE",
        action="append",
        default=[],
        help="file of judgments or of relative rankings, in any format of 'weigh human rank'; "
        "repeat it for more",
    )
    add_options(group, plan, only=only)
    group.add_argument("--pair", metavar="NAME", help="use the judgments of this language pair")
    judgments.add_reading(group)
    return group


def add_long_run(parser: Parser) -> None:
    """Add what a long run writes, how it works, and the file of what it has finished."""
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)
    group = parser.add_argument_group("long runs")
    group.add_argument(
        "--resume",
        metavar="FILE",
        help="write finished parts of the work to this file, and take them from it if they are "
        "there: a run that was stopped goes on where it was",
    )


def measure(arguments: argparse.Namespace, progress: Progress | None = None) -> Measured:
    """Read the systems and compute their rows by every metric; say what is to be remarked."""
    measured = inputs.measure(arguments, progress)
    for remark in measured.remarks:
        terminal.say(remark)
    return measured


def read_answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    """Read people's answers."""
    if not arguments.human:
        raise UsageError("no file of people's answers given; name one with --human FILE")
    return judgments.read_answers(
        argparse.Namespace(
            files=arguments.human,
            pair=arguments.pair,
            bounds=arguments.bounds,
            bad_rows=arguments.bad_rows,
        )
    )
