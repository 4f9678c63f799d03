"""Every verb that writes, while a write fails or ends it; see `scripts/inject.py`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="needs Linux and a C compiler",
)
def test_files_are_whole_whichever_write_fails(root: Path) -> None:
    """In a process of its own, into which the failing calls are loaded."""
    done = subprocess.run(
        [sys.executable, root / "scripts" / "inject.py", "--places", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert "52 runs of 13 commands" in done.stdout
    assert "; 0 went wrong" in done.stdout
