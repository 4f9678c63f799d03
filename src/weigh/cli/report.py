"""`weigh report`: show a saved result in another format, as a page or as pictures."""

from __future__ import annotations

import argparse

from weigh.cli.arguments import output, positional, section, verb
from weigh.cli.output import present, writes_page


@verb(
    "RESULT.json [option]...",
    "weigh compare examples/logs/ --format json | weigh report - --html report.html",
    section(
        "result",
        positional(
            "result RESULT.json",
            "a result saved with --format json, or a page, which contains its result; '-' is "
            "stdin. To show distributions and segments, save comparisons with --details",
        ),
    ),
    output(page="pictures and segments", brief="the verdict, if any, and the first table"),
)
def run(arguments: argparse.Namespace) -> None:
    """Read a result and show it; a page is enough unless a format is named."""
    from weigh.report.view import as_input_errors, load

    result = load(arguments.result)
    only_files = writes_page(arguments) and "format" not in arguments.on_command_line
    with as_input_errors(arguments.result):  # a result may fit a table but not a picture
        present(result, arguments, silent=only_files)
