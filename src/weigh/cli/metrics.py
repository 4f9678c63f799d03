"""`weigh metrics`: list the metrics, their options and the tokenisers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli.arguments import output, verb

if TYPE_CHECKING:
    from weigh.result import Result


@verb("[option]...", "weigh metrics --format markdown", output(page="tables"))
def run(_: argparse.Namespace) -> Result:
    """List the registry."""
    from weigh.metrics.registry import catalogue

    return catalogue()
