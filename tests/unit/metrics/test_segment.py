"""Given segment scores as a metric beside texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh import (
    InputError,
    Outputs,
    System,
    TestSet,
    UsageError,
    compare,
    score,
)
from weigh.errors import UndefinedScoreError
from weigh.metrics.segment import Segment, SegmentRatio
from weigh.metrics.statistics import supplied

numbers = st.floats(-1e6, 1e6)
sizes = st.just(0.0) | st.floats(1e-3, 1e6)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def systems(names: str = "AB", segments: int = 3) -> list[System]:
    return [System(name, Outputs(["x"] * segments)) for name in names]


def texts(segments: int = 3, **columns) -> TestSet:
    return TestSet([["x"] * segments], **columns)


def extra(metric: Segment, of: list[System], on: TestSet, **options) -> list[list]:
    made, _, _ = supplied(of, on, [metric], **options)
    return [list(system.outputs.extra[metric.column]) for system in made]


def test_segments_are_joined_by_id_or_number() -> None:
    Path("s.tsv").write_text("segment\tscore\n3\t30\n1\t10\n2\t20\n")
    assert extra(Segment("s.tsv"), systems("A"), texts()) == [[10, 20, 30]]
    assert extra(Segment("s.tsv"), systems("A"), texts(ids=["2", "3", "1"])) == [[20, 30, 10]]
    with pytest.raises(InputError, match=r"s\.tsv: .*is not among the"):
        extra(Segment("s.tsv"), systems("A"), texts(ids=["x", "3", "1"]))


def test_scores_without_ids_do_not_join_tables() -> None:
    Path("s").write_text("1\n2\n3\n")
    with pytest.raises(InputError, match="is not among the"):
        extra(Segment("s"), systems("A"), texts(ids=["x", "y", "z"]))
    in_order = texts(ids=["d:1", "d:2", "e:1"], documents=["d", "d", "e"])
    assert extra(Segment("s"), systems("A"), in_order) == [[1, 2, 3]]


def test_runs_have_files_of_their_own() -> None:
    Path("A.1").write_text("1\n")
    Path("A.2").write_text("2\n")
    runs = [System("A", Outputs(["x"]), run) for run in "12"]
    assert extra(Segment("{system}.{run}"), runs, texts(1)) == [[1], [2]]
    with pytest.raises(UsageError, match=r"\{run\}"):
        extra(Segment("{system}.1"), runs, texts(1))


@given(st.lists(st.tuples(numbers, sizes), min_size=1, max_size=20))
@settings(max_examples=50)
def test_the_ratio_is_that_of_the_sums(pairs) -> None:
    Path("s.tsv").write_text(
        "numerator\tdenominator\n" + "".join(f"{above!r}\t{below!r}\n" for above, below in pairs)
    )
    metric = Segment("s.tsv", ratio=True)
    [made] = score(systems("A", len(pairs)), texts(len(pairs)), [metric], segments=True)
    above, below = (sum(column) for column in zip(*pairs, strict=True))
    assert made.score == pytest.approx(
        above / below if below else np.nan, rel=1e-9, abs=1e-9 / (below or 1), nan_ok=True
    )
    expected = [a / b if b else np.nan for a, b in pairs]
    np.testing.assert_array_equal(made.segments, expected)
    assert not metric.mean_of_segments


@given(
    st.lists(st.tuples(st.none() | numbers, st.none() | numbers), min_size=1, max_size=12).filter(
        lambda rows: any(None not in row for row in rows)
    )
)
@settings(max_examples=50)
def test_segments_that_one_system_misses_are_left_out_of_all(rows) -> None:
    for name, column in zip("AB", zip(*rows, strict=True), strict=True):
        Path(f"{name}.s").write_text("".join(f"{value}\n" for value in column))
    labels = [str(number) for number in range(len(rows))]
    given_set = texts(len(rows), documents=labels, sources=labels)
    metric = Segment("{system}.s", "given")
    of, on, missing = supplied(
        [System(name, Outputs(labels)) for name in "AB"], given_set, [metric], allow_missing=True
    )
    kept = [at for at, row in enumerate(rows) if None not in row]
    assert [list(system.outputs.extra[metric.column]) for system in of] == [
        [rows[at][place] for at in kept] for place in (0, 1)
    ]
    for column in (of[0].outputs.texts, on.documents, on.sources):
        assert list(column) == [str(at) for at in kept]
    assert len(on.references[0]) == len(kept)
    if len(kept) == len(rows):
        assert missing is None
    else:
        text = str(missing)
        assert text.startswith(f"{len(rows) - len(kept):,} of {len(rows):,} segments")
        for place, name in enumerate("AB"):
            count = sum(row[place] is None for row in rows)
            assert (f"given of {name} {count}" in text) == (count > 0)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1\n2\n", {}, "s: no score of A for segment 3"),
        ("1\n2\n3\n4\n5\n", {}, "s: 5 scores of s, .*not among the 3 of the test set"),
        ("1\nnan\n3\n", {}, "s: no score of A for segment 2"),
        ("1\n\n3\n", {}, "s: no score of A for segment 2; .* or add --allow-missing"),
        ("1 2\n3\n5 6\n", {"ratio": True}, "s: not a file of scores"),
        ("1 2\n3 -4\n5 6\n", {"ratio": True}, "s: line 2: the denominator is negative"),
    ],
)
def test_bad_files(content: str, options: dict, message: str) -> None:
    Path("s").write_text(content)
    with pytest.raises(InputError, match=message):
        extra(Segment("s", **options), systems("A"), texts())


def test_not_even_missing_values_may_be_infinite_or_all() -> None:
    Path("s").write_text("1\ninf\n3\n")
    with pytest.raises(InputError, match="not a finite number"):
        extra(Segment("s"), systems("A"), texts(), allow_missing=True)
    Path("s").write_text("NA\nnull\nnone\n")
    with pytest.raises(InputError, match="all scores are missing"):
        extra(Segment("s"), systems("A"), texts(), allow_missing=True)


def test_systems_that_are_not_there() -> None:
    Path("s").write_text("1\n2\n3\n")
    Path("s.score").write_text("A 1\nA 2\nA 3\nBB 1\nBB 2\nBB 3\n")
    with pytest.raises(
        UsageError, match=r"s: has no system names, but there are several.*\{system\}"
    ):
        extra(Segment("s"), systems(), texts())
    with pytest.raises(InputError, match=r"s\.score: no scores of B; did you mean 'BB'"):
        extra(Segment("s.score"), systems(), texts())
    with pytest.raises(UsageError, match=r"segment:file="):
        extra(Segment(), systems(), texts())


def test_a_score_file_may_name_systems_by_their_files() -> None:
    Path("s.score").write_text("A.txt 1\nA.txt 2\nA.txt 3\nB.txt 4\nB.txt 5\nB.txt 6\n")
    assert extra(Segment("s.score"), systems(), texts()) == [[1, 2, 3], [4, 5, 6]]
    # A system's own name comes before that of a file.
    Path("s.score").write_text("A.txt 1\nA.txt 2\nA.txt 3\nA 7\nA 8\nA 9\n")
    assert extra(Segment("s.score"), systems("A"), texts()) == [[7, 8, 9]]


def test_ratio_rows_are_pairs() -> None:
    for wrong in ([1.0, 2.0], [[1.0, 2.0, 3.0]]):
        with pytest.raises(InputError, match="numerator and a denominator"):
            SegmentRatio.rows_of(wrong)
    with pytest.raises(InputError, match="negative"):
        SegmentRatio.rows_of(np.array([[1.0, -1.0]]))


RATIOS = "system\tnumerator\tdenominator\n"


@pytest.fixture
def errors_of_few(work: Path) -> Segment:
    """Of A one segment of 12 has a denominator, of B all, of C none."""
    lines = [f"A\t{at % 2}\t{(at == 1) * 3}\nB\t{at % 3}\t4\nC\t0\t0\n" for at in range(12)]
    (work / "r.tsv").write_text(RATIOS + "".join(lines))
    return Segment("r.tsv", "errors", lower=True, ratio=True)


def test_nothing_divided_by_nothing_is_no_score(errors_of_few: Segment) -> None:
    result = score(systems("ABC", 12), texts(12), [errors_of_few], interval="bca", trials=99)
    a, b, c = result
    assert (a.score, b.score) == (2.0, 0.25)
    assert np.isnan(c.score)
    # Many resamples have not the one segment of A, and none of C's has a score.
    assert a.interval is None
    assert c.interval is None
    [alone] = score(systems("B", 12), texts(12), [errors_of_few], interval="bca", trials=99)
    assert b.interval == alone.interval is not None
    assert [remark.partition(":")[0] for remark in result.warnings[:3]] == [
        "no interval of A",
        "no interval of C",
        "errors of C",
    ]
    entry = json.loads(result.to_json())["scores"][2]
    assert entry["score"] is None
    assert "C" in (shown := result.to_text("tsv"))
    assert "inf" not in shown


def test_no_test_of_what_has_no_score(errors_of_few: Segment) -> None:
    for test in ("randomization", "bootstrap", "paired-bootstrap"):
        with pytest.raises(UndefinedScoreError, match="errors of C: the score is undefined"):
            compare(systems("BC", 12), texts(12), [errors_of_few], tests=(test,), trials=99)
    for test in ("bootstrap", "paired-bootstrap"):
        with pytest.raises(UndefinedScoreError, match="the score of some resampled test sets"):
            compare(systems("AB", 12), texts(12), [errors_of_few], tests=(test,), trials=99)
    # Swaps keep a denominator on either side, but half of the segments may have none.
    [pair] = compare(systems("AB", 12), texts(12), [errors_of_few]).comparisons
    assert pair.exact
    assert pair.interval is None
