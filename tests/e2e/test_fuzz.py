"""Damaged files of every kind: only errors of ours come out; see `scripts/fuzz.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_damaged_files_are_read_or_refused_in_one_line(root: Path, tmp_path: Path) -> None:
    """In a process of its own, whose memory is limited."""
    script = str(root / "scripts" / "fuzz.py")
    done = subprocess.run(
        [sys.executable, script, "--inputs", "2", "--faults", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert "0 faults" in done.stdout
