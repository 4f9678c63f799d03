"""`weigh metrics`: list the metrics, their options and the tokenisers."""

from __future__ import annotations

import argparse

from weigh.cli import options, saving
from weigh.cli.parser import Parser

USAGE = "[option]..."
EXAMPLE = "weigh metrics --format markdown"


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    saving.add_arguments(options.add_output(parser), content="tables")


def run(arguments: argparse.Namespace) -> int:
    """Print the registry."""
    saving.check(arguments)
    from weigh.metrics.registry import catalogue

    saving.present(catalogue(), arguments)
    return 0
