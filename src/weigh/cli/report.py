"""`weigh report`: a saved result in any format, as a page, or as pictures."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, terminal
from weigh.cli.parser import Parser
from weigh.cli.score import NOT_IN_LATEX
from weigh.errors import InputError, UsageError

USAGE = "RESULT.json [option]..."
EXAMPLE = "weigh report result.json --html report.html"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    parser.add_argument(
        "result",
        metavar="RESULT.json",
        nargs="*",
        default=[],
        help="what 'weigh compare --format json' or 'weigh score --format json' has written; with "
        "--details, distributions and segments are in it too; '-' is stdin",
    )
    saving.add_arguments(options.add_output(parser))


def run(arguments: argparse.Namespace) -> int:
    """Read a result and show it."""
    if len(arguments.result) != 1:
        raise UsageError(
            "no result given; name the file that 'weigh compare --format json' has written"
            if not arguments.result
            else f"{len(arguments.result)} results given; give one at a time"
        )
    saving.check(arguments)

    from weigh.read.stream import read_whole
    from weigh.report import comparisons, scores
    from weigh.report.compared import CompareReport
    from weigh.report.restored import restore

    [name] = arguments.result
    report = restore(read_whole(name), name)
    saved = saving.is_wanted(arguments)
    if saved:
        if not isinstance(report, CompareReport):
            raise InputError(
                f"{name}: scores only, and a page shows a comparison; use 'weigh compare'"
            )
        from weigh.report.page import page
        from weigh.report.pictures import comparison_pictures

        saving.save(report, arguments, page, comparison_pictures)
    if not saved or "format" in arguments.given:
        if isinstance(report, CompareReport):
            terminal.show(report, arguments.format, comparisons.as_table, comparisons.FORMATS)
        else:
            for option in ("segments", "details"):
                told = any(getattr(one, option) is not None for one in report.scores)
                if told and arguments.format == "latex":
                    raise UsageError(f"{name}: what --{option} adds {NOT_IN_LATEX}")
            terminal.show(report, arguments.format, scores.as_table, scores.FORMATS)
    return 0
