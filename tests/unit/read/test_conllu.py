"""CoNLL-U: texts that carry their parses."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared_data import SHARED, lines, needs_shared
from weigh import InputError, ParsedWord
from weigh.read import read_inputs, read_test_set
from weigh.read.trees import read_conllu


def line(number: object, form: str, head: object = "_", relation: str = "_", misc="_") -> str:
    return f"{number}\t{form}\t{form.lower()}\tX\t_\t_\t{head}\t{relation}\t_\t{misc}\n"


CAT = line(1, "The", 2, "det") + line(2, "cat", 3, "nsubj") + line(3, "sat", 0, "root")


def test_texts_carry_their_parses(write) -> None:
    path = write("ref.conllu.gz", f"# sent_id = 7\n# text = The  cat sat\n{CAT}\n\n{CAT}")
    first, second = read_conllu(path).texts
    assert (first, second) == ("The  cat sat", "The cat sat")
    assert first.words == second.words
    assert first.words == (
        ParsedWord("The", "the", 2, "det"),
        ParsedWord("cat", "cat", 3, "nsubj"),
        ParsedWord("sat", "sat", 0, "root"),
    )


def test_multiword_tokens_and_empty_nodes(write) -> None:
    path = write(
        "es.conllu",
        line("0.1", "Yo")
        + line(1, "voy", 0, "root")
        + line("2-3", "al", misc="SpaceAfter=No")
        + line(2, "a", 4, "case")
        + line(3, "el", 4, "det")
        + line("3.1", "gran")
        + line(4, "mar", 1, "obl", "Gloss=sea|SpaceAfter=No")
        + line(5, "!", 1, "punct"),
    )
    [text] = read_conllu(path).texts
    assert text == "voy almar!"
    assert [word.form for word in text.words] == ["voy", "a", "el", "mar", "!"]


def test_an_empty_segment(write) -> None:
    path = write("sys.conllu", f"# text =\n\n{CAT}\n# text = \n")
    assert [(text, len(text.words)) for text in read_conllu(path).texts] == [
        ("", 0),
        ("The cat sat", 3),
        ("", 0),
    ]


def test_sentences_are_joined_by_order_to_lines_and_sentences(write) -> None:
    ref = write("ref.conllu", f"# sent_id = x\n{CAT}\n# sent_id = y\n{CAT}")
    system = write("sys.conllu", f"# sent_id = 2\n{CAT}\n# sent_id = 1\n{CAT}")
    test_set, [parsed, plain] = read_inputs([system, write("b.en", "one\ntwo\n")], [ref])
    assert test_set.ids is None
    assert len(test_set.references[0][0].words) == 3
    assert [len(text.words) for text in parsed.outputs.texts] == [3, 3]
    assert plain.outputs.texts == ("one", "two")
    assert (parsed.name, plain.name) == ("sys.conllu", "b.en")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (CAT + "4\tmat\n", "r.conllu: line 4: 2 columns, but CoNLL-U has 10; separate them by one"),
        (
            CAT.replace("\tX\t", "\t\t", 1),
            "r.conllu: line 1: column 4 is empty; write _ for an unknown value",
        ),
        ("# a\n\n" + CAT, "r.conllu: line 1: a sentence without words; write '# text =' for an"),
        (f"{CAT}\n# text = a\n", "r.conllu: line 5: a sentence without words"),
        (CAT + line(5, "x", 1), "r.conllu: line 4: the id '5', but the next word is 4; look for"),
        (CAT + CAT, "r.conllu: line 4: the id '1', but the next word is 4; look for a missing"),
        (line("١", "x", 0), "r.conllu: line 1: the id '١', but the next word is 1"),
        (line("2-1", "x") + CAT, "r.conllu: line 1: the id '2-1', but the next word is 1"),
        (line("1-0", "x") + CAT, "r.conllu: line 1: the id '1-0', but the next word is 1"),
        (line("9" * 5000, "x", 0), "r.conllu: line 1: the id '99"),
        (
            "\n" + line("1-4", "x") + CAT,
            "r.conllu: line 2: a sentence of 3 words, but one of its tokens reaches to word 4",
        ),
        (
            "# text =\n" + line("1-2", "x"),
            "r.conllu: line 1: a sentence of 0 words, but one of its tokens reaches to word 2",
        ),
        (line(1, "a"), "r.conllu: line 1: the head '_' is not the number of a word; parse the"),
        (line(1, "a", -1), "r.conllu: line 1: the head '-1' is not the number of a word"),
        (line(1, "a", "²"), "r.conllu: line 1: the head '²' is not the number of a word"),
        (
            f"{CAT}\n# x\n" + line(1, "a", 2) + line(2, "b", 0) + line(3, "c", 14),
            "r.conllu: line 8: the head 14, but the sentence has 3 words; look for a missing line",
        ),
        (line(1, "a", 1), "r.conllu: line 1: from word 1 the heads form a cycle; a tree was"),
        (
            line(1, "a", 0) + line(2, "b", 3) + line(3, "c", 4) + line(4, "d", 3),
            "r.conllu: line 2: from word 2 the heads form a cycle",
        ),
        ("\n\n", "r.conllu: no sentences; a test set needs at least one"),
        ("", "r.conllu: empty"),
        ("plain text\n", "r.conllu: line 1: 1 column,"),
    ],
)
def test_malformed_files(content: str, expected: str, write, complaint) -> None:
    assert complaint(read_test_set, [write("r.conllu", content)]).startswith(expected)


def test_long_sentences_are_refused(write, complaint) -> None:
    forms = "".join(line(i, "x" * 400_000, i - 1) for i in (1, 2, 3))
    message = complaint(read_test_set, [write("r.conllu", forms)])
    assert message == "r.conllu: line 1: a sentence of more than 1,000,000 characters"


def test_numbers_of_sentences_differ(write, complaint) -> None:
    ref, system = write("ref.en", "one\ntwo\n"), write("sys.conllu", CAT)
    assert complaint(read_inputs, [system], [ref]) == (
        "sys.conllu: 1 sentence, but ref.en has 2; parse every segment as one sentence"
    )
    table = write("ref.tsv", "id\ttext\n1\tone\n")
    assert complaint(read_inputs, [system], [table]) == (
        "sys.conllu: sentences without ids, but ref.tsv is joined by id; "
        "give all files as plain text or CoNLL-U"
    )


def leads_to_the_root(heads: list[int]) -> bool:
    """Whether from every word n steps upwards pass the root, which n words must do."""
    reached = range(1, len(heads) + 1)
    for _ in heads:
        reached = [heads[at - 1] if at else 0 for at in reached]
    return not any(reached)


@settings(deadline=None)
@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_trees_are_told_from_circles(heads) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.conllu"
        path.write_text("".join(line(i, "w", head, "dep") for i, head in enumerate(heads, 1)))
        if leads_to_the_root(heads):
            [text] = read_conllu(str(path)).texts
            assert [word.head for word in text.words] == heads
        else:
            with pytest.raises(InputError, match="cycle"):
                read_conllu(str(path))


@needs_shared
@pytest.mark.parametrize("language", ["cs", "de", "en"])
def test_gold_trees(language: str, tmp_path: Path) -> None:
    """Texts made of forms equal those that the treebank gives; words are its numbered lines."""
    path = SHARED / "data" / "pud" / f"{language}_pud-ud-test.conllu.gz"
    given_lines = lines(path)
    texts = [each.removeprefix("# text = ") for each in given_lines if each.startswith("# text = ")]
    found = read_conllu(str(path)).texts
    assert list(found) == texts
    words = [each.split("\t") for each in given_lines if re.match(r"\d+\t", each)]
    assert [tuple(word) for text in found for word in text.words] == [
        (word[1], word[2], int(word[6]), word[7]) for word in words
    ]
    without = tmp_path / "without.conllu"
    kept = [each for each in given_lines if not each.startswith("# text = ")]
    without.write_text("\n".join(kept), encoding="utf-8")
    assert list(read_conllu(str(without)).texts) == texts
