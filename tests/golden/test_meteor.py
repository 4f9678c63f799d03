"""METEOR against what METEOR 1.5 prints on real and on odd segments: all 23 statistics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from oracle import meteor
from shared_data import GOLDEN, WMT13, corpus, lines, needs_shared, records, segment_table
from weigh import Meteor, Outputs, System, TestSet
from weigh.metrics.meteor import metric as metric_module
from weigh.metrics.meteor import synonyms
from weigh.metrics.meteor.extractor import stemmer
from weigh.metrics.meteor.resources import abbreviations, function_words
from weigh.metrics.statistics import statistics
from weigh.tokenize.meteor import normalise

pytestmark = needs_shared

DATA = str(GOLDEN / "meteor-data")


@pytest.fixture(autouse=True, scope="module")
def stemmed_once() -> Iterator[None]:
    """Keep the stems of words, which all tests need and which are slow to make."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric_module, "stemmer", cache(lambda name: cache(stemmer(name))))
        yield


STAGES = {"ex": "exact", "st": "stem", "sy": "synonym", "pa": "paraphrase"}


def named(record: dict) -> str:
    return " ".join([record["dataset"], record["system"], record["options"].partition(" ")[0]])


def metric_of(record: dict) -> Meteor:
    """The metric of METEOR's own identifier, such as `meteor-1.5-wo-en-norm-…-ex_st-…`."""
    language, text, _, stages = record["options"].split(" | ")[1].split("-")[3:7]
    return Meteor(
        language=language,
        stages="+".join(STAGES[stage] for stage in stages.split("_")),
        normalize=text == "norm",
        lowercase=text == "lc_only",
        compat=True,
        function_words=DATA,
        synonyms=DATA if "sy" in stages else None,
        paraphrases=paraphrase_table() if "pa" in stages else None,
    )


def paraphrase_table() -> str | None:
    """The English table, which is part of the package pycocoevalcap."""
    found = find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0]) / "meteor/data/paraphrase-en.gz"
    return str(path) if path.exists() else None


def expected_rows(record: dict) -> np.ndarray:
    """The statistics printed, less the one chunk of a segment that matches as a whole.

    METEOR adds that chunk to no sum: its own sums are lower by the number of such segments.
    """
    rows = np.array([[int(float(x)) for x in row["ss"].split()] for row in segment_table(record)])
    whole = (rows[:, 20] == 1) & (rows[:, 21] == rows[:, 0]) & (rows[:, 22] == rows[:, 1])
    rows[whole, 20] = 0
    return rows


def check(record: dict) -> None:
    hypotheses, references = corpus(record["dataset"], record["system"])
    metric = metric_of(record)
    [rows] = statistics([System("A", Outputs(hypotheses))], TestSet(references), metric)
    np.testing.assert_array_equal(rows, expected_rows(record))
    assert rows.sum(axis=0).tolist() == [float(x) for x in record["ss"].split()]
    score = float(metric.score(rows.sum(axis=0)))
    assert score / 100 == pytest.approx(record["meteor"], abs=1e-12)
    printed = [float(row["score"]) for row in segment_table(record)]
    np.testing.assert_allclose(metric.segment_scores(rows) / 100, printed, rtol=0, atol=1e-12)


# -noPunct is not offered; all_default_norm holds default_norm.
followed = [record for record in records("meteor-1.5") if "norm_nopunct" not in record["options"]]
without_table = [record for record in followed if "_pa-" not in record["options"]]
# Reading the table takes seconds, so that not every record is tried.
with_table = [
    record
    for record in followed
    if "_pa-" in record["options"]
    and (record["dataset"], record["system"], record["options"].partition(" ")[0])
    in {
        ("edge-3ref", "e1", "default_norm"),
        ("edge", "e2rev", "default_norm"),
        ("nt13-es-en-3ref", "rbmt-1", "default_norm"),
        ("nt13-es-en", "online-B", "default_norm"),
        ("zhen-4ref-tok", "out0", "default_norm"),
    }
]


@pytest.mark.parametrize("record", without_table, ids=named)
def test_against_meteor(record):
    check(record)


@pytest.mark.parametrize("record", with_table, ids=named)
def test_with_paraphrases_against_meteor(record):
    if paraphrase_table() is None:
        pytest.skip("METEOR's English paraphrases are not here; pip install pycocoevalcap")
    check(record)


@pytest.mark.parametrize(
    ("path", "printed"),
    [
        (WMT13 / "ref.en.gz", "nt13-es-en.ref0.norm.lc.gz"),
        (WMT13 / "sys/online-B.en.gz", "nt13-es-en.online-B.norm.lc.gz"),
        (GOLDEN / "data/edge/ref0", "edge.ref0.norm.lc"),
        (GOLDEN / "data/edge/sys/e1", "edge.e1.norm.lc"),
    ],
    ids=str,
)
@pytest.mark.parametrize("prefixes", [None, DATA], ids=["own", "published"])
def test_normaliser_against_meteor(path, printed, prefixes):
    known = abbreviations("english", prefixes)
    assert normalise(lines(path), "en", known) == lines(GOLDEN / "meteor_normalized" / printed)


@pytest.mark.parametrize("stages", ["exact_norm", "exact_stem_norm", "exact_stem_syn_norm"])
def test_oracle_against_meteor(stages):
    [record] = (r for r in records("meteor-1.5") if named(r) == f"nt13-es-en online-B {stages}")
    stem = cache(stemmer("english")) if "stem" in stages else None
    synsets = cache(synonyms.synsets_of(DATA, "english")) if "syn" in stages else None
    function = function_words("english", DATA)
    folder = GOLDEN / "meteor_normalized"
    texts = zip(
        lines(folder / "nt13-es-en.online-B.norm.lc.gz"),
        lines(folder / "nt13-es-en.ref0.norm.lc.gz"),
        expected_rows(record).tolist(),
        strict=True,
    )
    for hyp, ref, expected in list(texts)[:250]:
        words = hyp.split(), ref.split()
        found = meteor.find_matches(*words, stem, synsets)
        assert meteor.meteor_row(*words, found, function, mended=False) == expected


def test_spanish_function_words_make_a_difference():
    """METEOR 1.5 counts English function words in every language; here only with `compat`."""
    hypotheses, references = corpus("edge", "e1")
    scores = []
    for compat in (True, False):
        metric = Meteor(
            language="es", stages="exact+stem", normalize=True, function_words=DATA, compat=compat
        )
        [rows] = statistics([System("A", Outputs(hypotheses))], TestSet(references), metric)
        scores.append(float(metric.score(rows.sum(axis=0))))
    assert scores[0] != scores[1]
