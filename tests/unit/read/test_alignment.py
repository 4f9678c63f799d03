"""Word alignments and derivations, read line by line."""

from __future__ import annotations

import pytest

from rypt_cases import RYPT
from shared_data import lines, needs_shared
from weigh.errors import InputError
from weigh.read.alignment import (
    check_links,
    parse_derivation,
    parse_links,
    read_derivations,
)
from weigh.read.nbest import tree_yield


def where(place: int) -> str:
    return f"a.align: line {place + 1}"


@pytest.mark.parametrize("token", ["0-", "-1", "0--1", "a-b", "0-1-2", "0:1", "0,1--2", "٣-٤", "5"])
def test_malformed_links(token) -> None:
    with pytest.raises(InputError) as caught:
        parse_links(["0-0", f"0-0 {token} 1-1"], where)
    assert str(caught.value).startswith(f"a.align: line 2: '{token}' is not a link; ")


def test_links_beyond_the_words() -> None:
    links = parse_links(["0-0", "1-2 0-3"], where)
    check_links(links, [1, 2], [1, 4], where)
    with pytest.raises(InputError, match=r"^a.align: line 2: the link 1-2, but the source has 1 w"):
        check_links(links, [1, 1], [1, 4], where)
    with pytest.raises(InputError, match=r"^a.align: line 2: the link 0-3, but the output has 3 w"):
        check_links(links, [1, 2], [1, 3], where)


@pytest.mark.parametrize(
    ("text", "phrases", "end"),
    [
        ("(ROOT{0-3} (S{0-2} a b))", [((0, 1), (0, 1))], 2),  # its end is no word
        ("(S{0-2} (S{0-1} a) (X{1-2} b))", [((0,), (0,)), ((1,), (1,))], 2),
        ("(S{0-2} (S{1-2} a) (X{0-1} b))", [((1,), (0,)), ((0,), (1,))], 2),
        ("(S{0-2} (S{0-1} a) b)", [((0,), (0,)), ((1,), (1,))], 2),
        ("(S{0-1} (S{0-1} a) b)", [((0,), (0,))], 1),  # b translates nothing
        ("(S{0-3} (S{0-1} a))", [((0,), (0,))], 3),  # nor is all translated
        ("(S{0-1} ( ))", [((0,), (0, 1))], 1),  # the words are brackets
    ],
)
def test_phrases(text, phrases, end) -> None:
    found = parse_derivation(text, "x")
    assert [tuple(phrase) for phrase in found.phrases] == phrases
    assert found.end == end
    assert " ".join(found.words) == tree_yield(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no derivation"),
        ("a b", "'a', but a derivation was expected"),
        ("(S{0-2} a", "1 bracket not closed"),
        ("(S{0-2} a))", "an unmatched )"),
        ("(S{0-2} a) b", "'b' after the end of the derivation"),
        ("(S{0-1} a) (S{0-1} a)", "'(S{0-1}' after the end of the derivation"),
        ("(S{1-1} a)", "'S{1-1}' covers no word"),
        ("(S{0-2} (X{1-3} a))", "'X{1-3}' is not within 0-2"),
        ("(S{0-3} (X{0-2} a) (X{1-3} b))", "'X{1-3}' overlaps one of its siblings"),
    ],
)
def test_bad_derivations(write, complaint, text, what) -> None:
    path = write("a.trees", f"(S{{0-1}} a)\n{text}\n")
    message = complaint(lambda: list(read_derivations(path)))
    assert message.startswith("a.trees: line 2: ")
    assert what in message


def test_a_derivation_may_be_deep() -> None:
    depth = 50_000
    assert parse_derivation("(S{0-1} " * depth + "a" + ")" * depth, "x").words == ("a",)


def test_lists_and_lines(write, complaint) -> None:
    [first, second] = read_derivations(write("a.trees", "(S{0-1} a)\n(S{0-1} b)"))
    assert (first.sentence, second.sentence) == (0, 1)
    [only] = read_derivations(write("n.trees", "7 ||| (S{0-1} a) ||| 1 2 ||| 3"))
    assert (only.sentence, only.fields[2]) == (7, "1 2")
    message = complaint(lambda: list(read_derivations(write("b.trees", "x ||| (S{0-1} a)"))))
    assert (
        message
        == "b.trees: line 1: the sentence number 'x' is not a number; number sentences from 0"
    )
    long = write("d.trees", f"{'1' * 5_000} ||| (S{{0-1}} a)")
    assert "is not a number" in complaint(lambda: list(read_derivations(long)))
    assert "empty" in complaint(lambda: list(read_derivations(write("c.trees", ""))))


@needs_shared
def test_real_derivations_have_the_words_of_their_texts() -> None:
    for line in lines(RYPT / "nbest.out.ZMERT.it6.rand10sen.trees.gz")[::50]:
        tree = line.split(" ||| ")[1]
        assert " ".join(parse_derivation(tree, "x").words) == tree_yield(tree)
