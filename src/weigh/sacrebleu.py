"""`python -m weigh.sacrebleu`: sacreBLEU's arguments and output, with weigh's tests."""

from __future__ import annotations

import sys

from weigh.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "sacrebleu")
    sys.exit(main())
