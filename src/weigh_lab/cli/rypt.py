"""`weigh rypt infer` and `weigh rypt diversity`."""

from __future__ import annotations

import argparse

from weigh.cli import options, rypt, saving
from weigh.cli.parser import Parser, Subverb, switch
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of
from weigh_lab.rypt.plan import DiversityPlan, InferPlan

# `weigh rypt infer`: expected RYPT, with chances in place of the hard rules of percolation.


def _add_infer(parser: Parser) -> None:
    rypt.add_labelled(parser, aggregate=False)  # every answer counts
    check = parser.add_argument_group("check")
    add_options(check, InferPlan)
    options.add_seed(check)
    output = options.add_output(parser)
    saving.add_arguments(output, content="the tables")
    switch(output, "--quiet", "show no progress bar")


def _run_infer(arguments: argparse.Namespace) -> int:
    if arguments.held_out is None:
        for name in ("draws", "seed"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for --held-out SHARE; leave it out")
    saving.check(arguments)
    plan = plan_of(arguments, InferPlan(), seed=arguments.seed)
    systems, test_set, metric = rypt.read_labelled(arguments)
    from weigh_lab.rypt.inferred import infer_scores

    with Progress("inferring", quiet=arguments.quiet) as progress:
        result = infer_scores(systems, test_set, metric, plan, progress=progress)
    saving.present(result, arguments)
    return 0


# `weigh rypt diversity`: new and repeated candidates and substrings over iterations of tuning.


def _add_diversity(parser: Parser) -> None:
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
    saving.add_arguments(options.add_output(parser), content="the tables")


def _run_diversity(arguments: argparse.Namespace) -> int:
    for name, remedy in (("src", "-s SRC"), ("parses", "--parses FILE")):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file with {remedy}")
    saving.check(arguments)
    from weigh.read import read_texts
    from weigh_lab.rypt.diversity import measure_diversity

    result = measure_diversity(
        read_texts(arguments.src),
        arguments.parses,
        arguments.lists,
        plan_of(arguments, DiversityPlan()),
        labels=arguments.labels,
    )
    saving.present(result, arguments)
    return 0


INFER = Subverb(
    "tell what score to expect where labels are few or wrong, and how sure that is",
    "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS...",
    "weigh rypt infer -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align --held-out .2 good.en poor.en",
    _add_infer,
    _run_infer,
)
DIVERSITY = Subverb(
    "tell how far labels can be used again over iterations of tuning",
    "-s SRC --parses FILE [option]... NBEST...",
    "weigh rypt diversity -s source.de --parses source.mrg --labels labels.db "
    "iteration1.nbest iteration2.nbest",
    _add_diversity,
    _run_diversity,
)
