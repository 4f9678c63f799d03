"""`weigh rypt explain`: why one output has its score, node by node."""

from __future__ import annotations

import argparse

from weigh.cli import judgments, options, rypt, saving
from weigh.cli.parser import Parser, positive
from weigh.errors import UsageError

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE --segment N [option]... SYS..."
EXAMPLE = (
    "weigh rypt explain -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align --segment 3 good.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    rypt.add_labelled(parser)
    parser.add_argument(
        "--segment", metavar="N", type=positive, help="number of the segment, from 1"
    )
    output = options.add_output(parser)
    saving.add_arguments(output, content="the trees")
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, explain, report."""
    if arguments.segment is None:
        raise UsageError("no --segment given; say which by its number from 1")
    saving.check(arguments)
    systems, test_set, metric = rypt.read_labelled(arguments)
    from weigh.rypt.explanation import explain_outputs

    saving.present(explain_outputs(systems, test_set, metric, arguments.segment), arguments)
    return 0
