"""Signatures: sacreBLEU's means sacreBLEU's number, and no option changes a number in secret."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from every_metric import outputs_for
from strategies import parsed
from weigh import Bleu, Chrf, Metric, Outputs, System, Ter, TestSet, parse_metric, score
from weigh.metrics.registry import metric_class, metric_names
from weigh.metrics.statistics import suppliers
from weigh.metrics.words import resolve_tokenizer
from weigh.options import options_of

# Texts on which readings of a rule part: one column of outputs, then references.
CORPORA = {
    "entities": [
        ["He said &quot;no&quot; &amp;lt; 5 &apos;ok&apos; it's <skipped> 3.5-4 (x).", "A&amp;B"],
        ["He said \"no\" &lt; 5 'ok' its <skipped> 3.5 - 4 (y) .", "A&B"],
        ['He says &quot;No&quot; , 5 "ok" it \'s 3.5-4 [x]', "A & B -\n c"],
    ],
    "spaces": [
        ["a\u00a0b  c\u2009d\u3000e\x1cf ", "", "x . , !", "in 1999.", " . ' - ."],
        ["a b c d e f", "y", "x", "in 1999 .", ". '"],
        ["A\u00a0B c d\u3000e", "", "x.", "In 1,999.5", "- ."],
    ],
    "Chinese": [
        ["我昨天从北京图书馆借了书。", "她爱音乐，ok 5.5—x “y”", ""],
        ["我昨天在北京的图书馆借了一本书。", "她喜欢音乐，OK 5.5-x", "空"],
        ["昨天我在图书馆借了本书", "她 喜欢 音乐 。", ""],
    ],
    "Japanese": [
        ["私は昨日東京の図書館で本を借りた。", "コンピュータ・テスト（ｶﾅ）を 5.5 計算する。"],
        ["私は昨日、東京の図書館で本を借りました。", "コンピューターテストを5.5計算した。"],
        ["昨日、私は図書館で本を借りた", "テスト"],
    ],
    "Korean": [["나는 어제 책을 빌렸다."], ["나는 어제 도서관에서 책을 빌렸다."], ["책을 빌렸다"]],
    "case": [
        ["The CAT sat İ ß on the mat ,", "the the the the", "e\u0301 É"],
        ["the cat Sat i̇ ss on THE mat", "The", "é é"],
        ["a dog", "the the", "x"],
    ],
}


def _of(**values: list[Any]) -> Iterator[dict[str, Any]]:
    for chosen in product(*values.values()):
        yield dict(zip(values, chosen, strict=True))


def _smoothings() -> Iterator[dict[str, Any]]:
    for options in _of(effective_order=[False, True], max_ngram_order=[4, 2]):
        for method in ("none", "exp", "floor", "add-k"):
            yield {**options, "smooth_method": method}
        for method, value in (("floor", 0.5), ("add-k", 0.3), ("floor", 0.123), ("add-k", 2)):
            yield {**options, "smooth_method": method, "smooth_value": value}


WORDS = ["13a", "none", "char", "intl", "zh", "ja-mecab", "ko-mecab"]
BLEU_OPTIONS = [*_of(tokenize=WORDS, lowercase=[False, True]), *_smoothings()]
CHRF_OPTIONS = list(
    _of(
        char_order=[6, 2],
        word_order=[0, 2],
        beta=[2, 3, 2.4],
        lowercase=[False, True],
        whitespace=[False, True],
        eps_smoothing=[False, True],
    )
)
TER_OPTIONS = list(
    _of(
        normalized=[False, True],
        no_punct=[False, True],
        asian_support=[False, True],
        case_sensitive=[False, True],
    )
)


def ours(peer: type, options: dict[str, Any]) -> Metric:
    """Our metric for sacreBLEU's options, which says that sacreBLEU's words are wanted."""
    if peer is BLEU:
        return Bleu(**{"tokenize": "13a", **options})
    if peer is TER:
        return Ter(tokenize="none", **options)
    return Chrf(**options, **({"tokenize": "none"} if options["word_order"] else {}))


def departs(peer: type, options: dict[str, Any]) -> bool:
    """Whether the signature says more than sacreBLEU's, or that the number is another."""
    if peer is TER:
        return bool(options["normalized"])
    if peer is CHRF:
        return bool(options["beta"] != 2)
    return options.get("max_ngram_order", 4) != 4 or options.get("smooth_value") == 0.123


def bare(signature: object) -> str:
    return str(signature).rpartition("|version:")[0]


@pytest.mark.parametrize(
    ("peer", "all_options"), [(BLEU, BLEU_OPTIONS), (CHRF, CHRF_OPTIONS), (TER, TER_OPTIONS)]
)
def test_the_same_signature_is_the_same_number(peer: type, all_options: list[dict]) -> None:
    """Of one reference and of two, for every option, on texts that programs read differently."""
    different = 0
    for options in all_options:
        theirs = peer(**options, **({"force": True} if peer is BLEU else {}))
        metric = ours(peer, options)
        for name, (texts, *references) in CORPORA.items():
            for sets in (references[:1], references):
                expected = theirs.corpus_score(texts, sets).score
                theirs_now = bare(theirs.get_signature())
                [made] = score([System("A", Outputs(texts))], TestSet(sets), [metric])
                same = made.score == pytest.approx(expected, rel=1e-9, abs=1e-9)
                assert (bare(made.signature) == theirs_now) != departs(peer, options), options
                if bare(made.signature) == theirs_now:
                    assert same, (options, name, made.score, expected)
                different += not same
    # What departs on purpose is TER's normalisation alone: all else is a signature that says more.
    assert bool(different) == (peer is TER)


# --- every option of every metric shows ---------------------------------------------------------

TEXTS = ["The cat's cats sat 0 x on A mat , e.g. 5.5-7 (yes)中文 한국어 !", "It rains dr. who no"]
REFERENCES = [
    [
        "the cat sat 0 y on a mats . e.g. 5.5 - 7 ( Yes ) 中 文 한국어 !",
        "It rained Dr. Who a no no",
    ],
    ["A CAT sat 0 z on the mat , eg 5.5-7 no中文", "the rain in it of no"],
]
# Options that change no score: which scores are good is shown beside them, and the other only
# lets systems be compared.
SILENT = {("segment", "lower"), ("rypt", "unequal")}
# Other options with which an option has a meaning at all.
CONTEXTS = {
    ("bleu", "smooth_value"): ["smooth_method=floor", "smooth_method=add-k"],
    ("chrf", "tokenize"): ["word_order=2"],
    ("ter", "asian_support"): ["normalized", "no_punct"],
    ("ter", "no_punct"): ["", "normalized"],
    ("ter", "variant"): ["", "normalized"],
    ("meteor", "language"): ["stages=exact"],
    ("meteor", "compat"): ["stages=exact:language=de"],
    ("meteor", "stages"): ["language=en"],
    ("meteor", "prefixes"): ["stages=exact:normalize"],
    ("meteor", "synonyms"): ["stages=exact+synonym"],
    ("meteor", "paraphrases"): ["stages=exact+paraphrase"],
    ("meteor", "version"): ["stages=exact"],
}
USUAL = {"meteor": "stages=exact"}
NUMBERS = {"int": ["1", "2", "3"], "float": ["1", "2", "2.4", "2.4000001"]}


def values_of(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Values that matter: files, for the most part, two of one name in different folders."""
    made: dict[tuple[str, str], list[str]] = {}
    for name, contents in {
        "function_words": ["the\n", "a\nno\n", "it\n"],
        "prefixes": ["Dr\n", "e.g\n", "x\n"],
        "paraphrases": ["0.5\nmat\nmats\n", "0.5\ncat\ncats\n", "0.5\nrains\nrained\n"],
    }.items():
        paths = [folder / "a" / name, folder / "b" / name, folder / "a" / f"{name}2"]
        for path, content in zip(paths, contents, strict=True):
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        made["meteor", name] = [str(path) for path in paths]
    made["meteor", "synonyms"] = []
    for name, content in (("s1", "cat\n1\nmat\n1\n"), ("s2", "cats\n1\ncat\n1\n")):
        (folder / name).mkdir()
        (folder / name / "english.synsets").write_text(content)
        (folder / name / "english.exceptions").write_text("")
        made["meteor", "synonyms"].append(str(folder / name))
    for metric, name in (("segment", "file"), ("rypt", "labels"), ("rypt", "parses")):
        made[metric, name] = ["/data/a/x.tsv", "/data/b/x.tsv", "x.tsv", "b/x.tsv"]
    made["bleu", "smooth_value"] = ["0.1", "0.100001", "0.5", "2"]
    made["rypt", "alignments"] = ["/data/a/{system}.txt", "/data/b/{system}.txt", "{system}.txt"]
    return made


def specifications(name: str, paths: dict[tuple[str, str], list[str]]) -> Iterator[tuple[str, ...]]:
    """Groups of specifications that differ in one option."""
    for option in options_of(metric_class(name)):
        kind = str(option.type).removesuffix(" | None")
        values = list(option.metadata["choices"]) or paths.get((name, option.name)) or []
        if (name, option.name) == ("meteor", "stages"):
            values = ["exact", "exact+stem"]
        if (name, option.name) == ("dependency", "model"):
            values = ["/data/a/model", "/data/b/model", "model"]
        if (name, option.name) == ("segment", "name"):
            values = ["x", "y"]
        values = values or {"bool": ["false", "true"], **NUMBERS}.get(kind, [])
        assert values, f"{name}:{option.name} has no values here; give some that matter"
        values = [value for value in values if value not in ("flores200", "auto")]  # a model
        for context in CONTEXTS.get((name, option.name), [USUAL.get(name, "")]):
            start = ":".join(filter(None, [name, context]))
            yield option.name, *(f"{start}:{option.name}={value}" for value in values)


def numbers_of(metric: Metric, references: list[list[str]]) -> list[float]:
    """Score and segment scores; what comes from files is drawn by the files' names."""
    outputs = outputs_for(metric, TEXTS, references)
    for _, place in suppliers([metric]):
        seed = zlib.crc32(place.encode())
        own = outputs.extra[place]
        drawn = [tuple((seed >> at) % 7 + 1 for at in range(7)), tuple(range(1, 8))]
        wide = isinstance(own[0], tuple)
        changed = [one[: len(own[0])] if wide else float(one[0]) for one in drawn]
        outputs = Outputs(outputs.texts, extra={**outputs.extra, place: changed})
    test_set = TestSet([[parsed(text) for text in column] for column in references])
    [made] = score([System("A", outputs)], test_set, [metric], segments=True)
    return [made.score, *made.segments]


@pytest.mark.parametrize("name", [name for name in metric_names() if name != "combine"])
def test_no_option_changes_a_number_in_secret(name: str, tmp_path: Path) -> None:
    """The signature, with the metric's name, tells apart all that differs in any number."""
    by_signature: dict[str, tuple[str, list[float]]] = {}
    for option, *specs in specifications(name, values_of(tmp_path)):
        shown = []
        for spec in specs:
            metric = resolve_tokenizer(parse_metric(spec), TestSet(REFERENCES))
            signature = f"{metric.name} {metric.signature(2)}"
            assert str(tmp_path) not in signature
            assert "/data/" not in signature
            shown.append(signature)
            if (name, option) == ("dependency", "model"):
                continue  # nothing is computed without spaCy
            numbers = numbers_of(metric, REFERENCES)
            known, expected = by_signature.setdefault(signature, (spec, numbers))
            assert numbers == expected, f"{spec} and {known} have one signature"
        distinct = len(set(shown))
        assert distinct == (1 if (name, option) in SILENT else len(specs)), (specs, shown)


def test_weights_of_combinations_are_told_with_all_their_digits() -> None:
    specs = [f"combine:bleu={a}:ter={b}" for a, b in ((0.3, -1), (0.1 + 0.2, -1), (1, 0.3))]
    for one, other in combinations(map(parse_metric, specs), 2):
        assert one.signature(1) != other.signature(1)
