"""HITs are laid out as specified: how many of what, and where."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.human.hits import LAYOUTS, Hit, make_hits
from weigh.types import Outputs, System, TestSet

COUNTS = {
    "crowd-alone": {"system": 70, "bad": 10, "reference": 10, "repeat": 10},
    "appraise": {"system": 80, "bad": 10, "reference": 5, "repeat": 5},
}
PER_BLOCK = {"crowd-alone": {7}, "appraise": {8}}


def data(segments: int, systems: int) -> tuple[TestSet, list[System]]:
    references = [f"the reference of segment {at} has some words" for at in range(segments)]
    made = [
        System(
            f"s{number}",
            Outputs([f"system {number} says of segment {at} this" for at in range(segments)]),
        )
        for number in range(systems)
    ]
    return TestSet([references], ids=[f"id{at}" for at in range(segments)]), made


presets = st.sampled_from(sorted(LAYOUTS))


@given(presets, st.integers(80, 200), st.integers(1, 9), st.integers(0, 2**64 - 1))
def test_layout(preset: str, segments: int, systems: int, seed: int) -> None:
    test_set, made = data(segments, systems)
    texts = {system.name: system.outputs.texts for system in made}
    for hit in make_hits(test_set, made, 2, preset=preset, seed=seed):
        assert Counter(item.kind for item in hit.items) == COUNTS[preset]
        assert [item.number for item in hit.items] == list(range(1, 101))
        blocks = [hit.items[start : start + 10] for start in range(0, 100, 10)]
        sizes = {sum(item.kind == "system" for item in block) for block in blocks}
        assert sizes == PER_BLOCK[preset]
        outputs = [item for item in hit.items if item.kind == "system"]
        assert len({item.segment for item in outputs}) == len(outputs)
        made_from = [item.of for item in hit.items if item.of is not None]
        assert len(made_from) == len(set(made_from)) == 100 - len(outputs)
        for item in hit.items:
            segment = int(item.segment[2:])
            assert item.reference == test_set.references[0][segment]
            if item.kind == "system":
                assert item.of is None
                assert item.text == texts[item.system][segment]
                continue
            assert item.of is not None
            original = hit.items[item.of - 1]
            assert original.kind == "system"
            assert (item.system, item.segment) == (original.system, original.segment)
            assert 41 <= abs(item.number - item.of) <= 59
            if item.kind == "repeat":
                assert item.text == original.text
            elif item.kind == "reference":
                assert item.text == item.reference
            else:
                assert item.text != original.text


def test_controls_stand_at_every_distance() -> None:
    hits = make_hits(*data(100, 3), 200)
    distances = {
        abs(item.number - item.of) for hit in hits for item in hit.items if item.of is not None
    }
    assert distances == set(range(41, 60))


@settings(max_examples=20)
@given(presets, st.integers(30, 90), st.integers(3, 6), st.integers(0, 1000))
def test_outputs_are_taken_in_turn(preset: str, segments: int, systems: int, seed: int) -> None:
    test_set, made = data(segments, systems)
    size = COUNTS[preset]["system"]
    hits = make_hits(test_set, made, 3 * segments * systems // size, preset=preset, seed=seed)
    seen: Counter[tuple[str, str]] = Counter()
    for hit in hits:
        outputs = [(item.system, item.segment) for item in hit.items if item.kind == "system"]
        assert len(set(outputs)) == size
        seen.update(outputs)
        by_system = Counter(system for system, _ in outputs)
        assert max(by_system.values()) - min(by_system.values()) <= 1 + -(-size // segments)
    counts = [seen[system.name, key] for system in made for key in test_set.ids or ()]
    assert max(counts) - min(counts) <= 1


def test_more_hits_begin_with_the_same() -> None:
    inputs = data(90, 3)
    assert make_hits(*inputs, 5)[:2] == make_hits(*inputs, 2)
    assert make_hits(*inputs, 1) != make_hits(*inputs, 1, seed=0)


def test_fluency_shows_no_reference() -> None:
    inputs = data(90, 3)
    fluency, adequacy = (make_hits(*inputs, 1, scale=scale)[0] for scale in ("fluency", "adequacy"))
    assert {item.reference for item in fluency.items} == {None}
    assert [key(fluency) != key(adequacy) for key in (lambda hit: hit.name, order)] == [True, True]
    references = {item.text for item in fluency.items if item.kind == "reference"}
    assert references <= set(inputs[0].references[0])


def order(hit: Hit) -> list[tuple[str, str]]:
    return [(item.system, item.segment) for item in hit.items]


def test_empty_outputs_are_not_damaged() -> None:
    test_set, [system] = data(100, 1)
    texts = [text if at % 2 else "" for at, text in enumerate(system.outputs.texts)]
    for hit in make_hits(test_set, [System("half", Outputs(texts))], 30):
        for item in hit.items:
            if item.kind == "bad" and item.of is not None:
                assert hit.items[item.of - 1].text
    with pytest.raises(InputError, match="all others of a block are empty"):
        make_hits(test_set, [System("none", Outputs([""] * 100))], 1)
