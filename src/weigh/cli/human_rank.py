"""`weigh human rank`: systems ranked by judgments, with tests of every pair."""

from __future__ import annotations

import argparse

from weigh.cli import judgments, options, saving
from weigh.cli.parser import Parser, choice
from weigh.human.plan import PRESETS, RankPlan
from weigh.options import add_options, plan_of

USAGE = "[--preset NAME] [option]... FILE..."
EXAMPLE = "weigh human rank --quality crowd-alone judgments.jsonl"


def preset_name(value: str) -> str:
    """Return the name of a preset."""
    return choice(value, "preset", [*PRESETS])


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    group = parser.add_argument_group("ranking")
    group.add_argument(
        "--preset",
        metavar="NAME",
        type=preset_name,
        default="weigh",
        help="weigh: two-sided tests of segments' means, adjusted by Holm; wmt21: one-sided, not "
        "adjusted, clusters as printed then; graham2014: single judgments, one-sided, not "
        "adjusted (default: weigh)",
    )
    judgments.add_quality(group)
    add_options(group, RankPlan)
    output = options.add_output(parser)
    saving.add_arguments(output, content="pictures")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, rank, report."""
    saving.check(arguments)
    plan = plan_of(arguments, PRESETS[arguments.preset])
    from weigh.human.rank import rank

    result = rank(judgments.read_answers(arguments), plan, quality=arguments.quality)
    judgments.present(result, arguments)
    return 0
