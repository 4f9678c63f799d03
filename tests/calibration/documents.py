"""Documents as the unit of people's judgments: levels, coverage, and what standard scores keep.

`python tests/calibration/documents.py [NULLS] [--esa FILE]` prints the tables of the docs; a FILE
of real judgments has its systems exchanged by whole documents.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from weigh.human.judgments import read_judgments
from weigh.human.paired import compared_by_document
from weigh.human.plan import RankPlan
from weigh.human.scores import Sample, standardise
from weigh.stats.ranking import signed_rank
from weigh.types import Judgment

PLAN = RankPlan(by="raw", adjust="none")


def campaign(
    draws: np.random.Generator,
    documents: int,
    segments: int,
    judges: int,
    by_judge: float = 0.0,
    by_document: float = 0.6,
) -> list[tuple[Judgment, float]]:
    """Two equal systems; judges take whole documents, and differ in what they like of systems."""
    likes = draws.normal(0, by_judge, (judges, 2))
    suits = draws.normal(0, by_document, (documents, 2))
    found = []
    for d in range(documents):
        judge = d % judges
        for s in range(segments):
            for system in (0, 1):
                value = likes[judge, system] + suits[d, system] + draws.normal()
                answer = Judgment(
                    f"j{judge}", "h", "", "system", "AB"[system], f"{d}.{s}", value,
                    document=f"d{d}",
                )  # fmt: skip
                found.append((answer, value))
    return found


def outcome(sample: Sample) -> tuple[float | None, bool, float]:
    """The p-value, whether the interval for others holds 0, and the p-value of segments."""
    found = compared_by_document(sample, ["A", "B"], PLAN)["A", "B"]
    p = signed_rank(sample.differences(sample.shared("A", "B"))).p_value
    return found.p_value, found.for_others is None or found.for_others.contains_zero, p


def simulated(nulls: int) -> None:
    print("judges documents segments judge-sd | level, coverage; level of segments")
    shapes = [
        (judges, documents, segments, likes)
        for judges in (5, 20)
        for documents in (10, 30, 100)
        for segments in (1, 5, 15)
        for likes in (0.0, 0.4)
        if judges <= documents
    ]
    shapes += [(2, documents, 5, 0.0) for documents in (4, 5, 6, 9)]
    for judges, documents, segments, likes in shapes:
        draws = np.random.default_rng([judges, documents, segments, int(10 * likes)])
        rows = [
            outcome(Sample(campaign(draws, documents, segments, judges, likes)))
            for _ in range(nulls)
        ]
        tested = [p for p, _, _ in rows if p is not None]
        level = f"{np.mean([p <= 0.05 for p in tested]):.3f}" if tested else "   –"
        held = np.mean([inside for _, inside, _ in rows])
        by_segment = np.mean([p <= 0.05 for _, _, p in rows])
        print(
            f"{judges:6} {documents:9} {segments:8} {likes:8.1f} | "
            f"{level} {held:.3f} {by_segment:.3f}"
        )


def exchanged(sample_rows: list[Judgment], nulls: int) -> Iterator[tuple[float | None, float]]:
    """Pairs of real systems whose documents change hands by a coin each."""
    draws = np.random.default_rng(7)
    systems = sorted({each.system for each in sample_rows})
    pairs = [*combinations(systems, 2)]
    for _ in range(nulls):
        a, b = pairs[draws.integers(len(pairs))]
        coins = {each.document: draws.random() < 0.5 for each in sample_rows}
        names = {a: "A", b: "B"}
        other = {"A": "B", "B": "A"}
        rows = []
        for each in sample_rows:
            if each.system in names:
                name = names[each.system]
                name = other[name] if coins[each.document] else name
                answer = Judgment(
                    each.judge, each.hit, "", "system", name, each.segment, each.value,
                    document=each.document,
                )  # fmt: skip
                rows.append((answer, each.value))
        p, _, by_segment = outcome(Sample(rows))
        yield p, by_segment


def kept_by_standard_scores(repeats: int = 20) -> None:
    print("systems per judge | what z of judges keeps of a difference, and additive z")
    for seen in (2, 4, 8, 16):
        kept = {False: [], True: []}
        for seed in range(repeats):
            draws = np.random.default_rng([seen, seed])
            truth = 0.1 * np.arange(16)
            rows = []
            for judge in range(64):
                level, spread = draws.normal(50, 10), draws.uniform(5, 15)
                for system in draws.choice(16, seen, replace=False):
                    for s in range(100 // seen):
                        value = level + spread * (truth[system] + draws.normal())
                        rows.append(
                            Judgment(f"j{judge}", "h", "", "system", f"s{system}", f"{judge}.{s}",
                                     float(value), document=f"d{judge}")
                        )  # fmt: skip
            for additive in kept:
                result = standardise(rows, additive=additive)
                by_system: dict[int, list[float]] = {}
                for each, z in zip(result.judgments, result.z, strict=True):
                    by_system.setdefault(int(each.system[1:]), []).append(z)
                order = sorted(by_system)
                means = [np.mean(by_system[at]) for at in order]
                kept[additive].append(np.polyfit(truth[order], means, 1)[0])
        print(f"{seen:17} | {np.mean(kept[False]):.2f} {np.mean(kept[True]):.2f}")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nulls", nargs="?", type=int, default=2000)
    parser.add_argument("--esa", metavar="FILE")
    chosen = parser.parse_args(arguments)
    if chosen.esa is not None:
        answers = read_judgments([chosen.esa]).judgments
        rows = [*exchanged([each for each in answers if each.kind == "system"], chosen.nulls)]
        levels = [
            np.mean([p is not None and p <= 0.05 for p in column])
            for column in zip(*rows, strict=True)
        ]
        print(f"exchanged documents: level {levels[0]:.3f}, of segments {levels[1]:.3f}")
        return
    kept_by_standard_scores()
    simulated(chosen.nulls)


if __name__ == "__main__":
    main(sys.argv[1:])
