"""`weigh human rank`: systems ranked by judgments, with tests of every pair."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import judgments, options, saving, terminal
from weigh.cli.parser import Parser, choice, number, positive

if TYPE_CHECKING:
    from weigh.human.rank import RankPlan
    from weigh.human.steps import Step
    from weigh.read.answers import Judgments, Preferences
    from weigh.report.human_rank import RankReport

USAGE = "[--preset NAME] [option]... FILE..."
EXAMPLE = "weigh human rank --quality crowd-alone judgments.jsonl"
PRESETS = ("weigh", "wmt21", "graham2014")
# Options that the preset fills in where they are not given.
_OF_PRESET = ("by", "unit", "alternative", "adjust", "boundary")


def preset_name(value: str) -> str:
    """Return the name of a preset."""
    return choice(value, "preset", PRESETS)


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
    group.add_argument(
        "--by",
        metavar="SCORE",
        help="z, standardised for each judge, or raw (default: raw for ESA, z for all else)",
    )
    group.add_argument(
        "--unit",
        metavar="UNIT",
        help="what the rank-sum test compares, means of each segment or every judgment: segment or "
        "judgment (default: as the preset says)",
    )
    group.add_argument(
        "--alternative",
        metavar="WHICH",
        help="two-sided, or better: both directions of every pair are tried (default: as the "
        "preset says)",
    )
    group.add_argument(
        "--adjust",
        metavar="METHOD",
        help="correction for the number of pairs: holm, bonferroni, sidak, bh, by or none "
        "(default: as the preset says)",
    )
    group.add_argument(
        "--boundary",
        metavar="RULE",
        help="clusters end where all above beat all below, or below a system, the last of its "
        "cluster, that beats all below: all or last (default: as the preset "
        "says)",
    )
    group.add_argument(
        "--alpha",
        metavar="SHARE",
        type=number,
        default=0.05,
        help="significance level (default: .05)",
    )
    options.add_level(group, "confidence level of intervals")
    group.add_argument(
        "--least-per-system",
        metavar="N",
        type=positive,
        default=500,
        help="remark on systems with fewer judgments (default: 500)",
    )
    group.add_argument(
        "--least-per-segment",
        metavar="N",
        type=positive,
        default=1,
        help="remark on systems that have fewer judgments of a segment; scores of single segments "
        "need about 15 (default: 1)",
    )
    output = options.add_output(parser)
    saving.add_arguments(output, content="pictures")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, rank, report."""
    from weigh.read.answers import Judgments

    saving.check(arguments)
    plan = _plan(arguments)
    answers = judgments.read_answers(arguments)
    if isinstance(answers, Judgments):
        report = _ranked(answers, plan, arguments.quality)
    else:
        report = _preferred(answers, plan)
    if not arguments.quiet:
        for remark in report.remarks:
            terminal.say(remark)

    from weigh.report.human_rank import SHOWN
    from weigh.report.page import human_page
    from weigh.report.pictures import human_pictures

    saving.show(report, arguments, SHOWN, human_page, human_pictures)
    return 0


def _plan(arguments: argparse.Namespace) -> RankPlan:
    from dataclasses import replace

    from weigh.human.rank import PRESETS as PLANS

    given = {name: value for name in _OF_PRESET if (value := getattr(arguments, name)) is not None}
    return replace(
        PLANS[arguments.preset],
        alpha=arguments.alpha,
        level=arguments.level,
        least_per_system=arguments.least_per_system,
        least_per_segment=arguments.least_per_segment,
        **given,
    )


def _ranked(answers: Judgments, plan: RankPlan, control: str) -> RankReport:
    from weigh.human.quality import check_quality, untested
    from weigh.human.rank import rank
    from weigh.report.human_rank import RankReport

    kept, remarks = answers.judgments, [*answers.remarks]
    steps: list[Step] = []
    if control == "none":
        verdicts = untested(kept)
    else:
        quality = check_quality(kept, control)
        kept, verdicts = quality.kept, quality.verdicts
        steps += quality.steps
        remarks += quality.remarks
    result = rank(kept, plan)
    steps += result.steps[1:] if steps else result.steps
    remarks += result.remarks
    return RankReport(
        result, control, steps, answers.omissions, remarks, verdicts, judgments.judged(answers)
    )


def _preferred(answers: Preferences, plan: RankPlan) -> RankReport:
    from weigh.human.rank import rank_preferences
    from weigh.report.human_rank import RankReport

    result = rank_preferences(answers.preferences, plan)
    remarks = (*answers.remarks, *result.remarks)
    return RankReport(
        result,
        "none",
        result.steps,
        answers.omissions,
        remarks,
        test_set=judgments.judged(answers),
    )
