"""The command line: the only place that prints or exits."""

from __future__ import annotations

import sys

from weigh import __version__

TYPE_CHECKING = False  # typing's own constant, without the cost of importing typing
if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130  # what shells report of a program that SIGINT has ended


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `--version` answers before all else is loaded."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--version"]:
        print(f"weigh {__version__}")
        return 0
    from weigh.cli.command import execute
    from weigh.cli.terminal import reserved_stdout

    if argv is None:
        import gc

        # Millions of rows are no garbage, and to look through them again and again takes long.
        gc.set_threshold(100_000, 20, 100)
    with reserved_stdout(arguments, to_the_end=argv is None):
        code = execute(arguments)
    if argv is None:
        # All that is left goes with the process: nothing is worth looking through for garbage.
        gc.freeze()
    threading = sys.modules.get("threading") if argv is None else None
    if code == INTERRUPTED and threading is not None and threading.active_count() > 1:
        # A thread that is deep in the core cannot be ended, and Python would wait for it or
        # break down over it. A program that called this with arguments goes on.
        import os

        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
