"""Damaged files for every reader and odd arguments for every kernel: see `scripts/fuzz.py`."""
