from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.in_process import run_inside, surroundings
from pickling import PicklingExecutor
from weigh.engine import executors

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = Path("/usr/bin/chromium")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def installed(tmp_path: Path) -> Run:
    """Return a function that runs the installed command, in an empty directory by default."""
    command = Path(sys.executable).with_name("weigh")
    environment = surroundings()

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


@pytest.fixture
def weigh(tmp_path: Path) -> Run:
    """Return a function like that of `installed` without a new process, which is all but its time.

    Verbs of each kind are run both ways by test_in_process.py, and all of them as installed by
    test_examples.py.
    """
    return functools.partial(run_inside, cwd=tmp_path)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> PicklingExecutor:
    """Return where `--engine dask` sends work in a test: not far, but in the form that is sent."""
    executor = PicklingExecutor()

    @contextmanager
    def engine(name: str) -> Iterator[None]:
        assert name == "dask"
        with executors.running_on(executor):
            yield

    monkeypatch.setattr(executors, "engine", engine)
    return executor


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Return a browser that all tests share: a process can have one at a time."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        # Chromium's sandbox does not work for root, which tests in containers often are.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        browser.close()
