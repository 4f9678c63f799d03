"""The loop with a decoder in both contracts, killed and started again."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e import dummy_decoder
from e2e.in_process import run_inside

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SCRIPT = Path(dummy_decoder.__file__)
DECODER = f"{sys.executable} -I -S {SCRIPT}"  # it needs no packages and starts sooner so
CONTRACTS = ["file", "moses"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with references and start weights."""
    return prepared(tmp_path)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of loops that nobody kills."""
    results = {}
    for contract in CONTRACTS:
        place = prepared(tmp_path_factory.mktemp(contract))
        done = run_inside(*arguments(contract, "whole"), cwd=place)
        assert done.returncode == 0, done.stderr
        results[contract] = json.loads(done.stdout)
    return results


def prepared(place: Path) -> Path:
    references = dummy_decoder.references()
    (place / "ref").write_text("".join(f"{line}\n" for line in references))
    (place / "src").write_text("x\n" * len(references))
    (place / "init").write_text("lm_0 0.1\ntm_0 1.0\ntm_1 0.5\n")
    return place


def arguments(contract: str, folder: str = "loop") -> list[str]:
    common = ["tune", "--dir", folder, "--format", "json", "--quiet"]
    command = f"{DECODER} file {{weights}} {{nbest}} {{size}} {{source}}"
    return [
        *common,
        *("--decoder", command if contract == "file" else f"{DECODER} moses -threads 1"),
        *("-r", "ref", "-s", "src", "--init", "init", "--size", "10", "--seed", "7"),
        *("-m", "bleu:tokenize=none", "--starts", "4", "--iterations", "4"),
    ]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_loop_finds_better_weights(
    contract: str, installed: Run, weigh: Run, place: Path
) -> None:
    done = installed(*arguments(contract), "-o", "weights.txt")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    iterations = result["iterations"]
    assert 2 <= len(iterations) <= 4
    assert result["score"] == max(each["score"] for each in iterations)
    assert result["score"] > result["start_score"] + 5
    assert [each["candidates"] for each in iterations] == sorted(
        each["candidates"] for each in iterations
    )
    weights = list(result["weights"].values())
    # The claim is what the decoder's own output scores, by a sorted list of ours.
    best = dummy_decoder.lines(weights, 1)
    (place / "best").write_text("".join(line.split(" ||| ")[1] + "\n" for line in best))
    scored = weigh("score", "-r", "ref", "-m", "bleu:tokenize=none", "--format", "json", "best")
    assert json.loads(scored.stdout)["scores"][0]["score"] == pytest.approx(result["score"])
    written = dict(
        line.rsplit(maxsplit=1) for line in (place / "weights.txt").read_text().strip().split("\n")
    )
    assert {name: float(value) for name, value in written.items()} == result["weights"]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_killed_loop_goes_on_to_the_same_end(
    contract: str, weigh: Run, place: Path, uninterrupted: dict[str, Any]
) -> None:
    """Killed while the decoder writes, before it, while tuning and between two iterations."""
    expected = uninterrupted[contract]
    assert len(expected["iterations"]) > 2
    moments = ["iteration1/*.part", "iteration2", "iteration2/nbest", "iteration2/result.json"]
    # What differs between the contracts is how the decoder is called.
    for number, moment in enumerate(moments if contract == "file" else moments[:1]):
        folder = f"killed{number}"
        kill_at(place, arguments(contract, folder), f"{folder}/{moment}")
        resumed = weigh(*arguments(contract, folder))
        assert resumed.returncode == 0, resumed.stderr
        assert json.loads(resumed.stdout) == expected
    again = weigh(*arguments(contract, folder))
    assert json.loads(again.stdout) == expected


def kill_at(place: Path, command: list[str], moment: str) -> None:
    """Run a command until a file appears, and kill it and its decoder at once."""
    with started(place, command, pause="0.5") as process:
        deadline = time.monotonic() + 50
        while not list(place.glob(moment)):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_loop_killed_again_and_again_at_any_moment(
    contract: str, weigh: Run, place: Path, uninterrupted: dict[str, Any]
) -> None:
    """Kills at times that nobody chose, one after another in the same folder, until it is done."""
    times = random.Random(contract)
    killed = 0
    while killed < 5 and kill_after(place, arguments(contract, "killed"), times.uniform(0.2, 0.9)):
        killed += 1
    assert killed
    resumed = weigh(*arguments(contract, "killed"))
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout) == uninterrupted[contract]


def kill_after(place: Path, command: list[str], seconds: float) -> bool:
    """Run a command for some time and kill it and its decoder; return whether it had to be."""
    with started(place, command, pause="0.15") as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True
    return False


def started(place: Path, command: list[str], pause: str) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, with a slow decoder."""
    return subprocess.Popen(
        [Path(sys.executable).with_name("weigh"), *command],
        cwd=place,
        env={**os.environ, "DUMMY_PAUSE": pause},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_combination_of_metrics(contract: str, weigh: Run, place: Path) -> None:
    bleu, ter = "bleu:tokenize=none", "ter:case_sensitive"
    # The last -m of a list of options does not replace those before, so that they are left out.
    given = [each for each in arguments(contract) if each not in ("-m", bleu)]
    given += ["--iterations", "3"]
    done = weigh(*given, "-m", bleu, "-m", ter, "--combine", "0.75,-0.25")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["metric"] == r"combine:bleu\:tokenize=none=0.75:ter\:case_sensitive=-0.25"
    best = dummy_decoder.lines(list(result["weights"].values()), 1)
    (place / "best").write_text("".join(line.split(" ||| ")[1] + "\n" for line in best))
    scored = weigh("score", "-r", "ref", "-m", bleu, "-m", ter, "--format", "json", "best")
    scores = [entry["score"] for entry in json.loads(scored.stdout)["scores"]]
    assert result["score"] == pytest.approx(0.75 * scores[0] - 0.25 * scores[1])
    # What it is a combination of is part of what the folder is for.
    again = weigh(*given, "-m", bleu, "-m", ter, "--combine", "0.5,-0.5")
    assert again.returncode == 1
    assert "another 'metric'" in again.stderr


@pytest.mark.usefixtures("place")
def test_a_decoder_that_fails_is_heard(weigh: Run) -> None:
    given = (*arguments("file"), "--iterations", "2")
    done = weigh(*given, DUMMY_FAILS="1")
    assert done.returncode == 1
    assert "decoder: no model was found\nweigh: decoder: giving up\n" in done.stderr
    assert "the decoder failed with exit code 3" in done.stderr
    assert "Traceback" not in done.stderr
    assert weigh(*given).returncode == 0  # and can go on when that is put right


@pytest.mark.usefixtures("place")
def test_a_decoder_that_writes_nothing(weigh: Run) -> None:
    done = weigh("tune", "--decoder", "true {nbest}", "-r", "ref", "--init", "init")
    assert done.returncode == 1
    assert "wrote no n-best list" in done.stderr


@pytest.mark.usefixtures("place")
def test_a_folder_of_another_loop_is_refused(weigh: Run) -> None:
    assert weigh(*arguments("file"), "--iterations", "1").returncode == 0
    done = weigh(*arguments("file"), "--iterations", "1", "--seed", "8")
    assert done.returncode == 1
    assert "another 'seed'" in done.stderr


def test_runs_have_folders_of_their_own(weigh: Run, place: Path) -> None:
    done = weigh(*arguments("file"), "--runs", "2", "--iterations", "3")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [run["seed"] for run in result["runs"]] == [7, 8]
    assert (place / "loop" / "run1" / "iteration1" / "nbest").exists()
    assert (place / "loop" / "run2" / "iteration1" / "nbest").exists()
    shutil.rmtree(place / "loop")
