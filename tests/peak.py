"""The most memory that a command takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# A process counts what its parent held when it was started, so a small one starts the command.
_LAUNCHER = """
import json, os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss]), file=sys.stderr)
"""


def peak_memory(arguments: Sequence[str | Path], folder: Path) -> tuple[int, str]:
    """Run the installed command, which must succeed; return its peak in kB, and its output."""
    command = Path(sys.executable).with_name("weigh")
    done = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, command, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=True,
    )
    code, peak = json.loads(done.stderr.strip().split("\n")[-1])
    assert code == 0, done.stderr
    return peak, done.stdout
