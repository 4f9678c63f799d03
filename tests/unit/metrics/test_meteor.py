"""METEOR: its scores, options and resources."""

from __future__ import annotations

import gzip
import importlib.metadata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.meteor import meteor_2005_score, meteor_score
from weigh import (
    InputError,
    Meteor,
    MissingExtraError,
    Nist,
    Outputs,
    System,
    TestSet,
    UsageError,
    parse_metric,
)
from weigh.metrics.meteor import synonyms
from weigh.metrics.meteor.metric import LANGUAGES, parameters_of
from weigh.metrics.meteor.resources import function_words
from weigh.metrics.statistics import statistics


def row_of(metric: Meteor, hypothesis: str, *references: str) -> list[int]:
    test_set = TestSet([[reference] for reference in references])
    [rows] = statistics([System("A", Outputs([hypothesis]))], test_set, metric)
    return rows[0].tolist()


def matches(metric: Meteor, hypothesis: str, reference: str) -> list[int]:
    """The words of the hypothesis that match in each stage."""
    row = row_of(metric, hypothesis, reference)
    return [row[4 + 4 * stage] + row[6 + 4 * stage] for stage in range(4)]


@st.composite
def statistics_of_a_set(draw):
    """Twenty-three sums that sentences can have: no more matches than words."""
    row = [0] * 23
    for side in (0, 1):
        counts = draw(st.lists(st.integers(0, 50), min_size=8, max_size=8))
        for stage in range(4):
            row[4 + 4 * stage + side] = counts[stage]
            row[6 + 4 * stage + side] = counts[4 + stage]
        row[2 + side] = sum(counts[4:]) + draw(st.integers(0, 50))
        row[side] = row[2 + side] + sum(counts[:4]) + draw(st.integers(0, 50))
        row[21 + side] = sum(counts)
    row[20] = draw(st.integers(0, min(row[21], row[22])))
    return row


@settings(max_examples=100)
@given(statistics_of_a_set(), st.sampled_from(sorted(LANGUAGES)), st.sampled_from(["rank", "li"]))
def test_scores_against_the_formula(row, language, task):
    metric = Meteor(language=language, task=task, stages="exact")
    parameters = parameters_of(language, task)
    expected = 100 * meteor_score(row, parameters[:4], parameters.weights)
    assert float(metric.score(np.array(row))) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60), st.data())
def test_scores_of_2005_against_the_formula(size, ref_size, data):
    found = data.draw(st.integers(0, min(size, ref_size)))
    row = [size, ref_size, found, data.draw(st.integers(min(found, 1), max(found, 0)))]
    expected = 100 * meteor_2005_score(row)
    score = float(Meteor(version="2005", stages="exact").score(np.array(row)))
    assert score == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_one_word_repeated_of_2005():
    """Of one word n times there are n! alignments of n words; one of them is found directly."""
    text = " ".join(["the"] * 1000)
    extractor = Meteor(version="2005", stages="exact").prepare(TestSet([[text]]))
    assert extractor.rows(Outputs([text])).tolist() == [[1000, 1000, 1000, 1]]


@pytest.mark.parametrize("metric", [Meteor(stages="exact"), Meteor(version="2005"), Nist()])
def test_a_sum_scores_the_same_alone_and_among_others(metric):
    """To the last bit: a power of a single number by ** is rounded otherwise than in an array."""
    rng = np.random.default_rng(7)
    texts = [" ".join(rng.choice(list("abcdef"), rng.integers(1, 30))) for _ in range(400)]
    rows = metric.prepare(TestSet([texts[::-1]])).rows(Outputs(texts))
    sums = np.cumsum(rows, axis=0)
    np.testing.assert_array_equal(metric.score(sums), [metric.score(row) for row in sums])


def test_example_of_the_paper_of_2005():
    """Banerjee & Lavie (2005) count two chunks here: the president, spoke to the audience."""
    metric = Meteor(version="2005", stages="exact")
    row = row_of(
        metric,
        "the president spoke to the audience",
        "the president then spoke to the audience",
    )
    assert row == [6, 7, 6, 2]


def test_case_is_kept_unless_told():
    assert matches(Meteor(stages="exact"), "The Cat", "the cat") == [0, 0, 0, 0]
    assert matches(Meteor(stages="exact", lowercase=True), "The Cat", "the cat") == [2, 0, 0, 0]
    assert matches(Meteor(stages="exact", normalize=True), "The Cat.", "the cat .") == [3, 0, 0, 0]


def test_only_ascii_white_space_separates_words():
    metric = Meteor(stages="exact")
    assert row_of(metric, "a\xa0b \t c", "a b")[:2] == [2, 2]


@pytest.mark.parametrize("hypothesis", ["", "  ", "\xa0"])
def test_empty_texts_score_zero(hypothesis):
    metric = Meteor(stages="exact")
    for texts in ((hypothesis, "a b"), ("a b", hypothesis), (hypothesis, "")):
        assert float(metric.score(np.array(row_of(metric, *texts)))) == 0


def test_segments_too_long_to_align_are_refused():
    metric = Meteor(stages="exact")
    assert row_of(metric, "a b " * 300, "b a " * 300)[:2] == [600, 600]
    with pytest.raises(InputError, match="6,000 words"):
        row_of(metric, "a", "a " * 6000)


# Resources


def write_extract(folder):
    """METEOR's kind of folder, with words of our own."""
    (folder / "english.synsets").write_text("car\n1 2\nauto\n2\nride\n3\ngo\n3 4\nbus\n5\n")
    with gzip.open(folder / "english.exceptions.gz", "wt") as stream:
        stream.write("go\nwent gone\n")
    return Meteor(synonyms=str(folder), stages="exact+synonym")


def test_synonyms_of_an_extract(tmp_path):
    metric = write_extract(tmp_path)
    assert matches(metric, "car", "auto") == [0, 0, 1, 0]
    assert matches(metric, "cars", "autos") == [0, 0, 1, 0]  # by detaching
    assert matches(metric, "went", "rides") == [0, 0, 1, 0]  # by an exception
    assert matches(metric, "car", "bus") == [0, 0, 0, 0]


def test_base_forms_are_those_of_the_reference_program(tmp_path):
    """As METEOR 1.5 does it: exceptions hide detaching, `ss` and two letters are left alone."""
    names = ["a", "as", "bos", "boss", "do", "doe", "live", "life"]
    lines = [line for number, name in enumerate(names) for line in (name, str(number))]
    (tmp_path / "english.synsets").write_text("\n".join(lines) + "\n")
    (tmp_path / "english.exceptions").write_text("life\nlives\n")
    synsets = synonyms.synsets_of(str(tmp_path), "english")
    assert synsets("as") == {1}
    assert synsets("boss") == {3}
    assert synsets("doing") == {5}  # `doe` is found before `do`
    assert synsets("lives") == {7}


def write_wordnet(folder):
    entries = {
        "noun": ["run n 1 1 @ 1 0 00000011", "dash n 1 0 1 0 00000011", "saw n 1 0 1 0 00000044"],
        "verb": ["run v 1 0 1 0 00000044", "dash v 1 0 1 0 00000033", "see v 1 0 1 0 00000055"],
        "adj": ["fast a 2 0 2 0 00000066 00000077", "quick a 1 0 1 0 00000077"],
        "adv": ["fast r 1 0 1 0 00000066", "a_la_carte r 1 0 1 0 00000099"],
    }
    for part, lines in entries.items():
        text = "  1 This is a licence. WordNet 3.0\n" + "".join(f"{line}  \n" for line in lines)
        (folder / f"index.{part}").write_text(text)
        (folder / f"{part}.exc").write_text("saw see\n" if part == "verb" else "")
    return Meteor(synonyms=str(folder), stages="exact+synonym")


def test_synonyms_of_wordnet(tmp_path):
    metric = write_wordnet(tmp_path)
    assert matches(metric, "runs", "dashes") == [0, 0, 1, 0]
    assert matches(metric, "saw", "see") == [0, 0, 1, 0]
    assert matches(metric, "fastest", "quicker") == [0, 0, 1, 0]


def test_synsets_of_different_parts_of_speech_differ(tmp_path):
    metric = write_wordnet(tmp_path)
    assert matches(metric, "saw", "run") == [0, 0, 0, 0]  # noun 44 and verb 44


def test_real_wordnet():
    try:
        folder = synonyms.find_folder(None)
    except MissingExtraError as error:
        pytest.skip(str(error))
    metric = Meteor(synonyms=folder, stages="exact+synonym")
    assert matches(metric, "cars", "automobile") == [0, 0, 1, 0]
    assert matches(metric, "bought", "purchase") == [0, 0, 1, 0]
    assert matches(metric, "bought", "automobile") == [0, 0, 0, 0]


def test_missing_wordnet_is_said(monkeypatch):
    monkeypatch.setattr(synonyms, "_PLACES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    with pytest.raises(MissingExtraError, match="apt-get install wordnet-base") as caught:
        Meteor().prepare(TestSet([["a"]]))
    assert "\n" not in str(caught.value)
    assert "meteor:stages=exact+stem" in str(caught.value)
    assert row_of(Meteor(stages="exact+stem"), "a", "a")[:2] == [1, 1]


@pytest.mark.parametrize("installed", [None, "3.0.1"])
def test_missing_stemmer_is_said(installed, monkeypatch):
    def version(name):
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(MissingExtraError, match=r"pip install 'weigh\[meteor\]'"):
        Meteor(stages="exact+stem").prepare(TestSet([["a"]]))


def test_paraphrases(tmp_path):
    path = tmp_path / "table.gz"
    with gzip.open(path, "wt") as stream:
        stream.write("0.5\nas well\nalso\n0.2\nin fact\nreally\n0.1\nx y z\nq")
    metric = Meteor(stages="exact+paraphrase", paraphrases=str(path))
    assert matches(metric, "we as well came", "we also came") == [2, 0, 0, 2]
    assert matches(metric, "we also came", "we as well came") == [2, 0, 0, 1]
    assert matches(metric, "q", "x y z") == [0, 0, 0, 1]  # the last line has no end
    assert matches(metric, "also", "really") == [0, 0, 0, 0]


@pytest.mark.parametrize("text", ["0.5\na\n", "a\n0.5\nb\n", "0.5\na\nb\nc\nd\ne\n"])
def test_broken_paraphrases(text, tmp_path):
    path = tmp_path / "table"
    path.write_text(text)
    metric = Meteor(stages="exact+paraphrase", paraphrases=str(path))
    with pytest.raises(InputError, match="table: "):
        metric.prepare(TestSet([["a"]]))


def test_every_language_has_its_own_function_words():
    spanish = row_of(Meteor(stages="exact", language="es"), "el gato", "the gato")
    assert spanish[2:4] == [1, 0]
    english = row_of(Meteor(stages="exact", language="es", compat=True), "el gato", "the gato")
    assert english[2:4] == [0, 1]
    for language in LANGUAGES.values():
        words = function_words(language.name, None)
        assert {".", ","} <= words
        assert all(word == word.lower() for word in words)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("meteor:stages=stem", "exact first"),
        ("meteor:stages=exact+magic", "unknown"),
        ("meteor:stages=exact+exact", "unknown"),
        ("meteor:stages=exact+synonym:language=de", "no stage synonym for de"),
        ("meteor:stages=exact+stem:language=cs", "no stage stem for cs"),
        ("meteor:stages=exact+paraphrase", "paraphrases=PATH"),
        ("meteor:language=xx", "unknown"),
        ("meteor:task=adq:language=fr", "en only"),
        ("meteor:version=2005:aligner=exact", "no effect"),
        ("meteor:version=2005:language=es", "no effect"),
        ("meteor:version=3", "unknown"),
        ("meteor:language=es:synonyms=x", "no effect without the stage synonym"),
        ("meteor:stages=exact+stem:synonyms=x", r"the stages are exact\+stem; leave it out"),
        ("meteor:stages=exact:paraphrases=x", "no effect without the stage paraphrase"),
        ("meteor:prefixes=x", "no effect without normalize"),
    ],
)
def test_options_that_cannot_be(spec, message):
    with pytest.raises(UsageError, match=message):
        parse_metric(spec)


@pytest.mark.parametrize(
    "made",
    [
        Meteor(synonyms="nowhere/at/all"),
        Meteor(stages="exact", function_words="nowhere.words"),
        Meteor(stages="exact+paraphrase", paraphrases="nowhere.gz"),
        Meteor(stages="exact", normalize=True, prefixes="nowhere.prefixes"),
    ],
)
def test_missing_files_are_named(made):
    for use in (made.signature, lambda _: made.prepare(TestSet([["a"]]))):
        with pytest.raises(InputError, match="nowhere") as caught:
            use(1)
        assert "\n" not in str(caught.value)


def test_a_missing_folder_is_named_itself():
    with pytest.raises(InputError, match=r"^nowhere/at/all: no such folder"):
        Meteor(synonyms="nowhere/at/all").signature(1)


def test_empty_files_are_refused(tmp_path):
    path = tmp_path / "empty"
    for content in ("", "\n\n"):
        path.write_text(content)
        metric = Meteor(stages="exact", function_words=str(path))
        with pytest.raises(InputError, match="empty: no words"):
            metric.prepare(TestSet([["a"]]))
    path.write_text("")
    with pytest.raises(InputError, match="empty: empty; three lines per paraphrase"):
        Meteor(paraphrases=str(path), stages="exact+paraphrase").prepare(TestSet([["a"]]))


def test_broken_extracts(tmp_path):
    metric = write_extract(tmp_path)
    (tmp_path / "english.synsets").write_text("car\nx\n")
    with pytest.raises(InputError, match="'x' is not a synset number"):
        row_of(metric, "car", "bus")
    (tmp_path / "english.synsets").write_text("car\n1\nbus\n")
    with pytest.raises(InputError, match="3 lines"):
        row_of(metric, "car", "bus")


def test_broken_wordnet(tmp_path):
    metric = write_wordnet(tmp_path)
    (tmp_path / "index.noun").write_text("run n 5 0 1\n")
    with pytest.raises(InputError, match="not an entry of WordNet's index"):
        row_of(metric, "run", "dash")


def test_signatures_tell_the_resources_apart(tmp_path):
    metric = write_extract(tmp_path)
    before = metric.signature(1)
    assert "|stages:exact+synonym|" in before
    assert metric.signature(1) == before
    (tmp_path / "english.synsets").write_text("car\n1 2\nauto\n7\n")
    assert metric.signature(1) != before
    assert "|meteor:2005|" in Meteor(version="2005", stages="exact").signature(1)
    assert len({Meteor(stages="exact", language=each).signature(1) for each in LANGUAGES}) == 6
