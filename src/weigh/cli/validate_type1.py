"""`weigh validate type1`: how often tests find a difference where there is none."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, validation
from weigh.cli.parser import Parser, positive
from weigh.cli.progress import Progress

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS SYS..."
EXAMPLE = (
    "weigh validate type1 -r examples/reference.en -m bleu --nulls 200 examples/good.en "
    "examples/middling.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    validation.add_systems(parser)
    group = validation.add_tests(
        parser, tests="randomization,bootstrap,paired-bootstrap", alphas=".1,.05,.01"
    )
    group.add_argument(
        "--compat",
        metavar="TEST",
        action="append",
        default=["sacrebleu-bs,moses-bs,multeval"],
        help="other tools' tests to show beside, known to reject too often; none for none "
        "(default: sacrebleu-bs, moses-bs, multeval)",
    )
    options.add_level(group, "confidence level of the intervals of shares")
    nulls = parser.add_argument_group("equal systems")
    nulls.add_argument(
        "--nulls",
        metavar="N",
        type=positive,
        default=2000,
        help="number of pairs of equal systems; each takes for every segment two of the outputs "
        "given, in random order (default: 2000)",
    )
    nulls.add_argument(
        "--size",
        metavar="N",
        type=positive,
        help="number of segments of each pair, drawn without replacement, or of documents "
        "(default: all)",
    )
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)
    validation.add_resume(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, make equal systems, test them, report."""
    saving.check(arguments)
    from weigh.validate.type1 import Type1Plan, type1

    flawed = options.names(arguments.compat)
    plan = Type1Plan(
        tests=options.names(arguments.test),
        compat=() if flawed == ("none",) else flawed,
        alphas=validation.shares(arguments.alpha, "--alpha"),
        nulls=arguments.nulls,
        size=arguments.size,
        trials=arguments.trials,
        level=arguments.level,
        seed=arguments.seed,
    )
    with Progress("scoring", quiet=arguments.quiet) as progress:
        measured = validation.measure(arguments, progress)
    with Progress("testing equal systems", quiet=arguments.quiet) as progress:
        result = type1(
            measured, plan, resume=arguments.resume, threads=arguments.threads, progress=progress
        )

    from weigh.report.page import type1_page
    from weigh.report.pictures import type1_pictures
    from weigh.report.validation_type1 import SHOWN, Type1Report

    report = Type1Report(result)
    saving.show(report, arguments, SHOWN, type1_page, type1_pictures)
    return 0
