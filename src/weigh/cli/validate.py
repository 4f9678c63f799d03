"""`weigh validate`: how often significance tests are right."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import judgments
from weigh.cli.arguments import (
    WORK,
    Section,
    argument,
    output,
    plan_options,
    refuse,
    repeated,
    section,
    verb,
)
from weigh.cli.inputs import Inputs, input_sections
from weigh.cli.progress import Progress
from weigh.cli.validate_preference import preference
from weigh.errors import UsageError
from weigh.validate.plan import AccuracyPlan, PowerPlan, SamplesPlan, Type1Plan

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset
    from weigh.read.answers import Judgments, Preferences
    from weigh.result import Result

_INPUTS = input_sections()
_OUTPUT = (output(page="pictures"), WORK)


def _people(plan: type, names: str, about: str = "") -> Section:
    """Human answers, and the plan options that concern them."""
    return section(
        "people",
        repeated(
            "--human FILE",
            "judgments or relative rankings, in any format of 'weigh human rank'; repeatable",
        ),
        plan_options(plan, names),
        argument("--pair NAME", "use only this language pair"),
        judgments.READING,
        about=about,
    )


def _measure(arguments: argparse.Namespace) -> Dataset:
    """Read the systems and compute their statistics."""
    with Progress("scoring") as progress:
        return Inputs.of(arguments).read(progress)


def _read_answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    if not arguments.human:
        raise UsageError("no human judgments given; add them with --human FILE")
    return judgments.read_answers(arguments, arguments.human)


@verb(
    "--human FILE [-r REF]... [-m METRIC]... [option]... SYS SYS...",
    "weigh validate accuracy --human examples/judgments.csv -r examples/reference.en -m bleu,ter "
    "examples/good.en examples/middling.en examples/poor.en",
    *_INPUTS,
    _people(AccuracyPlan, "quality unit human_alpha"),
    section("tests", plan_options(AccuracyPlan, "tests alphas alternative adjust trials level")),
    *_OUTPUT,
    summary="measure how often tests agree with human judgments",
    plan=AccuracyPlan,
)
def accuracy(arguments: argparse.Namespace, plan: AccuracyPlan) -> Result:
    """Compare the conclusions of tests with those of people."""
    from weigh.validate.accuracy import accuracy

    answers = _read_answers(arguments)
    dataset = _measure(arguments)
    with Progress("testing") as progress:
        return accuracy(dataset, answers, plan, threads=arguments.threads, progress=progress)


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS SYS...",
    "weigh validate samples -r examples/reference.en -m bleu --sizes 10,20 --samples 50 "
    "examples/good.en examples/middling.en",
    *_INPUTS,
    section(
        "samples",
        plan_options(SamplesPlan),
        repeated(
            "--show NAME",
            "show the single samples of two systems in pictures and JSON; give it twice (default: "
            "the two closest systems by the first metric)",
        ),
    ),
    *_OUTPUT,
    summary="measure how often small samples lead to the right conclusion",
    plan=SamplesPlan,
)
def samples(arguments: argparse.Namespace, plan: SamplesPlan) -> Result:
    """Compare the conclusions of small samples with that of the whole test set."""
    from weigh.validate.samples import samples

    dataset = _measure(arguments)
    with Progress("sampling") as progress:
        return samples(
            dataset, plan, shown=arguments.show, threads=arguments.threads, progress=progress
        )


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS SYS...|--nbest LIST",
    "weigh validate type1 -r examples/reference.en -m bleu --nulls 200 examples/good.en "
    "examples/middling.en",
    *_INPUTS,
    section("tests", plan_options(Type1Plan, "tests alphas trials compat level")),
    section(
        "equal systems",
        repeated(
            "--nbest LIST",
            "build equal systems from n-best lists instead of SYS, with two random candidates per "
            "segment; several lists are merged",
        ),
        plan_options(Type1Plan, "nulls size"),
    ),
    *_OUTPUT,
    summary="measure how often tests report a difference between equal systems",
    plan=Type1Plan,
)
def type1(arguments: argparse.Namespace, plan: Type1Plan) -> Result:
    """Test systems that are equal by construction."""
    from weigh.validate.type1 import type1

    dataset = (_measure_lists if arguments.nbest else _measure)(arguments)
    with Progress("testing equal systems") as progress:
        return type1(dataset, plan, threads=arguments.threads, progress=progress)


def _measure_lists(arguments: argparse.Namespace) -> Dataset:
    if arguments.systems:
        raise UsageError("both systems and --nbest given; give one of them")
    refuse(arguments, "allow_missing columns missing pass_at", "does not apply to --nbest")
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
    with Progress("scoring") as progress:
        return measure_list(
            read_nbest(arguments.nbest, test_set),
            test_set,
            metrics,
            threads=arguments.threads,
            progress=progress,
        )


_TESTS = "tests alpha trials"
_FOR_OUTPUTS = "ref src metric text id documents columns missing pass_at allow_missing test trials"


@verb(
    "[-r REF]... [-m METRIC]... [--human FILE]... [option]... SYS SYS",
    "weigh validate power -r examples/reference.en -m bleu --sizes 40,100 --simulations 100 "
    "examples/good.en examples/middling.en",
    *_INPUTS,
    _people(
        PowerPlan,
        "quality",
        "With --human, SYS are the names of two systems that people judged, and the study "
        "simulates judgments.",
    ),
    section("tests", plan_options(PowerPlan, _TESTS)),
    section("simulation", plan_options(PowerPlan, without=f"{_TESTS} quality")),
    *_OUTPUT,
    summary="measure how often differences are detected, and how much data that needs",
    plan=PowerPlan,
)
def power(arguments: argparse.Namespace, plan: PowerPlan) -> Result:
    """Simulate test sets of several sizes, or judgments."""
    if arguments.human:
        return _judgment_power(arguments, plan)
    from weigh.validate.power import power

    dataset = _measure(arguments)
    with Progress("simulating") as progress:
        return power(dataset, plan, threads=arguments.threads, progress=progress)


def _judgment_power(arguments: argparse.Namespace, plan: PowerPlan) -> Result:
    if arguments.detect:
        raise UsageError("--detect does not apply to --human; use 'weigh human plan --detect'")
    refuse(arguments, _FOR_OUTPUTS, "does not apply to --human")
    from weigh.validate.judgment_power import judgment_power

    answers = _read_answers(arguments)
    with Progress("simulating") as progress:
        return judgment_power(
            answers, arguments.systems, plan, threads=arguments.threads, progress=progress
        )


VERBS = {
    "accuracy": accuracy,
    "samples": samples,
    "type1": type1,
    "power": power,
    "preference": preference,
}
