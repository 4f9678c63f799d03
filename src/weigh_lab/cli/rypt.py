"""`weigh rypt infer` and `weigh rypt diversity`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import rypt
from weigh.cli.arguments import (
    SEED_OPTION,
    argument,
    output,
    plan_options,
    positional,
    quiet,
    refuse,
    section,
    verb,
)
from weigh.cli.progress import Progress
from weigh_lab.rypt.plan import DiversityPlan, InferPlan

if TYPE_CHECKING:
    from weigh_lab.rypt.diversity import DiversityResult
    from weigh_lab.rypt.inferred import InferResult


@verb(
    "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS...",
    "weigh rypt infer -s examples/rypt/source.de --labels examples/rypt/labels.jsonl "
    "--parses examples/rypt/parses.mrg --alignments examples/rypt/{system}.align "
    "reference=examples/rypt/reference.en",
    rypt.labels_section(),  # without --aggregate: every answer counts
    section("check", plan_options(InferPlan), SEED_OPTION),
    output(page="the tables", last=[quiet()]),
    summary="estimate scores and their uncertainty from few or unreliable labels",
    plan=InferPlan,
)
def INFER(arguments: argparse.Namespace, plan: InferPlan) -> InferResult:  # noqa: N802
    """Estimate RYPT with probabilities instead of percolated labels."""
    if arguments.held_out is None:
        refuse(arguments, "draws seed", "needs --held-out SHARE")
    systems, test_set, metric = rypt.read_labelled(arguments)
    from weigh_lab.rypt.inferred import infer_scores

    with Progress("inferring") as progress:
        return infer_scores(systems, test_set, metric, plan, progress=progress)


@verb(
    "-s SRC --parses FILE [option]... NBEST...",
    "weigh rypt diversity -s examples/rypt/source.de --parses examples/rypt/parses.mrg "
    "--labels examples/rypt/labels.jsonl examples/rypt/candidates.nbest",
    section(
        "files",
        positional(
            "lists NBEST",
            "n-best list with alignments, as in ||| 0-0 1-2, or derivations; one list per "
            "iteration, in order",
            nargs="+",
        ),
        rypt.SOURCES,
        argument("--labels STORE", "labels, to report the share of YES by span length"),
        plan_options(DiversityPlan, "aggregate max_length"),
    ),
    output(page="the tables"),
    summary="measure how often labels can be reused in later iterations of tuning",
    plan=DiversityPlan,
)
def DIVERSITY(  # noqa: N802
    arguments: argparse.Namespace, plan: DiversityPlan
) -> DiversityResult:
    """Count new and repeated candidates and substrings."""
    from weigh.read import read_texts
    from weigh_lab.rypt.diversity import measure_diversity

    return measure_diversity(
        read_texts(arguments.src),
        arguments.parses,
        arguments.lists,
        plan,
        labels=arguments.labels,
    )
