from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weigh.errors import WeighError
from weigh.read.scores import ScoreArgument, read_scores

Write = Callable[[str, str | bytes], str]
Complaint = Callable[..., str]

COMET = {
    "out/a.en": [{"src": "x", "mt": "y", "ref": "z", "COMET": 0.5}, {"mt": "y", "COMET": -1}],
    "out/b.en": [{"src": "x", "mt": "y", "ref": "z", "COMET": 0.25}, {"mt": "y", "COMET": 1e-3}],
}
EXPECTED = {"a": (0.5, -1.0), "b": (0.25, 0.001)}


def test_one_number_per_line(write: Write) -> None:
    write("a.comet", "0.5\n-1\n")
    write("b.comet.gz", " .25 \r\n1e-3")
    given_ = read_scores(["comet=a.comet", "comet=b.comet.gz"])
    assert given_.scores == {"comet": EXPECTED}
    assert (given_.ids, given_.lower, given_.segments) == (None, (), 2)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.tsv", "system\tsegment\tscore\na\t1\t0.5\nb\t2\t1e-3\na\t2\t-1\nb\t1\t.25\n"),
        ("s.tsv", "id\tscore\tother\tsystem\n1\t0.5\tx\ta\n2\t-1\tx\ta\n2\t.001\t\tb\n1\t.25\t\tb"),
        (
            "s.jsonl",
            '{"system": "a", "id": 1, "score": 0.5}\n{"system": "a", "id": "2", "score": -1}\n'
            '{"system": "b", "id": 2, "score": 0.001}\n{"system": "b", "id": "1", "score": 0.25}\n',
        ),
        (
            "out.jsonl",  # MetricX, with the keys that its evaluation reads
            '{"hypothesis": "x", "system_id": "a", "segment_id": 1, "prediction": 0.5}\n'
            '{"hypothesis": "x", "system_id": "a", "segment_id": 2, "prediction": -1.0}\n'
            '{"hypothesis": "x", "system_id": "b", "segment_id": 1, "prediction": 0.25}\n'
            '{"hypothesis": "x", "system_id": "b", "segment_id": 2, "prediction": 0.001}\n',
        ),
        ("BLEU-refA.seg.score", "a\t0.5\na\t-1\nb\t0.25\nb\t0.001\n"),
        ("BLEU-refA.seg.score.gz", "a 0.5\na  -1\nb 0.25\nb 0.001\n"),
    ],
)
def test_files_that_name_systems(name: str, content: str, write: Write) -> None:
    assert read_scores([write(name, content)]).scores == {"score": EXPECTED}


def test_a_file_that_tells_the_direction_is_believed(write: Write, complaint: Complaint) -> None:
    head = "metric\tsystem\tsegment\tscore\tlower_is_better\n"
    write("ter.tsv", head + "ter\ta\t1\t60\ttrue\nter\tb\t1\t30\tTrue\n")
    write("ter.jsonl", '{"system": "a", "segment": "1", "score": 60, "lower_is_better": true}\n')
    for argument in ("ter.tsv", "ter=ter.tsv", "ter:lower=ter.tsv", "ter.jsonl"):
        assert len(read_scores([argument]).lower) == 1
    write("bleu.tsv", head + "bleu\ta\t1\t60\tfalse\n")
    assert read_scores(["bleu.tsv"]).lower == ()
    assert "leave out :lower" in complaint(read_scores, ["bleu:lower=bleu.tsv"])
    write("c.tsv", head + "ter\tc\t1\t60\tfalse\n")
    write("silent.tsv", "system\tsegment\tscore\nd\t1\t60\n")
    for other in ("c.tsv", "silent.tsv"):
        assert "small scores are good" in complaint(read_scores, ["x=ter.tsv", f"x={other}"])
    assert read_scores(["x:lower=ter.tsv", "x:lower=silent.tsv"]).lower == ("x",)
    for rows in ("ter\ta\t1\t60\ttrue\nter\tb\t1\t30\tfalse\n", "ter\ta\t1\t60\tperhaps\n"):
        write("two.tsv", head + rows)
        assert "lower_is_better" in complaint(read_scores, ["two.tsv"])


def test_a_file_is_of_one_metric(write: Write, complaint: Complaint) -> None:
    write("two.tsv", "metric\tsystem\tscore\nter\ta\t60\nbleu\tb\t30\n")
    assert "a file for each metric" in complaint(read_scores, ["two.tsv"])


def test_comet(write: Write) -> None:
    write("comet.json", json.dumps(COMET, indent=4))
    assert read_scores(["comet.json"]).scores == {
        "score": {"a.en": (0.5, -1.0), "b.en": (0.25, 0.001)}
    }


def test_metricx_without_systems_is_one_system_per_file(write: Write) -> None:
    write("a.jsonl", '{"prediction": 1.5}\n{"prediction": 2}\n')
    write("b.jsonl", '{"prediction": 3}\n{"prediction": 4}\n')
    made = read_scores(["metricx:lower=a.jsonl", "metricx:lower=b.jsonl"])
    assert made.scores == {"metricx": {"a.jsonl": (1.5, 2.0), "b.jsonl": (3.0, 4.0)}}
    assert made.lower == ("metricx",)


def test_segments_are_joined_by_a_chosen_column(write: Write) -> None:
    write("a.tsv", "line\tid\tscore\n1\tx\t1\n2\tx\t2\n")
    write("b.tsv", "line\tid\tscore\n2\tx\t20\n1\tx\t10\n")
    made = read_scores(["a.tsv", "b.tsv"], id_column="line")
    assert made.scores["score"] == {"a.tsv": (1.0, 2.0), "b.tsv": (10.0, 20.0)}
    assert made.ids == ("1", "2")


def test_ratios_are_two_numbers(write: Write) -> None:
    write("a", "1 10\n2\t20\n")
    write("b.jsonl", '{"numerator": 3, "denominator": 4}\n{"numerator": 0.5, "denominator": 0}\n')
    write("c.seg.score", "the c 1 2\nthe c 3 4\n")
    made = read_scores(["e:ratio:lower=a", "e:lower:ratio=b.jsonl", "e:ratio:lower=c.seg.score"])
    assert made.scores == {
        "e": {"a": ((1, 10), (2, 20)), "b.jsonl": ((3, 4), (0.5, 0)), "the c": ((1, 2), (3, 4))}
    }
    assert (made.lower, made.ratio) == (("e",), ("e",))


def test_missing_scores_are_left_out_everywhere(write: Write) -> None:
    write("x.tsv", "system\tid\tscore\na\t1\t1\na\t2\tNA\na\t3\t3\nb\t1\t4\nb\t2\t5\nb\t4\t7\n")
    write("y.tsv", "system\tid\tscore\na\t1\t1\na\t4\t4\nb\t1\t1\nb\t2\t2\n")
    write("docs", "one\ntwo\nthree\nfour\n")
    made = read_scores(["x=x.tsv", "y=y.tsv"], documents="docs", allow_missing=True)
    assert made.scores == {"x": {"a": (1,), "b": (4,)}, "y": {"a": (1,), "b": (1,)}}
    assert (made.ids, made.documents) == (("1",), ("one",))
    assert made.missing is not None
    assert made.missing.counts == {("x", "a"): 2, ("x", "b"): 1, ("y", "a"): 2, ("y", "b"): 2}
    assert "3 of 4 segments are left out" in str(made.missing)
    assert read_scores(["x=x.tsv"], allow_missing=True).segments == 1


def test_labels(write: Write, complaint: Complaint) -> None:
    write("a", "1\n2\n")
    write("docs", "x\ny\n")
    made = read_scores(["a"], documents="docs", slices="docs")
    assert (made.documents, made.slices) == (("x", "y"), ("x", "y"))
    write("short", "x\n")
    assert "short: 1 line, but a has 2" in complaint(read_scores, ["a"], documents="short")
    assert "short: 1 line, but a has 2" in complaint(read_scores, ["a"], slices="short")


@pytest.mark.parametrize("of", ["documents", "slices"])
def test_ids_are_joined_to_labels_as_numbers_of_lines(
    of: str, write: Write, complaint: Complaint
) -> None:
    ids = [10, 3, 1, 7, 2, 9, 4, 8, 6, 5]  # as text, 10 would stand before 2
    rows = [f"{name}\t{key}\t{key}.5" for key in ids for name in "ab"]
    write("x.tsv", "\n".join(["system\tsegment\tscore", *rows]))
    write("labels", "".join(f"l{key}\n" for key in range(1, 11)))
    made = read_scores(["x.tsv"], **{of: "labels"})
    labels = tuple(f"l{key}" for key in range(1, 11))
    assert getattr(made, of) == labels
    for scores in made.scores["score"].values():
        assert [f"l{score:.0f}" for score in np.floor(scores)] == list(labels)

    gaps = [row for row in rows if row.split("\t")[1] not in ("2", "10") and row != "b\t4\t4.5"]
    write("gaps.tsv", "\n".join(["system\tsegment\tscore", *gaps]))
    made = read_scores(["gaps.tsv"], **{of: "labels"}, allow_missing=True)
    assert getattr(made, of) == ("l1", "l3", "l5", "l6", "l7", "l8", "l9")
    assert made.scores["score"]["a"] == (1.5, 3.5, 5.5, 6.5, 7.5, 8.5, 9.5)
    assert made.numbers == (1, 3, 5, 6, 7, 8, 9)
    assert "3 of 10 segments are left out" in str(made.missing)
    without = read_scores(["gaps.tsv"], allow_missing=True)
    assert without.numbers == made.numbers
    said = complaint(read_scores, ["gaps.tsv"], **{of: "labels"})
    assert "no score of the segment" in said or "10 lines" in said


@pytest.mark.parametrize("key", ["0", "d:2", "01", "3", "²"])
@pytest.mark.parametrize("allow", [False, True])
def test_labels_are_not_joined_to_other_ids(
    key: str, allow: bool, write: Write, complaint: Complaint
) -> None:
    write("x.tsv", f"segment\tscore\n1\t.5\n{key}\t.5\n")
    write("labels", "a\nb\n")
    said = complaint(read_scores, ["x.tsv"], documents="labels", allow_missing=allow)
    assert said.startswith("labels: ")
    assert key in said or "x.tsv has 2" in said


def test_label_files_of_different_lengths(write: Write, complaint: Complaint) -> None:
    write("x.tsv", "segment\tscore\n1\t.5\n")
    write("two", "a\nb\n")
    write("three", "a\nb\nc\n")
    said = complaint(read_scores, ["x.tsv"], documents="two", slices="three", allow_missing=True)
    assert said.startswith("three: 3 lines, but two has 2")


def test_an_existing_path_wins(write: Write) -> None:
    write("m=a", "1\n")
    write("a", "2\n")
    assert ScoreArgument.parse("m=a") == ScoreArgument("m=a")
    assert read_scores(["m=a"]).scores == {"score": {"m=a": (1.0,)}}


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("s", "1\nnan\n", ["s: line 2", "not a finite number"]),
        ("s", "1\n-inf\n", ["s: line 2", "not a finite number"]),
        ("s", "1\n1e999\n", ["s: line 2", "not a finite number"]),
        ("s", "1\n\n2\n", ["s: line 2", "no score"]),
        ("s", "1\nNone\n", ["s: line 2", "no score"]),
        ("s", "1\n1_000\n", ["s: line 2", "not a number", "1_000"]),
        ("s", "1\n1,5\n", ["s: line 2", "not a number"]),
        ("s", "1\n٣\n", ["s: line 2", "not a number"]),
        ("s", "", ["s: empty"]),
        ("s.tsv", "system\tscores\na\t1\n", ["s.tsv", "'score'", "did you mean 'scores'?"]),
        ("s.tsv", "score\tscore\n1\t1\n", ["s.tsv", "two columns"]),
        ("s.tsv", "system\tscore\na\n", ["s.tsv: line 2", "1 cells", "2"]),
        ("s.tsv", "system\tscore\n\t1\n", ["s.tsv: line 2", "empty system"]),
        ("s.tsv", "system\tscore\n", ["s.tsv: no scores"]),
        ("s.tsv", "id\tscore\n1\t1\n1\t2\n", ["s.tsv: line 3", "'1'", "twice"]),
        ("s.tsv", "system\tid\tscore\na\t1\t1\na\t1\t2\n", ["line 3", "'1' of a", "twice"]),
        ("s.jsonl", '{"score": 1\n', ["s.jsonl: line 1", "not JSON"]),
        ("s.jsonl", "[1]\n", ["s.jsonl: line 1", "object"]),
        ("s.jsonl", '{"scor": 1}\n', ["s.jsonl: line 1", "did you mean 'scor'?"]),
        ("s.jsonl", '{"score": NaN}\n', ["s.jsonl: line 1", "finite"]),
        ("s.jsonl", '{"score": null}\n', ["s.jsonl: line 1", "no score"]),
        ("s.jsonl", '{"score": "1"}\n', ["s.jsonl: line 1", "not a number"]),
        ("s.jsonl", '{"score": "true"}\n', ["s.jsonl: line 1", "not a number"]),
        ("s.jsonl", '{"score": 1' + "0" * 400 + "}\n", ["s.jsonl: line 1", "finite"]),
        ("s.jsonl", '{"score": 1, "id": 1}\n{"score": 1}\n', ["line 2", "keys of line 1"]),
        ("s.jsonl", '{"score": 1, "id": 1.5}\n', ["line 1", "'id'"]),
        ("s.jsonl", '{"score": 1, "id": "\\ud800"}\n', ["line 1", "surrogate"]),
        ("s.json", "[]", ["s.json", "comet-score"]),
        ("s.json", "{}", ["s.json", "comet-score"]),
        ("s.json", '{"a": 1}', ["s.json", "'a'", "comet-score"]),
        ("s.json", '{"a": [{"mt": "x"}]}', ["s.json", "segment 1", "'COMET'"]),
        ("s.json", '{"a": [{"COMET": NaN}]}', ["s.json", "segment 1", "finite"]),
        ("s.json", '{"a":\n[}', ["s.json", "line 2, column 2", "not JSON"]),
        ("s.json", '{"score": 1}\n{"score": 2}', ["s.json", "line 2", "ending"]),
        ("s.seg.score", "a None\n", ["s.seg.score: line 1", "no score"]),
        ("s.seg.score", "a\n", ["s.seg.score: line 1", "1 columns"]),
        ("s.gz", b"1\n2\n", []),
    ],
)
def test_bad_files(
    name: str, content: str | bytes, parts: list[str], write: Write, complaint: Complaint
) -> None:
    path = write(name, content)
    if not parts:
        assert read_scores([path]).segments == 2
        return
    message = complaint(read_scores, [path])
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["no scores"]),
        (["missing"], ["missing: no such file"]),
        (["x:upper=a"], ["x:upper=a", "METRIC:lower=path"]),
        (["=a"], ["METRIC=path"]),
        (["x="], ["METRIC=path"]),
        (["x=a", "x:lower=b"], ["x: given with and without :lower"]),
        (["x=a", "x:ratio=b"], ["x: given with and without :ratio"]),
        (["x:ratio=a"], ["a: line 1 has 1 columns", "a numerator and a denominator"]),
        (["x:ratio=ids.tsv"], ["ids.tsv: the first line has no column 'numerator'"]),
        (["x:ratio=comet.json"], ["comet.json: COMET's format has no ratios"]),
        (["a", "a"], ["scores of a by score", "already"]),
        (["a", "long"], ["long: 3 scores, but a has 2", "one test set"]),
        (["long", "a"], ["a: 2 scores, but long has 3", "missing last line"]),
        (["x=a", "x=b", "y=a"], ["y: no scores of 'b', but x has them"]),
        (["x=a", "y=a", "y=b"], ["x: no scores of 'b', but y has them"]),
        (["ids.tsv", "a"], ["a: scores without segment ids", "ids.tsv"]),
        (["a", "ids.tsv"], ["a: scores without segment ids", "ids.tsv"]),
        (["ids.tsv", "other.tsv"], ["other.tsv: no score of the segment 's2'"]),
        (["ids.tsv", "more.tsv"], ["more.tsv: the segment 's3'"]),
    ],
)
def test_files_that_do_not_fit(
    arguments: list[str], parts: list[str], write: Write, complaint: Complaint
) -> None:
    write("a", "1\n2\n")
    write("b", "1\n2\n")
    write("long", "1\n2\n3\n")
    write("comet.json", json.dumps(COMET))
    write("ids.tsv", "id\tscore\ns1\t1\ns2\t2\n")
    write("other.tsv", "id\tscore\ns1\t1\ns3\t2\n")
    write("more.tsv", "id\tscore\ns1\t1\ns2\t2\ns3\t3\n")
    message = complaint(read_scores, arguments)
    for part in parts:
        assert part in message


def test_a_column_that_is_not_there(write: Write, complaint: Complaint) -> None:
    write("a.tsv", "id\tscore\n1\t1\n")
    assert "did you mean 'id'?" in complaint(read_scores, ["a.tsv"], id_column="ids")


@given(
    ending=st.sampled_from([".tsv", ".jsonl", ".json", ".score", ""]),
    content=st.binary(max_size=60) | st.text(max_size=60),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rubbish_is_refused_in_one_line(ending: str, content: str | bytes, write: Write) -> None:
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    path = write(f"file{ending}", data)
    message = ""
    try:
        assert read_scores([path]).segments > 0
    except WeighError as error:
        message = str(error)
    assert message.isprintable()


def test_true_and_false_are_numbers(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.jsonl").write_text('{"score": true}\n{"score": false}\n', encoding="utf-8")
    Path("s.tsv").write_text("score\nTrue\nfalse\n", encoding="utf-8")
    for name in ("s.jsonl", "s.tsv"):
        made = read_scores([f"x={name}"])
        assert [list(own.values()) for own in made.scores.values()] == [[(1.0, 0.0)]]


def test_what_weigh_score_writes_is_read_without_the_scores_of_whole_systems(
    tmp_path: Path,
) -> None:
    path = tmp_path / "chrf.tsv"
    rows = ["metric\tsystem\tsegment\tscore\tlower_is_better\tsignature"]
    rows += ["chrf\tA\t\t55.5\tfalse\tx", "chrf\tA\t1\t50\tfalse\tx", "chrf\tA\t2\t60\tfalse\tx"]
    path.write_text("\n".join(rows) + "\n")
    assert read_scores([f"chrf={path}"]).scores == {"chrf": {"A": (50.0, 60.0)}}
    path.write_text("system\tsegment\tscore\nA\t\t55.5\nA\t1\t50\n")
    with pytest.raises(WeighError, match="line 2 has an empty segment"):
        read_scores([str(path)])
