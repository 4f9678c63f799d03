"""`weigh report`: a saved result in any format, as a page, or as pictures."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving
from weigh.cli.parser import Parser
from weigh.errors import UsageError

USAGE = "RESULT.json [option]..."
EXAMPLE = "weigh report result.json --html report.html"


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "result",
        metavar="RESULT.json",
        nargs="*",
        default=[],
        help="what a verb has written with --format json, or a page "
        "with such a result in it; that of compare --details has distributions and segments too; "
        "'-' is stdin",
    )
    output = options.add_output(parser)
    options.add_brief(output, "the first table alone")
    saving.add_arguments(output)


def run(arguments: argparse.Namespace) -> int:
    """Read a result and show it."""
    if len(arguments.result) != 1:
        raise UsageError(
            "no result given; name a file that a verb has written with --format json"
            if not arguments.result
            else f"{len(arguments.result)} results given; give one at a time"
        )
    saving.check(arguments)

    from weigh.report.view import load, refusing

    [name] = arguments.result
    result = load(name)
    only_files = saving.is_wanted(arguments) and "format" not in arguments.given
    with refusing(name):  # a table may be made where a picture cannot
        saving.present(result, arguments, silent=only_files)
    return 0
