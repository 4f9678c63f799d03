"""GTM and its oracle against what GTM 1.4 prints on real and on odd segments."""

from __future__ import annotations

import re

import numpy as np
import pytest

from oracle.gtm import gtm_f, gtm_row
from shared_data import corpus, needs_shared, records, segment_table
from weigh import Gtm, Outputs, System, TestSet
from weigh.metrics.statistics import statistics

pytestmark = needs_shared


def named(record: dict) -> str:
    return " ".join([record["dataset"], record["system"], record["options"]])


def exponent_of(record: dict) -> float:
    return float(record["options"].removeprefix("-e "))


def printed_rows(record: dict) -> list[list[float]]:
    names = ("mms^(1/e)", "hyp_len", "mean_ref_len")
    return [[float(row[name]) for name in names] for row in segment_table(record)]


@pytest.mark.parametrize("record", records("gtm-1.4"), ids=named)
def test_gtm_against_gtm(record):
    metric = Gtm(exponent=exponent_of(record))
    hypotheses, references = corpus(record["dataset"], record["system"])
    [rows] = statistics([System("A", Outputs(hypotheses))], TestSet(references), metric)
    np.testing.assert_allclose(rows, printed_rows(record), rtol=1e-12, atol=0)
    expected = [100 * float(row["F"]) for row in segment_table(record)]
    np.testing.assert_allclose(metric.segment_scores(rows), expected, rtol=1e-12, atol=0)
    sums = rows.sum(axis=0)
    assert float(metric.score(sums)) == pytest.approx(100 * record["f"], rel=1e-12)
    assert sums[0] == pytest.approx(record["sum_mms_root"], rel=1e-12)
    assert sums[0] / sums[1] == pytest.approx(record["precision"], rel=1e-12)
    assert sums[0] / sums[2] == pytest.approx(record["recall"], rel=1e-12)


@pytest.mark.parametrize("record", records("gtm-1.4"), ids=named)
def test_oracle_against_gtm(record):
    hypotheses, references = corpus(record["dataset"], record["system"])
    segments = list(zip(hypotheses, *references, strict=True))
    step = 1 if len(segments) < 100 else 41
    expected = list(zip(printed_rows(record), segment_table(record), strict=True))
    for texts, (row, printed) in list(zip(segments, expected, strict=True))[::step]:
        hyp, *refs = (re.findall(r"[^ \t\n\v\f\r]+", text) for text in texts)
        found = gtm_row(hyp, refs, exponent_of(record))
        assert found == pytest.approx(row, rel=1e-12), f"segment {printed['seg']}"
        assert gtm_f(found) == pytest.approx(float(printed["F"]), rel=1e-12)
