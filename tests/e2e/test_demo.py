"""`weigh demo`: its steps find what is true of the data that were made up for them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from weigh_lab.cli.demo import STEPS

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def parts(story: str) -> dict[str, str]:
    """Return what a story says, by the name of the step."""
    found = re.split(r"^\d\. ", story, flags=re.MULTILINE)[1:]
    return dict(zip(STEPS, found, strict=True))


def test_the_story_is_true_and_each_step_can_be_told_alone(weigh: Run, tmp_path: Path) -> None:
    done = weigh("demo")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "weigh-demo"
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    best_first = [each["system"] for each in truth["systems"]]
    told = parts(done.stdout)
    for name in ("compare", "people"):
        ranked = re.findall(
            rf"^ *(?:\d +)?({'|'.join(best_first)}) +-?\d", told[name], re.MULTILINE
        )
        assert ranked[:5] == best_first, name
    assert re.search(r" 10/10 +100\.0%", told["accuracy"])
    before, after = map(
        float, re.findall(r"Held out.*: ([\d.]+) before, ([\d.]+) after", told["tune"])[0]
    )
    assert before < after
    large, small = re.findall(r"^(?:large|small) +([\d.]+)", told["rypt"], re.MULTILINE)
    assert float(large) > float(small)
    pages = sorted(path.name for path in folder.glob("*.html"))
    assert pages == ["comparison.html", "people.html", "rypt.html", "tuning.html"]
    assert all(f"weigh-demo/{page}" in done.stdout for page in pages)
    assert (folder / "hits" / "adequacy.jsonl").exists()

    [command] = re.findall(r"^\$ weigh (score .*)$", told["score"], re.MULTILINE)
    arguments = shlex.split(command.replace("/*", ""))
    systems = [str(path) for path in sorted((folder / "systems").iterdir())]
    typed = weigh(*arguments[:-1], *systems)
    assert typed.stdout.strip() in told["score"]

    alone = weigh("demo", "score")
    assert alone.returncode == 0, alone.stderr
    assert "weigh demo campaign" not in alone.stdout
    assert "using existing data" in alone.stderr
    assert typed.stdout.strip() in alone.stdout

    # A step takes the data that are there, under any name.
    odd = tmp_path / "a 'b' $HOME"
    odd.mkdir()
    (folder / "lists").rename(odd / "lists")
    done = weigh("demo", "rypt", "a 'b' $HOME", "--quiet")
    assert done.returncode == 0, done.stderr


def test_a_step_makes_what_it_needs_under_any_name(weigh: Run, tmp_path: Path) -> None:
    done = weigh("demo", "score", "a 'b' $HOME", "--seed", "3", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    truth = json.loads((tmp_path / "a 'b' $HOME" / "truth.json").read_text(encoding="utf-8"))
    assert truth["seed"] == 3


def test_the_story_ends_where_a_step_fails(weigh: Run, tmp_path: Path) -> None:
    (tmp_path / "weigh-demo").write_text("mine\n", encoding="utf-8")
    done = weigh("demo")
    assert done.returncode == 1
    assert "weigh-demo: a file, but a directory was expected" in done.stderr
    assert "2. " not in done.stdout
