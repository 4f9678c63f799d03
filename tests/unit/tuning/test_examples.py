"""From lists to blocks: features relative to the first candidate, phrases, cut-off, best ones."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weigh.errors import InputError
from weigh.metrics.bleu import Bleu
from weigh.metrics.ter import Ter
from weigh.tuning.examples import Examples, SpooledBlocks, collect
from weigh.tuning.gather import read_parts
from weigh.types import Outputs, TestSet

REFERENCE = ["the cat sat on the mat", "a dog ran home", "it rains"]
CANDIDATES = [
    ("0", "the cat sat on a mat", {"lm_0": -3.5, "tm_0": 1.0, "rare_feature_x": 2.0}),
    ("0", "the cat sat on the mat", {"lm_0": -4.0, "tm_0": 1.0}),
    ("0", "cat mat", {"lm_0": -1.0, "tm_0": 1.0}),
    ("1", "a dog ran", {"lm_0": -2.0, "tm_0": 5.0}),
    ("1", "the cat ran home", {"lm_0": -2.0, "tm_0": 5.0}),
    ("2", "it rains", {"lm_0": -1.0, "tm_0": 0.0}),
]


@pytest.fixture
def list_file(tmp_path: Path) -> str:
    lines = []
    for key, text, features in CANDIDATES:
        named = " ".join(f"{name.removesuffix('_0')}= {value}" for name, value in features.items())
        lines.append(f"{key} ||| {text} ||| {named} ||| 0\n")
    path = tmp_path / "list"
    path.write_text("".join(lines))
    return str(path)


def whole(examples: Examples) -> Any:
    return np.concatenate([block.features.toarray() for block in examples.blocks])


def expected_features(name: str) -> list[float]:
    """By definition: the feature, or the number of times the phrase occurs, less the first's."""
    values = []
    for _, text, features in CANDIDATES:
        words = text.split()
        if name == "length:words":
            values.append(float(len(words)))
            continue
        phrase = tuple(name.removeprefix("phrase:").split())
        grams = Counter(
            tuple(words[at : at + len(phrase)]) for at in range(len(words) - len(phrase) + 1)
        )
        is_phrase = name.startswith("phrase:")
        values.append(float(grams[phrase]) if is_phrase else features.get(name, 0.0))
    first = [0, 0, 0, 3, 3, 5]
    return [value - values[at] for value, at in zip(values, first, strict=True)]


@pytest.mark.parametrize("part", [1, 100])
def test_features_by_definition(list_file: str, part: int) -> None:
    with SpooledBlocks() as blocks:
        examples = collect(
            read_parts([list_file], part=part),
            TestSet([REFERENCE]),
            Bleu(),
            blocks,
            orders=(2, 3),
            cutoff=1,
        )
        matrix = whole(examples)
        assert [block.sentences for block in blocks] == ([1, 1, 1] if part == 1 else [3])
    assert examples.ids == ("0", "1", "2")
    assert examples.candidates == 6
    # tm_0 never varies; phrases that vary in no sentence, such as 'it rains', are gone.
    assert set(examples.names) >= {"lm_0", "rare_feature_x", "phrase:the mat", "phrase:cat sat on"}
    assert not {"tm_0", "phrase:it rains", "phrase:the"} & set(examples.names)
    assert examples.length is not None
    assert examples.names[examples.length] == "length:words"
    assert "length:characters" not in examples.names
    for column, name in enumerate(examples.names):
        assert matrix[:, column].tolist() == expected_features(name), name


def test_cutoff_counts_sentences_in_which_a_sparse_feature_varies(list_file: str) -> None:
    with SpooledBlocks() as blocks:
        examples = collect(
            read_parts([list_file]), TestSet([REFERENCE]), Bleu(), blocks, orders=(2,), cutoff=2
        )
    # 'the cat' is in all but one candidate of sentence 0 and in one of sentence 1.
    assert [name for name in examples.names if name.startswith("phrase:")] == ["phrase:the cat"]
    assert "lm_0" in examples.names


@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_best_candidates(list_file: str, metric: Any) -> None:
    test_set = TestSet([REFERENCE])
    with SpooledBlocks() as blocks:
        examples = collect(read_parts([list_file]), test_set, metric, blocks, gold="sentence")
        [block] = blocks
    outputs = Outputs([text for _, text, _ in CANDIDATES], [int(key) for key, _, _ in CANDIDATES])
    rows = metric.prepare(test_set).rows(outputs)
    assert np.array_equal(block.rows, rows)
    sign = 1 if metric.higher_is_better else -1
    scores = (sign * metric.segment_scores(rows)).tolist()
    for first, last in [(0, 3), (3, 5), (5, 6)]:
        top = max(scores[first:last])
        assert block.best[first:last].tolist() == [score == top for score in scores[first:last]]
    assert examples.gold_score == metric.score(rows[np.flatnonzero(block.best)].sum(axis=0))


@pytest.mark.parametrize("part", [1, 100])
@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_gold_is_what_scores_best_together(list_file: str, metric: Any, part: int) -> None:
    test_set = TestSet([REFERENCE])
    with SpooledBlocks(0) as blocks:
        examples = collect(read_parts([list_file], part=part), test_set, metric, blocks)
        best = np.concatenate([block.best for block in blocks])
    outputs = Outputs([text for _, text, _ in CANDIDATES], [int(key) for key, _, _ in CANDIDATES])
    rows = metric.prepare(test_set).rows(outputs)
    scores = {
        choice: float(metric.score(rows[list(choice)].sum(axis=0)))
        for choice in product((0, 1, 2), (3, 4), (5,))
    }
    top = (max if metric.higher_is_better else min)(scores.values())
    gold = {candidate for choice, score in scores.items() if score == top for candidate in choice}
    assert np.flatnonzero(best).tolist() == sorted(gold)
    assert examples.gold_score == top


def test_text_without_spaces_is_long_by_its_characters(tmp_path: Path) -> None:
    path = tmp_path / "list"
    texts = ["猫がいる", "猫", "犬がはしる", "犬 がいる", "雨", "雨がふる"]
    path.write_text(
        "".join(f"{at // 2} ||| {text} ||| f= {at}\n" for at, text in enumerate(texts)),
        encoding="utf-8",
    )
    with SpooledBlocks() as blocks:
        test_set = TestSet([["猫がいる", "犬がはしる", "雨がふる"]])
        examples = collect(read_parts([str(path)]), test_set, Bleu(tokenize="char"), blocks)
        matrix = whole(examples)
    assert examples.names == ("f_0", "length:characters")
    assert examples.length == 1
    assert matrix[:, 1].tolist() == [0, -3, 0, -1, 0, 3]


def test_a_long_list_must_be_sorted(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("".join(f"{key} ||| a{at} ||| f= {at}\n" for at, key in enumerate("0011220")))
    with pytest.raises(InputError, match=r"line 7 is of sentence '0'.*sort"):
        list(read_parts([str(path)], part=2))
    [nbest] = read_parts([str(path)], part=7)
    assert np.diff(nbest.offsets).tolist() == [3, 2, 2]
