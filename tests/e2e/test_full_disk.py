"""Every verb that writes files, where the disk is full: one line, and nothing half-written.

The system's own limit on the size of files stands for the disk: what goes beyond fails, in whatever
part of a program it is written.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NBEST = "0 ||| a b ||| lm= 1 tm= 2 ||| 3\n0 ||| a c ||| lm= 2 tm= 1 ||| 3\n"
VERBS = {
    "sample": "sample -n 20 -o out reference.en good.en",
    "statistics": "score -r reference.en good.en --save-statistics out/s.npz",
    "page": "compare -r reference.en good.en poor.en --trials 20 --html out/page.html",
    "pictures": "compare -r reference.en good.en poor.en --trials 20 --plots out",
    "plan": "human plan --hits 2 -r reference.en -o out good.en poor.en middling.en",
    "demo": "demo campaign --segments 60 out",
    "tune": "tune --nbest nbest -r one -m wer --starts 1 -o out/weights",
    "train": "translate train -s reference.en -t good.en -o out/model",
}
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from weigh.cli import main
sys.exit(main())
"""


def run(folder: Path, command: str, size: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(size), *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_half_written(verb: str, tmp_path: Path) -> None:
    for path in EXAMPLES.glob("*.en"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "nbest").write_text(NBEST)
    (tmp_path / "one").write_text("a b\n")
    out = tmp_path / "out"
    out.mkdir()
    done = run(tmp_path, VERBS[verb], 4)
    said = done.stderr.rstrip("\n").split("\n")[-1]
    assert done.returncode == 1, done.stderr
    assert "File too large" in said
    assert "bug in weigh" not in done.stderr
    assert [str(path) for path in out.rglob("*")] == []


def test_a_cache_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"score -r {EXAMPLES}/reference.en {EXAMPLES}/good.en --format json"
    plain = run(tmp_path, command, 1 << 30)
    monkeypatch.setenv("WEIGH_CACHE", str(tmp_path / "cache"))
    done = run(tmp_path, command, 4)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr == f"weigh: {tmp_path}/cache: the cache cannot be written: File too large\n"
    assert list((tmp_path / "cache").iterdir()) == []
