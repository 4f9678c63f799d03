"""`weigh validate samples`: what small samples of a large test set conclude, and how rightly."""

from __future__ import annotations

import argparse

from weigh.cli import saving, validation
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.options import add_options, plan_of

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh validate samples -r examples/reference.en -m bleu --sizes 10,20 --samples 50 "
    "examples/good.en examples/middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.validate.plan import SamplesPlan

    validation.add_systems(parser)
    group = parser.add_argument_group("samples")
    add_options(group, SamplesPlan)
    group.add_argument(
        "--show",
        metavar="NAME",
        action="append",
        default=[],
        help="one of the two systems whose single samples the pictures and the JSON output show; "
        "give it twice (default: the first two systems)",
    )
    validation.add_long_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, draw samples, hold them against the whole, report."""
    saving.check(arguments)
    from weigh.validate.plan import SamplesPlan
    from weigh.validate.samples import samples

    plan = plan_of(arguments, SamplesPlan(), seed=arguments.seed)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("sampling", quiet=arguments.quiet) as progress:
        result = samples(
            measured,
            plan,
            shown=arguments.show,
            resume=arguments.resume,
            threads=arguments.threads,
            progress=progress,
        )
    saving.present(result, arguments)
    return 0
