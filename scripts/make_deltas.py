"""Systems' scores by people and by metrics: writes src/weigh/human/deltas.tsv.

    python scripts/make_deltas.py DATA
    python scripts/make_deltas.py --models

DATA holds the WMT's data sets that are named below. Only numbers are written: the scores of every
system of a data set by people and by metrics, without its name and without any text.
`weigh human metrics --delta` computes from them what a difference of a metric meant to people.
`--models` measures how well several curves predict agreement in held-out data sets and systems.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from weigh.comparing.score import score
from weigh.human.deltas import LEAST_SYSTEMS, SystemPairs, pairs_of, scored_systems
from weigh.human.judgments import read_judgments
from weigh.human.plan import RankPlan
from weigh.human.rank import rankings_of
from weigh.read import read_inputs
from weigh.wording import number_text

TABLE = Path(__file__).resolve().parents[1] / "src" / "weigh" / "human" / "deltas.tsv"
METRICS = ("bleu", "chrf", "chrf:word_order=2", "ter", "nist", "wer", "per", "cder")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a data set is, and what people judged."""

    folder: str
    people: str
    asked: str
    reference: str = "ref"

    @property
    def name(self) -> str:
        """Its name in the table."""
        return f"{self.folder.replace('/', ' ')} ({self.asked})"


SOURCES = (
    Source("wmt12/es-en", "human-rnk.tsv.gz", "rankings"),
    Source("wmt12/en-es", "human-rnk.tsv.gz", "rankings"),
    Source("wmt13/es-en", "human-pairwise-rnk.tsv.gz", "rankings"),
    Source("wmt13/cs-en", "human-pairwise-rnk.tsv.gz", "rankings"),
    Source("wmt21/cs-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt21/de-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt22/liv-en", "human-da.tsv.gz", "DA", "refA"),
    Source("wmt24/en-cs", "human-esa.tsv.gz", "ESA", "refA"),
)


def rows(data: Path, source: Source) -> list[list[str]]:
    """Return a row for every system of a data set that people and metrics have scored."""
    folder = data / source.folder
    target = source.folder.rpartition("-")[2]
    answers = read_judgments([str(folder / source.people)])
    [ranking] = rankings_of(answers, RankPlan(least_per_system=1)).rankings
    people = {each.system: each.score for each in ranking.scores}
    files = {
        path.name.removesuffix(f".{target}.gz"): path for path in sorted(folder.glob("sys/*.gz"))
    }
    judged = [name for name in files if name in people]
    test_set, systems = read_inputs(
        [f"{name}={files[name]}" for name in judged],
        [str(folder / f"{source.reference}.{target}.gz")],
    )
    metrics: dict[str, list[float]] = {name: [people[name]] for name in judged}
    for each in score(systems, test_set, METRICS).scores:
        metrics[each.system].append(each.score)
    best_first = sorted(metrics.values(), key=lambda values: -values[0])
    return [
        [source.name, *(number_text(round(value, 6)) for value in values)] for values in best_first
    ]


Floats = np.ndarray
Model = Callable[[Floats, Floats], Callable[[Floats], Floats]]


def logistic(*, intercept: bool) -> Model:
    """Return logistic regression through one half, with a phantom pair, or with an intercept."""

    def fit(sizes: Floats, agree: Floats) -> Callable[[Floats], Floats]:
        unit = np.median(sizes)
        known = np.append(sizes / unit, [1.0, 1.0])
        signs = np.append(np.where(agree > 0, 1.0, -1.0), [1.0, -1.0])
        weights = np.append(np.ones(sizes.size), [0.5, 0.5])

        def unlikely(given: Floats) -> float:
            return float((weights * np.logaddexp(0, -signs * line(given, known))).sum())

        def line(given: Floats, at: Floats) -> Floats:
            return given[0] * at + (given[1] if intercept else 0.0)

        found = minimize(unlikely, [0.3, 0.0] if intercept else [0.3]).x
        return lambda at: expit(line(found, at / unit))

    return fit


def isotonic(sizes: Floats, agree: Floats) -> Callable[[Floats], Floats]:
    """Return isotonic shares, with two added pairs at no difference, one of which agrees."""
    order = np.argsort(sizes, kind="stable")
    blocks: list[list[float]] = [[0.5, 2.0, 0.0]]
    for size, value in zip(sizes[order], agree[order], strict=True):
        blocks.append([value, 1.0, size])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (low, many, start), (high, more, _) = blocks[-2:]
            blocks[-2:] = [[(low * many + high * more) / (many + more), many + more, start]]
    shares, starts = np.array(blocks)[:, 0], np.array(blocks)[:, 2]
    return lambda at: np.clip(shares[np.searchsorted(starts, at, side="right") - 1], 0.02, 0.98)


def near(sizes: Floats, agree: Floats) -> Callable[[Floats], Floats]:
    """Return the share of pairs near a difference, by a kernel on its logarithm."""

    def share(at: Floats) -> Floats:
        apart = np.log(np.maximum(at, 1e-4))[:, None] - np.log(np.maximum(sizes, 1e-4))
        weights = np.exp(-0.5 * (apart / 0.5) ** 2)
        return (weights @ agree + 0.5) / (weights.sum(axis=1) + 1)

    return share


MODELS: dict[str, Model] = {
    "one slope": logistic(intercept=False),
    "slope and intercept": logistic(intercept=True),
    "isotonic": isotonic,
    "pairs near Δ": near,
}


def loss(model: Model, known: Sequence[SystemPairs], left_out: SystemPairs) -> float:
    """Return the log loss of a model's predictions for held-out pairs."""
    fitted = model(
        np.concatenate([pairs.sizes for pairs in known]),
        np.concatenate([pairs.agree for pairs in known]),
    )
    shares = np.clip(fitted(left_out.sizes), 1e-3, 1 - 1e-3)
    right = np.where(left_out.agree > 0, shares, 1 - shares)
    return float(-np.log(right).sum())


def part(pairs: SystemPairs, chosen: Floats) -> SystemPairs:
    """Return some of the pairs."""
    return SystemPairs(pairs.systems, *(column[chosen] for column in pairs[1:]))


def compare_models() -> str:
    """Return the losses of all models on held-out data sets and systems, as Markdown."""
    lines = ["| Metric | Left out |" + "".join(f" {name} |" for name in MODELS)]
    lines.append("| ------ | -------- |" + " --: |" * len(MODELS))
    for metric in ("bleu", "chrf", "ter"):
        groups = [pairs_of(scored) for scored in scored_systems(metric).values()]
        splits = {
            "data set": [
                ([*groups[:at], *groups[at + 1 :]], groups[at]) for at in range(len(groups))
            ],
            "system": [
                ([part(group, ~within)], part(group, within))
                for group in groups
                if group.systems >= LEAST_SYSTEMS
                for within in (
                    (group.first == at) | (group.second == at) for at in range(group.systems)
                )
            ],
        }
        for what, split in splits.items():
            losses = [
                sum(loss(model, known, rest) for known, rest in split) for model in MODELS.values()
            ]
            lines.append(f"| {metric} | {what} |" + "".join(f" {each:.0f} |" for each in losses))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--models", action="store_true", help="compare curves, and write nothing")
    chosen = parser.parse_args(arguments)
    if chosen.models:
        print(compare_models())
        return 0
    if chosen.data is None:
        parser.error("name the directory of the data, or give --models")
    lines = [["data", "people", *METRICS]]
    for source in SOURCES:
        lines += rows(chosen.data, source)
    TABLE.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
