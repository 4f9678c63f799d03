"""`weigh human plan`: how many judgments are needed, and the HITs to collect them with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.directory import check_free, write_files
from weigh.cli.human_quality import preset_name
from weigh.cli.parser import Parser, choice, number, positive
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.human.controls import Unit
    from weigh.human.export import Sheet
    from weigh.human.plan import CampaignPlan

USAGE = "[option]... (--count N | -r REF -o DIR SYS SYS...)"
EXAMPLE = (
    "weigh human plan --detect .3 --hours 40 -r examples/reference.en -o hits "
    "examples/good.en examples/middling.en examples/poor.en"
)
SCALES = ("adequacy", "fluency")
EXPORTS = ("jsonl", "mturk", "appraise", "pearmut")
UNITS = ("auto", "words", "characters")
_USUAL_DIFFERENCE = 0.2
# A million judgments, which is more than any campaign has collected.
_MOST_HITS = 10_000


def scale_name(value: str) -> str:
    """Return the name of a scale."""
    return choice(value, "scale", SCALES)


def export_name(value: str) -> str:
    """Return the name of an export."""
    return choice(value, "export", EXPORTS)


def unit_name(value: str) -> str:
    """Return the name of a unit."""
    return choice(value, "unit", UNITS)


def adjustment_name(value: str) -> str:
    """Return the name of a correction."""
    return choice(value, "adjustment", ("holm", "none"))


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    _add_texts(parser)
    _add_aims(parser)
    _add_hits(parser)
    output = options.add_output(parser)
    output.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="do not say what was written"
    )


def _add_texts(parser: Parser) -> None:
    group = parser.add_argument_group("systems")
    options.add_systems(group)
    group.add_argument(
        "--count", metavar="N", type=positive, help="number of systems, where none are given"
    )
    group.add_argument(
        "-r", "--ref", metavar="REF", help="file of references, one segment per line"
    )
    options.add_columns(group)


def _add_aims(parser: Parser) -> None:
    group = parser.add_argument_group("aims")
    group.add_argument(
        "--detect",
        metavar="D",
        type=number,
        help="difference that should be found, in standard deviations of a judge's scores "
        f"(default: {_USUAL_DIFFERENCE:g}, where neither --hours nor --hits is given)",
    )
    group.add_argument(
        "--hours", metavar="N", type=number, help="hours of work that can be paid for, in all"
    )
    group.add_argument("--hits", metavar="N", type=positive, help="number of HITs for each scale")
    group.add_argument(
        "--alpha", metavar="SHARE", type=number, default=0.05, help="level (default: .05)"
    )
    group.add_argument(
        "--power",
        metavar="SHARE",
        type=number,
        default=0.8,
        help="how often the difference should be found (default: .8)",
    )
    group.add_argument(
        "--adjust",
        metavar="METHOD",
        type=adjustment_name,
        default="holm",
        help="correction for the number of pairs, holm or none (default: holm)",
    )
    group.add_argument(
        "--seconds",
        metavar="N",
        type=number,
        default=16.0,
        help="time that a judgment takes (default: 16)",
    )
    group.add_argument(
        "--kept",
        metavar="SHARE",
        type=number,
        default=0.73,
        help="share of judgments that quality control leaves (default: .73)",
    )


def _add_hits(parser: Parser) -> None:
    group = parser.add_argument_group("hits")
    group.add_argument(
        "--preset",
        metavar="NAME",
        type=preset_name,
        default="crowd-alone",
        help="crowd-alone: 70 outputs, 10 bad, 10 references, 10 repeats; appraise: 80, 10, 5 and "
        "5 (default: crowd-alone)",
    )
    group.add_argument(
        "--scale",
        metavar="NAME",
        type=scale_name,
        action="append",
        default=["adequacy"],
        help="adequacy, with the reference beside, or fluency, without; repeat it for both "
        "(default: adequacy)",
    )
    group.add_argument(
        "--unit",
        metavar="NAME",
        type=unit_name,
        default="auto",
        help="what the length of damage is counted in: words, characters, or auto, by the script "
        "of the references (default: auto)",
    )
    group.add_argument(
        "--pair",
        metavar="NAME",
        default="xx-yy",
        help="language pair, which the files tell (default: xx-yy)",
    )
    group.add_argument("-o", "--output", metavar="DIR", help="directory to write HITs to")
    group.add_argument(
        "--export",
        metavar="FORMAT",
        type=export_name,
        action="append",
        default=["jsonl"],
        help="jsonl, mturk (CSV), appraise or pearmut (JSON); repeat it for more (default: jsonl)",
    )
    group.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite files that exist"
    )
    options.add_seed(group)


def run(arguments: argparse.Namespace) -> int:
    """Plan, and make HITs if there is a directory for them."""
    scales = tuple(dict.fromkeys(arguments.scale))
    plan = _plan(arguments, len(scales))
    if plan.is_enough is False and arguments.hits is None:
        needed = plan.campaign.hits_needed(plan.difference or 0)
        terminal.say(
            f"{arguments.hours:g} hours allow {plan.hits:,} of the {needed:,} HITs that a "
            f"difference of {plan.difference:g} needs; these show {plan.detectable:.3f}"
        )
    unit, files = None, []
    if arguments.output is not None:
        names = {
            (scale, export): f"{scale}{_ending(export)}"
            for scale in scales
            for export in dict.fromkeys(arguments.export)
        }
        check_free(Path(arguments.output), [*names.values()], force=bool(arguments.force))
        sheets, unit = _sheets(arguments, scales, plan)
        write_files(
            Path(arguments.output),
            {name: _written(sheets[scale], export) for (scale, export), name in names.items()},
        )
        files = [f"{arguments.output}/{name}" for name in names.values()]
        if not arguments.quiet:
            terminal.say(
                f"{plan.hits:,} HITs for {' and '.join(scales)} in {arguments.output}: "
                f"{', '.join(names.values())}"
            )
    from weigh.report.human_plan import SHOWN, PlanReport

    report = PlanReport(plan, scales, arguments.seed, unit, files)
    terminal.show(report, arguments.format, SHOWN.as_table, SHOWN.formats)
    return 0


def _plan(arguments: argparse.Namespace, scales: int) -> CampaignPlan:
    from weigh.human.plan import Campaign, plan

    if arguments.count is not None and arguments.systems:
        raise UsageError("both systems and --count; give one of them")
    count = arguments.count or len(arguments.systems)
    if not count:
        raise UsageError("no systems; name their files, or give their number with --count")
    if arguments.count is not None and arguments.output is not None:
        raise UsageError("--count with -o DIR; HITs need the files of systems")
    campaign = Campaign(
        count,
        preset=arguments.preset,
        alpha=arguments.alpha,
        power=arguments.power,
        adjust=arguments.adjust,
        seconds=arguments.seconds,
        kept=arguments.kept,
    )
    difference = arguments.detect
    if difference is None and arguments.hours is None and arguments.hits is None:
        difference = _USUAL_DIFFERENCE
    hours = None if arguments.hours is None else arguments.hours / scales
    return plan(campaign, difference=difference, hours=hours, hits=arguments.hits)


def _sheets(
    arguments: argparse.Namespace, scales: Sequence[str], plan: CampaignPlan
) -> tuple[dict[str, Sheet], Unit]:
    if plan.hits > _MOST_HITS:
        raise UsageError(
            f"{plan.hits:,} HITs, but {_MOST_HITS:,} at most are written; ask for a larger "
            "difference, or for fewer with --hits"
        )
    if arguments.ref is None:
        raise UsageError("HITs need a reference, for controls too; add one with --ref FILE")
    from weigh.human.controls import unit_of
    from weigh.human.export import Sheet
    from weigh.human.hits import make_hits
    from weigh.read import read_inputs

    test_set, systems = read_inputs(
        arguments.systems, [arguments.ref], id_column=arguments.id, text_column=arguments.text
    )
    for system in systems:
        if system.run is not None:
            raise UsageError(
                f"{system.name}@{system.run}: runs of one system are not judged apart; "
                "give every system once"
            )
    unit = unit_of(test_set.references[0]) if arguments.unit == "auto" else arguments.unit
    segments = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
    sheets = {}
    for scale in scales:
        hits = make_hits(
            test_set,
            systems,
            plan.hits,
            preset=arguments.preset,
            scale=scale,
            unit=unit,
            seed=arguments.seed,
        )
        sheets[scale] = Sheet(hits, segments, arguments.pair, arguments.preset, arguments.seed)
    return sheets, unit


def _ending(export: str) -> str:
    from weigh.human.export import EXPORTS as KNOWN

    return KNOWN[export][0]


def _written(sheet: Sheet, export: str) -> str:
    from weigh.human.export import EXPORTS as KNOWN

    return KNOWN[export][1](sheet)
