"""Options that several verbs share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.parser import Parser, choice, counts, number, positive, repeated, seed, switch
from weigh.report.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.report.grid import Depth

SEED = 12345


def format_name(value: str) -> str:
    """Return the name of an output format."""
    return choice(value, "format", FORMATS)


def add_systems(group: argparse._ArgumentGroup) -> None:
    """Add the systems themselves."""
    group.add_argument(
        "systems",
        metavar="SYS",
        nargs="*",
        default=[],
        help="file of a system's output, one segment per line; or a table of results, a log, a "
        "folder of logs, or a file of one score per line; NAME=FILE names a system, NAME@RUN=FILE "
        "one of its runs; '-' is stdin, .gz and .zst are unpacked",
    )


def add_choice(group: argparse._ArgumentGroup) -> None:
    """Add the options that choose among systems, slices and other labels."""
    group.add_argument(
        "--systems",
        dest="systems_chosen",
        metavar="NAME,...",
        help="compare only these systems",
    )
    for name, what in (("--only", "keep only"), ("--without", "leave out")):
        repeated(
            group,
            name,
            metavar="ROLE=LABEL,...",
            help=f"{what} these labels, such as system=A,B or slice=math,law; repeat it for more",
        )
    repeated(
        group,
        "--keep-reference",
        metavar="NAME",
        help="compare this system although its texts are those of a reference",
    )


def add_inputs(parser: Parser, *, slices: bool = True) -> None:
    """Add the options that say what the systems are scored on."""
    group = parser.add_argument_group("test set")
    repeated(
        group,
        "-r",
        "--ref",
        metavar="REF",
        help="file of references, one segment per line; repeat it for more references; "
        "NAME=FILE is a reference for the system NAME alone",
    )
    group.add_argument("-s", "--src", metavar="SRC", help="file of source texts")
    group.add_argument("--documents", metavar="FILE", help="file with the document of each segment")
    if slices:
        group.add_argument(
            "--slices",
            metavar="FILE",
            help="file with a label for each segment; every label is reported by itself too",
        )
    add_columns(group)
    add_table(parser)


def add_table(parser: Parser) -> None:
    """Add the options for tables of scores or texts, one row per item and system."""
    group = parser.add_argument_group("tables")
    group.add_argument(
        "--columns",
        metavar="ROLE=COL,...",
        help="SYS is a table (CSV, TSV, JSON lines, JSON, Parquet), one row per item and system: "
        "system=model,item=id,score=passed and where there are some run=, slice=, document=, "
        "metric=, direction=; score=COL:lower where small is good, score=COL:0..10 for its bounds; "
        "several scores, or several systems with a column each, by repeating the role; "
        "hypothesis=, reference=, source= for texts (default: by common names; slice= for none)",
    )
    group.add_argument(
        "--missing",
        metavar="SCORE",
        type=number,
        help="count missing scores of a table as this one: 0 for failures",
    )
    group.add_argument(
        "--pass-at",
        metavar="K",
        type=counts,
        default=(),
        help="take the runs of a table as attempts at each item, and its score as the chance that "
        "one of K succeeds; several with commas",
    )


def add_columns(group: argparse._ArgumentGroup) -> None:
    """Add the names of the columns of tables."""
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


def add_lists(group: argparse._ArgumentGroup, *, also: str = "") -> None:
    """Add the options for lists, references and sources; `also` says what else may be a list."""
    group.add_argument(
        "--nbest",
        metavar="FILE",
        action="extend",
        nargs="+",
        default=[],
        help=f"n-best list of Moses, Joshua or Z-MERT, or JSON lines (.jsonl){also}; several are "
        "merged",
    )
    add_references(group, "-r", "--ref", help="file of references, one segment per line")
    group.add_argument("-s", "--src", metavar="SRC", help="file of source texts")


def add_references(group: argparse._ArgumentGroup, *names: str, help: str) -> None:
    """Add an option that takes files of references, in one place or several."""
    group.add_argument(
        *names,
        metavar="REF",
        action="extend",
        nargs="+",
        default=[],
        help=f"{help}; several are several references",
    )


def add_metrics(parser: argparse._ActionsContainer) -> None:
    """Add the options that choose metrics and what they may lack."""
    parser.add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu,chrf"],
        help="metric with options, such as bleu:tokenize=intl:lowercase; several with commas "
        "or by repeating -m; NAME=VALUE after a comma is an option too (default: bleu,chrf; "
        "'weigh metrics' lists them)",
    )
    switch(
        parser,
        "--allow-missing",
        "leave out segments that have no given score of some system, and say how many",
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


def add_brief(group: argparse._ArgumentGroup, brief: str) -> None:
    """Add the option that shows less of a table; `brief` says in words what is left."""
    switch(group, "--brief", f"show {brief}, in a table")


def depth(arguments: argparse.Namespace) -> Depth:
    """Return how much of a table was asked for."""
    return "brief" if getattr(arguments, "brief", None) else "usual"


def add_work(parser: Parser, *, random: bool = True, anywhere: bool = True) -> None:
    """Add the options that say how the work is done; a seed only where something is drawn.

    What may be done on other machines is so `anywhere`.
    """
    group = parser.add_argument_group("work")
    if random:
        add_seed(group)
    group.add_argument(
        "--threads",
        metavar="N",
        type=positive,
        default=0,
        help="number of threads (default: all cores)",
    )
    if anywhere:
        group.add_argument(
            "--engine",
            metavar="NAME",
            default="threads",
            help="where work is done: threads, of this process; dask, a cluster on this machine; "
            "dask://HOST:PORT, a cluster elsewhere (default: threads)",
        )
    switch(group, "--quiet", "show no progress on the terminal")


def add_seed(group: argparse._ArgumentGroup) -> None:
    """Add the seed of random draws."""
    group.add_argument(
        "--seed",
        metavar="N",
        type=seed,
        default=SEED,
        help=f"seed of the random draws; the same seed gives the same result (default: {SEED})",
    )


def names(given: Sequence[str]) -> tuple[str, ...]:
    """Return names that were given with commas or by repeating an option, each once."""
    return tuple(dict.fromkeys(name for text in given for name in text.split(",")))
