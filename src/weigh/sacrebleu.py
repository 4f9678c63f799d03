"""`python -m weigh.sacrebleu`: sacreBLEU's arguments and output, with weigh's tests."""

from __future__ import annotations

from weigh.__main__ import main  # first, because it also sets up Ctrl-C

if __name__ == "__main__":
    import sys

    sys.argv.insert(1, "sacrebleu")
    sys.exit(main())
