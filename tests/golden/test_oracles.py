"""The oracles against what tercom, mteval and sacreBLEU print (the reference values).

The oracles are slow: the large sets are compared on a part of their segments.
"""

from __future__ import annotations

import re

import pytest

from oracle import edits, ngrams, ter, tokens
from shared_data import corpus, needs_shared, records, segment_table

pytestmark = needs_shared

ALL = slice(None)
# Eighty words in reverse order keep the oracle of TER busy for minutes.
SHORT = 30


def texts(dataset: str, system: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return hypothesis and references of every segment."""
    hypotheses, references = corpus(dataset, system)
    return list(zip(hypotheses, zip(*references, strict=True), strict=True))


def printed_by(program: str, path: str) -> list[dict[str, str]]:
    """Return what a program printed for every segment."""
    (record,) = (r for r in records(program) if r.get("segments") == path)
    return segment_table(record)


def java_words(text: str, case_sensitive: bool) -> list[str]:
    """Split as tercom does: at ASCII white space only."""
    words = re.split(r"[ \t\n\v\f\r]+", text if case_sensitive else text.lower())
    return [word for word in words if word]


def mteval_words(text: str, case_sensitive: bool) -> list[str]:
    """Tokenise as mteval does, which lower-cases ASCII letters only."""
    words = tokens.tokenize_13a(text)
    if case_sensitive:
        return words
    return [re.sub("[A-Z]", lambda letter: letter[0].lower(), word) for word in words]


@pytest.mark.parametrize(
    ("dataset", "options", "system", "part"),
    [
        ("edge", "default", "e1", ALL),
        ("edge", "s", "e1", ALL),
        ("edge", "default", "e2rev", ALL),
        ("edge-2ref-len", "default", "e1", ALL),
        ("edge-3ref", "default", "e1", ALL),
        ("edge-emptyref", "default", "e1", ALL),
        ("nt13-es-en", "default", "rbmt-1", slice(0, None, 100)),
        ("nt13-es-en", "default", "Shef-wproa.2779", slice(30, None, 60)),
        ("nt13-es-en-3ref", "default", "rbmt-1", slice(10, None, 150)),
    ],
)
def test_ter_against_tercom(dataset: str, options: str, system: str, part: slice) -> None:
    printed = printed_by("tercom", f"segments/tercom/{dataset}/{options}/{system}.tsv")
    segments = texts(dataset, system)
    case_sensitive = options == "s"
    for (hyp_text, ref_texts), row in list(zip(segments, printed, strict=True))[part]:
        hyp = java_words(hyp_text, case_sensitive)
        refs = [java_words(text, case_sensitive) for text in ref_texts]
        if len(hyp) > SHORT and system == "e2rev":
            continue
        best = min((ter.ter_edits(hyp, ref, "tercom") for ref in refs), key=lambda e: e.total)
        steps = best.final.steps
        kinds = [steps.count(kind) for kind in (ter.EXTRA, ter.MISSING, ter.SUBSTITUTION)]
        length = sum(map(len, refs)) / len(refs)
        found = [*kinds, best.shifts, best.shifted_words, best.total, length]
        names = ("ins", "del", "sub", "shift", "wordshift", "edits", "ref_words")
        expected = [float(row[name]) for name in names]
        assert found == pytest.approx(expected, rel=1e-12), f"segment {row['seg']}"


@pytest.mark.parametrize(
    ("dataset", "options", "system", "part"),
    [
        ("edge", "default", "e1", ALL),
        ("edge", "c", "e1", ALL),
        ("edge", "default", "e2rev", ALL),
        ("edge-2ref-len", "default", "e1", ALL),
        ("edge-3ref", "default", "e1", ALL),
        ("edge-3ref", "c", "e1", ALL),
        ("nt13-es-en", "default", "rbmt-1", slice(0, None, 7)),
    ],
)
def test_nist_against_mteval(dataset: str, options: str, system: str, part: slice) -> None:
    path = f"segments/mteval13a/{dataset}/{options}/{system}.tsv"
    printed = printed_by("mteval-v13a", path)
    words = [
        (mteval_words(hyp, options == "c"), [mteval_words(ref, options == "c") for ref in refs])
        for hyp, refs in texts(dataset, system)
    ]
    information = ngrams.nist_information([ref for _, refs in words for ref in refs], compat=True)
    rows: list[list[float]] = []
    for (hyp, refs), row in list(zip(words, printed, strict=True))[part]:
        rows.append(ngrams.nist_row(hyp, refs, information))
        ref_length = int(row["ref_ngrams1-5_summed_over_refs"].split(",")[0]) / len(refs)
        sums = f"{row['info1-5']},{row['hyp_ngrams1-5']}".split(",")
        expected = [*map(float, sums), len(hyp), ref_length]
        assert rows[-1] == pytest.approx(expected, abs=1e-9), f"segment {row['seg']}"
        assert ngrams.nist_score(rows[-1]) == pytest.approx(float(row["nist"]), abs=1e-9)
        counts = f"{row['bleu_ref_len']},{row['match1-5']},{row['hyp_ngrams1-5']}".split(",")
        assert ngrams.bleu_row(hyp, refs, order=5) == [len(hyp), *map(int, counts)]
    if part == ALL:
        (record,) = (r for r in records("mteval-v13a") if r.get("segments") == path)
        score = ngrams.nist_score([sum(column) for column in zip(*rows, strict=True)])
        assert score == pytest.approx(record["nist"], abs=1e-9)


def test_mteval_has_the_quirk_of_the_token_0() -> None:
    """Without `compat` the edge set, which has the token, gives other information."""
    words = [[mteval_words(ref, False) for ref in refs] for _, refs in texts("edge", "e1")]
    references = [ref for refs in words for ref in refs]
    plain = ngrams.nist_information(references)
    quirk = ngrams.nist_information(references, compat=True)
    changed = {ngram for ngram in plain if plain[ngram] != quirk[ngram]}
    assert changed
    assert all(len(ngram) == 2 and ngram[0] == "0" for ngram in changed)


def test_wer_per_and_cder_bound_ter_on_real_text() -> None:
    for hyp_text, ref_texts in texts("nt13-es-en", "rbmt-1")[::100]:
        hyp = hyp_text.split()
        refs = [text.split() for text in ref_texts]
        wer, length = edits.wer_row(hyp, refs)
        assert edits.per_row(hyp, refs)[0] <= ter.ter_row(hyp, refs)[0] <= wer
        assert edits.cder_row(hyp, refs)[0] <= wer
        assert length == len(refs[0])
