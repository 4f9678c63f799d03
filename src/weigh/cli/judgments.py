"""Options for files of judgments, which several verbs share, and reading the files."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from weigh.cli import saving, terminal
from weigh.cli.parser import Group, Parser, one_of, repeated, switch
from weigh.errors import UsageError
from weigh.human.plan import QUALITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.human.agreement import AgreementResult
    from weigh.human.metrics import MetricsResult
    from weigh.human.quality import QualityResult
    from weigh.human.rank_result import RankResult
    from weigh.read.answers import Judgments, Preferences

    Remarked = AgreementResult | MetricsResult | QualityResult | RankResult

_NUMBER = r"([+-]?[0-9]+(?:\.[0-9]+)?)"


def add_arguments(parser: Parser) -> None:
    """Add the files and how to read them."""
    group = parser.add_argument_group("judgments")
    group.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="judgments: MTurk batch results; exports of Appraise or Pearmut; the WMT's direct "
        "assessments, ESA or MQM; or a table with one row per judgment, as CSV, TSV or JSON "
        "lines. Or the database of weigh serve: a file or postgresql://USER@HOST/DATABASE, "
        "followed by #NAME if it has several campaigns",
    )
    group.add_argument(
        "--pair",
        metavar="NAME",
        help="use only this language pair; files that name no pair are taken to be of it",
    )
    group.add_argument(
        "--columns",
        metavar="ROLE=COL,...",
        help="the columns of a table, such as judge=annotator,system=model,item=id,score=rating. "
        "Other roles: pair, scale, kind, hit (default: by common names)",
    )
    add_reading(group)
    switch(group, "--names", "show the judges' names (default: number them)")


def add_reading(group: Group) -> None:
    """Add the ends of the scale and the treatment of bad rows."""
    group.add_argument(
        "--bounds",
        metavar="LOW-HIGH",
        type=bounds,
        default=(0.0, 100.0),
        help="lowest and highest possible score (default: 0-100)",
        advanced=True,
    )
    add_bad_rows(group)


def add_bad_rows(group: Group) -> None:
    """Add the treatment of bad rows."""
    group.add_argument(
        "--bad-rows",
        metavar="WHAT",
        type=one_of("--bad-rows", ("refuse", "skip")),
        default="refuse",
        help="refuse a file with unreadable rows, or skip and list these rows (default: refuse)",
        advanced=True,
    )


def add_texts(parser: Parser) -> None:
    """Add the judged texts, which pages show."""
    group = parser.add_argument_group("texts, for --html pages with marked errors")
    repeated(
        group,
        "--system",
        metavar="SYS",
        help="output of a judged system; NAME=FILE if the file name is not the system's name in "
        "the judgments; repeat for all systems",
        advanced=True,
    )
    group.add_argument(
        "-s", "--src", metavar="SRC", help="source texts, one segment per line", advanced=True
    )


def read_texts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Read the judged texts, if given."""
    if not arguments.system:
        if arguments.src is not None:
            raise UsageError("--src needs the systems' texts; add them with --system NAME=FILE")
        return {}
    if arguments.html is None:
        raise UsageError("--system needs a page to show marked errors on; add --html FILE")
    from weigh.read import read_inputs

    test_set, systems = read_inputs(arguments.system, [], arguments.src, references_needed=False)
    return {"systems": systems, "test_set": test_set}


def add_quality(group: Group, shown: str | None = None) -> None:
    """Add quality control; `shown` describes a default that depends on the data."""
    group.add_argument(
        "--quality",
        metavar="NAME",
        type=one_of("quality control", QUALITIES),
        default="none" if shown is None else None,
        help="first drop the judges that fail this quality control: crowd-alone, appraise or none "
        f"(default: {shown or 'none'})",
    )


def add_quiet(group: Group) -> None:
    """Add the option that omits remarks from stderr."""
    switch(group, "--quiet", "print no remarks about the data")


def bounds(value: str) -> tuple[float, float]:
    """Parse the ends of a scale, such as `0-100`."""
    match = re.fullmatch(f"{_NUMBER}-{_NUMBER}", value)
    if match is None or float(match[1]) >= float(match[2]):
        raise argparse.ArgumentTypeError(f"expected LOW-HIGH, such as 0-100, not {value!r}")
    return float(match[1]), float(match[2])


def read_answers(
    arguments: argparse.Namespace,
    files: Sequence[str] | None = None,
    *,
    names: bool | None = None,
) -> Judgments | Preferences:
    """Read the judgments of the chosen language pair."""
    from weigh.human.judgments import parse_columns, read_judgments

    columns = vars(arguments).get("columns")
    asked = bool(getattr(arguments, "names", False))
    return read_judgments(
        arguments.files if files is None else files,
        pair=arguments.pair,
        bounds=arguments.bounds,
        bad_rows=arguments.bad_rows,
        names=asked if names is None else names,
        columns=None if columns is None else parse_columns(columns),
    )


def present(result: Remarked, arguments: argparse.Namespace) -> None:
    """Print the remarks and the result."""
    if not arguments.quiet:
        for remark in result.remarks:
            terminal.say(remark)
    saving.present(result, arguments)
