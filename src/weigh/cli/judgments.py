"""Files of judgments on the command line: options that several verbs share, and the reading."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from weigh.cli.parser import Parser, choice
from weigh.errors import InputError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.read.answers import Judgments, Preferences
    from weigh.report.document import Extent
    from weigh.types import Judgment

PRESETS = ("crowd-alone", "appraise")  # of quality control
_NUMBER = r"([+-]?[0-9]+(?:\.[0-9]+)?)"


def add_arguments(parser: Parser) -> None:
    """Add the files and what they do not say of themselves."""
    group = parser.add_argument_group("judgments")
    group.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="file of judgments: MTurk batch results, an Appraise export, direct assessments or "
        "ESA of the WMT, or weigh's own TSV or JSON lines; its column names tell which",
    )
    group.add_argument(
        "--pair",
        metavar="NAME",
        help="use only this language pair; it is also the name of that of files which name none",
    )
    add_reading(group)
    group.add_argument(
        "--names",
        action=argparse.BooleanOptionalAction,
        help="show judges by their names in the files (default: results number them)",
    )


def add_reading(group: argparse._ArgumentGroup) -> None:
    """Add the ends of the scale, and what becomes of rows that cannot be read."""
    group.add_argument(
        "--bounds",
        metavar="LOW-HIGH",
        type=bounds,
        default=(0.0, 100.0),
        help="lowest and highest score that can be given (default: 0-100)",
    )
    add_bad_rows(group)


def add_bad_rows(group: argparse._ArgumentGroup) -> None:
    """Add what becomes of rows that cannot be read."""
    group.add_argument(
        "--bad-rows",
        metavar="WHAT",
        type=_bad_rows,
        default="refuse",
        help="what to do with rows that cannot be read: refuse the file, or skip them and name "
        "each (default: refuse)",
    )


def _bad_rows(value: str) -> str:
    return choice(value, "--bad-rows", ("refuse", "skip"))


def add_quality(group: argparse._ArgumentGroup) -> None:
    """Add the quality control that judges go through before anything else."""
    group.add_argument(
        "--quality",
        metavar="NAME",
        type=_control_name,
        default="none",
        help="drop judges first that crowd-alone or appraise would drop (default: none)",
    )


def _control_name(value: str) -> str:
    return choice(value, "quality control", ("none", *PRESETS))


def add_quiet(group: argparse._ArgumentGroup) -> None:
    """Add the option that keeps remarks away from stderr; JSON has them too."""
    group.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="print no remarks on the data"
    )


def bounds(value: str) -> tuple[float, float]:
    """Return the ends of a scale, such as `0-100`."""
    match = re.fullmatch(f"{_NUMBER}-{_NUMBER}", value)
    if match is None or float(match[1]) >= float(match[2]):
        raise argparse.ArgumentTypeError(f"expected LOW-HIGH, such as 0-100, not {value!r}")
    return float(match[1]), float(match[2])


def read_answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    """Return what the files hold of the language pair that was asked for.

    Judges are numbered unless their names are asked for: in the same way for every verb, whatever
    is left of the answers afterwards.
    """
    return read_with_names(arguments)[0]


def read_with_names(
    arguments: argparse.Namespace,
) -> tuple[Judgments | Preferences, dict[str, str]]:
    """Return what the files hold, and what the judges of judgments are called in the files."""
    from weigh.read.answers import Judgments

    answers = _read(arguments)
    if not isinstance(answers, Judgments):
        return answers, {}
    shown = _numbered(answers, arguments)
    names = {
        one.judge: other.judge
        for one, other in zip(shown.judgments, answers.judgments, strict=True)
    }
    return _of_pair(shown, arguments.pair), names


def with_scores(answers: Judgments | Preferences) -> Judgments:
    """Return answers that are judgments; relative rankings are refused."""
    from weigh.read.answers import Judgments

    if not isinstance(answers, Judgments):
        raise InputError("relative rankings, but judgments with scores were expected")
    return answers


def _read(arguments: argparse.Namespace) -> Judgments | Preferences:
    if not arguments.files:
        raise UsageError("no file given; name at least one file of judgments")
    from weigh.read.judgments import read_answers as read

    return read(arguments.files, arguments.pair or "", arguments.bounds, arguments.bad_rows)


def _numbered(answers: Judgments, arguments: argparse.Namespace) -> Judgments:
    if getattr(arguments, "names", False):
        return answers
    from dataclasses import replace

    from weigh.human.numbering import numbered

    return replace(answers, judgments=numbered(answers.judgments))


def left_out(answers: Judgments | Preferences) -> tuple[str, ...]:
    """Return a remark on everything that reading left out."""
    return tuple(f"{each.extent} left out: {each.why}" for each in answers.omissions)


def controlled(answers: Judgments, control: str) -> tuple[tuple[Judgment, ...], tuple[str, ...]]:
    """Return the judgments that a quality control leaves, and remarks."""
    if control == "none":
        return answers.judgments, answers.remarks
    from weigh.human.quality import check_quality

    quality = check_quality(answers.judgments, control)
    dropped = len(answers.judgments) - len(quality.kept)
    said = f"{dropped:,} of {len(answers.judgments):,} judgments dropped by {control}"
    return quality.kept, (*answers.remarks, *quality.remarks, said)


def _of_pair(answers: Judgments, pair: str | None) -> Judgments:
    from dataclasses import replace

    from weigh.read.answers import Omission

    if pair is None:
        return answers
    chosen = tuple(one for one in answers.judgments if one.pair == pair)
    if not chosen:
        known = {one.pair for one in answers.judgments}
        raise InputError(f"no judgments of the language pair {pair!r}; {did_you_mean(pair, known)}")
    others = len(answers.judgments) - len(chosen)
    omissions = [Omission("of other language pairs", others)] if others else []
    return replace(answers, judgments=chosen, omissions=(*answers.omissions, *omissions))


def judged(answers: Judgments | Preferences) -> Extent:
    """Return how many segments people have said something of."""
    from weigh.read.answers import Judgments

    if isinstance(answers, Judgments):
        return extent_of_judgments(answers.judgments)
    from weigh.report.document import Extent

    return Extent(len({one.segment for one in answers.preferences}), 0)


def extent_of_judgments(judgments: Iterable[Judgment]) -> Extent:
    """Return how many segments were judged, those of each language pair."""
    from weigh.report.document import Extent

    return Extent(len({(one.pair, one.segment) for one in judgments}), 0)
