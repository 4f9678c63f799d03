"""Options for files of judgments, which several verbs share, and reading the files."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weigh.cli.arguments import (
    SOURCES,
    Argument,
    argument,
    files,
    quiet,
    repeatable,
    section,
    switch,
)
from weigh.errors import UsageError
from weigh.human.plan import QUALITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.read.answers import Judgments, Preferences

_NUMBER = r"([+-]?[0-9]+(?:\.[0-9]+)?)"


BAD_ROWS = argument(
    "--bad-rows WHAT",
    "refuse a file with unreadable rows, or skip and list these rows (default: refuse)",
    choices=("refuse", "skip"),
    default="refuse",
    advanced=True,
)
QUIET = quiet("print no remarks about the data")


def bounds(value: str) -> tuple[float, float]:
    """Parse the ends of a scale, such as `0-100`."""
    match = re.fullmatch(f"{_NUMBER}-{_NUMBER}", value)
    if match is None or not -math.inf < float(match[1]) < float(match[2]) < math.inf:
        raise argparse.ArgumentTypeError(f"expected LOW-HIGH, such as 0-100, not {value[:40]!r}")
    return float(match[1]), float(match[2])


READING = (
    argument(
        "--bounds LOW-HIGH",
        "lowest and highest possible score (default: 0-100)",
        type=bounds,
        default=(0.0, 100.0),
        advanced=True,
    ),
    BAD_ROWS,
)
JUDGMENTS = section(
    "judgments",
    files(
        "files FILE",
        "judgments: MTurk batch results; exports of Appraise or Pearmut; WMT direct "
        "assessments, ESA or MQM; or a table with one row per judgment, as CSV, TSV or JSON "
        "lines. Or the database of weigh serve: a file or postgresql://USER@HOST/DATABASE, "
        "followed by #NAME if it has several campaigns",
    ),
    argument(
        "--pair NAME",
        "use only this language pair; files without a language pair are assumed to have this one",
    ),
    argument(
        "--columns ROLE=COL,...",
        "the columns of a table, such as judge=annotator,system=model,item=id,score=rating. "
        "Other roles: pair, scale, kind, hit (default: recognised by name)",
    ),
    READING,
    switch("--names", "show the judges' names (default: number them)"),
)
TEXTS = section(
    "texts, for --html pages with marked errors",
    repeatable(
        "--system SYS",
        "output of a judged system; NAME=FILE if the file name is not the system's name in the "
        "judgments; repeat for all systems",
        advanced=True,
    ),
    replace(SOURCES, advanced=True),
)


def quality_option(default_help: str = "") -> Argument:
    """Quality control; `default_help` describes a default that depends on the data."""
    return argument(
        "--quality NAME",
        "first drop the judges that fail this quality control: crowd-alone, appraise or none "
        f"(default: {default_help or 'none'})",
        choices=QUALITIES,
        default=None if default_help else "none",
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


def read_answers(
    arguments: argparse.Namespace, paths: Sequence[str], **options: Any
) -> Judgments | Preferences:
    """Read the judgments of the chosen language pair."""
    from weigh.human.judgments import read_judgments

    return read_judgments(
        paths,
        pair=arguments.pair,
        bounds=arguments.bounds,
        bad_rows=arguments.bad_rows,
        **options,
    )


def read_files(
    arguments: argparse.Namespace, paths: Sequence[str] = (), *, names: bool = False
) -> Judgments | Preferences:
    """Read the files of a verb, or other files in the same way."""
    from weigh.human.judgments import parse_columns

    return read_answers(
        arguments,
        paths or arguments.files,
        names=names or arguments.names,
        columns=None if arguments.columns is None else parse_columns(arguments.columns),
    )
