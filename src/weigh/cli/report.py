"""`weigh report`: a saved result in any format, as a page, or as pictures."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving, terminal
from weigh.cli.parser import Parser
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
        help="what a verb has written with --format json, or a page "
        "with such a result in it; that of compare --details has distributions and segments too; "
        "'-' is stdin",
    )
    saving.add_arguments(options.add_output(parser))


def run(arguments: argparse.Namespace) -> int:
    """Read a result and show it."""
    if len(arguments.result) != 1:
        raise UsageError(
            "no result given; name a file that a verb has written with --format json"
            if not arguments.result
            else f"{len(arguments.result)} results given; give one at a time"
        )
    saving.check(arguments)

    from weigh.read.stream import read_whole
    from weigh.report.restored import restore
    from weigh.report.view import command_of, is_known, refusing, restored

    [name] = arguments.result
    text = read_whole(name)
    if is_known(command_of(text, name)):
        result = restored(text, name)
        with refusing(name):  # a table may be made where a picture cannot
            saving.present(
                result,
                arguments,
                silent=saving.is_wanted(arguments) and "format" not in arguments.given,
            )
        return 0
    saved = restore(text, name)
    wanted = saving.is_wanted(arguments)
    if wanted:
        if saved.page is None or saved.pictures is None:
            raise InputError(
                f"{name}: a result of 'weigh {saved.command}', which has no page and no pictures; "
                "give one of another verb, or choose a --format"
                if not saved.needs
                else f"{name}: a result of 'weigh {saved.command}' without {saved.needs}; run "
                f"'weigh {saved.command}' itself with --html or --plots"
            )
        saving.save(saved.report, arguments, saved.page, saved.pictures)
    if not wanted or "format" in arguments.given:
        terminal.show(saved.report, arguments.format, saved.as_table, saved.formats)
    return 0
