"""Two systems on the segments, and by the judges, that they share: tests, and what holds of others.

A test of pairs asks whether these judges find a difference, on segments like these. How other
judges would answer is another question: judges differ in what they like about systems, and each of
them has answered often.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from weigh.human.conclusions import ForOthers, Outcome
from weigh.human.plan import LEAST_SHARED, TRIALS, PairTest, RankPlan
from weigh.human.scores import Sample, SegmentPairs
from weigh.stats.crossed import LEAST_DOCUMENTS, LEAST_JUDGES, crossed_spread, document_tests
from weigh.stats.ranking import rank_sum, sign, signed_rank


def fitting_test(pairs: SegmentPairs, plan: RankPlan) -> PairTest:
    """The appropriate test of two systems: a paired one if most segments are shared.

    At least `LEAST_SHARED` of the segments that either system was judged on have to be, and means
    of segments to be compared, unless the plan names the test.
    """
    if plan.test is not None:
        return plan.test
    shared = len(pairs.first)
    enough = shared >= LEAST_SHARED * (shared + pairs.left_out)
    return "signed-rank" if enough and plan.unit == "segment" else "rank-sum"


def compared(sample: Sample, a: str, b: str, plan: RankPlan) -> Outcome:
    """Test two systems by the test that fits them.

    Paired tests see a segment's mean over all who judged it: the randomization test has one coin
    for a segment, which its judges share. With a coin for every judge and segment it would take
    what judges agree on for independent evidence.
    """
    pairs = sample.shared(a, b)
    shared = len(pairs.first)
    others = for_others(sample, a, b, plan.level)
    test = fitting_test(pairs, plan)
    if test == "rank-sum":
        first, second = (
            sample.segment_means(name) if plan.unit == "segment" else sample.judgments(name)
            for name in (a, b)
        )
        p_value, ahead = rank_sum(first, second, plan.alternative)
        counts = len(first), len(second)
        return Outcome(test, p_value, ahead, *counts, shared, for_others=others)
    error = None
    if test == "signed-rank":
        p_value, ahead = signed_rank(sample.differences(pairs), plan.alternative)
    else:
        p_value, ahead, error = _randomized(pairs, plan)
    return Outcome(test, p_value, ahead, shared, shared, shared, pairs.left_out, error, others)


def _randomized(pairs: SegmentPairs, plan: RankPlan) -> tuple[float, Literal[-1, 0, 1], float]:
    """The p-value, direction and Monte Carlo error of a randomization test of segments."""
    from weigh.metrics.segment import GivenMean
    from weigh.stats import sample, significance
    from weigh.stats.randomization import randomization

    if not pairs.first:
        return 1.0, 0, 0.0
    rows = tuple((GivenMean.rows_of(values),) for values in (pairs.first, pairs.second))
    segments = sample.Sample(GivenMean("score"), ("a", "b"), rows)
    observed = significance.Observed.of(segments, [(0, 1)])
    [tests] = randomization([segments], [(0, 1)], plan.seed, trials=plan.trials or TRIALS).tests
    difference, tolerance = float(observed.differences[0]), float(observed.tolerance[0])
    return (
        float(tests.p_values[plan.alternative][0]),
        sign(difference) if abs(difference) > tolerance else 0,
        float(tests.p_stderr(plan.alternative)[0]),
    )


def for_others(sample: Sample, a: str, b: str, level: float) -> ForOthers | None:
    """Difference for other judges and segments; None with too few of them.

    It is the mean of what judges say of both systems on one segment, so that a judge's own level,
    and how hard a segment is, cancel out; see `weigh.stats.crossed` for its variance.
    """
    within = sample.within_judges(a, b)
    counts = len({*within.judges}), len({*within.segments})
    if counts[0] < LEAST_JUDGES or counts[1] < 2:
        return None
    d = within.differences
    mean = float(d.mean())
    spread = crossed_spread((d - mean) / d.size, within.judges, within.segments)
    half = spread.half_width(level)
    return ForOthers(
        difference=mean,
        interval=(mean - half, mean + half),
        freedom=spread.freedom,
        judges=counts[0],
        segments=counts[1],
    )


def compared_by_document(
    sample: Sample, names: Sequence[str], plan: RankPlan
) -> dict[tuple[str, str], Outcome]:
    """Test all pairs by swapping whole documents.

    The test asks about these judges. The interval beside it is for other judges and documents
    (`Sample.document_spread`). Pairs with fewer than `LEAST_DOCUMENTS` documents have no test.
    """
    one_sided = plan.alternative == "better"
    pairs = [*(permutations if one_sided else combinations)(range(len(names)), 2)]
    _, counts = sample.by_document(names)
    documents = [int(((counts[a] > 0) | (counts[b] > 0)).sum()) for a, b in pairs]
    tested = [pair for pair, n in zip(pairs, documents, strict=True) if n >= LEAST_DOCUMENTS]
    rows = [sample.exchangeable(names[a], names[b]) for a, b in tested]
    tests = document_tests(
        np.concatenate([np.zeros((0, counts.shape[1])), *(sums for sums, _ in rows)]),
        np.concatenate([counts[:0], *(numbers for _, numbers in rows)]),
        [(at, at + 1) for at in range(0, 2 * len(tested), 2)],
        better=one_sided,
        alpha=plan.alpha,
        adjust=plan.adjust,
        trials=plan.trials,
        seed=plan.seed,
    )
    by_pair = dict(zip(tested, tests, strict=True))
    scores = {row.system: row.score for row in sample.scores(plan.level)}
    outcomes = {}
    for (a, b), n in zip(pairs, documents, strict=True):
        test = by_pair.get((a, b))
        difference = scores[names[a]] - scores[names[b]]
        outcomes[names[a], names[b]] = Outcome(
            "randomization",
            None if test is None else test.p_value,
            sign(difference),
            int(counts[a].sum()),
            int(counts[b].sum()),
            len(sample.shared(names[a], names[b]).first),
            p_stderr=None if test is None else test.p_stderr,
            for_others=_for_other_documents(sample, names[a], names[b], difference, plan.level),
            documents=n,
            trials=None if test is None else test.trials,
            is_open=test is not None and test.is_open,
        )
    return outcomes


def _for_other_documents(
    sample: Sample, a: str, b: str, difference: float, level: float
) -> ForOthers | None:
    spread = sample.document_spread(a, b)
    interval = spread.interval(difference, level)
    if spread.spread is None or interval is None:
        return None
    return ForOthers(
        difference=difference,
        interval=interval,
        freedom=spread.spread.freedom,
        judges=spread.judges,
        segments=len(sample.shared(a, b).first),
        documents=spread.documents,
    )
