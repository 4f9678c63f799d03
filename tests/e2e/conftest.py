from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def weigh(tmp_path: Path) -> Run:
    """Return a function that runs the installed command, in an empty directory by default."""
    command = Path(sys.executable).with_name("weigh")
    unset = {"FORCE_COLOR", "NO_COLOR", "WEIGH_FORMAT", "WEIGH_DEBUG"}
    environment = {name: value for name, value in os.environ.items() if name not in unset}

    def run(
        *arguments: str | Path, stdin: str = "", cwd: Path = tmp_path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            env=environment | variables,
            timeout=60,
            check=False,
        )

    return run
