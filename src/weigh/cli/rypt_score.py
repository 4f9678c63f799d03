"""`weigh rypt score`: scores of systems by labels, in all three ways, and how many labels count."""

from __future__ import annotations

import argparse

from weigh.cli import judgments, options, rypt, saving, terminal
from weigh.cli.parser import Parser

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS..."
EXAMPLE = (
    "weigh rypt score -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align good.en poor.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    rypt.add_labelled(parser)
    output = options.add_output(parser)
    saving.add_arguments(output, content="pictures")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, count, report."""
    saving.check(arguments)
    systems, test_set, metric = rypt.read_labelled(arguments)
    from weigh.rypt.explanation import score_outputs

    result = score_outputs(systems, test_set, metric)
    if not arguments.quiet:
        for remark in result.warnings:
            terminal.say(remark)
    saving.present(result, arguments)
    return 0
