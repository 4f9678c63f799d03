"""What counts as a word: the tokeniser that `auto` chooses, wherever references come from."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu.metrics as sacrebleu

from weigh import (
    Bleu,
    Cder,
    Gtm,
    InputError,
    Outputs,
    System,
    Ter,
    TestSet,
    Wer,
    parse_metric,
    score,
)
from weigh.errors import MissingExtraError
from weigh.read.nbest import Candidate
from weigh.tokenize import mecab
from weigh.tuning.gather import gather
from weigh.tuning.problem import Problem
from weigh.validate.nbest_systems import measure_list

JAPANESE = ["私は昨日、東京の図書館で本を借りました。", "彼女は音楽が好きです。"]
JAPANESE_OUTPUT = ["私は昨日東京の図書館で本を借りた。", "彼女は音楽を愛しています。"]
CHINESE = ["我昨天在北京的图书馆借了一本书。", "她喜欢音乐。"]
CHINESE_OUTPUT = ["我昨天从北京图书馆借了书。", "她爱音乐。"]
THAI = ["ฉันยืมหนังสือจากห้องสมุดเมื่อวานนี้", "เธอชอบดนตรีมากกว่ากีฬา"]
ENGLISH = ["I borrowed a book from the library yesterday.", "She likes music."]
TOKENISED = ["我 昨天 在 北京 的 图书馆 借 了 一 本 书 。", "她 喜欢 音乐 。"]

# Metrics that count words, and what each offers for texts without spaces.
REFUSING = {
    "chrf:word_order=2": (),
    "ter": ("ter:normalized:asian_support", "ter:tokenize=ja-mecab or char"),
    "ter:asian_support": ("ter:normalized:asian_support",),  # which does nothing alone
    "wer": ("wer:tokenize=ja-mecab or char",),
    "per": ("per:tokenize=ja-mecab or char",),
    "cder": ("cder:tokenize=ja-mecab or char",),
    "nist": ("nist:tokenize=ja-mecab or char", "nist:tokenize=13a"),
    "gtm": ("gtm:tokenize=ja-mecab or char",),
    "meteor:stages=exact": ("meteor:stages=exact:tokenize=ja-mecab or char",),
    r"combine:bleu=1:wer=-1": ("wer:tokenize=ja-mecab or char",),
}


def system(texts: list[str], name: str = "A", **options) -> System:
    return System(name, Outputs(texts), **options)


def signature_of(spec: str, test_set: TestSet, texts: list[str]) -> str:
    made, *_ = score([system(texts)], test_set, [parse_metric(spec)])
    assert made.metric == spec  # whatever was chosen
    return made.signature


@pytest.mark.parametrize(
    ("references", "outputs", "scheme", "theirs"),
    [
        (JAPANESE, JAPANESE_OUTPUT, "ja-mecab-0.996-IPA", "ja-mecab"),
        (CHINESE, CHINESE_OUTPUT, "zh", "zh"),
        (TOKENISED, CHINESE_OUTPUT, "zh", "zh"),
        (ENGLISH, ENGLISH[::-1], "13a", "13a"),
        (["", "12 :"], ENGLISH, "13a", "13a"),
    ],
)
def test_bleu_finds_words_as_sacrebleu_does_when_told(references, outputs, scheme, theirs) -> None:
    """The score and the signature are sacreBLEU's with that tokeniser, and not its default's."""
    [made] = score([system(outputs)], TestSet([references]), [Bleu()])
    peer = sacrebleu.BLEU(tokenize=theirs)
    assert made.score == pytest.approx(peer.corpus_score(outputs, [references]).score, abs=1e-9)
    assert made.signature.rpartition("|version:")[0] in str(peer.get_signature())
    assert f"|tok:{scheme}|" in made.signature
    assert made.metric == "bleu"
    [plain] = score([system(outputs)], TestSet([references]), [Bleu(tokenize="13a")])
    default = sacrebleu.BLEU().corpus_score(outputs, [references]).score
    assert plain.score == pytest.approx(default, abs=1e-9)


@pytest.mark.parametrize("spec", REFUSING)
def test_metrics_that_count_words_refuse_texts_without_spaces(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        score([system(JAPANESE_OUTPUT)], TestSet([JAPANESE]), [parse_metric(spec)])
    message = str(caught.value)
    assert "the references are Japanese" in message
    assert "\n" not in message
    for help_ in REFUSING[spec]:
        assert help_ in message
    for texts in (CHINESE, THAI):
        with pytest.raises(InputError, match="has no spaces between words"):
            score([system(texts)], TestSet([texts]), [parse_metric(spec)])


@pytest.mark.parametrize(
    "spec", ["chrf:word_order=2", "ter", "wer", "per", "cder", "gtm", "meteor:stages=exact"]
)
def test_a_tokeniser_that_is_named_is_obeyed(spec: str) -> None:
    """`none` counts a sentence as a word, as before; a real one finds words."""
    test_set = TestSet([JAPANESE])
    [as_before] = score([system(JAPANESE)], test_set, [parse_metric(f"{spec}:tokenize=none")])
    assert as_before.score == as_before.score
    assert "auto" not in as_before.signature
    if spec.startswith("chrf"):
        return
    for scheme in ("char", "ja-mecab", "zh"):
        metric = parse_metric(f"{spec}:tokenize={scheme}")
        [made] = score([system(JAPANESE_OUTPUT)], test_set, [metric], details=True)
        assert scheme in made.signature
        words = made.details.get("reference_words", made.details.get("reference_length"))
        assert words > 10  # of two sentences


@pytest.mark.parametrize("spec", [*REFUSING, "bleu"])
def test_words_that_are_set_apart_are_words(spec: str) -> None:
    signature = signature_of(spec, TestSet([TOKENISED]), TOKENISED)
    assert "auto" not in signature
    assert ("tok:zh" in signature) == ("bleu" in spec)


def test_options_that_set_characters_apart_need_no_tokeniser() -> None:
    for spec in ("ter:normalized:asian_support", "meteor:stages=exact:normalize"):
        assert "auto" not in signature_of(spec, TestSet([JAPANESE]), JAPANESE_OUTPUT)
    with pytest.raises(InputError, match="ter:normalized:asian_support:tokenize=char or flores200"):
        signature_of("ter:normalized:asian_support", TestSet([THAI]), THAI)


def test_bleu_of_thai_names_characters_and_pieces() -> None:
    with pytest.raises(InputError, match=r"bleu:tokenize=char or flores200 \(SentencePiece\)"):
        score([system(THAI)], TestSet([THAI]), [Bleu()])


def test_japanese_without_mecab_names_the_extra_and_characters(monkeypatch) -> None:
    def missing(_: str) -> object:
        raise MissingExtraError("tokeniser 'ja-mecab' needs MeCab; pip install 'weigh[ja]'")

    monkeypatch.setattr(mecab, "_tagger", missing)
    with pytest.raises(MissingExtraError, match=r"weigh\[ja\]'.*bleu:tokenize=char") as caught:
        score([system(JAPANESE)], TestSet([JAPANESE]), [Bleu()])
    assert "\n" not in str(caught.value)
    score([system(JAPANESE)], TestSet([JAPANESE]), [Bleu(tokenize="13a")])


def test_all_references_decide_together() -> None:
    """Those of a system alone too, and one tokeniser counts all systems."""
    mixed = TestSet([["Yes!", "OK"], CHINESE])
    assert "tok:zh" in signature_of("bleu", mixed, CHINESE)
    own = [
        system(CHINESE, "A", references=[CHINESE]),
        system(["Yes!", "OK"], "B", references=[["Yes!", "OK"]]),
    ]
    results = score(own, TestSet([], ids=["1", "2"]), [Bleu()])
    assert {"tok:zh" in one.signature for one in results} == {True}


def test_slices_that_disagree_are_refused() -> None:
    texts = [*ENGLISH, *JAPANESE]
    sliced = TestSet([texts], slices=["news", "news", "chat", "chat"])
    for spec in ("bleu", "wer"):
        with pytest.raises(InputError, match="slice news are written with spaces, but those of"):
            score([system(texts)], sliced, [parse_metric(spec)])
    assert "tok:char" in signature_of("bleu:tokenize=char", sliced, texts)
    for labels in (["a", "b", "a", "b"], ["a", "a", "a", "a"]):
        assert "tok:ja-mecab" in signature_of("bleu", TestSet([texts], slices=labels), texts)
    numbers = TestSet([[*JAPANESE, "12"]], slices=["a", "a", "b"])  # which say nothing
    assert "tok:ja-mecab" in signature_of("bleu", numbers, [*JAPANESE, "12"])


def test_lists_of_candidates_have_the_same_tokeniser() -> None:
    texts = [(0, CHINESE[0]), (0, CHINESE_OUTPUT[0]), (1, CHINESE_OUTPUT[1]), (1, CHINESE[1])]
    candidates = [
        Candidate(id=str(at), text=text, names=("f",), values=[float(place)], extra={}, line=1)
        for place, (at, text) in enumerate(texts)
    ]
    nbest, test_set = gather(candidates), TestSet([CHINESE])
    problem = Problem.of(nbest, test_set, Bleu())
    assert "tok:zh" in problem.metric.signature(1)
    [row] = score([system(CHINESE)], test_set, [Bleu()])
    chosen = problem.nbest.best(np.array([1.0]))
    texts_chosen = [nbest.texts[at] for at in nbest.hypotheses[chosen]]
    [expected] = score([system(texts_chosen)], test_set, [Bleu()])
    assert problem.score_of(chosen) == pytest.approx(expected.score)
    assert row.score == pytest.approx(100)
    measured = measure_list(nbest, test_set, [Bleu()])
    assert "tok:zh" in measured.samples[0].metric.signature(1)


@pytest.mark.parametrize("metric", [Wer(), Cder(), Gtm(), Ter(), Ter(variant="tercom")])
def test_segments_that_would_take_hours_are_refused(metric):
    extractor = metric.prepare(TestSet([["a b", "a " * 480_000]]))
    with pytest.raises(InputError, match="segment 2 has 480,000 words and its reference 480,000"):
        extractor.rows(Outputs(["a b", "a " * 480_000]))
    # A long text with a short reference is nothing much.
    assert metric.prepare(TestSet([["a b"]])).rows(Outputs(["a " * 480])).shape[0] == 1
