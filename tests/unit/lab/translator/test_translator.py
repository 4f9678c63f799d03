"""Training, the directory of a model, and what the translator says of its translations."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from unit.lab.translator.small_corpus import corpus
from weigh.errors import InputError, WeighError
from weigh.read.alignment import parse_derivation
from weigh.read.nbest import read_candidates
from weigh_lab import Translator, train_translator
from weigh_lab.translator.aligner import align_words, pharaoh_lines, read_alignment
from weigh_lab.translator.corpus import parallel
from weigh_lab.translator.ngrams import read_arpa
from weigh_lab.translator.plan import AlignPlan, DecodePlan, TranslatorPlan
from weigh_lab.translator.translator import (
    FEATURES,
    derivation_line,
    json_line,
    nbest_line,
)

SOURCES, TARGETS = corpus(400)
UNSEEN, EXPECTED = corpus(60, seed=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a trained model."""
    folder = tmp_path_factory.mktemp("translator") / "model"
    trained = train_translator(SOURCES, TARGETS, folder, TranslatorPlan(phrase=4))
    assert trained.sentences == 400
    return folder


@pytest.fixture(scope="module")
def translator(model: Path) -> Translator:
    return Translator.load(model)


def test_what_was_learned_translates_what_was_never_seen(translator: Translator) -> None:
    found = [best[0].text for best in translator.decode(UNSEEN)]
    pairs = [*zip(found, EXPECTED, strict=True)]
    # The verb comes from the end of the sentence, which weights before tuning do not always dare.
    assert sum(sorted(one.split()) == sorted(other.split()) for one, other in pairs) >= 54
    assert sum(one == other for one, other in pairs) >= 30


def test_threads_and_batches_make_no_difference(translator: Translator) -> None:
    plan = DecodePlan(nbest=20)
    one, two = (translator.decode(UNSEEN, plan, threads=count) for count in (1, 2))
    assert one == two
    assert one[3] == translator.nbest(UNSEEN[3], 20)


def test_training_is_the_same_for_any_number_of_threads(model: Path, tmp_path: Path) -> None:
    train_translator(SOURCES, TARGETS, tmp_path / "again", TranslatorPlan(phrase=4), threads=2)
    for name in ("phrases.gz", "language.arpa.gz"):
        one, two = (
            gzip.decompress((each / name).read_bytes()) for each in (model, tmp_path / "again")
        )
        assert one == two


def test_lines_of_lists_are_read_by_our_readers(translator: Translator, tmp_path: Path) -> None:
    text = UNSEEN[0]
    found = translator.nbest(text, 5)
    path = tmp_path / "list.nbest"
    path.write_text("".join(f"{nbest_line(0, each)}\n" for each in found))
    read = list(read_candidates(str(path)))
    assert [candidate.text for candidate in read] == [each.text for each in found]
    assert read[0].names == FEATURES
    assert list(read[0].values) == list(found[0].features)
    assert read[0].extra["alignment"] == found[0].alignment
    size = len(text.split())
    for each in found:
        derivation = parse_derivation(derivation_line(0, each, size).split(" ||| ")[1], "here")
        assert derivation.words == each.words
        assert derivation.end == size
    fields = json.loads(json_line(0, found[0]))
    assert (fields["text"], fields["total"]) == (found[0].text, found[0].total)


def test_alignments_of_another_aligner_take_the_place_of_ours(tmp_path: Path, model: Path) -> None:
    plan = TranslatorPlan(phrase=4)
    pairs = parallel(SOURCES, TARGETS, plan)
    lines = [*pharaoh_lines(align_words(pairs, plan), pairs)]
    (tmp_path / "links").write_text("".join(f"{line}\n" for line in lines))
    train_translator(SOURCES, TARGETS, tmp_path / "m", plan, alignment=str(tmp_path / "links"))
    for name in ("phrases.gz", "language.arpa.gz"):
        assert gzip.decompress((tmp_path / "m" / name).read_bytes()) == gzip.decompress(
            (model / name).read_bytes()
        )


def test_empty_and_long_lines_are_left_out_and_counted() -> None:
    plan = AlignPlan(longest=3)
    pairs = parallel(["a b", "", "a b c d", "c"], ["x y", "z", "w", "v"], plan)
    assert (pairs.lines, pairs.empty, pairs.long) == ((0, 3), 1, 1)
    assert [*pharaoh_lines(align_words(pairs, plan), pairs)][1:3] == ["", ""]
    with pytest.raises(InputError, match="no sentence pairs are left"):
        parallel(["", "a"], ["x", ""], plan)


def complaint(action: object, *arguments: object, **more: object) -> str:
    with pytest.raises(WeighError) as caught:
        action(*arguments, **more)  # type: ignore[operator]
    said = str(caught.value)
    assert said.isprintable()
    return said


def test_models_that_are_none_are_refused(model: Path, tmp_path: Path) -> None:
    assert "no translator" in complaint(Translator.load, tmp_path)
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    for content, said in (
        ("nonsense", "cannot be read"),
        ("[1]", "a model of format"),
        ('{"format": "weigh-translator/9", "plan": {}}', "reads 'weigh-translator/1'"),
        ('{"format": "weigh-translator/1", "plan": {"order": 99}}', "order"),
    ):
        (copy / "model.json").write_text(content)
        assert said in complaint(Translator.load, copy)
    shutil.rmtree(copy)
    shutil.copytree(model, copy)
    (copy / "weights").write_text("d_0 1\nunheard 2\n")
    assert "no feature 'unheard'" in complaint(Translator.load, copy)
    assert "exists" in complaint(train_translator, SOURCES, TARGETS, copy)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a ||| b ||| 1 1 1 1 ||| 1 1 1 1 1 1 ||| 0-0", "5 fields"),
        ("a ||| b ||| 1 1 1 x ||| 1 1 1 1 1 1 ||| 0-0 ||| 1", "expected four scores"),
        ("a ||| b ||| 1 1 1 2 ||| 1 1 1 1 1 1 ||| 0-0 ||| 1", "from 0 to 1"),
        ("a ||| b ||| 1 1 1 nan ||| 1 1 1 1 1 1 ||| 0-0 ||| 1", "from 0 to 1"),
        ("a ||| b ||| 1 1 1 1 ||| 1 1 1 1 1 1 ||| 0-9 ||| 1", "outside the phrases"),
        ("a  c ||| b ||| 1 1 1 1 ||| 1 1 1 1 1 1 ||| 0-0 ||| 1", "single spaces"),
        ("a ||| b ||| 1 1 1 1 ||| 1 1 1 1 1 ||| 0-0 ||| 1", "expected four scores"),
    ],
)
def test_hostile_phrase_tables_are_refused(
    model: Path, tmp_path: Path, line: str, said: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    (copy / "phrases.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    assert said in complaint(Translator.load, copy)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "language model"),
        ("hello\n", "not an ARPA file"),
        ("\\data\\\nngram 1=1\n\n\\2-grams:\n-1\ta b\n\\end\\\n", "not an ARPA file"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\n", "without \\end\\"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n1\ta\n\\end\\\n", "expected a log probability"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\nnan\ta\n\\end\\\n", "expected a log probability"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta b\n\\end\\\n", "expected a log probability"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n\\3-grams:\n\\end\\\n", "was expected"),
        ("\\data\\\nngram 1=0\n\n\\1-grams:\n\\end\\\n", "no words"),
        ("\\data\\\nngram 1=7\n\n\\1-grams:\n-1\ta\n\\end\\\n", "the header says 7"),
        ("\\data\\\nngram 1=-7\n\n\\1-grams:\n-1\ta\n\\end\\\n", "is not a count of n-grams"),
        (f"\\data\\\nngram 1={'9' * 5000}\n\\1-grams:\n\\end\\\n", "is not a count of n-grams"),
    ],
)
def test_hostile_language_models_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(text)
    assert said in complaint(read_arpa, path)


def test_tables_whose_parts_do_not_fit_are_refused(model: Path, tmp_path: Path) -> None:
    """Each line is right by itself: links that another pair has, an n-gram without its words."""
    chances = "0.5 0.5 0.5 0.5 ||| 0.5 0.25 0.25 0.5 0.25 0.25"
    lines = [f"a b ||| c d ||| {chances} ||| 1-1 ||| 1", f"a ||| c ||| {chances} ||| 1-1 ||| 1"]
    arpa = "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1\ta\n\\2-grams:\n-1\tb a\n\\end\\\n"
    for name, text, said in (
        (
            "phrases.gz",
            "\n".join(lines) + "\n",
            "line 2: a link of '1-1' is outside the phrases; extract them again",
        ),
        ("language.arpa.gz", arpa, "do not match"),
    ):
        folder = tmp_path / name
        shutil.copytree(model, folder)
        (folder / name).write_bytes(gzip.compress(text.encode()))
        with pytest.raises(InputError, match=said):
            Translator.load(folder)


def test_other_files_of_links_are_refused(tmp_path: Path) -> None:
    pairs = parallel(["a b", "c"], ["x", "y"], AlignPlan())
    path = tmp_path / "links"
    for text, said in (("0-0\n", "1 line"), ("0-0\n5-0\n", "line 2"), ("0-0\nx\n", "line 2")):
        path.write_text(text)
        assert said in complaint(read_alignment, str(path), pairs)


def test_sentences_that_are_too_long_are_refused(translator: Translator) -> None:
    assert "257 words" in complaint(translator.nbest, "en " * 257)
    assert "line 2: 300 words" in complaint(translator.decode, ["en", "en " * 300])
