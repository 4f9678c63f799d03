"""Files of judgments on the command line: options that several verbs share, and the reading."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from weigh.cli import saving, terminal
from weigh.cli.parser import Parser, one_of, repeated, switch
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
    """Add the files and what they do not say of themselves."""
    group = parser.add_argument_group("judgments")
    group.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        default=[],
        help="file of judgments: MTurk batch results, an Appraise export, direct assessments, ESA "
        "or MQM of the WMT, Pearmut's export, or a long table (judge, system, segment, value; "
        "means have no judge) as CSV, TSV or JSON lines; its column names tell which. Or the "
        "database of weigh serve, a file or postgresql://USER@HOST/DATABASE, with #NAME behind it "
        "where it has several campaigns",
    )
    group.add_argument(
        "--pair",
        metavar="NAME",
        help="use only this language pair; it is also the name of that of files which name none",
    )
    group.add_argument(
        "--columns",
        metavar="ROLE=COL,...",
        help="FILE is a long table with these columns: judge=annotator,system=model,item=id,"
        "score=rating, and where there are some pair=, scale=, kind=, hit= (default: by common "
        "names)",
    )
    add_reading(group)
    switch(
        group, "--names", "show judges by their names in the files (default: results number them)"
    )


def add_reading(group: Group) -> None:
    """Add the ends of the scale, and what becomes of rows that cannot be read."""
    group.add_argument(
        "--bounds",
        metavar="LOW-HIGH",
        type=bounds,
        default=(0.0, 100.0),
        help="lowest and highest score that can be given (default: 0-100)",
    )
    add_bad_rows(group)


def add_bad_rows(group: Group) -> None:
    """Add what becomes of rows that cannot be read."""
    group.add_argument(
        "--bad-rows",
        metavar="WHAT",
        type=one_of("--bad-rows", ("refuse", "skip")),
        default="refuse",
        help="what to do with rows that cannot be read: refuse the file, or skip them and name "
        "each (default: refuse)",
    )


def add_texts(parser: Parser) -> None:
    """Add the texts that were judged, which only a page needs."""
    group = parser.add_argument_group("texts, for pages that show marked errors")
    repeated(
        group,
        "--system",
        metavar="SYS",
        help="file of a judged system's output, whose name is that of the judgments, or NAME=FILE; "
        "repeat it for all systems",
    )
    group.add_argument("-s", "--src", metavar="SRC", help="file of sources, one segment per line")


def read_texts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the texts that were judged, where they are given."""
    if not arguments.system:
        if arguments.src is not None:
            raise UsageError("--src without the systems' texts; add them with --system NAME=FILE")
        return {}
    if arguments.html is None:
        raise UsageError("--system is for a page that shows marked errors; add --html FILE")
    from weigh.read import read_inputs

    test_set, systems = read_inputs(arguments.system, [], arguments.src, references_needed=False)
    return {"systems": systems, "test_set": test_set}


def add_quality(group: Group, shown: str | None = None) -> None:
    """Add the quality control that judges go through; `shown` is a default that data decide."""
    group.add_argument(
        "--quality",
        metavar="NAME",
        type=one_of("quality control", QUALITIES),
        default="none" if shown is None else None,
        help="drop judges first that crowd-alone or appraise would drop (default: "
        f"{shown or 'none'})",
    )


def add_quiet(group: Group) -> None:
    """Add the option that keeps remarks away from stderr; JSON has them too."""
    switch(group, "--quiet", "print no remarks on the data")


def bounds(value: str) -> tuple[float, float]:
    """Return the ends of a scale, such as `0-100`."""
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
    """Return what the files hold of the language pair that was asked for."""
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
    """Say what is to be remarked, and show the result."""
    if not arguments.quiet:
        for remark in result.remarks:
            terminal.say(remark)
    saving.present(result, arguments)
