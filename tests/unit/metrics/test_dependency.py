"""Dependency F, from given parses and through spaCy."""

from __future__ import annotations

import pickle
import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.dependency import dependency_row, f_score
from strategies import corpora
from weigh import (
    Dependency,
    InputError,
    MissingExtraError,
    Outputs,
    ParsedText,
    ParsedWord,
    System,
    TestSet,
    parse_metric,
)
from weigh.metrics.statistics import statistics


@st.composite
def trees(draw: st.DrawFn) -> ParsedText:
    """Few words and relations, so that trees have some of them in common."""
    size = draw(st.integers(0, 6))
    words = [
        ParsedWord(
            draw(st.sampled_from(["a", "A", "b"])),
            draw(st.sampled_from("ab")),
            draw(st.integers(0, size)),
            draw(st.sampled_from(["nsubj", "obj"])),
        )
        for _ in range(size)
    ]
    return ParsedText(" ".join(word.form for word in words), words)


def rows_of(metric, corpus):
    hypotheses, references = corpus
    return metric.prepare(TestSet(references)).rows(Outputs(hypotheses))


@given(corpora(trees()), st.booleans(), st.booleans())
def test_rows_against_oracle(corpus, labels, lemmas):
    hypotheses, references = corpus
    metric = Dependency(labels, lemmas)
    rows = rows_of(metric, corpus)
    expected = [
        dependency_row(hyp.words, [ref.words for ref in refs], labels, lemmas)
        for hyp, *refs in zip(hypotheses, *references, strict=True)
    ]
    assert rows.dtype == np.int64
    assert rows.tolist() == expected
    scores = [100 * float(f_score(row)) for row in expected]
    assert metric.segment_scores(rows).tolist() == pytest.approx(scores)


@given(corpora(trees()))
def test_labels_can_only_lose_matches(corpus):
    """With one reference, whoever agrees on a relation's name agrees on its words."""
    hypotheses, references = corpus[0], corpus[1][:1]
    with_labels = rows_of(Dependency(), (hypotheses, references))
    without = rows_of(Dependency(labels=False), (hypotheses, references))
    np.testing.assert_array_equal(with_labels[:, :2], without[:, :2])
    assert (with_labels[:, 2] <= without[:, 2]).all()


def tree(*words: tuple[str, int, str]) -> ParsedText:
    return ParsedText(
        " ".join(form for form, _, _ in words),
        [ParsedWord(form, "_", head, relation) for form, head, relation in words],
    )


CAT = tree(("the", 2, "det"), ("cat", 3, "nsubj"), ("sat", 0, "root"))


def test_texts_without_a_parse_are_refused():
    with pytest.raises(InputError, match=r"reference 2 \(segment 1\) has no parse; .*\.conllu"):
        rows_of(Dependency(), ([CAT], [[CAT], ["the cat sat"]]))
    outputs = Outputs(["the cat sat"], segments=[1])
    extractor = Dependency().prepare(TestSet([[CAT, CAT]]))
    with pytest.raises(InputError, match=r"an output \(segment 2\) has no parse; .*model="):
        extractor.rows(outputs)


def test_references_are_needed():
    with pytest.raises(InputError, match="needs references"):
        Dependency().prepare(TestSet([], ids=["1"]))


def test_what_the_parser_does_not_tell_is_not_compared():
    with pytest.raises(InputError, match=r"\(segment 1\) has no lemma of 'the' in .*lemmas=false"):
        rows_of(Dependency(lemmas=True), ([CAT], [[CAT]]))
    bare = tree(("the", 2, "_"), ("cat", 0, "_"))
    with pytest.raises(InputError, match=r"\(segment 1\) has no relation of 'the'.*labels=false"):
        rows_of(Dependency(), ([bare], [[bare]]))
    assert rows_of(Dependency(labels=False), ([bare], [[bare]])).tolist() == [[1, 1, 1]]


def test_a_word_without_a_lemma_is_its_form():
    def torn(first: str, second: str, lemma: str) -> ParsedText:
        words = [ParsedWord(first, "without", 0, "root"), ParsedWord(second, lemma, 1, "goeswith")]
        return ParsedText(f"{first} {second}", words)

    same = ([torn("With", "out", "_")], [[torn("with", "out", "out")]])
    assert rows_of(Dependency(lemmas=True), same).tolist() == [[1, 1, 1]]
    other = ([torn("with", "Out", "_")], [[torn("with", "out", "_")]])
    assert rows_of(Dependency(lemmas=True), other).tolist() == [[1, 1, 0]]
    alone = ParsedText("a", [ParsedWord("a", "_", 0, "root")])
    assert rows_of(Dependency(lemmas=True), ([alone], [[alone]])).tolist() == [[0, 0, 0]]


def test_a_word_that_is_an_underscore_has_a_lemma():
    text = ParsedText("_ a", [ParsedWord("_", "_", 2, "dep"), ParsedWord("a", "a", 0, "root")])
    assert rows_of(Dependency(lemmas=True), ([text], [[text]])).tolist() == [[1, 1, 1]]


class TestParsedText:
    def test_it_keeps_its_words_when_it_travels(self):
        copy = pickle.loads(pickle.dumps(CAT))
        assert copy == CAT
        assert copy.words == CAT.words

    @pytest.mark.parametrize("head", [-1, 2])
    def test_heads_are_words(self, head):
        with pytest.raises(InputError, match="'a': its head is word"):
            ParsedText("a", [ParsedWord("a", "a", head, "root")])


class Token(SimpleNamespace):
    """What is used of spaCy's tokens."""

    @property
    def is_space(self) -> bool:
        return self.text.isspace()


class Document(list):
    def __init__(self, tokens: list[Token], is_parsed: bool) -> None:
        super().__init__(tokens)
        self.is_parsed = is_parsed

    def has_annotation(self, name: str) -> bool:
        return self.is_parsed and name == "DEP"


class Pipeline:
    """Parses as spaCy would if every word depended on the token before it."""

    def __init__(self, is_parser: bool) -> None:
        self.is_parser = is_parser
        self.parsed: list[str] = []

    def pipe(self, texts):
        for text in texts:
            assert type(text) is str
            self.parsed.append(text)
            words = re.findall(r"\S+|(?<= ) +", text)  # a second space is a token
            tokens = [
                Token(i=i, text=w, lemma_=w.lower(), dep_="next") for i, w in enumerate(words)
            ]
            for token in tokens:
                token.head = tokens[max(token.i - 1, 0)]
            yield Document(tokens, self.is_parser)


@pytest.fixture
def pipelines(monkeypatch):
    """The models of a spaCy that is not spaCy: one that parses and one that does not."""
    known = {"parser": Pipeline(True), "tagger": Pipeline(False)}

    def load(name, exclude):
        assert exclude == ["ner"]
        if name == "broken":
            raise ValueError("[E002] Can't find factory\nfor a component")
        if name not in known:
            raise OSError(f"[E050] Can't find model {name!r}.")
        return known[name]

    spacy = ModuleType("spacy")
    spacy.load = load
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    return known


@pytest.mark.usefixtures("pipelines")
def test_a_model_parses_texts():
    metric = parse_metric("dependency:model=parser")
    rows = rows_of(metric, (["The cat sat", "", CAT], [["The cat slept", "a b", CAT]]))
    assert rows.tolist() == [[2, 2, 1], [0, 1, 0], [2, 2, 2]]
    lemmas = rows_of(Dependency(lemmas=True, model="parser"), (["the Cat"], [["The cat"]]))
    assert lemmas.tolist() == [[1, 1, 1]]
    assert "parser" in metric.signature(1)


def test_equal_texts_are_parsed_once(pipelines):
    systems = [System(name, Outputs(["a b", "c d"])) for name in "ABC"]
    statistics(systems, TestSet([["x y", "x y"]]), Dependency(model="parser"), threads=1)
    assert pipelines["parser"].parsed == ["x y", "a b", "c d"]


@pytest.mark.usefixtures("pipelines")
def test_white_space_is_no_word():
    rows = rows_of(Dependency(model="parser"), (["a  b"], [["a b"]]))
    assert rows.tolist() == [[1, 1, 1]]


@pytest.mark.usefixtures("pipelines")
def test_models_that_cannot_be_used(monkeypatch):
    def refused(name):
        return pytest.raises((InputError, MissingExtraError), match=rf"^dependency:model={name}")

    with refused("none") as caught:
        Dependency(model="none").prepare(TestSet([["a"]]))
    assert "python -m spacy download none" in str(caught.value)
    with refused("broken") as caught:
        Dependency(model="broken").prepare(TestSet([["a"]]))
    assert "\n" not in str(caught.value)
    with refused("tagger") as caught:
        Dependency(model="tagger").prepare(TestSet([["a"]]))
    assert "does not parse" in str(caught.value)
    monkeypatch.setitem(sys.modules, "spacy", None)
    with refused("parser") as caught:
        Dependency(model="parser").prepare(TestSet([["a"]]))
    assert "pip install 'weigh[spacy]'" in str(caught.value)


def test_spacy_itself(tmp_path):
    """A real pipeline with a component of the test's own in the parser's place."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from spacy.tokens import Doc

    def to_the_left(doc):
        heads = [max(token.i - 1, 0) for token in doc]
        words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
        return Doc(doc.vocab, words=words, spaces=spaces, heads=heads, deps=["dep"] * len(doc))

    name = "weigh_to_the_left"
    spacy.Language.component(name, func=to_the_left)
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "blank")
    pipeline.add_pipe(name)
    pipeline.to_disk(tmp_path / "parser")
    metric = Dependency(model=str(tmp_path / "parser"))
    rows = rows_of(metric, (["the cat  sat", ""], [["the cat slept", "a b c"]]))
    assert rows.tolist() == [[2, 2, 1], [0, 2, 0]]
    with pytest.raises(InputError, match="does not parse"):
        Dependency(model=str(tmp_path / "blank")).prepare(TestSet([["a"]]))
    with pytest.raises(MissingExtraError, match="no such model"):
        Dependency(model="no_such_model").prepare(TestSet([["a"]]))
    with pytest.raises(InputError, match="no lemma"):
        Dependency(lemmas=True, model=str(tmp_path / "parser")).prepare(TestSet([["a b"]]))
