"""Generated systems of which it is known that they do not differ, and how often tests say so.

Texts are made of invented words; three kinds of data sets without a true difference come of them:

- `swapped`: a fixed pair of systems of different quality whose outputs are exchanged segment by
  segment by fair coins. Randomization is exact here by construction.
- `one process`: two outputs per segment from one noise process, for new segments each time.
- `equal scores`: segments drawn with replacement from two systems that are not exchangeable (one
  errs a little everywhere, the other rarely and badly) but have the same corpus score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weigh import Bleu, Chrf, Outputs, Ter, TestSet
from weigh.metrics.segment import GivenMean
from weigh.stats import significance
from weigh.stats.randomization import randomization
from weigh.stats.resample import bootstrap_scores, swapped_differences
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed

METRICS = {"bleu": Bleu(), "chrf": Chrf(), "ter": Ter(), "mean": GivenMean()}
KINDS = ("swapped", "one process", "equal scores")
TESTS = ("randomization", "bootstrap", "paired-bootstrap")
FLAWED = ("sacrebleu-bs", "moses-bs", "multeval")
TOGETHER = 20  # data sets that share their draws, as if they were systems of one
RUNS = 3  # identical ones, for MultEval's formula
OUTPUTS = 24  # per segment of the noise process


def texts(rng: np.random.Generator, segments: int) -> list[list[str]]:
    """Sentences of 4 to 40 words, frequent and rare ones."""
    lengths = np.clip(rng.gamma(4, 5, segments).astype(int), 4, 40)
    return [[f"w{word}" for word in rng.zipf(1.4, length) % 5000] for length in lengths]


def noisy(rng: np.random.Generator, words: Sequence[str], rate: float) -> str:
    """One output: every word may be lost, replaced, doubled or exchanged with the next."""
    kept: list[str] = []
    for word, chance, choice in zip(
        words, rng.random(len(words)), rng.integers(0, 5, len(words)), strict=True
    ):
        if chance >= rate:
            kept.append(word)
        elif choice in (0, 1):
            kept.append(f"w{int(chance * 1e6) % 5000}")
        elif choice == 2:
            kept += [word, word]
        elif choice == 3 and kept:
            kept.insert(len(kept) - 1, word)
    return " ".join(kept)


@dataclass(frozen=True)
class World:
    """References and outputs, and the rows of these by every metric."""

    segments: int
    process: dict[str, np.ndarray]  # metric -> (outputs, segments, width), of one noise process
    pair: dict[str, tuple[np.ndarray, np.ndarray]]  # two systems of different quality
    equal: dict[str, tuple[np.ndarray, np.ndarray]]  # not exchangeable, of equal corpus score


def make_world(segments: int = 2000, seed: int = 1) -> World:
    """Make the systems that null data sets are drawn from."""
    rng = np.random.default_rng(seed)
    references = texts(rng, segments)
    test_set = TestSet([[" ".join(words) for words in references]])
    hardness = rng.gamma(3, 1 / 3, segments)  # some sentences are harder than others

    def outputs(rates: np.ndarray) -> list[str]:
        pairs = zip(references, rates, strict=True)
        return [noisy(rng, words, rate) for words, rate in pairs]

    everywhere = np.clip(0.25 * hardness, 0, 0.9)
    process = [outputs(everywhere) for _ in range(OUTPUTS)]
    better, worse = outputs(everywhere), outputs(np.clip(everywhere + 0.05, 0, 0.9))
    rarely = np.where(rng.random(segments) < 0.25, 0.8, 0.05)
    bad, good = outputs(np.clip(rarely + 0.1, 0, 0.95)), outputs(rarely * 0.5)

    made = World(segments, {}, {}, {})
    for key, metric in METRICS.items():
        if key == "mean":
            continue
        extractor = metric.prepare(test_set)
        rows = {
            name: np.asarray(extractor.rows(Outputs(texts)))
            for name, texts in (("a", better), ("b", worse), ("bad", bad), ("good", good))
        }
        made.process[key] = np.array([extractor.rows(Outputs(one)) for one in process])
        made.pair[key] = rows["a"], rows["b"]
        made.equal[key] = rows["a"], mixed_to_equal(metric, rows["a"], rows["bad"], rows["good"])
    _add_means(made)
    return made


def _add_means(world: World) -> None:
    """Add segment scores: sentence chrF, and for equal means a skewed distribution."""
    chrf = METRICS["chrf"]

    def scored(rows: np.ndarray) -> np.ndarray:
        return GivenMean.rows_of(chrf.segment_scores(rows))

    world.process["mean"] = np.array([scored(rows) for rows in world.process["chrf"]])
    world.pair["mean"] = scored(world.pair["chrf"][0]), scored(world.pair["chrf"][1])
    a, b = (scored(rows) for rows in world.equal["chrf"])
    b[:, 0] += a[:, 0].mean() - b[:, 0].mean()
    world.equal["mean"] = a, b


def mixed_to_equal(
    metric: object, target: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Take as many first segments of one system and the rest of another as make scores equal."""
    wanted = metric.score(target.sum(axis=0))  # type: ignore[attr-defined]
    heads = np.cumsum(high, axis=0)
    tails = low.sum(axis=0) - np.cumsum(low, axis=0)
    scores = metric.score(heads + tails)  # type: ignore[attr-defined]
    assert (scores.min() - wanted) * (scores.max() - wanted) < 0, "no mixture has that score"
    first = 1 + int(np.argmin(np.abs(scores - wanted)))
    return np.concatenate([high[:first], low[first:]])


def null_samples(
    world: World, kind: str, units: int, metrics: Sequence[str], rng: np.random.Generator
) -> list[Sample]:
    """Draw one data set without a true difference: a sample for every metric."""
    names = ("A", "B")
    if kind == "swapped":
        heads = rng.random((units, 1)) < 0.5
        # The segments are always the same ones: what is random are the exchanges.
        rows = {
            key: (np.where(heads, a[:units], b[:units]), np.where(heads, b[:units], a[:units]))
            for key, (a, b) in world.pair.items()
            if key in metrics
        }
    elif kind == "one process":
        chosen = rng.choice(world.segments, units, replace=False)
        first = rng.integers(0, OUTPUTS, units)
        second = (first + rng.integers(1, OUTPUTS, units)) % OUTPUTS
        rows = {
            key: (world.process[key][first, chosen], world.process[key][second, chosen])
            for key in metrics
        }
    else:
        chosen = rng.integers(0, world.segments, units)
        rows = {key: tuple(one[chosen] for one in world.equal[key]) for key in metrics}
    return [Sample(METRICS[key], names, ((rows[key][0],), (rows[key][1],))) for key in metrics]


def joined(data_sets: Sequence[Sequence[Sample]]) -> list[Sample]:
    """Return one sample for each metric, in which two systems are each data set."""
    return [
        Sample(
            samples[0].metric,
            tuple(str(place) for place in range(2 * len(samples))),
            tuple(rows for sample in samples for rows in sample.rows),
        )
        for samples in zip(*data_sets, strict=True)
    ]


def _pairs(sample: Sample) -> list[tuple[int, int]]:
    return [(place, place + 1) for place in range(0, len(sample.names), 2)]


def p_values(
    samples: Sequence[Sample], trials: int, seed: int
) -> dict[tuple[str, str], list[np.ndarray]]:
    """Return (test, alternative) -> p-values of each sample's pairs, ours and flawed ones."""
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    pairs = _pairs(samples[0])
    swapped = randomization(samples, pairs, seed, trials=trials, threads=1).tests
    boots = bootstrap_scores(samples, trials, seed, threads=1)
    for sample, by_swaps, scores in zip(samples, swapped, boots, strict=True):
        observed = Observed.of(sample, pairs)
        for outcome in (
            by_swaps,
            significance.bootstrap(sample, pairs, scores, observed=observed),
            significance.paired_bootstrap(sample, pairs, scores, observed=observed),
        ):
            for alternative, p in outcome.p_values.items():
                found.setdefault((outcome.test, alternative), []).append(p)
        for name, formula in (
            ("sacrebleu-bs", significance.sacrebleu_bootstrap_p),
            ("moses-bs", significance.moses_bootstrap_p),
        ):
            p = [
                float(formula(difference, scores[a] - scores[b]))
                for difference, (a, b) in zip(observed.differences, pairs, strict=True)
            ]
            found.setdefault((name, "two-sided"), []).append(np.array(p))
    return found


def multeval_p(samples: Sequence[Sample], trials: int, seed: int) -> list[np.ndarray]:
    """Return MultEval's p-values when every system has so many identical runs."""
    pooled = [
        Sample(one.metric, one.names, tuple((np.vstack(runs * RUNS),) for runs in one.rows))
        for one in samples
    ]
    pairs = _pairs(samples[0])
    null = np.empty((len(samples), len(pairs), trials))

    def keep(sample: int, start: int, differences: np.ndarray) -> None:
        null[sample, :, start : start + differences.shape[1]] = differences

    swapped_differences(pooled, pairs, trials, seed, keep, threads=1)
    return [
        significance.multeval_p(Observed.of(one, pairs).differences, drawn)
        for one, drawn in zip(pooled, null, strict=True)
    ]


def rejections(
    world: World,
    kind: str,
    metrics: Sequence[str],
    nulls: int,
    *,
    units: int,
    trials: int,
    seed: int,
    alphas: Sequence[float] = (0.05, 0.1),
    multeval: bool = False,
) -> dict[tuple[str, str, str, float], float]:
    """Return the share of rejections: (metric, test, alternative, alpha) -> share."""
    counts: dict[tuple[str, str, str, float], int] = {}
    for start in range(0, nulls, TOGETHER):
        samples = joined(
            [
                null_samples(
                    world,
                    kind,
                    units,
                    metrics,
                    np.random.default_rng([seed, KINDS.index(kind), number]),
                )
                for number in range(start, min(start + TOGETHER, nulls))
            ]
        )
        found = p_values(samples, trials, seed * 10**6 + start)
        if multeval:
            found["multeval", "two-sided"] = multeval_p(samples, trials, seed * 10**6 + start)
        for (test, alternative), ps in found.items():
            for metric, p in zip(metrics, ps, strict=True):
                for alpha in alphas:
                    key = (metric, test, alternative, alpha)
                    counts[key] = counts.get(key, 0) + int((p <= alpha).sum())
    return {key: count / nulls for key, count in counts.items()}
