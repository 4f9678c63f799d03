"""Scores by labels follow from the counts of nodes."""

from __future__ import annotations

import math

from weigh.rypt.label_scores import LabelScore


def test_scores_follow_from_the_counts() -> None:
    """The paper's Figure 2 with one NO: 13 of 18 nodes."""
    score = LabelScore("A", None, 13, 5, 0, 0, 8, 17, 0)
    assert (score.nodes, score.coverage, score.limit) == (18, 100, 100 * 17 / 18)
    assert score.strict == score.half == score.labelled == 100 * (13 / 18)
    open_ones = LabelScore("B", None, 3, 1, 2, 2, 4, 4, 1)
    assert (open_ones.strict, open_ones.half, open_ones.labelled) == (37.5, 62.5, 75)
    assert math.isnan(LabelScore("C", None, 0, 0, 1, 1, 0, 0, 0).labelled)
