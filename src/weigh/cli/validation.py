"""What the verbs of `weigh validate` share: systems, tests, and the files of people's answers."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from weigh.cli import inputs, judgments, options, saving, terminal
from weigh.cli.parser import Parser, choice, number, positive
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.comparing.measure import Measured
    from weigh.engine.threads import Progress
    from weigh.read.answers import Judgments, Omission, Preferences
    from weigh.report.document import Extent
    from weigh.types import Judgment
    from weigh.validate.gold import Gold

Value = TypeVar("Value", int, float)


def add_systems(parser: Parser) -> None:
    """Add the systems, and what they are scored on and by."""
    group = parser.add_argument_group("systems")
    options.add_systems(group)
    group.add_argument(
        "--scores",
        action=argparse.BooleanOptionalAction,
        help="SYS are not texts but files of segment scores, [METRIC=]FILE, or METRIC:lower=FILE "
        "where small is good",
    )
    options.add_metrics(parser)
    options.add_inputs(parser, slices=False)
    options.add_statistics(parser)


def add_tests(
    parser: Parser, *, tests: str, alphas: str, trials: int = 1000
) -> argparse._ArgumentGroup:
    """Add the tests, their levels and trials; return their group."""
    group = parser.add_argument_group("tests")
    group.add_argument(
        "--test",
        metavar="TEST",
        action="append",
        default=[tests],
        help="randomization, bootstrap or paired-bootstrap; several with commas or by repeating it "
        f"(default: {tests.replace(',', ', ')})",
    )
    group.add_argument(
        "--alpha",
        metavar="SHARE",
        action="append",
        default=[alphas],
        help="significance level; several with commas or by repeating it "
        f"(default: {alphas.replace(',', ', ')})",
    )
    group.add_argument(
        "--trials",
        metavar="N",
        type=positive,
        default=trials,
        help=f"number of random trials of each test (default: {trials})",
    )
    return group


def add_people(parser: Parser, *, unit: bool = True) -> argparse._ArgumentGroup:
    """Add the answers of people; return their group."""
    group = parser.add_argument_group("people")
    group.add_argument(
        "--human",
        metavar="FILE",
        action="append",
        default=[],
        help="file of judgments or of relative rankings, in any format of 'weigh human rank'; "
        "repeat it for more",
    )
    judgments.add_quality(group)
    if unit:
        group.add_argument(
            "--unit",
            metavar="UNIT",
            type=_unit_name,
            default="judgment",
            help="what the rank-sum test of judgments compares: single judgments, or the means of "
            "segments: judgment or segment (default: judgment)",
        )
    group.add_argument("--pair", metavar="NAME", help="use the judgments of this language pair")
    judgments.add_reading(group)
    return group


def add_long_run(parser: Parser) -> None:
    """Add what a long run writes, how it works, and the file of what it has finished."""
    saving.add_arguments(options.add_output(parser), content="pictures")
    options.add_work(parser)
    group = parser.add_argument_group("long runs")
    group.add_argument(
        "--resume",
        metavar="FILE",
        help="write finished parts of the work to this file, and take them from it if they are "
        "there: a run that was stopped goes on where it was",
    )


def _unit_name(value: str) -> str:
    return choice(value, "unit", ("judgment", "segment"))


def shares(given: Sequence[str], option: str) -> tuple[float, ...]:
    """Return numbers that were given like names."""
    return _each(given, option, number)


def counts(given: Sequence[str], option: str) -> tuple[int, ...]:
    """Return whole numbers above 0 that were given like names."""
    return _each(given, option, positive)


def _each(given: Sequence[str], option: str, parse: Callable[[str], Value]) -> tuple[Value, ...]:
    try:
        return tuple(parse(name) for name in options.names(given))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{option}: {error}") from None


def measure(arguments: argparse.Namespace, progress: Progress | None = None) -> Measured:
    """Read the systems and compute their rows by every metric; say what is to be remarked."""
    measured = inputs.measure(arguments, progress)
    for remark in measured.remarks:
        terminal.say(remark)
    return measured


def extent(measured: Measured) -> Extent:
    """Return how large the test set is."""
    from weigh.report.document import Extent

    documents = measured.documents
    return Extent(
        measured.samples[0].units,
        measured.references,
        None if documents is None else len(set(documents)),
    )


def decimals(measured: Measured) -> dict[str, int]:
    """Return how many decimals of each metric are shown."""
    return options.decimals([sample.metric for sample in measured.samples])


def read_gold(
    arguments: argparse.Namespace,
) -> tuple[Gold, tuple[Omission, ...], tuple[str, ...]]:
    """Read people's answers; return them with what was left out of them and what to remark."""
    from weigh.read.answers import Judgments
    from weigh.validate.gold import PLAN, Gold

    answers = _answers(arguments)
    plan = replace(PLAN, unit=arguments.unit)
    if not isinstance(answers, Judgments):
        if arguments.quality != "none":
            raise UsageError("--quality is for judgments and not for relative rankings")
        return Gold(answers.preferences, plan), answers.omissions, answers.remarks
    kept, remarks = judgments.controlled(answers, arguments.quality)
    return Gold(kept, plan), answers.omissions, remarks


def read_judgments(
    arguments: argparse.Namespace,
) -> tuple[tuple[Judgment, ...], tuple[str, ...]]:
    """Read judgments that quality control keeps, and remarks; relative rankings are refused."""
    answers = judgments.with_scores(_answers(arguments))
    kept, remarks = judgments.controlled(answers, arguments.quality)
    return kept, (*judgments.left_out(answers), *remarks)


def _answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    if not arguments.human:
        raise UsageError("no file of people's answers given; name one with --human FILE")
    return judgments.read_answers(
        argparse.Namespace(
            files=arguments.human,
            pair=arguments.pair,
            bounds=arguments.bounds,
            bad_rows=arguments.bad_rows,
        )
    )
