"""RYPT as a metric: from files to rows and scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh import InputError, Outputs, System, TestSet, UsageError, compare, parse_metric, score
from weigh.metrics.statistics import statistics
from weigh.rypt.collection import open_store
from weigh.rypt.labels import Entry, EntryJudgment, Label
from weigh.rypt.metric import Rypt

SOURCES = ["die katze schläft", "es regnet"]
PARSES = "(S (NP (ART Die) (NN Katze)) (VV schläft))\n(S (P es) (V regnet))\n"
HEADER = "source\tstart\tend\tsubstring\tlabel"
LABELS = [
    (SOURCES[0], 0, 2, "the cat", "YES"),
    (SOURCES[0], 2, 3, "sleeps", "YES"),
    (SOURCES[0], 2, 3, "runs", "NO"),
    (SOURCES[1], 0, 2, "it rains", "YES"),
    (SOURCES[1], 1, 2, "pours", "NOT SURE"),
]
A, B = ["the cat sleeps", "it rains"], ["the cat runs", "it pours"]
LINES = ["0-0 1-1 2-2", "0-0 1-1"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parses.mrg").write_text(PARSES)
    rows = ["\t".join(map(str, row)) for row in LABELS]
    (tmp_path / "labels.tsv").write_text("\n".join([HEADER, *rows]) + "\n")
    for name in "AB":
        (tmp_path / f"{name}.align").write_text("\n".join(LINES) + "\n")
    return tmp_path


def metric(**options) -> Rypt:
    given = {"labels": "labels.tsv", "parses": "parses.mrg", "alignments": "{system}.align"}
    return Rypt(**given | options)


def systems(**texts) -> list[System]:
    return [System(name, Outputs(own)) for name, own in (texts or {"A": A, "B": B}).items()]


TEST_SET = TestSet([], sources=SOURCES)
# S, NP, ART, NN, VV: A has NP and what is below it and VV; S stays open, since a YES never goes up.
# In B the NO of VV goes up to S. P and V of the second sentence are below its S.
ROWS_A = [[4, 0, 0, 1], [3, 0, 0, 0]]
ROWS_B = [[3, 2, 0, 0], [0, 0, 1, 2]]


@pytest.mark.usefixtures("files")
def test_rows() -> None:
    found = statistics(systems(), TEST_SET, metric())
    assert [rows.tolist() for rows in found] == [ROWS_A, ROWS_B]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("unlabelled", "of_a", "of_b"),
    [("strict", 7 / 8, 3 / 8), ("half", 7.5 / 8, 4.5 / 8), ("labelled", 1, 3 / 5)],
)
def test_scores(unlabelled, of_a, of_b) -> None:
    found = score(systems(), TEST_SET, [metric(unlabelled=unlabelled)])
    assert [one.score for one in found] == pytest.approx([100 * of_a, 100 * of_b])


@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_the_three_ways_agree_where_all_is_labelled(row) -> None:
    ways = [Rypt(unlabelled=way) for way in ("strict", "half", "labelled")]
    complete = [row[0], row[1], 0, 0]
    assert len({float(way.score(complete)) for way in ways}) == 1
    strict, half, labelled = (float(way.score(row)) for way in ways)
    assert strict <= half <= 100
    assert strict <= labelled <= 100


@pytest.mark.usefixtures("files")
def test_a_store_and_a_file_give_the_same(files) -> None:
    store = open_store(files / "labels.db", create=True)
    store.add(
        EntryJudgment(Entry(source, start, end, text), Label(label))
        for source, start, end, text, label in LABELS
    )
    found = statistics(systems(), TEST_SET, metric(labels="labels.db"))
    assert [rows.tolist() for rows in found] == [ROWS_A, ROWS_B]


def candidates(column: str, *values: str) -> Outputs:
    return Outputs([*A, *B], [0, 1, 0, 1], {column: values})


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("alignment", [*LINES, *LINES]),
        (
            "tree",
            [
                "(ROOT{0-4} (S{0-3} (X{0-1} the) (X{1-2} cat) (X{2-3} sleeps)))",
                "(S{0-2} (X{0-1} it) rains)",
                "(S{0-3} (X{0-1} the) (X{1-2} cat) runs)",
                "(S{0-2} (X{0-1} it) pours)",
            ],
        ),
    ],
)
def test_candidates_carry_their_own_alignments(column, values) -> None:
    extractor = metric(alignments="").prepare(TEST_SET)
    rows = extractor.rows(candidates(column, *values))
    assert rows.tolist() == [*ROWS_A, *ROWS_B]
    assert extractor.rows(candidates(column, *values).part(1, 3)).tolist() == [ROWS_A[1], ROWS_B[0]]


@pytest.mark.usefixtures("files")
def test_a_candidate_without_words_needs_no_alignment() -> None:
    outputs = Outputs(["", *A], [0, 0, 1], {"alignment": [None, *LINES]})
    assert metric(alignments="").prepare(TEST_SET).rows(outputs)[0].tolist() == [0, 0, 0, 5]


@pytest.mark.usefixtures("files")
def test_bad_candidates() -> None:
    own = metric(alignments="").prepare(TEST_SET)
    with pytest.raises(InputError, match=r"segment 2, the output 'it rains' has no alignment"):
        own.rows(candidates("alignment", LINES[0], None, *LINES))
    with pytest.raises(
        InputError, match=r"segment 1, the output 'the cat sleeps' has no alignment"
    ):
        own.rows(candidates("alignment", [[0, 0]], *LINES, LINES[1]))
    with pytest.raises(InputError, match=r"^segment 2, the output 'it pours': the link 5-0, but"):
        own.rows(candidates("alignment", *LINES, LINES[0], "5-0"))
    with pytest.raises(UsageError, match=r"alignments=… is for systems"):
        metric().prepare(TEST_SET).rows(candidates("alignment", *LINES, *LINES))


def test_what_is_not_given(files) -> None:
    for options, message in [
        ({"labels": ""}, "no labels given; name them, as in rypt:labels=FILE"),
        ({"parses": ""}, "no parses given; name them, as in rypt:parses=FILE"),
        ({"alignments": ""}, "no alignments given; name them"),
        ({"alignments": "A.align"}, "A.align is one file for several systems"),
    ]:
        with pytest.raises(UsageError, match=message):
            statistics(systems(), TEST_SET, metric(**options))
    with pytest.raises(UsageError, match="no source texts given; add them with -s FILE"):
        statistics(systems(), TestSet([A]), metric())
    runs = [System("A", Outputs(A), run) for run in "12"]
    with pytest.raises(UsageError, match="is one file for all runs of A"):
        statistics(runs, TEST_SET, metric())
    (files / "A1.align").write_text("\n".join(LINES))
    (files / "A2.align").write_text("\n".join(LINES))
    found = statistics(runs, TEST_SET, metric(alignments="{system}{run}.align"))
    assert [rows.tolist() for rows in found] == [ROWS_A, ROWS_A]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("A.align", "0-0\n0-0 1-9\n", "A.align: line 2: the link 1-9, but the output has 2 words"),
        ("A.align", "0-0\n2-0\n", "A.align: line 2: the link 2-0, but the source has 2 words"),
        ("A.align", "0-0\nx\n", "A.align: line 2: 'x' is not a link"),
        ("A.align", "0-0\n", "A.align: 1 line, but the test set has 2; look for a missing last"),
        ("A.align", "0-0\n(S{0-2} a)\n", "A.align: line 2: a derivation of 'a', but the output is"),
        ("parses.mrg", "null\n", "parses.mrg: 1 parse, but the source has 2 sentences"),
        ("parses.mrg", "null\n(S (P es)\n", "parses.mrg: line 2, column 1: the bracket of 'S'"),
        ("labels.tsv", f"{HEADER}\nx\t0\t1\ty\tYES\n", "no label of any sentence of the"),
    ],
)  # fmt: skip
def test_bad_files(files, name, text, message) -> None:
    (files / name).write_text(text)
    with pytest.raises(InputError) as caught:
        statistics(systems(), TEST_SET, metric())
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_sentence_without_a_parse(files) -> None:
    (files / "parses.mrg").write_text("null\n" + PARSES.split("\n")[1] + "\n")
    [rows] = statistics(systems(A=A), TEST_SET, metric())
    assert rows.tolist() == [[0, 0, 0, 0], ROWS_A[1]]
    assert any(
        "1 of 2 outputs belongs to a sentence without a parse and is not" in warning
        for warning in score(systems(A=A), TEST_SET, [metric()]).warnings
    )
    [rows] = statistics(systems(A=A), TEST_SET, metric(flat=True))
    assert rows.tolist() == [[1, 0, 0, 3], ROWS_A[1]]  # sleeps alone was labelled as a word


@pytest.mark.usefixtures("files")
def test_coverage_is_told_beside_the_score() -> None:
    result = score(systems(), TEST_SET, [metric()], details=True)
    [of_a, _] = result
    assert of_a.details == {
        "yes": 7, "no": 0, "not_sure": 0, "unlabelled": 1, "nodes": 8, "coverage": 87.5,
    }  # fmt: skip
    assert not of_a.comparable


@pytest.mark.usefixtures("files")
def test_unequal_coverage_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        compare(systems(), TEST_SET, [metric()], trials=9)
    assert str(caught.value) == (
        "RYPT: 87.5% of the nodes of A are labelled, but 62.5% of B, which favours one of them; "
        "label more, or compare them anyway with rypt:unequal"
    )
    result = compare(systems(), TEST_SET, [metric(unequal=True)], trials=9)
    assert result.comparisons[0].difference == pytest.approx(50)
    assert result.warnings[0].startswith("RYPT of A: 87.5% of 8 nodes are labelled")


def test_ten_points_are_allowed() -> None:
    at_most, above = np.array([80, 0, 0, 20]), np.array([90, 0, 0, 10])
    Rypt().check_comparable(["A", "B"], [at_most, above])
    with pytest.raises(InputError, match="which favours one"):
        Rypt().check_comparable(["A", "B"], [np.array([799, 0, 0, 201]), above])
    with pytest.raises(InputError, match="no node of A is labelled YES or NO"):
        Rypt(unequal=True).check_comparable(["A", "B"], [np.zeros(4), np.zeros(4)])


def test_a_password_does_not_reach_reports() -> None:
    with pytest.raises(UsageError, match="contains a password"):
        parse_metric(r"rypt:labels=postgresql\://me\:secret@host\:5432/db")
    assert parse_metric(r"rypt:labels=postgresql\://me@host\:5432/db").labels.startswith("post")


def test_unknown_way() -> None:
    with pytest.raises(UsageError, match="unlabelled='loose' is unknown"):
        Rypt(unlabelled="loose")
