"""`weigh report`: show a saved result in another format, as a page or as pictures."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving
from weigh.cli.parser import Parser
from weigh.errors import UsageError

USAGE = "RESULT.json [option]..."
EXAMPLE = "weigh report result.json --html report.html"


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument_group("result").add_argument(
        "result",
        metavar="RESULT.json",
        nargs="*",
        default=[],
        help="a result saved with --format json, or a page that contains one; compare --details "
        "adds distributions and segments; '-' is stdin",
    )
    output = options.add_output(parser)
    options.add_brief(output, "the first table")
    saving.add_arguments(output)


def run(arguments: argparse.Namespace) -> int:
    """Read a result and show it."""
    if len(arguments.result) != 1:
        raise UsageError(
            "no result given; name a file saved with --format json"
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
