"""`weigh validate samples`: what small samples of a large test set conclude, and how rightly."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, validation
from weigh.cli.parser import Parser, positive
from weigh.cli.progress import Progress

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh validate samples -r examples/reference.en -m bleu --sizes 10,20 --samples 50 "
    "examples/good.en examples/middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    validation.add_systems(parser)
    group = parser.add_argument_group("samples")
    group.add_argument(
        "--sizes",
        metavar="N",
        action="append",
        default=["100,300,600"],
        help="sizes of samples, in segments or documents; several with commas or by repeating it "
        "(default: 100, 300, 600)",
    )
    group.add_argument(
        "--samples",
        metavar="N",
        type=positive,
        default=300,
        help="number of samples of each size that are drawn with replacement (default: 300)",
    )
    group.add_argument(
        "--trials",
        metavar="N",
        type=positive,
        default=1000,
        help="number of bootstrap trials within each sample (default: 1000)",
    )
    options.add_level(group, "level of intervals, and from which on a conclusion is drawn")
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
    from weigh.validate.samples import SamplesPlan, samples_study

    plan = SamplesPlan(
        sizes=validation.counts(arguments.sizes, "--sizes"),
        samples=arguments.samples,
        trials=arguments.trials,
        level=arguments.level,
        seed=arguments.seed,
    )
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("sampling", quiet=arguments.quiet) as progress:
        result = samples_study(
            measured,
            plan,
            shown=arguments.show,
            resume=arguments.resume,
            threads=arguments.threads,
            progress=progress,
        )

    from weigh.report.page import samples_page
    from weigh.report.pictures import samples_pictures
    from weigh.report.validation_samples import SHOWN, SamplesReport

    report = SamplesReport(
        result, validation.decimals(measured), measured.remarks, validation.extent(measured)
    )
    saving.show(report, arguments, SHOWN, samples_page, samples_pictures)
    return 0
