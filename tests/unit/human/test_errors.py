"""Errors that people marked: counted by system, and put into the texts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from unit.human.judgments import one
from weigh.errors import InputError
from weigh.human.errors import errors_of, marked_texts
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.result import document
from weigh.types import Judgment, Outputs, Span, System, TestSet

MAJOR, MINOR = Span(0, 1, "major", "Accuracy/Omission"), Span(2, 4, "minor", "Style")
MISSING = Span(None, None, "minor")


def read(system: str, segment: int, *spans: Span, **rest: object) -> Judgment:
    return one(system, segment, 50.0 + segment, **{"scale": "esa", "spans": spans} | rest)  # type: ignore[arg-type]


JUDGMENTS = [
    read("A", 1, MAJOR, MINOR),
    read("A", 2),
    read("A", 2, MISSING, judge="ben"),
    read("B", 1),
    read("B", 2, MINOR),
]


def test_errors_are_counted_for_every_reading() -> None:
    b, a = errors_of(JUDGMENTS)
    assert (b.system, b.texts, b.without_errors, b.severities) == ("B", 2, 1, {"minor": 1})
    assert (a.system, a.texts, a.without_errors) == ("A", 3, 1)
    assert (a.severities, a.missing) == ({"major": 1, "minor": 2}, 1)
    assert a.categories == {"Accuracy/Omission": 1, "Style": 1}
    assert a.per_hundred == {"major": pytest.approx(100 / 3), "minor": pytest.approx(200 / 3)}


def test_neither_controls_nor_texts_without_the_question_count() -> None:
    others = [
        read("B", 3, MAJOR, kind="bad"),
        read("B", 3, MAJOR, kind="reference"),
        replace(read("B", 4), spans=None),
    ]
    assert errors_of([*JUDGMENTS, *others]) == errors_of(JUDGMENTS)
    assert errors_of(others) == ()


def test_one_reading_on_two_scales_counts_once() -> None:
    both = [*JUDGMENTS, *(replace(each, scale="mqm", value=-1.0) for each in JUDGMENTS)]
    assert errors_of(both) == errors_of(JUDGMENTS)


TEXTS = [
    System("A.en", Outputs(["abcd", "efgh"])),
    System("B.en", Outputs(["\U0001f600bcd", "efgh"])),
]


def test_marks_stand_in_the_texts() -> None:
    wide = read("B", 1, Span(2, 5, "minor", unit="utf-16"))  # of which the first character is two
    found = marked_texts([*JUDGMENTS, wide], TEXTS, TestSet([["r", "s"]], sources=["x", "y"]))
    assert [mark.span for mark in found.marks["B"][0]] == [Span(1, 4, "minor")]
    assert [(mark.span, mark.judge) for mark in found.marks["A"][1]] == [(MISSING, "ben")]
    assert found.segments.outputs == {"A": ["abcd", "efgh"], "B": ["\U0001f600bcd", "efgh"]}
    assert found.segments.sources == ["x", "y"]
    assert found.segments.scores["esa"]["A"] == [51.0, 52.0]


def test_segments_are_found_by_their_ids() -> None:
    named = [replace(each, segment=f"s{each.segment}") for each in JUDGMENTS[:2]]
    found = marked_texts(named, TEXTS, TestSet([["r", "s"]], ids=["s2", "s1"]))
    assert list(found.segments.numbers) == [1, 2]
    assert [mark.span for mark in found.marks["A"][1]] == [MAJOR, MINOR]
    with pytest.raises(InputError, match=r"^segment 's1' was judged, but the texts have 2 segm"):
        marked_texts(named, TEXTS, TestSet([["r", "s"]]))


def test_only_judged_segments_are_kept_and_scores_may_lack() -> None:
    found = marked_texts([JUDGMENTS[0], JUDGMENTS[4]], TEXTS, TestSet([["r", "s"]]))
    assert math.isnan(found.segments.scores["esa"]["A"][1])
    assert marked_texts(JUDGMENTS[:1], TEXTS[:1], TestSet([["r", "s"]])).segments.numbers == [1]


def test_texts_are_for_pages_alone() -> None:
    bare, full = rank(JUDGMENTS), rank(JUDGMENTS, systems=TEXTS)
    assert bare.errors == full.errors == errors_of(JUDGMENTS)
    assert document(bare) == document(full)
    assert "abcd" not in document(full)
    assert bare.texts is None
    assert 'id="segment-data"' in full.to_html()
    assert 'id="segment-data"' not in bare.to_html()


def test_texts_of_scores_alone_are_shown_without_marks() -> None:
    plain = [replace(each, spans=None) for each in JUDGMENTS]
    result = rank(plain, systems=TEXTS)
    assert result.texts is not None
    assert (result.errors, result.texts.marks) == ((), {})
    assert "Marked by people" not in result.to_html()
    clean = rank([replace(each, spans=()) for each in JUDGMENTS], systems=TEXTS).to_html()
    assert "browse-errors" in clean
    assert "Marked by people" not in clean


def test_quality_counts_those_of_judges_who_stay() -> None:
    judgments = []
    for judge, low in (("cat", 10.0), ("dan", 95.0)):
        for segment in range(1, 7):
            genuine = one("A", segment, 80.0 + segment, judge, scale="esa", spans=(MAJOR,))
            judgments += [genuine, replace(genuine, kind="bad", value=low + segment % 3)]
    result = quality(judgments)
    assert [each.judge for each in result.judges if each.kept] == ["cat"]
    [errors] = result.errors
    assert (errors.texts, errors.severities) == (6, {"major": 6})
