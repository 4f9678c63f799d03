"""Repeats of a published run, whose pairs its authors have listed."""

from __future__ import annotations

import csv
from collections import defaultdict

import pytest

from reading import read_judgments
from shared_data import SHARED, lines, needs_shared
from weigh.human.agreement import consistency

RUN_A = SHARED / "data" / "da-pipeline-eacl2017" / "runA"

pytestmark = needs_shared


def test_every_judge_has_the_published_pairs() -> None:
    read = read_judgments([str(path) for path in sorted(RUN_A.glob("Batch_*"))])
    found = {each.judge: each for each in consistency(read.judgments)}
    published = defaultdict(list)
    for row in csv.DictReader(lines(RUN_A / "ad-repeats.csv.gz")):
        if row["rep_type"] == "sys_sys":
            published[row["wid"]].append((float(row["score_a"]), float(row["score_b"])))
    assert sum(map(len, published.values())) == 950
    for judge, pairs in published.items():
        assert found[judge].repeats == len(pairs)
        distance = sum(abs(a - b) for a, b in pairs) / len(pairs)
        assert found[judge].distance == pytest.approx(distance)
    # The list is of those whose HITs were accepted, 44 of 46.
    assert len(published) == len(found) - 2
