"""`weigh validate power`: how often differences are found, and how much data that takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, options, saving, terminal, validation
from weigh.cli.parser import Parser, number, positive
from weigh.cli.progress import Progress
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.report.validation_power import PowerReport
    from weigh.validate.power import PowerPlan

USAGE = "[-r REF]... [-m METRIC]... [--human FILE]... [option]... SYS SYS"
EXAMPLE = (
    "weigh validate power -r examples/reference.en -m bleu --sizes 40,100 --simulations 100 "
    "examples/good.en examples/middling.en"
)
# What means nothing for judgments.
_FOR_OUTPUTS = (
    *("ref", "src", "metric", "text", "id", "documents", "scores", "statistics"),
    *("test", "trials"),
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    validation.add_systems(parser)
    people = validation.add_people(parser, unit=False)
    people.description = (
        "With --human the pilot is a campaign: SYS are the names of two systems in it, and "
        "judgments are simulated instead of segments."
    )
    validation.add_tests(parser, tests="randomization", alphas=".05")
    group = parser.add_argument_group("simulation")
    group.add_argument(
        "--sizes",
        metavar="N",
        action="append",
        default=["100,300,1000,3000"],
        help="sizes of simulated data sets: segments, documents, or judgments of each system; "
        "several with commas or by repeating it (default: 100, 300, 1000, 3000)",
    )
    group.add_argument(
        "--strengths",
        metavar="SHARE",
        action="append",
        default=["0,.25,.5,.75,1"],
        help="true differences, as shares of the pilot's (default: 0, .25, .5, .75, 1)",
    )
    group.add_argument(
        "--simulations",
        metavar="N",
        type=positive,
        default=400,
        help="number of simulated data sets of each kind (default: 400)",
    )
    group.add_argument(
        "--power",
        metavar="SHARE",
        type=number,
        default=0.8,
        help="how often a difference should be found (default: .8)",
    )
    group.add_argument(
        "--detect",
        metavar="METRIC=D",
        action="append",
        default=[],
        help="tell how many segments a true difference of D needs; repeat it for more metrics",
    )
    options.add_level(group, "confidence level of the intervals of shares")
    validation.add_long_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, simulate, report."""
    saving.check(arguments)
    report = (_of_judgments if arguments.human else _of_outputs)(arguments)

    from weigh.report.page import power_page
    from weigh.report.pictures import power_pictures
    from weigh.report.validation_power import SHOWN

    saving.show(report, arguments, SHOWN, power_page, power_pictures)
    return 0


def _plan(arguments: argparse.Namespace, detect: Mapping[str, float]) -> PowerPlan:
    from weigh.validate.power import PowerPlan

    alphas = validation.shares(arguments.alpha, "--alpha")
    if len(alphas) != 1:
        raise UsageError(f"{len(alphas)} levels; give one with --alpha")
    return PowerPlan(
        tests=options.names(arguments.test),
        alpha=alphas[0],
        sizes=validation.counts(arguments.sizes, "--sizes"),
        strengths=validation.shares(arguments.strengths, "--strengths"),
        simulations=arguments.simulations,
        trials=arguments.trials,
        power=arguments.power,
        detect=detect,
        level=arguments.level,
        seed=arguments.seed,
    )


def _of_outputs(arguments: argparse.Namespace) -> PowerReport:
    from weigh.report.validation_power import PowerReport
    from weigh.validate.power import power

    plan = _plan(
        arguments,
        options.by_metric(arguments.detect, "--detect", inputs.key_of_metric(arguments)),
    )
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        result = power(
            measured, plan, resume=arguments.resume, threads=arguments.threads, progress=progress
        )
    return PowerReport(
        result, validation.decimals(measured), measured.remarks, validation.extent(measured)
    )


def _of_judgments(arguments: argparse.Namespace) -> PowerReport:
    if arguments.detect:
        raise UsageError("--detect is for metrics; 'weigh human plan --detect' is for judgments")
    for name in _FOR_OUTPUTS:
        if name in arguments.given:
            raise UsageError(f"--{name} is for outputs and not for --human; leave it out")
    from weigh.report.validation_power import PowerReport
    from weigh.validate.judgment_power import judgment_power, pilot_of

    plan = _plan(arguments, {})
    judged, remarks = validation.read_judgments(arguments)
    pilot = pilot_of(judged, arguments.systems)
    remarks = (*remarks, *pilot.remarks)
    for remark in remarks:
        terminal.say(remark)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        result = judgment_power(
            pilot, plan, resume=arguments.resume, threads=arguments.threads, progress=progress
        )
    test_set = judgments.extent_of_judgments(judged)
    return PowerReport(result, remarks=remarks, test_set=test_set)
