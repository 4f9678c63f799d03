"""`weigh rypt infer`: expected RYPT, with chances in place of the hard rules of percolation."""

from __future__ import annotations

import argparse

from weigh.cli import options, rypt, saving
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS..."
EXAMPLE = (
    "weigh rypt infer -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align --held-out .2 good.en poor.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.rypt.plan import InferPlan

    rypt.add_labelled(parser, aggregate=False)  # every answer counts
    check = parser.add_argument_group("check")
    add_options(check, InferPlan)
    options.add_seed(check)
    output = options.add_output(parser)
    saving.add_arguments(output, content="the tables")
    output.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="show no progress bar"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, infer, report."""
    if arguments.held_out is None:
        for name in ("draws", "seed"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for --held-out SHARE; leave it out")
    saving.check(arguments)
    from weigh.rypt.plan import InferPlan

    plan = plan_of(arguments, InferPlan(), seed=arguments.seed)
    systems, test_set, metric = rypt.read_labelled(arguments)
    from weigh.rypt.inferred import infer_scores

    with Progress("inferring", quiet=arguments.quiet) as progress:
        result = infer_scores(systems, test_set, metric, plan, progress=progress)
    saving.present(result, arguments)
    return 0
