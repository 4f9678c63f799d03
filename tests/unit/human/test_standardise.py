from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.human.judgments import judgments, one
from weigh.human.scores import standardise
from weigh.types import Judgment


@given(judgments())
def test_every_judge_has_mean_0_and_deviation_1(given_ones: list[Judgment]) -> None:
    result = standardise(given_ones)
    judges = {each.judge for each in result.judgments}
    for judge in judges:
        z = [z for each, z in zip(result.judgments, result.z, strict=True) if each.judge == judge]
        assert statistics.mean(z) == pytest.approx(0, abs=1e-9)
        assert statistics.stdev(z) == pytest.approx(1)
    left_out = {each.judge for each in given_ones} - judges
    for judge in left_out:
        assert len({each.value for each in given_ones if each.judge == judge}) == 1
    assert len(result.remarks) == len(left_out)


@given(judgments(), st.randoms(use_true_random=False), st.integers(1, 9), st.integers(-9, 9))
def test_the_order_and_the_judges_scale_do_not_matter(
    given_ones: list[Judgment], random: object, factor: int, shift: int
) -> None:
    shuffled = list(given_ones)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = standardise(given_ones), standardise(shuffled)
    assert dict(zip(first.judgments, first.z, strict=True)) == dict(
        zip(second.judgments, second.z, strict=True)
    )
    assert first.remarks == second.remarks
    stretched = [
        one(each.system, int(each.segment), factor * each.value + shift, each.judge, each.kind)
        for each in given_ones
    ]
    assert standardise(stretched).z == pytest.approx(first.z, abs=1e-9)


def test_pairs_and_scales_are_standardised_apart() -> None:
    given_ones = [one("A", 1, 10), one("A", 2, 20), one("A", 1, 70, scale="fluency")]
    given_ones.append(one("A", 2, 90, scale="fluency"))
    assert standardise(given_ones).z == pytest.approx([-(0.5**0.5), 0.5**0.5] * 2)


def test_a_judge_without_variance_is_left_out_with_a_remark() -> None:
    result = standardise([one("A", 1, 50, "x"), one("A", 2, 50, "x"), one("A", 1, 3, "y")])
    assert result.judgments == result.z == ()
    assert result.remarks == (
        "x: 2 judgments, all the same (de-en, adequacy), so none can be standardised; left out",
        "y: one judgment (de-en, adequacy), so none can be standardised; left out",
    )
