"""Two runs of one campaign: do other people, or the same another day, come to the same scores?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.human.correlation import pearson
from weigh.human.scores import HumanScore, Sample
from weigh.human.standardise import standardise
from weigh.types import Judgment


@dataclass(frozen=True, slots=True)
class Replication:
    """How two runs correlate (Pearson), over systems and over outputs that both have judged.

    An output is a segment by a system; its score is the mean of its standard scores.
    """

    pair: str
    scale: str
    systems: int
    r_systems: float
    outputs: int
    r_outputs: float


def replications(first: Sequence[Judgment], second: Sequence[Judgment]) -> list[Replication]:
    """Return the correlations for every language pair and scale that both runs have."""
    runs = [_grouped(first), _grouped(second)]
    return [
        _replication(*group, runs[0][group], runs[1][group])
        for group in sorted(runs[0].keys() & runs[1].keys())
    ]


def _grouped(
    judgments: Sequence[Judgment],
) -> dict[tuple[str, str], list[tuple[Judgment, float]]]:
    found = standardise(judgments)
    groups: dict[tuple[str, str], list[tuple[Judgment, float]]] = {}
    for one, z in zip(found.judgments, found.z, strict=True):
        groups.setdefault((one.pair, one.scale), []).append((one, z))
    return groups


def _replication(
    pair: str,
    scale: str,
    first: Sequence[tuple[Judgment, float]],
    second: Sequence[tuple[Judgment, float]],
) -> Replication:
    systems = [{one.system: one.score for one in _scores(run)} for run in (first, second)]
    outputs = [_outputs(run) for run in (first, second)]
    common_systems = sorted(systems[0].keys() & systems[1].keys())
    common_outputs = sorted(outputs[0].keys() & outputs[1].keys())
    return Replication(
        pair,
        scale,
        len(common_systems),
        pearson(*([run[name] for name in common_systems] for run in systems)),
        len(common_outputs),
        pearson(*([run[output] for output in common_outputs] for run in outputs)),
    )


def _scores(run: Iterable[tuple[Judgment, float]]) -> list[HumanScore]:
    return Sample(run).scores(level=0.95)


def _outputs(run: Iterable[tuple[Judgment, float]]) -> dict[tuple[str, str], float]:
    values: dict[tuple[str, str], list[float]] = {}
    for one, z in run:
        if one.kind in ("system", "repeat"):
            values.setdefault((one.system, one.segment), []).append(z)
    return {output: math.fsum(each) / len(each) for output, each in values.items()}
