"""`python -m weigh.sacrebleu`: sacreBLEU's arguments and output, with weigh's tests."""

from __future__ import annotations

if __name__ == "__main__":
    import sys

    from weigh.__main__ import main  # which prepares for Ctrl-C

    sys.argv.insert(1, "sacrebleu")
    sys.exit(main())
