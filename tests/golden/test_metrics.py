"""Our metrics against what the reference programs print on real and on odd segments."""

from __future__ import annotations

import re

import numpy as np
import pytest

from shared_data import GOLDEN, corpus, lines, needs_shared, records, segment_table
from weigh import Bleu, Chrf, Metric, Nist, Outputs, System, Ter, TestSet
from weigh.metrics.statistics import statistics

pytestmark = needs_shared


def rows_of(metric: Metric, record: dict) -> np.ndarray:
    hypotheses, references = corpus(record["dataset"], record["system"])
    [rows] = statistics([System("A", Outputs(hypotheses))], TestSet(references), metric)
    return rows


def named(record: dict) -> str:
    return " ".join([record["dataset"], record["system"], record["options"]])


def ter_options(record: dict) -> dict[str, bool]:
    given = record["options"].split()
    flags = {"normalized": "-N", "no_punct": "-P", "asian_support": "-A", "case_sensitive": "-s"}
    return {name: flag in given for name, flag in flags.items()}


@pytest.mark.parametrize("record", records("tercom"), ids=named)
def test_ter_variant_tercom_against_tercom(record):
    rows = rows_of(Ter(variant="tercom", **ter_options(record)), record)
    expected = [[float(row["edits"]), float(row["ref_words"])] for row in segment_table(record)]
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-9)
    assert rows[:, 0].sum() == record["edits"]


# White space to Python, but neither to Java nor to a Perl program that reads bytes.
OTHER_SPACE = re.compile(r"[\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


@pytest.mark.parametrize("record", records("tercom"), ids=named)
def test_ter_against_tercom(record):
    """The default variant has tercom's words, and its edits but where the searches part."""
    hypotheses, references = corpus(record["dataset"], record["system"])
    rows = rows_of(Ter(**ter_options(record)), record)
    table = segment_table(record)
    plain = np.array(
        [
            not any(OTHER_SPACE.search(text) for text in texts)
            for texts in zip(hypotheses, *references, strict=True)
        ]
    )
    words = np.array([float(row["ref_words"]) for row in table])
    np.testing.assert_allclose(rows[plain, 1], words[plain], rtol=0, atol=1e-9)
    edits = np.array([float(row["edits"]) for row in table])
    different = plain & (rows[:, 0] != edits)
    if record["dataset"].startswith("edge"):
        assert all(len(hypotheses[i].split()) >= 50 for i in np.flatnonzero(different))
    else:
        assert different.mean() <= 0.01


@pytest.mark.parametrize("record", records("mteval-v13a"), ids=named)
def test_nist_against_mteval(record):
    intl = "--international-tokenization" in record["options"]
    if intl and record["dataset"] in ("edge", "edge-3ref"):
        pytest.skip("mteval decodes entities before its international tokeniser; `intl` does not")
    metric = Nist(
        compat=True,
        lowercase="-c" not in record["options"].split(),
        tokenize="intl" if intl else "13a",
    )
    rows = rows_of(metric, record)
    table = segment_table(record)
    for columns, name, tolerance in (
        (slice(0, 5), "info1-5", 1e-9),
        (slice(5, 10), "hyp_ngrams1-5", 0),
    ):
        expected = [[float(number) for number in row[name].split(",")] for row in table]
        np.testing.assert_allclose(rows[:, columns], expected, rtol=0, atol=tolerance)
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(record["nist"], abs=1e-9)
    expected = [float(row["nist"]) for row in table]
    np.testing.assert_allclose(metric.segment_scores(rows), expected, rtol=0, atol=1e-9)


with_case = [record for record in records("mteval-v13a") if record["options"] == "-c"]


@pytest.mark.parametrize("record", with_case, ids=named)
def test_bleu_statistics_against_mteval(record):
    """Matches, n-grams and closest lengths are the same; smoothing is sacreBLEU's."""
    rows = rows_of(Bleu(), record)
    table = segment_table(record)
    for columns, name in ((slice(2, 6), "match1-5"), (slice(6, 10), "hyp_ngrams1-5")):
        expected = [[int(number) for number in row[name].split(",")[:4]] for row in table]
        np.testing.assert_array_equal(rows[:, columns], expected)
    assert rows[:, 1].tolist() == [int(row["bleu_ref_len"]) for row in table]
    if record["dataset"].startswith("nt13"):
        score = float(Bleu().score(rows.sum(axis=0)))
        assert score / 100 == pytest.approx(record["bleu"], abs=1e-9)


SACREBLEU_SEGMENTS = {
    "bleu13a": Bleu(),
    "bleu13a_eff": Bleu(effective_order=True),
    "chrf": Chrf(),
    "chrfpp": Chrf(word_order=2),
    "ter": Ter(),
}
segment_files = [
    path
    for path in sorted((GOLDEN / "sacrebleu").glob("*/*/*.seg.tsv"))
    if path.name.removesuffix(".seg.tsv") in SACREBLEU_SEGMENTS and len(lines(path)) > 1
]


@pytest.mark.parametrize(
    "path", segment_files, ids=lambda path: str(path.relative_to(GOLDEN / "sacrebleu"))
)
def test_rows_and_segment_scores_against_sacrebleu(path):
    kind = path.name.removesuffix(".seg.tsv")
    metric = SACREBLEU_SEGMENTS[kind]
    rows = rows_of(metric, {"dataset": path.parts[-3], "system": path.parts[-2]})
    table = [line.split("\t") for line in lines(path)[1:]]
    np.testing.assert_array_equal(rows, [[float(x) for x in row[1].split()] for row in table])
    if kind != "bleu13a":
        expected = [float(row[0]) for row in table]
        np.testing.assert_allclose(metric.segment_scores(rows), expected, rtol=1e-9, atol=1e-9)


def sacrebleu_metric(options: str) -> Metric | None:
    kind, *parts = options.split("|")
    given = dict(part.partition(":")[::2] for part in parts)
    if kind == "bleu":
        value = given.get("v", "None")
        return Bleu(
            tokenize=given["tok"],
            lowercase=given.get("lc") == "True",
            effective_order=given.get("eff") == "yes",
            max_ngram_order=int(given.get("max", 4)),
            smooth_method=given.get("smooth", "exp"),
            smooth_value=None if value == "None" else float(value),
        )
    named_options: dict[str, Metric] = {
        "c6w0": Chrf(),
        "c6w2": Chrf(word_order=2),
        "c6w0b1": Chrf(beta=1),
        "c6w0ws": Chrf(whitespace=True),
        "c6w2eps": Chrf(word_order=2, eps_smoothing=True),
        "lc": Chrf(lowercase=True),
        "default": Ter(),
        "cs": Ter(case_sensitive=True),
        "nopunct": Ter(no_punct=True),
    }
    return named_options.get(parts[0])


# Normalised TER follows tercom instead.
followed = [record for record in records("sacrebleu") if sacrebleu_metric(record["options"])]


@pytest.mark.parametrize("record", followed, ids=named)
def test_corpus_scores_against_sacrebleu(record):
    metric = sacrebleu_metric(record["options"])
    assert metric is not None
    score = float(metric.score(rows_of(metric, record).sum(axis=0)))
    assert score == pytest.approx(record["score"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("record", records("multi-bleu.perl"), ids=named)
def test_bleu_against_multi_bleu(record):
    """multi-bleu prints two decimals, splits at white space and does not smooth."""
    metric = Bleu(tokenize="none", smooth_method="none", lowercase="-lc" in record["options"])
    hypotheses, references = corpus(record["dataset"], record["system"])
    texts = [
        [OTHER_SPACE.sub("_", text) for text in column] for column in (hypotheses, *references)
    ]
    [rows] = statistics([System("A", Outputs(texts[0]))], TestSet(texts[1:]), metric)
    printed = re.match(r"BLEU = ([\d.]+), .*hyp_len=(\d+), ref_len=(\d+)", record["line"])
    assert printed is not None
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(float(printed[1]), abs=0.005001)
    assert rows[:, :2].sum(axis=0).tolist() == [int(printed[2]), int(printed[3])]
