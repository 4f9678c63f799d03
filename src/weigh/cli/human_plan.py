"""`weigh human plan`: how many judgments are needed, and the HITs to collect them with."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import options, saving, terminal
from weigh.cli.parser import Parser, choice, positive
from weigh.cli.saving import check_free, write_files
from weigh.errors import UsageError
from weigh.human.plan import EXPORTS, CampaignPlan
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from weigh.human.campaign import CampaignResult

USAGE = "[option]... (--count N | -r REF -o DIR SYS SYS...)"
EXAMPLE = (
    "weigh human plan --detect .3 --hours 40 -r examples/reference.en -o hits "
    "examples/good.en examples/middling.en examples/poor.en"
)


def export_name(value: str) -> str:
    """Return the name of an export."""
    return choice(value, "export", [*EXPORTS])


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    texts = parser.add_argument_group("systems")
    options.add_systems(texts)
    texts.add_argument(
        "--count", metavar="N", type=positive, help="number of systems, where none are given"
    )
    texts.add_argument(
        "-r", "--ref", metavar="REF", help="file of references, one segment per line"
    )
    options.add_columns(texts)
    aims = ("difference", "hours", "hits", "alpha", "power", "adjust", "seconds", "kept")
    add_options(parser.add_argument_group("aims"), CampaignPlan, only=aims)
    hits = parser.add_argument_group("hits")
    add_options(hits, CampaignPlan, without=aims)
    hits.add_argument("-o", "--output", metavar="DIR", help="directory to write HITs to")
    hits.add_argument(
        "--export",
        metavar="FORMAT",
        type=export_name,
        action="append",
        default=["jsonl"],
        help="jsonl, mturk (CSV), appraise or pearmut (JSON); repeat it for more (default: jsonl)",
    )
    hits.add_argument(
        "--force", action=argparse.BooleanOptionalAction, help="overwrite files that exist"
    )
    options.add_seed(hits)
    output = options.add_output(parser)
    saving.add_arguments(output, content="all of it")
    output.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="do not say what was written"
    )


def run(arguments: argparse.Namespace) -> int:
    """Plan, and make HITs if there is a directory for them."""
    if arguments.count is not None and arguments.systems:
        raise UsageError("both systems and --count; give one of them")
    count = arguments.count or len(arguments.systems)
    if not count:
        raise UsageError("no systems; name their files, or give their number with --count")
    if arguments.count is not None and arguments.output is not None:
        raise UsageError("--count with -o DIR; HITs need the files of systems")
    saving.check(arguments)
    from weigh.human.campaign import hits_needed, plan_campaign

    plan = plan_of(arguments, CampaignPlan(count), seed=arguments.seed)
    if arguments.output is None:
        result = plan_campaign(count, plan=plan)
    else:
        result = _with_hits(plan, arguments)
    made = result.plan
    if made.enough is False and plan.hits is None:
        terminal.say(
            f"{plan.hours:g} hours allow {made.hits_per_scale:,} of the "
            f"{hits_needed(plan, plan.difference or 0):,} HITs that a difference of "
            f"{plan.difference:g} needs; these show {made.detectable:.3f}"
        )
    saving.present(result, arguments)
    return 0


def _with_hits(plan: CampaignPlan, arguments: argparse.Namespace) -> CampaignResult:
    """Plan, make the HITs and write them."""
    if arguments.ref is None:
        raise UsageError("HITs need a reference, for controls too; add one with --ref FILE")
    from weigh.human.campaign import plan_campaign
    from weigh.human.export import WRITERS
    from weigh.read import read_inputs

    folder = Path(arguments.output)
    names = {
        (scale, export): f"{scale}{EXPORTS[export]}"
        for scale in plan.scales
        for export in dict.fromkeys(arguments.export)
    }
    check_free(folder, [*names.values()], force=bool(arguments.force))
    test_set, systems = read_inputs(
        arguments.systems, [arguments.ref], id_column=arguments.id, text_column=arguments.text
    )
    result = plan_campaign(systems, test_set, plan)
    sheets = result.sheets
    write_files(
        folder, {name: WRITERS[export](sheets[scale]) for (scale, export), name in names.items()}
    )
    if not arguments.quiet:
        terminal.say(
            f"{result.plan.hits_per_scale:,} HITs for {' and '.join(plan.scales)} in "
            f"{arguments.output}: {', '.join(names.values())}"
        )
    return replace(result, files=tuple(f"{arguments.output}/{name}" for name in names.values()))
