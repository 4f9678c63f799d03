"""The file of sentences holds what queries were made of, and nothing broken is read from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weigh.errors import InputError
from weigh.read.trees import Node
from weigh.rypt.labels import Label
from weigh.rypt.pools import Pool
from weigh.rypt.sentences import AskedSentence, as_jsonl, asked_sentences, read_sentences
from weigh.rypt.tree import Tree
from weigh.rypt.usefulness import Usefulness

SOURCE = "v ( z"


def pool_of(*candidates: tuple[str, str]) -> Pool:
    pool = Pool()
    for line, (text, links) in enumerate(candidates, 1):
        pool.add(text, links, "x", line)
    return pool


def asked() -> list[AskedSentence]:
    tree = Tree.of(SOURCE.split(), [Node("P", 0, 2)])
    pools = [Pool(), pool_of(("a b", "0-0 2-1"), ('"\u2028"', "")), pool_of(("c", "0-0"))]
    labels = {
        SOURCE: {(0, 1, "a"): Label.NOT_SURE},
        "elsewhere": {(0, 1, "x"): Label.YES},
    }
    # The words of a source may have more than a space between them.
    return asked_sentences(["w", "v  (\tz", "w"], [tree, tree, None], pools, labels, 2)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    sentences = asked()
    assert sentences == [
        AskedSentence(
            SOURCE,
            2,
            line=2,
            tree="(sentence (P (word v) (word -LRB-)) (word z))",
            candidates=(("a b", "0-0 2-1"), ('"\u2028"', "")),
            labels=((0, 1, "a", Label.NOT_SURE),),
        ),
        AskedSentence("elsewhere", 2, labels=((0, 1, "x", Label.YES),)),
    ]
    path = tmp_path / "sentences.jsonl"
    path.write_text("".join(f"{line}\n" for line in as_jsonl(sentences)), encoding="utf-8")
    assert read_sentences(str(path)) == sentences
    first, second = map(json.loads, as_jsonl(sentences))
    assert first["schema"] == "weigh/2"
    assert first["candidates"] == [["a b", "0-0 2-1"], ['"\u2028"', ""]]
    assert set(second) == {"schema", "weigh", "source", "max_length", "labels"}


def damaged(**changes: Any) -> str:
    fields = json.loads(next(as_jsonl(asked())))
    fields |= changes
    return json.dumps({name: value for name, value in fields.items() if value is not ...}) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 is not JSON; give the sentences.jsonl that weigh rypt queries has written"),
        (damaged()[:-9], "line 1 is not JSON"),
        ("[" * 100_000, "line 1 is not JSON"),
        (damaged() + "\n" + damaged(), "line 2 is not JSON"),
        ("[]\n", "line 1: expected a sentence with the schema weigh/2, found None"),
        (damaged(schema="weigh/3"), "line 1: expected a sentence with the schema weigh/2, found"),
        (damaged(max_length=...), "line 1 has no 'max_length'"),
        (damaged(max_length=0), "line 1: a max_length of 0"),
        (damaged() + damaged(max_length=3), "2 max_lengths (2, 3)"),
        (damaged(source="v  z"), "line 1: the source is 'v  z'; expected a source of words"),
        (damaged(source="v ( z z"), "line 1: a tree of other words than the source's"),
        (damaged(tree=...), "line 1: a tree or candidates, but not both"),
        (damaged(tree="null"), "line 1: a tree of other words than the source's, or none"),
        (damaged(tree="(S (X v) (X -LRB-) (X z)"), "line 1, column 1: the bracket of 'S' is not"),
        (damaged(candidates=[["a", "3-0"]]), "line 1: the link 3-0, but the source has 3 words"),
        (damaged(candidates=[["a", "0-1"]]), "line 1: the link 0-1, but the output has 1 word"),
        (damaged(candidates=[["a", "0"]]), "line 1: '0' is no link"),
        (damaged(candidates=[["a"]]), "line 1.candidates[0]: expected a list of 2"),
        (damaged(labels=[[0, 1, "a", "MAYBE"]]), "line 1.labels[0][3]: expected one of YES, NO"),
    ],
)
def test_broken_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sentences.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Usefulness.read(str(path))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Usefulness.read(str(tmp_path / "sentences.jsonl"))
