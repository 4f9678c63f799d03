"""`weigh rypt explain`: why one output has its score, node by node."""

from __future__ import annotations

import argparse

from weigh.cli import judgments, labelled, options, saving, terminal
from weigh.cli.parser import Parser, positive
from weigh.errors import InputError, UsageError

USAGE = "-s SRC --labels STORE --parses FILE --alignments FILE --segment N [option]... SYS..."
EXAMPLE = (
    "weigh rypt explain -s source.de --labels labels.db --parses source.mrg "
    "--alignments {system}.align --segment 3 good.en"
)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    labelled.add_arguments(parser)
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
    systems, test_set, metric = labelled.read(arguments)
    place = arguments.segment - 1
    if place >= len(test_set):
        are = "is" if len(test_set) == 1 else "are"
        raise InputError(
            f"segment {arguments.segment:,}, but there {are} {len(test_set):,}; give one of them"
        )
    judged = metric.judged(test_set)
    tree = judged.trees.trees[place]
    if tree is None:
        raise InputError(
            f"segment {arguments.segment:,} has no parse; choose another, or add --flat"
        )

    from weigh.report.rypt_tree import FORMATS, ExplainedOutput, TreeReport, as_table

    outputs = []
    for system in systems:
        own = metric.aligned(system, test_set)
        found = judged.explained(
            system.outputs.texts[place], place, own.alignments.lines[place], own.where(place)
        )
        name = system.name if system.run is None else f"{system.name}@{system.run}"
        outputs.append(ExplainedOutput(name, system.outputs.texts[place], found))
    report = TreeReport(len(test_set), arguments.segment, tree.words, outputs, metric.signature(0))
    if saving.is_wanted(arguments):
        from weigh.report.page.rypt_tree import tree_page
        from weigh.report.pictures.parse_tree import tree_pictures

        saving.save(report, arguments, tree_page, tree_pictures)
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0
