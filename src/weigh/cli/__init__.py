"""The command line: the only place that prints or exits."""

from __future__ import annotations

import sys

from weigh import __version__

TYPE_CHECKING = False  # typing's own constant, without the cost of importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `--version` answers before all else is loaded."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--version"]:
        print(f"weigh {__version__}")
        return 0
    from weigh.cli.command import execute

    return execute(arguments)
