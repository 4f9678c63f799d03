"""`weigh tune` as installed, on fixed lists."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

REFERENCE = ["the cat sat on the mat .", "it rained all day long .", "we went home at night ."]
LIST = """\
0 ||| the cat sat on mat . ||| lm= 3 tm= 1 ||| 4
0 ||| the cat sat on the mat . ||| lm= 1 tm= 2 ||| 3
0 ||| a dog ||| lm= 2 tm= 0 ||| 2
1 ||| it rained ||| lm= 5 tm= 1 ||| 6
1 ||| it rained all day long . ||| lm= 1 tm= 3 ||| 4
2 ||| we went home at night . ||| lm= 0 tm= 2 ||| 2
2 ||| we go home ||| lm= 1 tm= 1.5 ||| 2.5
"""


@pytest.fixture
def tune(weigh: Run, tmp_path: Path) -> Run:
    (tmp_path / "ref").write_text("".join(f"{line}\n" for line in REFERENCE))
    (tmp_path / "list").write_text(LIST)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return weigh("tune", "--nbest", "list", "-r", "ref", *arguments)

    return run


def test_json_follows_the_contract(tune: Run, tmp_path: Path) -> None:
    done = tune("--format", "json", "--starts", "4", "-o", "weights", "-m", "bleu")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert (result["schema"], result["command"], result["metric"]) == ("weigh/3", "tune", "bleu")
    assert list(result["weights"]) == ["lm_0", "tm_0"]
    for weights in (
        result["weights"],
        result["start_weights"],
        *(s["weights"] for s in result["starts"]),
    ):
        assert sum(map(abs, weights.values())) == pytest.approx(1)
    assert result["score"] == pytest.approx(100)  # all references are among the candidates
    assert len(result["starts"]) == 4
    assert len(result["runs"]) == 1
    assert result["runs"][0]["score"] == result["score"] > result["start_score"]
    assert result["test_set"]["segments"] == 3
    written = [line.split() for line in (tmp_path / "weights").read_text().strip().split("\n")]
    assert {name: float(value) for name, value in written} == result["weights"]


def test_the_same_seed_gives_the_same_weights(tune: Run) -> None:
    first, again = (tune("--format", "json", "--seed", "3", "--threads", n).stdout for n in "12")
    assert first == again


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--init", "short"], 1, "short: no weight for the feature 'tm_0'"),
        (
            ["--init", "wrong"],
            1,
            "wrong: a weight for 'xx', but the n-best list has no such feature",
        ),
        (["--init", "two"], 1, "two: 3 weights, but the n-best list has 2 features"),
        (["--init", "zero"], 1, "all start weights are 0"),
        (["--fix", "lm"], 2, "did you mean 'lm_0'?"),
        (["-m", "bleu,ter"], 2, "2 metrics given; weight them with --combine"),
        (["-m", "bleu,ter", "--combine", "1"], 2, "2 metrics, but 1 weights"),
        (["-m", "bleu,ter", "--combine", "a,b"], 2, "--combine: expected a number"),
        (["-m", "bleu,ter", "--combine", "0,0"], 2, "all weights are 0"),
        (["--window", "3"], 2, "--window needs --smooth average"),
        (["--nbest", "list", "huge"], 1, "huge: line 1: the feature value '1e308' is too large"),
        (["--heldout", "more", "--heldout-ref", "ref"], 1, "has the feature 'wp_0', which was not"),
        (["--html", "no/page.html"], 1, "there is no directory no"),
        (["--modle", "x"], 2, "unknown option '--modle'; did you mean '--model'?"),
        (["--model", "x"], 2, "not --nbest and --model"),
        (["--optimizer", "pro", "--starts", "3"], 2, "--starts applies to --optimizer mert"),
        (["--heldout", "list"], 2, "--heldout and --heldout-ref go together"),
        (["--size", "7"], 2, "--size applies to decoders only"),
        (["--decoder", "x"], 2, "not --nbest and --decoder"),
        (["--scorestat", "list"], 2, "and no references"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], code: int, message: str, tune: Run, tmp_path: Path
) -> None:
    for name, text in (
        ("short", "lm_0 1\n"),
        ("wrong", "lm_0 1\ntm_0 1\nxx 1\n"),
        ("two", "1 2 3\n"),
        ("zero", "0 0\n"),
        ("huge", "0 ||| a ||| lm= 1e308 tm= 1\n"),
        ("more", "".join(f"{n} ||| a ||| lm= 1 wp= 1\n" for n in range(3))),
    ):
        (tmp_path / name).write_text(text)
    done = tune(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
