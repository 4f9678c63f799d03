"""N-best lists in all formats, and what is said of bad ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.read.nbest import moses_labels, read_candidates, read_moses_statistics


def read(folder: Path, text: str, name: str = "nbest"):
    path = folder / name
    path.write_bytes(text.encode())
    return list(read_candidates(str(path)))


def features(candidate):
    return dict(zip(candidate.names, candidate.values, strict=True))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("3 ||| a b ||| d= 0 -1.5 lm= -2 ||| -3", {"d_0": 0, "d_1": -1.5, "lm_0": -2}),
        ("3||| a b  ||| d: 0 -1.5 lm: -2", {"d_0": 0, "d_1": -1.5, "lm_0": -2}),
        ("3 ||| a b ||| lm= -2 tf_x= 1 ||| -3", {"lm_0": -2, "tf_x": 1}),
        ("3 ||| a b ||| lm_0=-2.5 OOV=1 ||| -3", {"lm_0": -2.5, "OOV": 1}),
        ("3 ||| a b ||| -1 2e-3 ||| x ||| y", {"feature_0": -1, "feature_1": 0.002}),
        ("3 ||| a b ||| 7", {"feature_0": 7}),
    ],
)
def test_features_by_format(line, expected, tmp_path):
    [candidate] = read(tmp_path, line + "\r\n")
    assert (candidate.id, candidate.text) == ("3", "a b")
    assert features(candidate) == expected


def test_what_follows_the_total(tmp_path):
    candidates = read(
        tmp_path,
        "0 ||| a b ||| lm= 1 ||| 1 ||| 0-1=0-0 2=1 ||| 0-0 2-1\n"
        "0 ||| a c ||| lm= 1 ||| 1 ||| 0-0 2-1\n"
        "0 ||| a d ||| lm= 1 ||| 1 ||| \n",
    )
    assert candidates[0].extra == {"phrases": "0-1=0-0 2=1", "alignment": "0-0 2-1"}
    assert candidates[1].extra == {"alignment": "0-0 2-1"}
    assert candidates[2].extra == {"alignment": ""}  # which has no links


def test_empty_hypotheses_repeated_ids_gz_and_no_last_newline(tmp_path):
    text = "5 ||| ||| lm= 1\n7 ||| x ||| lm= 2\n5 ||| y\u2028z ||| lm= 3"
    path = tmp_path / "list.gz"
    path.write_bytes(gzip.compress(text.encode()))
    found = list(read_candidates(str(path)))
    assert [(c.id, c.text, c.line) for c in found] == [
        ("5", "", 1),
        ("7", "x", 2),
        ("5", "y\u2028z", 3),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty, but an n-best list"),
        ("0 ||| a\n", "line 1 has 2 fields"),
        ("0 ||| a ||| lm= 1\n ||| b ||| lm= 2\n", "line 2 has no sentence id"),
        ("0 ||| a ||| \n", "line 1 has no features"),
        ("0 ||| a ||| lm= 1 tm= \n", "line 1 has no value for the feature 'tm'"),
        ("0 ||| a ||| lm= 1\n0 ||| b ||| lm= 1 2\n", "line 2 has 2 features"),
        ("0 ||| a ||| lm= 1 tm= 2\n0 ||| b ||| lm= 1\n", "line 2 has 1 features and not 'tm_0'"),
        ("0 ||| a ||| 1 2\n0 ||| b ||| 1\n", "line 2 has 1 features and not 'feature_1'"),
        ("0 ||| a ||| lm= x\n", "line 1: the feature value 'x' is not a number"),
        (
            "0 ||| a ||| lm= 1\n0 ||| b ||| lm= nan\n",
            "line 2: the feature value 'nan' is not finite",
        ),
        ("0 ||| a ||| lm= 1\n0 ||| b ||| lm= -inf\n", "line 2: the feature value '-inf'"),
        ("0 ||| a ||| lm= 1 lm= 2\n", "line 1 has the feature 'lm_0' twice"),
        ("0 ||| a ||| lm=1 2\n", "line 1: '2' has no name"),
    ],
)
def test_bad_lines_are_named(text, message, tmp_path):
    with pytest.raises(InputError, match=f"nbest: {message}"):
        read(tmp_path, text)


def test_large_values_are_read_and_huge_ones_are_refused(tmp_path):
    found = read(tmp_path, "0 ||| a ||| lm= 1e50 tm= -1e50\n" * 2)
    assert [list(c.values) for c in found] == [[1e50, -1e50]] * 2
    # Their sum is small, also on a line like the one before.
    for style in ("0 ||| a ||| lm= {0} tm= -{0}\n", "0 ||| a ||| lm={0} tm=-{0}\n"):
        with pytest.raises(InputError, match="line 2: the feature value '1e51' is too large"):
            read(tmp_path, style.format(1) + style.format("1e51"))


def test_json_lines(tmp_path):
    rows = [
        {"id": 4, "text": "a", "features": {"lm": -1, "tm": [1, 2.5]}, "alignment": "0-0"},
        {"id": "x", "text": "", "features": {"lm": 0, "tm": [0, 0], "tf_a": 1}, "comet": 0.5},
    ]
    found = read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "list.jsonl")
    assert [c.id for c in found] == ["4", "x"]
    assert features(found[0]) == {"lm": -1, "tm_0": 1, "tm_1": 2.5}
    assert features(found[1]) == {"lm": 0, "tm_0": 0, "tm_1": 0, "tf_a": 1}
    assert [c.extra for c in found] == [{"alignment": "0-0"}, {"comet": 0.5}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"id": 1, "features": {"a": 1}}', "'text' is missing"),
        ('{"id": 1, "text": "a", "features": [1]}', "'features' is not an object"),
        ('{"id": 1, "text": "a", "features": {}}', "has no features"),
        ('{"id": 1, "text": "a", "features": {"lm": "1"}}', "the feature 'lm' is not a number"),
        ('{"id": 1, "text": "a", "features": {"lm": []}}', "the feature 'lm' is not a number"),
        ('{"id": 1, "text": "a", "features": {"lm": true}}', "the feature 'lm' is not a number"),
        ('{"id": 1, "text": "a", "features": {"lm": NaN}}', "'nan' is not finite"),
        ('{"text": "a", "features": {"lm": 1}}', "'id' is missing"),
        ('{"id": 1, "text": "a", "features": {"lm": 1e60}}', "'1e\\+60' is too large"),
        (f'{{"id": 1, "text": "a", "features": {{"lm": 1{"0" * 400}}}}}', "is not finite"),
        ('{"id": null, "text": "a", "features": {"lm": 1}}', "the id is not a string"),
        ('{"id": 1, "text": "\\ud800", "features": {"lm": 1}}', "an unpaired surrogate"),
    ],
)
def test_bad_json(row, message, tmp_path):
    with pytest.raises(InputError, match=f"line 1.* {message}|line 1.*{message}"):
        read(tmp_path, row + "\n", "list.jsonl")


names = st.sampled_from(
    [("lm_0", "tm_0", "tm_1"), ("a_b", "lm_0"), ("x", "y_0"), ("p_q_0", "p_q_1"), ("lm_1", "lm_0")]
)


@pytest.mark.parametrize("style", ["moses", "joshua"])
@given(names=names, data=st.data())
def test_what_is_written_is_read(style, names, data, tmp_path_factory):
    number = st.floats(-1e50, 1e50)
    rows = data.draw(
        st.lists(st.lists(number, min_size=len(names), max_size=len(names)), min_size=1, max_size=3)
    )
    labels = moses_labels(names) if style == "moses" else [f"{name}=" for name in names]
    written = [
        " ".join(f"{label}{value!r}" for label, value in zip(labels, row, strict=True))
        for row in rows
    ]
    folder = tmp_path_factory.mktemp("list")
    found = read(folder, "".join(f"0 ||| a b ||| {line} ||| 0.0\n" for line in written))
    assert [features(c) for c in found] == [dict(zip(names, row, strict=True)) for row in rows]
    as_json = [
        json.dumps({"id": "0", "text": "a b", "features": dict(zip(names, row, strict=True))})
        for row in rows
    ]
    found = read(folder, "".join(f"{line}\n" for line in as_json), "list.jsonl")
    assert [features(c) for c in found] == [dict(zip(names, row, strict=True)) for row in rows]


def statistics_lines(kind, words, ids, rows):
    """Lines of a FEATURES or SCORES file: each sentence's rows; `words` are its names."""
    for segment, candidates in zip(ids, rows, strict=True):
        yield f"{kind}_TXT_BEGIN_0 {segment} {len(candidates)} {len(candidates[0])} {words}"
        for values in candidates:
            yield " ".join(f"{value:.17g}" for value in values)
        yield f"{kind}_TXT_END_0"


def test_statistics(tmp_path):
    features_file, scores_file = tmp_path / "F", tmp_path / "S"
    values, counts = [[[1.5, 2.0], [0.0, 1.0]], [[3.0, 4.0]]], [[[1.0], [2.0]], [[3.0]]]
    for path, kind, words, rows in (
        (features_file, "FEATURES", "lm_0 tm_0", values),
        (scores_file, "SCORES", "BLEU", counts),
    ):
        path.write_text("".join(f"{x}\n" for x in statistics_lines(kind, words, ["0", "7"], rows)))
    found = list(read_moses_statistics(str(features_file), str(scores_file)))
    assert [scorer for scorer, _ in found] == ["BLEU"] * 3
    assert [(c.id, c.names, c.values, c.extra["statistics"]) for _, c in found] == [
        ("0", ("lm_0", "tm_0"), [1.5, 2.0], (1.0,)),
        ("0", ("lm_0", "tm_0"), [0.0, 1.0], (2.0,)),
        ("7", ("lm_0", "tm_0"), [3.0, 4.0], (3.0,)),
    ]
    whole = scores_file.read_text()
    for text, message in (
        (whole.replace("0 2 1 BLEU", "0 1 1 BLEU").replace("2\n", "", 1), "in its place"),
        (whole.replace("SCORES_TXT_END_0", "x", 1), "is not SCORES_TXT_END_0"),
        (whole + whole, "has no features for it"),
        (whole.replace("SCORES_TXT_BEGIN_0", "SCORES_BIN_BEGIN_0"), "does not begin with"),
        (whole.replace("7 1 1 BLEU", "8 1 1 BLEU"), "in its place"),
        (whole.replace("7 1 1 BLEU", f"7 {'1' * 5000} 1 BLEU"), "does not begin with"),
        (whole.replace("SCORES_TXT_END_0\n", "").replace("0 2 1", "0 999999999 1"), "SCORES_TXT"),
        (whole[: whole.rindex("3\n")].replace("7 1 1", "7 999999999 1"), "announces 999,999,999"),
        (whole.replace("\n3\n", "\n3 4\n"), "line 6 has 2 statistics, but earlier lines have 1"),
    ):
        scores_file.write_text(text)
        with pytest.raises(InputError, match=message):
            list(read_moses_statistics(str(features_file), str(scores_file)))


def test_a_byte_order_mark_is_dropped_whether_the_last_line_ends_or_not(tmp_path):
    for ending in ("", "\n"):
        [candidate] = read(tmp_path, "\ufeff3 ||| a b ||| 7" + ending)
        assert candidate.id == "3"
    [first, _] = read(tmp_path, "\ufeff3 ||| a b ||| 7\n4 ||| a ||| 8")
    assert first.id == "3"
