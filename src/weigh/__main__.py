"""The command: `weigh`, and `python -m weigh`."""

from __future__ import annotations

# Python answers Ctrl-C with a traceback. Until `main` installs its own handler, Ctrl-C just ends
# the process; if the parent process ignores it, it stays ignored. This comes before all other
# imports, and `_signal` is always loaded, whereas `signal` takes a while to import.
import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import sys

from weigh.cli import main as main

if __name__ == "__main__":
    sys.exit(main())
