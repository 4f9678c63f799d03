"""Texts without spaces, through the verbs: what counts as a word is found, said, or asked for."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SUBJECTS = ["私は", "彼女は", "先生は", "子供たちは", "隣の人は", "社長は"]
PLACES = ["図書館で", "東京の駅で", "学校の庭で", "新しい店で", "海の近くで"]
OBJECTS = ["本を", "古い写真を", "音楽の話を", "赤い花を", "切符を"]
VERBS = ["見つけました", "忘れました", "買いました", "待っていました", "借りました"]
CHINESE = ["我昨天在北京的图书馆借了一本书。", "她喜欢音乐，他喜欢看书。", "他们明天去上海开会。"]
ALIKE = ["我昨天从北京图书馆借了书。", "她爱音乐，他爱看书。", "他们明天到上海参加会议。"]


def write(path: Path, texts: list[str]) -> None:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


@pytest.fixture
def japanese(tmp_path: Path) -> Path:
    """References, a system with one other verb in each sentence, and one of Latin names alone."""
    draw = random.Random(1)
    references, good, empty = [], [], []
    for number in range(60):
        name = f"Dr. Ann Lee ( No. {number} ) "
        words = [draw.choice(each) for each in (SUBJECTS, PLACES, OBJECTS, VERBS)]
        references.append(f"{name}{''.join(words)}。")
        good.append(f"{name.replace(' ', '')}{''.join(words[:3])}知りません。")
        empty.append(f"{name}はい。")
    for file, texts in (("ref", references), ("good", good), ("empty", empty)):
        write(tmp_path / file, texts)
    return tmp_path


@pytest.fixture
def chinese(tmp_path: Path) -> Path:
    write(tmp_path / "ref", CHINESE * 4)
    write(tmp_path / "sys", ALIKE * 4)
    lines = [
        f"{number} ||| {text} ||| f= {value} {place} ||| 0"
        for number in range(12)
        for place, (text, value) in enumerate(
            ((ALIKE[number % 3], 1.0), (CHINESE[number % 3], 0.5), ("我。", 0.2))
        )
    ]
    write(tmp_path / "nbest", lines)
    return tmp_path


def loaded(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.usefixtures("japanese")
def test_the_better_japanese_wins(weigh: Run) -> None:
    """With 13a a sentence is a word, and who copies names wins with a small p-value."""
    found = {}
    for spec in ("bleu:tokenize=13a", "bleu"):
        done = weigh("compare", "-r", "ref", "-m", spec, "--format", "json", "good", "empty")
        result = loaded(done)
        [pair] = result["comparisons"]
        assert pair["p_value"] < 0.001
        found[spec] = pair["difference"]
        scheme = "13a" if "13a" in spec else "ja-mecab-0.996-IPA"
        assert {f"|tok:{scheme}|" in one["signature"] for one in result["scores"]} == {True}
        assert {one["metric"] for one in result["scores"]} == {spec}
    assert found["bleu:tokenize=13a"] < 0 < found["bleu"]


@pytest.mark.usefixtures("japanese")
def test_words_that_are_not_found_are_an_error(weigh: Run) -> None:
    done = weigh("compare", "-r", "ref", "-m", "ter", "good", "empty")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "the references are Japanese" in done.stderr
    assert "ter:tokenize=" in done.stderr


@pytest.mark.usefixtures("chinese")
def test_lists_of_chinese(weigh: Run) -> None:
    common = ("--nbest", "nbest", "-r", "ref", "-m", "bleu", "--format", "json")
    tuned = loaded(weigh("tune", *common, "--starts", "2", "--heldout", "nbest",
                         "--heldout-ref", "ref"))  # fmt: skip
    assert "|tok:zh|" in tuned["signature"]
    assert "|tok:zh|" in tuned["held_out"]["signature"]
    assert tuned["score"] == pytest.approx(100)  # the references are among the candidates
    oracle = weigh("rerank", "--oracle", *common)
    trained = weigh("rerank", "--train", *common, "--gamma", "0.1")
    equal = weigh("validate", "type1", *common, "--nulls", "20", "--trials", "199")
    for done in (oracle, trained, equal):
        assert done.returncode == 0, done.stderr
        assert "|tok:zh|" in done.stdout
        assert "|tok:auto|" not in done.stdout


@pytest.mark.usefixtures("chinese")
def test_slices_of_two_languages(weigh: Run, tmp_path: Path) -> None:
    write(tmp_path / "mixed", [*CHINESE, *(["We met in the park."] * 9)])
    write(tmp_path / "slices", ["zh"] * 3 + ["en"] * 9)
    given = ("score", "-r", "mixed", "--slices", "slices", "mixed")
    done = weigh(*given, "-m", "bleu")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "slice zh are Chinese, but those of en are written with spaces" in done.stderr
    assert weigh(*given, "-m", "bleu:tokenize=zh").returncode == 0
