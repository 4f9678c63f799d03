"""`weigh score`: score systems by one or more metrics."""

from __future__ import annotations

import argparse

from weigh.cli import inputs, options, saving, terminal
from weigh.cli.parser import Parser
from weigh.cli.progress import Progress
from weigh.comparing.plan import ScorePlan
from weigh.options import add_options, plan_of

USAGE = "[-r REF]... [-m METRIC]... [option]... SYS..."
EXAMPLE = "weigh score -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/poor.en"


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    options.add_systems(parser.add_argument_group("systems"))
    options.add_metrics(parser)
    options.add_inputs(parser)
    intervals = parser.add_argument_group("intervals")
    add_options(intervals, ScorePlan, only=("interval", "level", "trials"))
    output = options.add_output(parser)
    options.add_brief(output, "the scores, without signatures")
    add_options(output, ScorePlan, only=("segments", "details"))
    saving.add_arguments(output)
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, report."""
    plan = plan_of(arguments, ScorePlan(), seed=arguments.seed)
    saving.check(arguments)
    from weigh.comparing.score import score

    with Progress("scoring", quiet=arguments.quiet) as progress:
        dataset = inputs.read_dataset(arguments, progress)
        result = score(dataset, plan=plan, threads=arguments.threads, progress=progress)
    terminal.warn(result.warnings)
    saving.present(result, arguments)
    return 0
