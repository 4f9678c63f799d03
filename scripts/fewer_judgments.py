"""Do chosen segments, and a metric's help, need fewer judgments? Tables of docs/validation.md.

    python scripts/fewer_judgments.py DATA           print the tables
    python scripts/fewer_judgments.py DATA --write   put them into the page

DATA holds the WMT's outputs and judgments as the page describes them. It takes a minute. Only
numbers are written, no texts.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from weigh.comparing.choosing import segment_spreads
from weigh.comparing.measure import Measured, measure_texts
from weigh.human.judgments import read_judgments
from weigh.human.powered import powered_scores
from weigh.human.scores import Sample
from weigh.metrics.registry import parse_metrics
from weigh.read import read_inputs
from weigh.stats.correlation import kendall_of_rows
from weigh.stats.prediction_powered import powered_means
from weigh.types import Judgment, Outputs, System, TestSet

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"
END = "<!-- end of table -->\n"
SIZES = (25, 50, 100, 150)
DRAWS = 1000
# Random halves of the judged segments that are chosen from.
POOLS = 300
CHOICES = {
    "difference, chrF": ("difference", "chrf"),
    "difference, BLEU and chrF": ("difference", "bleu,chrf"),
    "difference, TER": ("difference", "ter"),
    "diversity": ("diversity", "chrf"),
}
METRICS = ("bleu", "chrf", "ter")
# Judged segments and others of data sets that are drawn from what was judged, and how many.
WORLDS = ((20, 500), (50, 500), (200, 800))
WORLD_DRAWS = 1000
Scored = Callable[[np.ndarray], np.ndarray]


class Campaign(NamedTuple):
    """Segments that people judged for all systems, and what they say of systems on any of them.

    `scored` makes systems' scores of rows of weights of segments.
    """

    name: str
    names: list[str]
    segments: list[int]
    scored: Scored


def texts(folder: Path, names: Sequence[str], reference: str) -> tuple[TestSet, tuple[System, ...]]:
    """Return the outputs of systems, by the names that judgments have."""
    ending = f".{reference.split('.')[1]}.gz"
    return read_inputs(
        [f"{name}={folder / 'sys' / (name + ending)}" for name in names], [str(folder / reference)]
    )


def on(
    test_set: TestSet, systems: Sequence[System], segments: Sequence[int], metric: str
) -> Measured:
    """Measure some segments."""

    def some(lines: Sequence[str]) -> list[str]:
        return [lines[number - 1] for number in segments]

    return measure_texts(
        [System(each.name, Outputs(some(each.outputs.texts))) for each in systems],
        TestSet([some(each) for each in test_set.references]),
        parse_metrics([metric]),
    )


def esa(folder: Path) -> Campaign:
    """Return the WMT's error span annotation of segments that were judged for all systems."""
    answers: Any = read_judgments(str(folder / "human-esa.tsv.gz"))
    sample = Sample((each, each.value) for each in answers.judgments)
    names = [name for name in sample.systems if not name.startswith("ref")]
    means = {name: sample.by_segment(name) for name in names}
    keys = [key for key in means[names[0]] if all(key in each for each in means.values())]
    values = np.array([[means[name][key] for key in keys] for name in names])

    def scored(weights: np.ndarray) -> np.ndarray:
        return np.asarray(weights @ values.T / weights.sum(axis=1, keepdims=True))

    return Campaign("wmt24 en-cs, ESA", names, [int(key) for key in keys], scored)


def preferences(folder: Path) -> Campaign:
    """Return expected wins in the WMT's rankings, of segments on which anything was ranked."""
    with gzip.open(folder / "human-pairwise-rnk.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [
            (int(row["seg"]), row["winner"], row["loser"])
            for row in csv.DictReader(file, delimiter="\t")
        ]
    names = sorted({name for _, *both in rows for name in both})
    segments = sorted({segment for segment, *_ in rows})
    place, at = {name: i for i, name in enumerate(names)}, {s: i for i, s in enumerate(segments)}
    wins = np.zeros((len(segments), len(names), len(names)))
    for segment, winner, loser in rows:
        wins[at[segment], place[winner], place[loser]] += 1

    def scored(weights: np.ndarray) -> np.ndarray:
        sums = np.tensordot(weights, wins, 1)
        both = sums + np.swapaxes(sums, 1, 2)
        shares = np.divide(sums, both, out=np.full_like(sums, np.nan), where=both > 0)
        counts = np.isfinite(shares).sum(axis=2)
        return np.asarray(np.nansum(shares, axis=2) / np.where(counts > 0, counts, np.nan))

    return Campaign(f"wmt13 {folder.name}, preferences", names, segments, scored)


def agreement(campaign: Campaign, weights: np.ndarray) -> np.ndarray:
    """Return τ of the ranking by people on some segments with that on all of them."""
    everything = campaign.scored(np.ones((1, len(campaign.segments))))[0]
    return kendall_of_rows(everything, campaign.scored(weights))


def drawn(rng: np.random.Generator, segments: int, size: int, draws: int) -> np.ndarray:
    """Return random draws as draws × segments."""
    keys = rng.random((draws, segments))
    last = np.partition(keys, size - 1, axis=1)[:, size - 1 : size]
    return (keys <= last).astype(float)


def best(pools: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return the segments of every pool that have the largest values."""
    order = np.argsort(np.where(pools > 0, -values, np.inf), axis=1, kind="stable")[:, :size]
    chosen = np.zeros_like(pools)
    np.put_along_axis(chosen, order, 1.0, axis=1)
    return chosen


def table_of_choices(data: Path) -> str:
    """Return how people rank systems on chosen segments and on as many at random.

    Two ways: one choice of all segments, as the command makes it, and the mean over choices from
    random halves of them, which is less a matter of luck and chooses less sharply.
    """
    lines = [
        "τ with people's ranking on all judged segments. Random: mean, and where 90% of "
        f"{DRAWS:,} draws lie. Each choice: once from all segments, and in brackets the mean over "
        f"{POOLS:,} random halves of them.",
        "",
        f"| judged | segments | random | {' | '.join(CHOICES)} |",
        "|---|---|---|" + "---|" * len(CHOICES),
    ]
    above = {title: [0, 0] for title in CHOICES}
    below = dict.fromkeys(CHOICES, 0)
    beyond = dict.fromkeys(CHOICES, 0)
    cases = [0, 0]
    campaigns = [
        (data / "wmt24/en-cs", "refA.cs.gz", esa(data / "wmt24/en-cs")),
        (data / "wmt13/es-en", "ref.en.gz", preferences(data / "wmt13/es-en")),
        (data / "wmt13/cs-en", "ref.en.gz", preferences(data / "wmt13/cs-en")),
    ]
    for folder, reference, campaign in campaigns:
        test_set, systems = texts(folder, campaign.names, reference)
        total = len(campaign.segments)
        rng = np.random.default_rng(1)
        values = {
            title: segment_spreads(on(test_set, systems, campaign.segments, metric), by)
            for title, (by, metric) in CHOICES.items()
        }
        everything = np.ones((1, total))
        pools = drawn(rng, total, total // 2, POOLS)
        for size in SIZES:
            random = agreement(campaign, drawn(rng, total, size, DRAWS))
            mean, (low, high) = np.nanmean(random), np.nanquantile(random, (0.05, 0.95))
            # Of a half that is hardly larger, there is little to choose.
            ways = (everything, pools) if total // 2 >= 2 * size else (everything,)
            for at in range(len(ways)):
                cases[at] += 1
            cells = []
            for title, own in values.items():
                taus = [
                    float(np.nanmean(agreement(campaign, best(each, own, size)))) for each in ways
                ]
                for at, tau in enumerate(taus):
                    above[title][at] += tau > mean
                below[title] += taus[0] < low
                beyond[title] += taus[0] > high
                cells.append(f"{taus[0]:.2f} ({'–' if len(taus) == 1 else f'{taus[1]:.2f}'})")
            lines.append(
                f"| {campaign.name} | {size} | {mean:.2f} [{low:.2f}, {high:.2f}] | "
                f"{' | '.join(cells)} |"
            )
    for what, counts in (
        ("above the mean of random", [f"{once} ({halves})" for once, halves in above.values()]),
        ("below 95% of random draws", [*map(str, below.values())]),
        ("above 95% of random draws", [*map(str, beyond.values())]),
    ):
        of = f"of {cases[0]} ({cases[1]})" if "mean" in what else f"of {cases[0]}"
        lines.append(f"| {what} | {of} | | {' | '.join(counts)} |")
    return "\n".join(lines) + "\n"


def judged_means(path: Path) -> list[Judgment]:
    """Return averaged scores as judgments of one judge."""
    with path.open(encoding="utf-8") as file:
        return [
            Judgment(
                "all", "", row["pair"], "system", row["system"], row["seg"], float(row["z_mean"])
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


class Judged(NamedTuple):
    """People's scores by system and segment, and the outputs."""

    title: str
    sample: Sample
    test_set: TestSet
    systems: tuple[System, ...]


def judged_campaigns(data: Path) -> list[Judged]:
    """Return campaigns whose scores are to be estimated."""
    read: Any = read_judgments(str(data / "wmt24/en-cs/human-esa.tsv.gz"))
    found = []
    for title, folder, reference, judgments in (
        ("wmt24 en-cs, ESA", data / "wmt24/en-cs", "refA.cs.gz", list(read.judgments)),
        (
            *("wmt13 es-en, means of direct assessment", data / "wmt13/es-en", "ref.en.gz"),
            judged_means(data / "wmt13/es-en/human-da-segmean.tsv"),
        ),
    ):
        sample = Sample((each, each.value) for each in judgments)
        names = [name for name in sample.systems if not name.startswith("ref")]
        found.append(Judged(title, sample, *texts(folder, names, reference)))
    return found


def table_of_savings(data: Path) -> str:
    """Return what metrics save in estimates of systems' scores."""
    lines = [
        "| campaign | metric | systems | judged | not judged | saved, median | least | most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for campaign in judged_campaigns(data):
        for metric in METRICS:
            measured = measure_texts(campaign.systems, campaign.test_set, parse_metrics([metric]))
            powered = powered_scores({("", campaign.title): campaign.sample}, measured)
            rows = [row for row in powered.scores if row.against is None]
            saved = np.array([row.saved for row in rows])
            spread = (np.median(saved), saved.min(), saved.max())
            judged = sorted({row.labelled for row in rows})
            lines.append(
                f"| {campaign.title} | {measured.metrics[0].name} | {len(rows)} | "
                f"{'–'.join(map(str, dict.fromkeys((judged[0], judged[-1]))))} | "
                f"{rows[0].unlabelled:,} | "
                f"{' | '.join(f'{100 * each:.0f}%' for each in spread)} |"
            )
    return "\n".join(lines) + "\n"


def table_of_coverage(data: Path) -> str:
    """Return how often intervals hold the truth where it is the mean of what was judged."""
    lines = [
        "| campaign | metric | judged | not judged | holds, mean of systems | least | people "
        "alone, mean | least |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for campaign in judged_campaigns(data):
        for metric in METRICS:
            measured = measure_texts(campaign.systems, campaign.test_set, parse_metrics([metric]))
            made = measured.samples[0]
            for n, others in WORLDS:
                held = []
                for name, rows in zip(made.names, made.rows, strict=True):
                    scores = np.asarray(made.metric.segment_scores(rows[0]))
                    human = campaign.sample.by_segment(name)
                    held.append(
                        _held(
                            np.array(list(human.values())),
                            np.array([scores[int(key) - 1] for key in human]),
                            *(n, others),
                        )
                    )
                powered, alone = np.array(held).T
                lines.append(
                    f"| {campaign.title} | {made.metric.name} | {n} | {others} | "
                    f"{powered.mean():.3f} | {powered.min():.3f} | {alone.mean():.3f} | "
                    f"{alone.min():.3f} |"
                )
    return "\n".join(lines) + "\n"


def _held(human: np.ndarray, metric: np.ndarray, n: int, others: int) -> tuple[float, float]:
    """Draw segments with replacement; return how often both kinds of intervals hold the mean."""
    rng = np.random.default_rng([n, others])
    own = rng.integers(0, len(human), (WORLD_DRAWS, n))
    rest = rng.integers(0, len(human), (WORLD_DRAWS, others))
    means = powered_means(human[own], metric[own], metric[rest])
    reach = stdtrit(means.freedom, 0.975) * np.sqrt(means.variance)
    alone = stdtrit(n - 1, 0.975) * np.sqrt(means.classical_variance)
    truth = human.mean()
    return (
        float((np.abs(means.estimate - truth) <= reach).mean()),
        float((np.abs(means.classical - truth) <= alone).mean()),
    )


TABLES = {
    "choices": table_of_choices,
    "savings": table_of_savings,
    "coverage": table_of_coverage,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    chosen = parser.parse_args(arguments)
    for name, make in TABLES.items():
        made = make(chosen.data)
        if not chosen.write:
            print(made)
            continue
        start = f"<!-- table: scripts/fewer_judgments.py, {name} -->\n"
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(start)
        PAGE.write_text(before + start + made + END + rest.partition(END)[2], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
