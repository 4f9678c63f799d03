"""Options that several verbs share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.parser import (
    Group,
    Parser,
    choice,
    counts,
    number,
    positive,
    repeated,
    seed,
    switch,
)
from weigh.report.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.report.grid import Depth

SEED = 12345


def format_name(value: str) -> str:
    """Check the name of an output format."""
    return choice(value, "format", FORMATS)


def add_systems(group: Group) -> None:
    """Add the systems themselves."""
    group.add_argument(
        "systems",
        metavar="SYS",
        nargs="*",
        default=[],
        help="a system's output, one segment per line; or a table of results, a log, a folder of "
        "logs, or a file with one score per line. NAME=FILE names the system, NAME@RUN=FILE one of "
        "its runs. '-' is stdin; .gz and .zst files are decompressed",
    )


def add_filters(group: Group) -> None:
    """Add the options that select systems, slices and other labels."""
    group.add_argument(
        "--systems",
        dest="systems_chosen",
        metavar="NAME,...",
        help="compare only these systems",
    )
    group.add_argument(
        "--sets",
        metavar="NAME,...",
        help="compare on several test sets and their average; {set} in paths is replaced by each "
        "name",
    )
    repeated(
        group,
        "--only",
        metavar="ROLE=LABEL,...",
        help="keep only these labels, such as system=A,B or slice=math,law; repeatable",
    )
    repeated(
        group,
        "--without",
        metavar="ROLE=LABEL,...",
        help="leave out these labels, such as system=A,B or slice=math,law; repeatable",
        advanced=True,
    )
    repeated(
        group,
        "--keep-reference",
        metavar="NAME",
        help="compare this system even if its texts are identical to a reference",
        advanced=True,
    )


def add_inputs(parser: Parser, *, slices: bool = True) -> None:
    """Add the test set, as files of texts or as a table."""
    group = parser.add_argument_group("references")
    repeated(
        group,
        "-r",
        "--ref",
        metavar="REF",
        help="references, one segment per line; repeat for several references; NAME=FILE is a "
        "reference for the system NAME only",
    )
    group.add_argument("-s", "--src", metavar="SRC", help="source texts, one segment per line")
    group.add_argument(
        "--documents",
        metavar="FILE",
        help="the document of each segment, one per line; tests then resample documents",
    )
    if slices:
        group.add_argument(
            "--slices",
            metavar="FILE",
            help="a label for each segment, one per line; each slice is also reported separately",
        )
    add_columns(group)
    add_table(parser)


def add_table(parser: Parser) -> None:
    """Add the options for tables of scores or texts, one row per item and system."""
    group = parser.add_argument_group("tables of results")
    group.add_argument(
        "--columns",
        metavar="ROLE=COL,...",
        help="the columns of a table (CSV, TSV, JSON lines, JSON, Parquet), such as "
        "system=model,item=id,score=passed. Other roles: run, slice, document, metric, direction; "
        "hypothesis, reference, source for texts. score=COL:lower if lower is better, "
        "score=COL:0..10 for bounds; repeat a role for several columns (default: by common names; "
        "slice= for no slices)",
    )
    group.add_argument(
        "--missing",
        metavar="SCORE",
        type=number,
        help="use this score where a table has none, such as 0 for failures",
        advanced=True,
    )
    group.add_argument(
        "--pass-at",
        metavar="K,...",
        type=counts,
        default=(),
        help="score pass@K: the probability that at least one of K attempts succeeds; the runs of "
        "a table are the attempts",
    )
    switch(
        group,
        "--allow-missing",
        "drop items that lack a score of some system, and report how many",
        advanced=True,
    )


def add_columns(group: Group) -> None:
    """Add the names of the columns of files of texts."""
    group.add_argument(
        "--id",
        metavar="COL",
        default="id",
        help="TSV column or JSON key by which segments are joined (default: id)",
        advanced=True,
    )
    group.add_argument(
        "--text",
        metavar="COL",
        default="text",
        help="TSV column or JSON key of the text (default: text)",
        advanced=True,
    )


def add_lists(group: Group, *, also: str = "") -> None:
    """Add n-best lists, references and sources; `also` names another format of lists."""
    group.add_argument(
        "--nbest",
        metavar="FILE",
        action="extend",
        nargs="+",
        default=[],
        help=f"n-best list of Moses, Joshua or Z-MERT, or JSON lines (.jsonl){also}; several are "
        "merged",
    )
    add_references(group, "-r", "--ref", help="references, one segment per line")
    group.add_argument("-s", "--src", metavar="SRC", help="source texts, one segment per line")


def add_references(group: Group, *names: str, help: str, advanced: bool = False) -> None:
    """Add an option that takes one or more files of references, and may be repeated."""
    group.add_argument(
        *names,
        metavar="REF",
        action="extend",
        nargs="+",
        default=[],
        help=f"{help}; give several files for several references",
        advanced=advanced,
    )


def add_metrics(parser: Parser) -> None:
    """Add the metrics."""
    parser.add_argument_group("metrics").add_argument(
        "-m",
        "--metric",
        metavar="METRIC",
        action="append",
        default=["bleu,chrf"],
        help="metric with options, such as bleu:tokenize=intl:lowercase; separate several with "
        "commas or repeat -m (default: bleu,chrf; 'weigh metrics' lists all)",
    )


def add_output(parser: Parser) -> Group:
    """Add the output format; return the section."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        metavar="FORMAT",
        type=format_name,
        default="table",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} (default: table, or $WEIGH_FORMAT)",
    )
    return group


def add_brief(group: Group, content: str) -> None:
    """Add the option that shows less; `content` says what remains."""
    switch(group, "--brief", f"show only {content}")


def depth(arguments: argparse.Namespace) -> Depth:
    """How much of a result to show."""
    return "brief" if getattr(arguments, "brief", None) else "usual"


def add_work(parser: Parser, *, random: bool = True, anywhere: bool = True) -> None:
    """Add seed, threads and engine: a seed if something is drawn, an engine if work can move."""
    group = parser.add_argument_group("work")
    if random:
        add_seed(group)
    group.add_argument(
        "--threads",
        metavar="N",
        type=positive,
        default=0,
        help="number of threads (default: all cores)",
        advanced=True,
    )
    if anywhere:
        group.add_argument(
            "--engine",
            metavar="NAME",
            default="threads",
            help="where to run: threads (this process), dask (a cluster on this machine) or "
            "dask://HOST:PORT (a remote cluster) (default: threads)",
            advanced=True,
        )
    switch(group, "--quiet", "show no progress bar")


def add_seed(group: Group) -> None:
    """Add the seed of random draws."""
    group.add_argument(
        "--seed",
        metavar="N",
        type=seed,
        default=SEED,
        help=f"random seed; the same seed gives the same result (default: {SEED})",
    )


def names(given: Sequence[str]) -> tuple[str, ...]:
    """Split names at commas and drop repetitions."""
    return tuple(dict.fromkeys(name for text in given for name in text.split(",")))
