"""A whole campaign with the installed command: plan, HITs, demo, agreement, metrics."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from weigh.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]


SMALL = ("--segments", "100", "--hits", "40", "--judges", "20")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "trial"
    assert main(["demo", "campaign", str(directory), *SMALL, "--quiet"]) == 0
    return directory


def systems(campaign: Path) -> list[str]:
    return [
        argument
        for path in sorted((campaign / "systems").iterdir())
        for argument in ("--system", str(path))
    ]


def test_the_truth_is_found_again(weigh: Run, campaign: Path) -> None:
    truth = json.loads((campaign / "truth.json").read_text())
    assert (truth["schema"], truth["command"]) == ("weigh/3", "demo campaign")
    files = (campaign / "judgments.jsonl", "--names")
    done = weigh("human", "quality", *files, "--format", "json")
    kept = {each["judge"]: each["kept"] for each in json.loads(done.stdout)["judges"]}
    honest = {each["name"]: each["habit"] == "honest" for each in truth["judges"]}
    assert sum(kept[name] != honest[name] for name in honest) <= 2
    done = weigh(
        *("human", "rank", "--quality", "crowd-alone"),
        *(campaign / "judgments.jsonl", "--format", "json"),
    )
    scores = json.loads(done.stdout)["scores"]
    assert [each["system"] for each in scores] == [each["system"] for each in truth["systems"]]


def test_demo_refuses_and_repeats(weigh: Run, campaign: Path, tmp_path: Path) -> None:
    done = weigh("demo", "campaign", "again", *SMALL)
    assert (done.returncode, done.stdout) == (0, "")
    assert "wrote to again: reference.txt, hits.jsonl, judgments.jsonl, truth.json" in done.stderr
    for path in campaign.rglob("*.*"):
        same = tmp_path / "again" / path.relative_to(campaign)
        assert same.read_bytes() == path.read_bytes()
    done = weigh("demo", "campaign", "again", *SMALL)
    assert done.returncode == 1
    assert "reference.txt: exists; add --force to overwrite it" in done.stderr
    for arguments, message in (
        (["campagin", "x"], "unknown step 'campagin'; did you mean 'campaign'?"),
        (["campaign"], "demo campaign: expected one directory, found 0"),
        (["campaign", "x", "--systems", "1"], "1 systems; give a number from 2 to 10"),
        (["lists", "x", "y"], "demo lists: expected one directory, found 2"),
        (
            ["score", "x", "--hits", "4"],
            "--hits applies only to 'weigh demo campaign'; leave it out",
        ),
    ):
        done = weigh("demo", *arguments)
        assert (done.returncode, done.stderr) == (2, f"weigh: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no systems given; name their files, or give their number with --count"),
        (["--count", "1"], "1 system; a comparison needs at least two"),
        (
            ["--count", "3", "-o", "x"],
            "-o DIR needs the files of the systems; give",
        ),
        (["--count", "3", "a.en"], "both systems and --count given; give one of them"),
        (
            ["a", "b", "-o", "x"],
            "HITs need a reference, also for controls; add one with --ref FILE",
        ),
        (
            ["--count", "3", "--scale", "meaning"],
            "scale 'meaning' is unknown; choose from adequacy, fluency",
        ),
        (
            ["--count", "3", "--hours", ".1"],
            "0.1 hours are not enough for one HIT, which takes 0.44",
        ),
        (["--count", "3", "--kind", "pears"], "kind 'pears' is unknown; did you mean 'pair'?"),
        (["a", "--kind", "pair"], "1 system; a comparison needs at least two"),
        (["a", "b", "--kind", "esa", "-r", "r", "-o", "x"], "esa: judges need the source to mark"),
        (
            ["a", "b", "--kind", "mqm", "-s", "s", "-o", "x", "--export", "mturk"],
            "--export mturk with kind mqm: not supported; use weigh serve, or --export",
        ),
        (["--count", "3", "--kind", "esa", "--scale", "fluency"], "scale fluency with kind esa"),
        (
            ["--count", "3", "--split", "99"],
            "--split: expected a whole number of at most 50, not '99'",
        ),
        (
            ["--count", "3", "--rate", "-1"],
            "--rate: expected a number of at most 1e+09 and above 0, not '-1'",
        ),
    ],
)
def test_wrong_plans(arguments: list[str], message: str, weigh: Run) -> None:
    done = weigh("human", "plan", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"weigh: {message}")
    assert done.stderr.count("\n") == 1


def test_systems_that_do_not_match(weigh: Run, campaign: Path) -> None:
    some = systems(campaign)[:6]
    arguments = ("human", "metrics", campaign / "judgments.jsonl", "-r", campaign / "reference.txt")
    done = weigh(
        *arguments, *some, "--system", f"new={campaign / 'systems' / 'ash'}", "--trials", "9"
    )
    assert done.returncode == 0, done.stderr
    assert "not scored by metrics, so left out: elm, fir" in done.stderr
    assert "not judged by people, so left out: new" in done.stderr
    # The smallest p-value of 9 trials is 1/10: that nothing is significant is no finding.
    assert "9 trials no difference can be significant; use at least" in done.stderr
    done = weigh(*arguments, *some[:4])
    assert done.returncode == 1
    assert "2 systems that both people and metrics have scored" in done.stderr
    done = weigh(*arguments)
    assert (done.returncode, done.stderr) == (
        2,
        "weigh: no systems given; name texts or scores with --system\n",
    )
