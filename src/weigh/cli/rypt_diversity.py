"""`weigh rypt diversity`: new and repeated candidates and substrings over iterations of tuning."""

from __future__ import annotations

import argparse

from weigh.cli import options, rypt, saving
from weigh.cli.parser import Parser
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

USAGE = "-s SRC --parses FILE [option]... NBEST..."
EXAMPLE = (
    "weigh rypt diversity -s source.de --parses source.mrg --labels labels.db "
    "iteration1.nbest iteration2.nbest"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.rypt.plan import DiversityPlan

    group = parser.add_argument_group("files")
    group.add_argument(
        "lists",
        metavar="NBEST",
        nargs="+",
        help="n-best list of an iteration, the first one first, whose candidates carry "
        "alignments, as in ||| 0-0 1-2, or derivations",
    )
    rypt.add_sources(group)
    group.add_argument(
        "--labels",
        metavar="STORE",
        help="what people said: tell the share of YES by the length of spans too",
    )
    add_options(group, DiversityPlan, only=["aggregate"])
    add_options(parser, DiversityPlan, only=["max_length"])
    saving.add_arguments(options.add_output(parser), content="pictures")


def run(arguments: argparse.Namespace) -> int:
    """Read, count, report."""
    for name, remedy in (("src", "-s SRC"), ("parses", "--parses FILE")):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file with {remedy}")
    saving.check(arguments)
    from weigh.read import read_texts
    from weigh.rypt.diversity import measure_diversity
    from weigh.rypt.plan import DiversityPlan

    result = measure_diversity(
        read_texts(arguments.src),
        arguments.parses,
        arguments.lists,
        plan_of(arguments, DiversityPlan()),
        labels=arguments.labels,
    )
    saving.present(result, arguments)
    return 0
