"""`weigh validate`: how often significance tests are right."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, options, saving, terminal, validate_preference
from weigh.cli.parser import Group, Parser, Subverb, repeated
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of
from weigh.validate.plan import AccuracyPlan, PowerPlan, SamplesPlan, Type1Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.comparing.dataset import Dataset
    from weigh.read.answers import Judgments, Preferences
    from weigh.validate.power import PowerResult


def add_systems(parser: Parser) -> None:
    """Add the systems, their test set and the metrics."""
    group = parser.add_argument_group("systems")
    options.add_systems(group)
    options.add_metrics(parser)
    options.add_inputs(parser, slices=False)


def add_people(parser: Parser, plan: type, *, only: Sequence[str]) -> Group:
    """Add human answers, and the plan options that concern them."""
    group = parser.add_argument_group("people")
    repeated(
        group,
        "--human",
        metavar="FILE",
        help="judgments or relative rankings, in any format of 'weigh human rank'; repeatable",
    )
    add_options(group, plan, only=only)
    group.add_argument("--pair", metavar="NAME", help="use only this language pair")
    judgments.add_reading(group)
    return group


def add_output(parser: Parser) -> None:
    """Add output and work."""
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)


def measure(arguments: argparse.Namespace) -> Dataset:
    """Read the systems, compute their statistics and print the remarks."""
    read = _measure_lists if getattr(arguments, "nbest", []) else inputs.read_dataset
    with Progress("scoring", quiet=arguments.quiet) as progress:
        dataset = read(arguments, progress)
    for remark in dataset.remarks:
        terminal.say(remark)
    return dataset


def read_answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    """Read human answers."""
    if not arguments.human:
        raise UsageError("no human answers given; name a file with --human FILE")
    return judgments.read_answers(
        argparse.Namespace(
            files=arguments.human,
            pair=arguments.pair,
            bounds=arguments.bounds,
            bad_rows=arguments.bad_rows,
        )
    )


# `weigh validate accuracy`: how often tests conclude what people conclude.


def _add_accuracy(parser: Parser) -> None:
    add_systems(parser)
    add_people(parser, AccuracyPlan, only=("quality", "unit", "human_alpha"))
    tests = parser.add_argument_group("tests")
    add_options(
        tests, AccuracyPlan, only=("tests", "alphas", "alternative", "adjust", "trials", "level")
    )
    add_output(parser)


def _run_accuracy(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    from weigh.validate.accuracy import accuracy

    plan = plan_of(arguments, AccuracyPlan(), seed=arguments.seed)
    answers = read_answers(arguments)
    dataset = measure(arguments)
    with Progress("testing", quiet=arguments.quiet) as progress:
        result = accuracy(dataset, answers, plan, threads=arguments.threads, progress=progress)
    for remark in result.remarks[len(dataset.remarks) :]:
        terminal.say(remark)
    saving.present(result, arguments)
    return 0


# `weigh validate samples`: what small samples of a large test set conclude, and how rightly.


def _add_samples(parser: Parser) -> None:
    add_systems(parser)
    group = parser.add_argument_group("samples")
    add_options(group, SamplesPlan)
    repeated(
        group,
        "--show",
        metavar="NAME",
        help="show the single samples of two systems in pictures and JSON; give it twice "
        "(default: the two closest systems by the first metric)",
    )
    add_output(parser)


def _run_samples(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    from weigh.validate.samples import samples

    plan = plan_of(arguments, SamplesPlan(), seed=arguments.seed)
    dataset = measure(arguments)
    with Progress("sampling", quiet=arguments.quiet) as progress:
        result = samples(
            dataset,
            plan,
            shown=arguments.show,
            threads=arguments.threads,
            progress=progress,
        )
    saving.present(result, arguments)
    return 0


# `weigh validate type1`: how often tests find a difference where there is none.

# Options that do not apply to n-best lists.
_FOR_SYSTEMS = ("allow_missing", "columns", "missing", "pass_at")


def _add_type1(parser: Parser) -> None:
    add_systems(parser)
    tests = parser.add_argument_group("tests")
    add_options(tests, Type1Plan, only=("tests", "alphas", "trials", "compat", "level"))
    nulls = parser.add_argument_group("equal systems")
    repeated(
        nulls,
        "--nbest",
        metavar="LIST",
        help="build equal systems from n-best lists instead of SYS, with two random candidates per "
        "segment; several lists are merged",
    )
    add_options(nulls, Type1Plan, only=("nulls", "size"))
    add_output(parser)


def _run_type1(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    from weigh.validate.type1 import type1

    plan = plan_of(arguments, Type1Plan(), seed=arguments.seed)
    dataset = measure(arguments)
    with Progress("testing equal systems", quiet=arguments.quiet) as progress:
        result = type1(dataset, plan, threads=arguments.threads, progress=progress)
    saving.present(result, arguments)
    return 0


def _measure_lists(arguments: argparse.Namespace, progress: Progress) -> Dataset:
    if arguments.systems:
        raise UsageError("both systems and --nbest given; give one of them")
    for name in _FOR_SYSTEMS:
        if name in arguments.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} does not apply to --nbest; leave it out")
    from weigh.metrics.registry import expand_metrics
    from weigh.read import read_test_set
    from weigh.tuning.gather import read_nbest
    from weigh.validate.nbest_systems import measure_list

    metrics = expand_metrics(arguments.metric)
    test_set = read_test_set(
        arguments.ref,
        arguments.src,
        arguments.documents,
        id_column=arguments.id,
        text_column=arguments.text,
        references_needed=any(metric.needs_references for metric in metrics),
    )
    return measure_list(
        read_nbest(arguments.nbest, test_set),
        test_set,
        metrics,
        threads=arguments.threads,
        progress=progress,
    )


# `weigh validate power`: how often differences are found, and how much data that takes.

# Options that do not apply to judgments.
_FOR_OUTPUTS = (
    *("ref", "src", "metric", "text", "id", "documents"),
    *("columns", "missing", "pass_at", "allow_missing", "test", "trials"),
)


def _add_power(parser: Parser) -> None:
    add_systems(parser)
    people = add_people(parser, PowerPlan, only=("quality",))
    people.description = (
        "With --human, SYS are the names of two systems that people judged, and the study "
        "simulates judgments."
    )
    tests = ("tests", "alpha", "trials")
    add_options(parser.add_argument_group("tests"), PowerPlan, only=tests)
    add_options(parser.add_argument_group("simulation"), PowerPlan, without=(*tests, "quality"))
    add_output(parser)


def _run_power(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    saving.present((_of_judgments if arguments.human else _of_outputs)(arguments), arguments)
    return 0


def _of_outputs(arguments: argparse.Namespace) -> PowerResult:
    from weigh.validate.power import power

    plan = plan_of(arguments, PowerPlan(), key=inputs.metric_key, seed=arguments.seed)
    dataset = measure(arguments)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        return power(dataset, plan, threads=arguments.threads, progress=progress)


def _of_judgments(arguments: argparse.Namespace) -> PowerResult:
    if arguments.detect:
        raise UsageError("--detect does not apply to --human; use 'weigh human plan --detect'")
    for name in _FOR_OUTPUTS:
        if name in arguments.given:
            option = name.replace("_", "-")
            raise UsageError(f"--{option} does not apply to --human; leave it out")
    from weigh.validate.judgment_power import judgment_power

    plan = plan_of(arguments, PowerPlan(), seed=arguments.seed)
    answers = read_answers(arguments)
    with Progress("simulating", quiet=arguments.quiet) as progress:
        result = judgment_power(
            answers,
            arguments.systems,
            plan,
            threads=arguments.threads,
            progress=progress,
        )
    for remark in result.remarks:
        terminal.say(remark)
    return result


SUBVERBS = {
    "accuracy": Subverb(
        "measure how often tests agree with human judgments",
        "--human FILE [-r REF]... [-m METRIC]... [option]... SYS SYS...",
        "weigh validate accuracy --human rankings.tsv -r reference.en -m bleu,ter good.en "
        "middling.en",
        _add_accuracy,
        _run_accuracy,
    ),
    "samples": Subverb(
        "measure how often small samples lead to the right conclusion",
        "[-r REF]... [-m METRIC]... [option]... SYS SYS...",
        "weigh validate samples -r examples/reference.en -m bleu --sizes 10,20 --samples 50 "
        "examples/good.en examples/middling.en",
        _add_samples,
        _run_samples,
    ),
    "type1": Subverb(
        "measure how often tests report a difference between equal systems",
        "[-r REF]... [-m METRIC]... [option]... SYS SYS...|--nbest LIST",
        "weigh validate type1 -r examples/reference.en -m bleu --nulls 200 examples/good.en "
        "examples/middling.en",
        _add_type1,
        _run_type1,
    ),
    "power": Subverb(
        "measure how often differences are detected, and how much data that needs",
        "[-r REF]... [-m METRIC]... [--human FILE]... [option]... SYS SYS",
        "weigh validate power -r examples/reference.en -m bleu --sizes 40,100 --simulations 100 "
        "examples/good.en examples/middling.en",
        _add_power,
        _run_power,
    ),
    "preference": Subverb(
        "compare two metrics by blind human choices between their favourite candidates",
        validate_preference.USAGE,
        validate_preference.EXAMPLE,
        validate_preference.add_arguments,
        validate_preference.run,
    ),
}
