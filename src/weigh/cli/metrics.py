"""`weigh metrics`: what can be scored with, and how it is adjusted."""

from __future__ import annotations

import argparse

from weigh.cli import options, terminal
from weigh.cli.parser import Parser

USAGE = "[option]..."
EXAMPLE = "weigh metrics --format markdown"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the registry."""
    from weigh.metrics.registry import describe
    from weigh.report.catalogue import FORMATS, Catalogue, as_table
    from weigh.tokenize import TOKENIZERS

    catalogue = Catalogue(describe(), TOKENIZERS)
    terminal.show(catalogue, arguments.format, as_table, FORMATS)
    return 0
