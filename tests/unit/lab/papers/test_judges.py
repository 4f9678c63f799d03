"""Simulated judges of texts whose meaning is known."""

from __future__ import annotations

from collections import Counter

import pytest

from weigh.rypt.plan import Shares
from weigh.rypt.queries import Query
from weigh.validate.blinding import Question
from weigh_lab.papers.judges import Judges, Meanings

# "hund der" says "the dog", and "schläft" says "sleeps".
MEANINGS = Meanings({"hound": "dog", "rests": "sleeps"}, ["the dog sleeps"], [[(0, 1), (2, 2)]])


def query(start: int, end: int, substring: str) -> Query:
    return Query(1, start, end, "x", substring, 1, 1, 1, Shares(0.5, 0.5), 0)


@pytest.mark.parametrize(
    ("start", "end", "substring", "expected"),
    [
        (0, 1, "dog", True),
        (0, 1, "a hound", True),  # a synonym, and an article that is not counted
        (0, 1, "cat", False),
        (0, 3, "the hound rests", True),
        (0, 3, "dog [GAP] rests", False),  # something else stands between
        (0, 3, "sleeps dog", False),  # in another order
        (1, 2, "the", True),  # nothing is said for it
        (1, 2, "very", False),
    ],
)
def test_what_is_acceptable(start: int, end: int, substring: str, expected: bool) -> None:
    assert MEANINGS.is_acceptable(0, start, end, substring) == expected


def test_a_gap_that_the_reference_has_too() -> None:
    meanings = Meanings({}, ["they left a big house behind"], [[(0, 0), (1, 2), (1, 3), (1, 4)]])
    apart = Meanings({}, ["they left a big house behind"], [[(0, 1), (0, 5), (1, 3), (1, 4)]])
    assert apart.is_acceptable(0, 0, 1, "left [GAP] behind")
    assert not apart.is_acceptable(0, 0, 1, "left behind")
    assert apart.is_acceptable(0, 1, 2, "a big house")
    assert meanings.is_acceptable(0, 0, 2, "they [GAP] a big house")


def test_another_order_that_says_the_same_is_right() -> None:
    """Today may come first; "heute" says it, "geht" says "goes"."""
    reference, links = "the man goes today", [(0, 1), (1, 3), (2, 2)]
    one = Meanings({}, [reference], [links])
    both = Meanings({}, [reference], [links], [[(0, 1, 2, 3), (3, 0, 1, 2)]])
    other = "today a man goes"
    assert (one.wrong_words(0, other), both.wrong_words(0, other)) == (2, 0)
    assert both.wrong_words(0, reference) == 0
    assert both.wrong_words(0, "goes today the man") == 2
    assert both.words(0) == 3
    for meanings, expected in ((one, False), (both, True)):
        assert meanings.is_acceptable(0, 0, 2, "man [GAP] today")
        assert meanings.is_acceptable(0, 0, 2, "today a man") == expected
        assert not meanings.is_acceptable(0, 1, 3, "man today")


def test_wrong_words() -> None:
    assert MEANINGS.wrong_words(0, "a hound rests") == 0
    assert MEANINGS.wrong_words(0, "sleeps the dog") == 2
    assert MEANINGS.wrong_in_any_order(0, "sleeps the dog") == 0
    assert MEANINGS.wrong_in_any_order(0, "the cat sleeps well") == 2
    assert MEANINGS.quality(0, "the cat sleeps") == 50.0


def test_judges_who_never_err_tell_the_truth() -> None:
    judges = Judges(MEANINGS, 1, wrong=0, unsure=0, noise=1e-9)
    assert judges.label(query(0, 1, "hound"), "hund der schläft").label == "YES"
    assert judges.label(query(0, 1, "cat"), "hund der schläft").label == "NO"
    pair = Question("p1", None, None, "the cat sleeps", "the hound sleeps")
    assert judges.prefer("j", 0, pair).answer == "right"
    same = Question("p2", None, None, "the dog sleeps", "the hound sleeps")
    assert judges.prefer("j", 0, same).answer in ("neither", "left", "right")


def test_labels_are_wrong_and_not_sure_as_often_as_they_should() -> None:
    judges = Judges(MEANINGS, 1)
    labels = Counter(judges.label(query(0, 1, "dog"), f"hund {at}").label for at in range(4000))
    assert labels["NOT SURE"] / 4000 == pytest.approx(0.05, abs=0.015)
    assert labels["NO"] / 4000 == pytest.approx(0.1, abs=0.02)
    once = judges.label(query(0, 1, "dog"), "hund 7")
    assert once == judges.label(query(0, 1, "dog"), "hund 7")
