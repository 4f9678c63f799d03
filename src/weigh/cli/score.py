"""`weigh score`: score systems by one or more metrics."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.arguments import WORK, output, plan_options, section, verb
from weigh.cli.inputs import Inputs, input_sections
from weigh.cli.progress import Progress
from weigh.comparing.plan import ScorePlan

if TYPE_CHECKING:
    from weigh.result import Result


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS...",
    "weigh score -r examples/reference.en -m bleu,chrf,ter examples/good.en examples/poor.en",
    *input_sections(slices=True),
    section("intervals", plan_options(ScorePlan, "interval level trials")),
    output(
        *plan_options(ScorePlan, "segments details"),
        page="pictures and segments",
        brief="the scores, without signatures",
    ),
    WORK,
    plan=ScorePlan,
)
def run(arguments: argparse.Namespace, plan: ScorePlan) -> Result:
    """Read the systems and score them."""
    from weigh.comparing.score import score_dataset

    with Progress("scoring") as progress:
        dataset = Inputs.of(arguments).read(progress)
        return score_dataset(dataset, plan, threads=arguments.threads, progress=progress)
