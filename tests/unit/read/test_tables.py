from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.read import read_inputs, read_test_set

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\n\0")
cells = st.text(letters.filter(lambda letter: letter not in "\t\r"))
rows = st.dictionaries(cells.filter(bool), cells, min_size=1, max_size=20)


@settings(deadline=None)
@given(rows=rows, order=st.randoms(use_true_random=False))
def test_rows_are_joined_by_id_whatever_their_order(rows, order) -> None:
    shuffled = list(rows.items())
    order.shuffle(shuffled)
    with tempfile.TemporaryDirectory() as folder:
        ref, sys_ = Path(folder) / "ref.tsv", Path(folder) / "sys.jsonl"
        table = "".join(f"x\t{key}\t{text}\n" for key, text in rows.items())
        ref.write_bytes(("other\tid\ttext\n" + table).encode())
        sys_.write_bytes(
            "".join(json.dumps({"text": t, "id": k}) + "\n" for k, t in shuffled).encode()
        )
        test_set, systems = read_inputs([str(sys_)], [str(ref)])
    assert test_set.ids == tuple(rows)
    assert test_set.references == (tuple(rows.values()),)
    assert systems[0].outputs.texts == tuple(rows.values())


def test_columns_can_be_named(write) -> None:
    path = write("ref.tsv.gz", "seg\ttranslation\n7\tseven\n5\tfive\n")
    test_set = read_test_set([path], id_column="seg", text_column="translation")
    assert test_set.references == (("seven", "five"),)
    assert test_set.ids == ("7", "5")
    assert test_set.documents is None


def test_quotes_in_tsv_are_text(write) -> None:
    assert read_test_set([write("r.tsv", 'id\ttext\n1\t"a" \\t\n')]).references == (('"a" \\t',),)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id\ttext\n1\ta\n2\tb\n1\tc\n", "r.tsv: the id '1' occurs twice"),
        ("id\ttext\n1\ta\n2\n", "r.tsv: line 3 has 1 cells, but the header has 2"),
        ("id\ttext\n1\ta\tb\n", "r.tsv: line 2 has 3 cells, but the header has 2"),
        ("id\ttext\n1\ta\n\n", "r.tsv: line 3 has 1 cells"),
        ("id\ttext\n\ta\n", "r.tsv: line 2 has an empty id"),
        ("id\ttexts\n1\ta\n", "r.tsv: no column 'text' in the first line; name one with --text"),
        ("id\ttexts\n1\ta\n", "did you mean 'texts'?"),
        ("key\ttext\n1\ta\n", "r.tsv: no column 'id' in the first line; name one with --id"),
        ("id\ttext\ttext\n1\ta\tb\n", "r.tsv: 2 columns are called 'text'"),
        ("id\ttext\n", "r.tsv: no segments"),
        ("\x1b[0m\t\u2028\n1\ta\n", "no column 'id'"),
    ],
)
def test_bad_tsv(write, complaint, content, expected) -> None:
    assert expected in complaint(read_test_set, [write("r.tsv", content)])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "line 2 is not JSON (Expecting property name enclosed in double quotes at column 2)"),
        ("", "line 2 is not JSON (Expecting value at column 1)"),
        ('["id", "text"]', "line 2 is not a JSON object"),
        ('{"id": "2"}', "line 2 has no key 'text'; name one with --text"),
        ('{"ids": "2", "text": ""}', "line 2 has no key 'id'; name one with --id"),
        ('{"id": "1", "text": "b"}', "the id '1' occurs twice"),
        ('{"id": 1, "text": "b"}', "the id '1' occurs twice"),
        ('{"id": 1.5, "text": "b"}', "line 2: the id is not a string or whole number"),
        ('{"id": true, "text": "b"}', "line 2: the id is not a string or whole number"),
        ('{"id": "", "text": "b"}', "line 2: the id is not a string or whole number"),
        ('{"id": "2", "text": null}', "line 2: 'text' is not a string"),
        ('{"id": "2", "text": "\\ud800"}', "line 2 has half of a surrogate pair"),
        ('{"id": "2", "text": "a\\u0000"}', "the segment '2' contains a NUL"),
        ("[" * 100_000, "line 2 is not JSON (too deep or too long a value"),
        ('{"id": ' + "1" * 5000 + "}", "line 2 is not JSON (too deep or too long a value"),
    ],
)
def test_bad_json(write, complaint, line, expected) -> None:
    path = write("r.jsonl", '{"id": "1", "text": "a"}\n' + line + "\n")
    assert expected in complaint(read_test_set, [path])


def test_ids_must_be_the_same(write, complaint) -> None:
    ref = write("ref.tsv", "id\ttext\n1\ta\n2\tb\n3\tc\n")
    fewer = write("fewer.tsv", "id\ttext\n2\tb\n")
    more = write("more.tsv", "id\ttext\n3\tc\n2\tb\n1\ta\n4\td\n")
    other = write("other.tsv", "id\ttext\n1\ta\n2\tb\n03\tc\n")
    assert complaint(read_inputs, [fewer], [ref]) == (
        "fewer.tsv: no segment '1' (and 1 more), but ref.tsv has; give one text for every id"
    )
    assert complaint(read_inputs, [more], [ref]).startswith(
        "more.tsv: the segment '4' is not in ref.tsv; "
    )
    assert complaint(read_inputs, [other], [ref]).startswith("other.tsv: no segment '3', but")
    assert complaint(read_test_set, [ref, fewer]).startswith("fewer.tsv: no segment '1'")
    assert complaint(read_test_set, [ref], fewer).startswith("fewer.tsv: no segment '1'")


def test_plain_text_beside_ids_is_refused(write, complaint) -> None:
    table, plain = write("x.tsv", "id\ttext\n1\ta\n"), write("x.en", "a\n")
    assert complaint(read_inputs, [plain], [table]) == (
        "x.en: plain text without ids, but x.tsv is joined by id; give it as TSV or JSON lines too"
    )
    assert complaint(read_inputs, [table], [plain]).startswith(
        "x.tsv: has ids, but x.en has none to join them by; "
    )
    assert "is joined by id" in complaint(read_test_set, [plain, table])


def test_long_ids_are_cut_in_messages(write, complaint) -> None:
    message = complaint(read_test_set, [write("r.tsv", "id\ttext\n" + f"{'k' * 9999}\ta\n" * 2)])
    assert len(message) < 200


def test_a_table_of_one_long_cell(write, complaint) -> None:
    # Escapes make a line shorter, never longer; so the limit of lines is the limit of texts.
    path = write("r.tsv", "id\ttext\n1\t" + "a" * 1_000_000 + "\n")
    assert "line 2 has more than 1,000,000 characters" in complaint(read_test_set, [path])
