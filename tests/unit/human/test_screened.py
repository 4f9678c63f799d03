"""HITs of every kind: what stands on them, in which order, and what their controls are made of."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.human.damage import place_of_damage
from weigh.human.hits import Hit, Item, make_hits, usual_size
from weigh.human.plan import KINDS
from weigh.types import Outputs, System, TestSet, grouped

DOCUMENTS = [4, 13, 1, 25, 10, 7, 12, 18]  # segments of each


def data(systems: int, *, references: bool = True) -> tuple[TestSet, list[System]]:
    names = [f"doc{at}" for at, size in enumerate(DOCUMENTS) for _ in range(size)]
    size = len(names)
    made = [
        System(
            f"s{number}",
            Outputs([f"system {number} says of segment {at} this" for at in range(size)]),
        )
        for number in range(systems)
    ]
    texts = [f"the reference of segment {at} has some words" for at in range(size)]
    test_set = TestSet(
        [texts] if references else [],
        sources=[f"die Quelle {at}" for at in range(size)],
        documents=names,
        ids=[f"id{at}" for at in range(size)],
    )
    return test_set, made


def check_controls(hit: Hit) -> None:
    """Every control is of a genuine item of the same HIT, and is what it should be."""
    for item in hit.items:
        if item.kind == "system":
            assert item.of is None
            assert item.damage is None
            continue
        assert item.of is not None
        original = hit.items[item.of - 1]
        assert (original.kind, original.system) == ("system", item.system)
        assert (original.segment, original.document) == (item.segment, item.document)
        assert (item.text == original.text) == (item.kind == "repeat")
        if item.kind == "bad":
            assert item.damage is not None
            start, end = item.damage
            assert item.text[:start] == original.text[:start]
            rest = len(item.text) - end
            assert item.text[end:] == original.text[len(original.text) - rest :]
    for pair in hit.pairs:
        if pair.kind == "system":
            assert pair.left_system != pair.right_system
            continue
        assert pair.of is not None
        first = hit.pairs[pair.of - 1]
        assert (first.kind, first.segment) == ("system", pair.segment)
        if pair.kind == "repeat":
            assert (pair.left, pair.right) == (first.right, first.left)
            assert (pair.left_system, pair.right_system) == (first.right_system, first.left_system)
            assert pair.better is None
        else:
            assert pair.kind == "bad"
            assert pair.left_system == pair.right_system
            genuine = pair.left if pair.better == "left" else pair.right
            assert genuine in (first.left, first.right)
            assert pair.left != pair.right


kinds = st.sampled_from(KINDS)
splits = st.one_of(st.none(), st.integers(1, 50))


@given(kinds, splits, st.integers(2, 12), st.integers(0, 2**64 - 1), st.booleans())
def test_every_kind(kind: str, split: int | None, systems: int, seed: int, given: bool) -> None:
    test_set, made = data(systems, references=given)
    options = {"kind": kind, "split": split, "preset": "appraise", "seed": seed}
    hits = make_hits(test_set, made, 3, source_based=True, **options)  # type: ignore[arg-type]
    assert make_hits(test_set, made, 2, source_based=True, **options) == hits[:2]  # type: ignore[arg-type]
    for hit in hits:
        assert [entry.number for entry in hit.entries] == list(range(1, len(hit.entries) + 1))
        assert {entry.reference for entry in hit.entries} == {None}
        for entry in hit.entries:
            assert entry.source == f"die Quelle {entry.segment[2:]}"
            assert (entry.document is None) == (split is None)
        counts = Counter(entry.kind for entry in hit.entries)
        assert counts["bad"] >= 1
        assert counts["reference"] == 0 or given
        check_controls(hit)
        if split is None or kind in ("pair", "contrastive"):
            assert len(hit.entries) <= 130
    if split is not None and kind != "contrastive":
        for hit in hits:
            for piece in grouped(hit.items, lambda item: item.screen).values():
                check_piece(piece, test_set, split)


def check_piece(piece: list[Item], test_set: TestSet, split: int) -> None:
    """A piece is consecutive segments of one document by one system, no more than allowed."""
    assert len(piece) <= split
    assert len({(item.document, item.system) for item in piece}) == 1
    numbers = [int(item.segment[2:]) for item in piece]
    assert test_set.documents is not None
    assert {test_set.documents[number] for number in numbers} == {piece[0].document}
    assert all(after == before + 1 for before, after in pairwise(numbers))


def test_documents_come_by_every_system_and_copies_stand_apart() -> None:
    test_set, made = data(3)
    hits = make_hits(test_set, made, 12, kind="esa", preset="appraise", split=10)
    seen = Counter(
        (item.system, item.segment) for hit in hits for item in hit.items if item.kind == "system"
    )
    assert len(seen) == 270
    assert max(seen.values()) - min(seen.values()) <= 1
    for hit in hits:
        assert 75 <= len(hit.items) <= 125
        screens = grouped(hit.items, lambda item: item.screen)
        kinds_of = {screen: {item.kind for item in items} for screen, items in screens.items()}
        assert all(len(kinds) == 1 for kinds in kinds_of.values())
        for screen, items in screens.items():
            if items[0].of is not None:
                original = hit.items[items[0].of - 1].screen
                assert original is not None
                assert screen is not None
                assert abs(screen - original) >= 3
                whole = [item.segment for item in screens[original]]
                assert [item.segment for item in items] == whole
        # A segment by all systems is on one HIT, so that one judge meets all versions.
        systems = grouped(
            (item for item in hit.items if item.kind == "system"), lambda item: item.segment
        )
        assert {len(items) for items in systems.values()} == {3}


def test_a_document_by_many_systems_is_shared_out() -> None:
    test_set, made = data(30)
    hits = make_hits(test_set, made, 6, kind="esa", preset="appraise", split=25)
    for hit in hits:
        assert 60 <= sum(item.kind == "system" for item in hit.items) <= 125
        check_controls(hit)


def test_versions_of_a_segment_share_a_screen() -> None:
    test_set, made = data(4)
    [hit] = make_hits(test_set, made, 1, kind="contrastive", preset="appraise")
    assert Counter(item.kind for item in hit.items) == {"system": 80, "bad": 10, "repeat": 8}
    assert usual_size("contrastive", "appraise", 4) == (80, 98)
    orders = set()
    for items in grouped(hit.items, lambda item: item.screen).values():
        assert len({item.segment for item in items}) == 1
        genuine = [item.system for item in items if item.kind != "bad"]
        assert sorted(genuine) == ["s0", "s1", "s2", "s3"]
        assert len({item.kind for item in items} - {"bad"}) == 1
        orders.add(tuple(genuine))
        for item in items:
            if item.kind == "bad":
                assert item.of in {other.number for other in items}
    assert len(orders) > 5
    damaged = [item.screen for item in hit.items if item.kind == "bad"]
    assert len(set(damaged)) == len(damaged)


@pytest.mark.parametrize("systems", [2, 3, 9, 20, 50, 90])
def test_the_usual_size_of_screens(systems: int) -> None:
    test_set, made = data(systems)
    [hit] = make_hits(test_set, made, 1, kind="contrastive", preset="appraise")
    outputs = sum(item.kind == "system" for item in hit.items)
    assert (outputs, len(hit.items)) == usual_size("contrastive", "appraise", systems)


@pytest.mark.parametrize("split", [None, 10])
def test_sides_are_balanced(split: int | None) -> None:
    test_set, made = data(4)
    hits = make_hits(test_set, made, 20, kind="pair", preset="appraise", split=split)
    shown = Counter(
        (item.left_system, item.right_system)
        for hit in hits
        for item in hit.pairs
        if item.kind == "system"
    )
    assert len(shown) == 12
    for (left, right), number in shown.items():
        assert abs(number - shown[right, left]) <= 1
    by_pair = Counter({frozenset(each): shown[each] + shown[each[::-1]] for each in shown})
    spread = max(by_pair.values()) - min(by_pair.values())
    assert spread <= (1 if split is None else 30)
    better = Counter(item.better for hit in hits for item in hit.pairs if item.kind == "bad")
    assert min(better["left"], better["right"]) > 70  # of 200, by a fair coin


def test_who_marks_errors_meets_all_versions() -> None:
    test_set, made = data(4)
    [hit] = make_hits(test_set, made, 1, kind="mqm", preset="appraise")
    assert Counter(item.kind for item in hit.items) == {
        "system": 80, "bad": 10, "reference": 5, "repeat": 5,
    }  # fmt: skip
    outputs = grouped(
        (item for item in hit.items if item.kind == "system"), lambda item: item.segment
    )
    assert {len(items) for items in outputs.values()} == {4}
    assert {item.screen for item in hit.items} == {None}


def test_empty_texts_are_not_damaged() -> None:
    test_set, _ = data(2)
    half = [System(name, Outputs(["", "some words of a text"] * 45)) for name in "AB"]
    for kind in KINDS:
        for split in (None, 10):
            for hit in make_hits(test_set, half, 3, kind=kind, preset="appraise", split=split):
                for item in hit.items:
                    assert item.kind != "bad" or item.text
    none = [System(name, Outputs([""] * 90)) for name in "AB"]
    for kind in KINDS:
        for split in (None, 10):
            with pytest.raises(InputError, match="empty, but"):
                make_hits(test_set, none, 1, kind=kind, preset="appraise", split=split)


def test_place_of_damage() -> None:
    assert place_of_damage("a b c d", "a x y d", "words") == (2, 5)
    assert place_of_damage("a b c d", "a b c", "words") == (5, 5)
    assert place_of_damage("a b", "x b", "words") == (0, 1)
    assert place_of_damage("雨が降る", "雪が降る", "characters") == (0, 1)
    assert place_of_damage("a a a a", "a a a", "words") == (5, 5)
