"""HTER: TER against post-editions of each system's own output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

Run = Callable[..., "subprocess.CompletedProcess[str]"]
TEXTS = {
    "a": ["the cat sat on mat .", "it rain all day .", "he home goes now"],
    "b": ["cat the sits at the mat .", "it rained all day .", "he goes at home"],
}
EDITED = {
    "a": ["the cat sat on the mat .", "it rained all day .", "he goes home now"],
    "b": ["the cat sits on the mat .", "it rained all day .", "he goes home"],
}
REFERENCE = ["a cat was sitting on the mat .", "rain fell all day .", "now he is going home"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in TEXTS:
        (tmp_path / f"{name}.out").write_text("".join(f"{text}\n" for text in TEXTS[name]))
        (tmp_path / f"{name}.edited").write_text("".join(f"{text}\n" for text in EDITED[name]))
    (tmp_path / "reference").write_text("".join(f"{text}\n" for text in REFERENCE))
    return tmp_path


OWN = ("-r", "a=a.edited", "-r", "b=b.edited", "a=a.out", "b=b.out", "-m", "ter")


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hter(name: str, *references: list[str]) -> float:
    return sacrebleu.TER().corpus_score(TEXTS[name], [*references, EDITED[name]]).score


def test_every_system_has_its_own_post_editions(weigh: Run, work: Path) -> None:
    made = document(weigh("score", *OWN, "--details", "--format", "json", cwd=work))
    assert [each["score"] for each in made["scores"]] == pytest.approx([hter("a"), hter("b")])
    # One edit in each segment of a, two of them shifts or words; 6, 5 and 4 words after editing.
    assert made["scores"][0]["details"] == {"edits": 3, "reference_words": 16}
    assert made["test_set"]["references"] == 1
    assert made["scores"][0]["signature"].startswith("nrefs:1|")


def test_post_editions_beside_a_common_reference(weigh: Run, work: Path) -> None:
    made = document(weigh("score", "-r", "reference", *OWN, "--format", "json", cwd=work))
    assert [each["score"] for each in made["scores"]] == pytest.approx(
        [hter("a", REFERENCE), hter("b", REFERENCE)]
    )
    assert made["test_set"]["references"] == 2
