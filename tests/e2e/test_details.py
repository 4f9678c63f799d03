"""`weigh score --details` as installed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_slices(weigh: Run, root: Path) -> None:
    texts = ("-r", "reference.en", "--slices", "domains.txt", "good.en", "poor.en")
    common = ("score", "-m", "chrf,nist", "--format", "json", *texts)
    made = json.loads(weigh(*common, "--details", cwd=root / "examples").stdout)["scores"]
    assert [each.get("slice") for each in made[:6]] == [
        None,
        None,
        *["news"] * 2,
        *["everyday"] * 2,
    ]
    lengths = [each["details"]["hypothesis_length"] for each in made[6:]]
    assert lengths[0] == lengths[2] + lengths[4]
    assert "details" not in weigh(*common, cwd=root / "examples").stdout


def test_reports_show_them_again(weigh: Run, root: Path, tmp_path: Path) -> None:
    common = ("score", "-r", "reference.en", "-m", "bleu,ter", "--details", "good.en", "poor.en")
    result = weigh(*common, "--format", "json", cwd=root / "examples").stdout
    (tmp_path / "result.json").write_text(result, encoding="utf-8")
    for style in ("table", "markdown", "tsv", "json", "latex"):
        shown = weigh(*common, "--format", style, cwd=root / "examples")
        again = weigh("report", "result.json", "--format", style)
        assert again.stdout == shown.stdout != ""
    (tmp_path / "bad.json").write_text(result.replace('"edits": 110', '"edits": "many"'))
    done = weigh("report", "bad.json")
    message = "bad.json.scores[2].details.edits: expected a number, found 'many'; give a file"
    assert (done.returncode, done.stderr) == (1, f"weigh: {message} that weigh has written\n")
