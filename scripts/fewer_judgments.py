"""Do chosen segments, and a metric's help, need fewer judgments? Tables of docs/validation.md.

    python scripts/fewer_judgments.py DATA           print the tables
    python scripts/fewer_judgments.py DATA --write   put them into the page

DATA holds the WMT's outputs and judgments as the page describes them. It takes half a minute. Only
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

from weigh.comparing.choosing import segment_spreads
from weigh.comparing.measure import Measured, measure_texts
from weigh.human.judgments import read_judgments
from weigh.human.powered import powered_scores
from weigh.human.scores import Sample
from weigh.metrics.registry import parse_metrics
from weigh.read import read_inputs
from weigh.stats.correlation import kendall_of_rows
from weigh.types import Judgment, Outputs, System, TestSet

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"
END = "<!-- end of table -->\n"
SIZES = (25, 50, 100)
# Of random halves of the judged segments, some are chosen: of all, there would be one choice only.
POOLS = 300
CURVE = (10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 120, 150, 200, 250, 300, 400, 600)
CHOICES = {
    "difference, chrF": ("difference", "chrf"),
    "difference, BLEU and chrF": ("difference", "bleu,chrf"),
    "difference, TER": ("difference", "ter"),
    "diversity": ("diversity", "chrf"),
}
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
    """Return how people rank systems on chosen segments and on as many at random."""
    lines = [
        f"τ with people's ranking on all judged segments, mean of {POOLS:,} pools; *worth*: so "
        "many segments at random give the same.",
        "",
        "| judged | segments | random | "
        + " | ".join(f"{title}, τ | worth" for title in CHOICES)
        + " |",
        "|---|---|---|" + "---|" * 2 * len(CHOICES),
    ]
    campaigns = [
        (data / "wmt24/en-cs", "refA.cs.gz", esa(data / "wmt24/en-cs")),
        (data / "wmt13/es-en", "ref.en.gz", preferences(data / "wmt13/es-en")),
        (data / "wmt13/cs-en", "ref.en.gz", preferences(data / "wmt13/cs-en")),
    ]
    for folder, reference, campaign in campaigns:
        test_set, systems = texts(folder, campaign.names, reference)
        total = len(campaign.segments)
        rng = np.random.default_rng(1)
        grid = [size for size in CURVE if size < total]
        curve = [
            float(np.nanmean(agreement(campaign, drawn(rng, total, size, POOLS)))) for size in grid
        ]
        values = {
            title: segment_spreads(on(test_set, systems, campaign.segments, metric), by)
            for title, (by, metric) in CHOICES.items()
        }
        pools = drawn(rng, total, total // 2, POOLS)
        for size in SIZES:
            random = float(np.nanmean(agreement(campaign, drawn(rng, total, size, POOLS))))
            cells = []
            for own in values.values():
                tau = float(np.nanmean(agreement(campaign, best(pools, own, size))))
                worth = float(np.interp(tau, np.maximum.accumulate(curve), grid))
                least = "< " if tau < curve[0] else ""
                cells += [f"{tau:.2f}", f"{least}{worth:.0f}"]
            lines.append(f"| {campaign.name} | {size} | {random:.2f} | {' | '.join(cells)} |")
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


def table_of_savings(data: Path) -> str:
    """Return what metrics save in estimates of systems' scores."""
    lines = [
        "| campaign | metric | systems | judged | not judged | saved, median | least | most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    read: Any = read_judgments(str(data / "wmt24/en-cs/human-esa.tsv.gz"))
    campaigns = {
        "wmt24 en-cs, ESA": (data / "wmt24/en-cs", "refA.cs.gz", list(read.judgments)),
        "wmt13 es-en, means of direct assessment": (
            *(data / "wmt13/es-en", "ref.en.gz"),
            judged_means(data / "wmt13/es-en/human-da-segmean.tsv"),
        ),
    }
    for title, (folder, reference, judgments) in campaigns.items():
        sample = Sample((each, each.value) for each in judgments)
        names = [name for name in sample.systems if not name.startswith("ref")]
        test_set, systems = texts(folder, names, reference)
        for metric in ("bleu", "chrf", "ter"):
            measured = measure_texts(systems, test_set, parse_metrics([metric]))
            rows = [
                row
                for row in powered_scores({("", title): sample}, measured).scores
                if row.against is None
            ]
            saved = np.array([row.saved for row in rows])
            spread = (np.median(saved), saved.min(), saved.max())
            judged = sorted({row.labelled for row in rows})
            lines.append(
                f"| {title} | {measured.metrics[0].name} | {len(rows)} | "
                f"{'–'.join(map(str, dict.fromkeys((judged[0], judged[-1]))))} | "
                f"{rows[0].unlabelled:,} | "
                f"{' | '.join(f'{100 * each:.0f}%' for each in spread)} |"
            )
    return "\n".join(lines) + "\n"


TABLES = {"choices": table_of_choices, "savings": table_of_savings}


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
