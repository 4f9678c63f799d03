"""Options that several verbs share."""

from __future__ import annotations

import argparse

from weigh.cli.parser import Parser, choice, positive

FORMATS = ("table", "json", "tsv", "markdown", "latex")


def format_name(value: str) -> str:
    """Return the name of an output format."""
    return choice(value, "format", FORMATS)


def add_inputs(parser: Parser) -> None:
    """Add the options that say what the systems are scored on."""
    group = parser.add_argument_group("test set")
    group.add_argument(
        "-r",
        "--ref",
        metavar="REF",
        action="append",
        default=[],
        help="file of references, one segment per line; repeat it for more references; "
        "NAME=FILE is a reference for the system NAME alone",
    )
    group.add_argument("-s", "--src", metavar="SRC", help="file of source texts")
    group.add_argument("--documents", metavar="FILE", help="file with the document of each segment")
    group.add_argument(
        "--slices",
        metavar="FILE",
        help="file with a label for each segment; every label is reported by itself too",
    )
    group.add_argument(
        "--id",
        metavar="COL",
        default="id",
        help="column of TSV or key of JSON lines by which segments are joined (default: id)",
    )
    group.add_argument(
        "--text",
        metavar="COL",
        default="text",
        help="column of TSV or key of JSON lines that holds the text (default: text)",
    )


def add_metrics(parser: Parser) -> None:
    """Add the option that chooses metrics."""
    parser.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu,chrf"],
        help="metric with options, such as bleu:tokenize=intl:lowercase; several with commas "
        "or by repeating -m (default: bleu,chrf; 'weigh metrics' lists them)",
    )


def add_output(parser: Parser) -> argparse._ArgumentGroup:
    """Add the options that say how results are shown; return their group."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        metavar="FORMAT",
        type=format_name,
        default="table",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} (default: table, or $WEIGH_FORMAT)",
    )
    return group


def add_work(parser: Parser) -> None:
    """Add the options that say how the work is done."""
    group = parser.add_argument_group("work")
    group.add_argument(
        "--threads",
        metavar="N",
        type=positive,
        default=0,
        help="number of threads (default: all cores)",
    )
    group.add_argument(
        "--quiet", action=argparse.BooleanOptionalAction, help="show no progress on the terminal"
    )
