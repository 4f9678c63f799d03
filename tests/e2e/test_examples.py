"""The example at the end of every verb's help runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from weigh.cli.app import find_verb, verbs

# These run until they are stopped, or for minutes, or change the user's own files.
LONG = {"serve", "demo", "completion", *(verb for verb in verbs() if verb.startswith("paper "))}
# These need the database of a campaign that weigh serve has started.
SERVED = {verb for verb in verbs() if verb.startswith("campaign ")}
# The files that an example takes from another verb's.
BEFORE = {"translate decode": ["translate train"]}


@pytest.mark.parametrize("verb", sorted(verbs().keys() - LONG - SERVED))
def test_the_example_runs(verb: str, root: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(root / "examples")
    for name in [*BEFORE.get(verb, []), verb]:
        example = find_verb(name).example
        assert f"weigh {name}" in example
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", example],
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout or len([*tmp_path.iterdir()]) > 1
