"""`python -m weigh`: the command."""

from __future__ import annotations

import sys

from weigh.cli import main

if __name__ == "__main__":
    sys.exit(main())
