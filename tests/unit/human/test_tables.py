"""Scores by segment, document and slice, and systems that are shown only."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from unit.human.judgments import one
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.human.tables import FILES, as_files
from weigh.report.view import load
from weigh.types import Judgment

DOCUMENTS = ["one", "one", "two", "one", "two", "three"]
SLICES = ["news", "news", "talks", "news", "talks", "talks"]


def campaign() -> list[Judgment]:
    """Three systems and two judges on six segments, of which C lacks one."""
    return [
        one(system, segment, 40 + 9 * at + 7 * segment % 20 + 3 * (judge == "ben"), judge)
        for at, system in enumerate("ABC")
        for segment in range(1, 7)
        for judge in ("ann", "ben")
        if (system, segment) != ("C", 4)
    ]


def labelled_result(**options: object) -> RankResult:
    return rank(campaign(), by="raw", documents=DOCUMENTS, slices=SLICES, **options)  # type: ignore[arg-type]


def mean_of(system: str, segments: list[int]) -> float:
    means = [
        fmean(e.value for e in campaign() if (e.system, e.segment) == (system, str(segment)))
        for segment in segments
        if (system, segment) != ("C", 4)
    ]
    return fmean(means)


def test_segments_with_what_they_belong_to() -> None:
    result = labelled_result()
    assert [(row.system, row.segment) for row in result.segment_scores[:7]] == [
        *(("A", str(n)) for n in range(1, 7)),
        ("B", "1"),
    ]
    assert len(result.segment_scores) == 17
    for row in result.segment_scores:
        number = int(row.segment)
        assert row.score == row.raw == pytest.approx(mean_of(row.system, [number]))
        assert (row.document, row.slice) == (DOCUMENTS[number - 1], SLICES[number - 1])
        assert row.judgments == 2
    assert [row.line for row in result.segment_scores[:6]] == [1, 2, 1, 3, 2, 1]


def test_segments_of_numbers_stand_by_their_numbers() -> None:
    answers = [one("A", n, 50 + n) for n in (10, 9, 100, 1)]
    rows = rank(answers, by="raw").segment_scores
    assert [row.segment for row in rows] == ["1", "9", "10", "100"]


def test_documents_are_means_over_segments() -> None:
    rows = {(row.system, row.document): row for row in labelled_result().document_scores}
    assert len(rows) == 9
    for (system, document), row in rows.items():
        segments = [n for n in range(1, 7) if DOCUMENTS[n - 1] == document]
        assert row.score == pytest.approx(mean_of(system, segments))
    assert (rows["C", "one"].segments, rows["C", "one"].judgments) == (2, 4)


def test_slices_with_micro_and_macro_mean() -> None:
    result = labelled_result()
    rows = {(row.system, row.slice): row.score for row in result.slices}
    for score in result.scores:
        parts = []
        for label in ("news", "talks"):
            segments = [n for n in range(1, 7) if SLICES[n - 1] == label]
            assert rows[score.system, label] == pytest.approx(mean_of(score.system, segments))
            parts.append(rows[score.system, label])
        assert score.score == pytest.approx(mean_of(score.system, [*range(1, 7)]))
        assert score.macro == pytest.approx(fmean(parts))  # type: ignore[union-attr]
    sizes = {(row.system, row.slice): row.segments for row in result.slices}
    assert sizes == {(system, label): 3 for system in "ABC" for label in ("news", "talks")} | {
        ("C", "news"): 2
    }


def test_the_macro_mean_may_have_another_order() -> None:
    # A is better on the nine segments of one domain, B much better on the one of the other.
    answers = [one("A", n, 60) for n in range(1, 10)] + [one("A", 10, 10)]
    answers += [one("B", n, 55) for n in range(1, 10)] + [one("B", 10, 40)]
    result = rank(answers, by="raw", slices=["x"] * 9 + ["y"])
    assert [row.system for row in result.scores] == ["A", "B"]
    assert max(result.scores, key=lambda row: row.macro or 0).system == "B"
    assert re.search(r"macro mean\W+B is first", str(result))


def test_what_judgments_say_of_themselves() -> None:
    answers = [
        replace(
            each, document=DOCUMENTS[int(each.segment) - 1], slice=SLICES[int(each.segment) - 1]
        )
        for each in campaign()
    ]
    plain, given = rank(answers, by="raw"), labelled_result()
    assert plain.document_scores == given.document_scores
    assert plain.slices == given.slices
    assert {row.line for row in plain.segment_scores} == {None}
    assert rank(campaign(), by="raw").slices == ()
    odd = [replace(answers[0], slice="other"), *answers[1:]]
    assert any("several documents or slices" in each for each in rank(odd, by="raw").remarks)
    some = [replace(each, slice=None) if each.segment == "2" else each for each in answers]
    assert any("1 of 6 segments have no slice" in each for each in rank(some, by="raw").remarks)


def test_documents_that_number_their_own_segments() -> None:
    """An item is its id within its document: 1 of d1 and 1 of d2 are two segments."""
    numbered = [replace(each, document=f"d{(int(each.segment) - 1) // 2}") for each in campaign()]
    restarted = [replace(each, segment=str((int(each.segment) - 1) % 2)) for each in numbered]
    plain, result = rank(numbered, by="raw"), rank(restarted, by="raw")
    assert [row.score for row in result.scores] == [row.score for row in plain.scores]
    assert [row.segments for row in result.scores] == [row.segments for row in plain.scores]
    assert [row.for_others for row in result.comparisons] == [
        row.for_others for row in plain.comparisons
    ]
    assert result.test_set == plain.test_set
    assert any("DOCUMENT/SEGMENT" in each for each in result.remarks)
    # Documents that are given count, not those that judgments name.
    odd = [replace(numbered[0], document="other"), *numbered[1:]]
    given = rank(campaign(), documents=DOCUMENTS, by="raw")
    assert rank(odd, documents=DOCUMENTS, by="raw").scores == given.scores


def test_controls_may_be_of_other_segments() -> None:
    answers = [*campaign(), one("A", 70, 10, kind="bad")]
    assert rank(answers, documents=DOCUMENTS).document_scores


def test_files() -> None:
    files = as_files(labelled_result(unranked=("B",)))
    assert tuple(files) == FILES
    tables = {
        name: [line.split("\t") for line in text.removesuffix("\n").split("\n")]
        for name, text in files.items()
    }
    assert [len(rows) for rows in tables.values()] == [4, 18, 10, 7]
    for rows in tables.values():
        assert {len(row) for row in rows} == {len(rows[0])}
    systems = [
        dict(zip(tables["systems.tsv"][0], row, strict=True)) for row in tables["systems.tsv"][1:]
    ]
    assert [(row["system"], row["rank_low"], row["cluster"]) for row in systems][2] == ("B", "", "")
    assert float(systems[0]["score"]) == labelled_result().scores[0].score
    assert tuple(as_files(rank(campaign()))) == FILES[:2]


# Systems that are shown only.


def test_a_reference_has_no_part_in_the_ranking() -> None:
    every, some = rank(campaign()), rank(campaign(), unranked=("C",))
    without = rank([each for each in campaign() if each.system != "C"], by="raw")
    raw = rank(campaign(), by="raw", unranked=("C",))
    assert [row.system for row in some.scores] == ["B", "A"]
    assert [row.system for row in some.unranked] == ["C"]
    assert raw.comparisons == without.comparisons  # the family is that of ranked systems
    assert raw.scores == without.scores
    [shown] = some.unranked
    [score] = [row for row in every.scores if row.system == "C"]
    assert (shown.score, shown.raw, shown.interval) == (score.score, score.raw, score.interval)
    assert len(some.segment_scores) == 17
    text = str(some)
    assert "2 systems and 1 unranked" in text
    for form in ("markdown", "latex", "tsv"):
        assert "C" in some.to_text(form)


def test_unranked_with_two_scales() -> None:
    answers = [*campaign(), *(replace(each, scale="fluency") for each in campaign())]
    result = rank(answers, unranked=("C",))
    assert [(row.scale, row.system) for row in result.unranked] == [
        ("adequacy", "C"),
        ("fluency", "C"),
        ("adequacy, then fluency", "C"),
    ]
    assert all("C" not in {row.a, row.b} for row in result.comparisons)


def test_it_reads_back(tmp_path: Path) -> None:
    result = labelled_result(unranked=("B",))
    result.to_json(tmp_path / "ranking.json")
    again = load(tmp_path / "ranking.json")
    assert again == result
    assert again.to_json() == result.to_json()
