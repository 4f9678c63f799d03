"""How far judges agree in a whole set of judgments, or of preferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weigh.errors import InputError, UsageError
from weigh.human.agreement import (
    Consistency,
    Kappas,
    cohen_kappa,
    consistency,
    kappas,
    krippendorff_alpha,
    values_by_item,
)
from weigh.human.standardise import standardise
from weigh.types import Judgment, Preference


@dataclass(frozen=True, slots=True)
class Consensus:
    """Agreement on one scale.

    `outputs` are those that two or more people have judged, of `judged` in all. Alpha is that of
    the scores as they are, of standard scores, which are free of each judge's bias, and of ranks;
    of preferences there is the nominal one alone. `kappas` needs categories; `intra` is Cohen's
    kappa of judges with themselves, for preferences that were asked for twice.
    """

    pair: str
    scale: str
    judges: int
    judged: int
    outputs: int
    alphas: dict[str, float]
    kappas: Kappas | None = None
    intra: tuple[float, int] | None = None


@dataclass(frozen=True, slots=True)
class ConsensusReport:
    """Agreement between judges on every scale, and of each with himself."""

    scales: tuple[Consensus, ...]
    repeats: tuple[Consistency, ...]
    remarks: tuple[str, ...]


def consensus(
    judgments: Sequence[Judgment],
    *,
    categories: int | None = None,
    bounds: tuple[float, float] = (0.0, 100.0),
    weights: str = "none",
) -> ConsensusReport:
    """Return how far judges agree on the outputs of systems.

    For kappas, the scale between `bounds` is cut into so many equal parts.
    """
    if categories is not None and categories < 2:
        raise UsageError(f"{categories} categories; give 2 at least")
    standard = standardise(judgments)
    z = [replace(one, value=z) for one, z in zip(standard.judgments, standard.z, strict=True)]
    scales = []
    for pair, scale in sorted({(one.pair, one.scale) for one in judgments}):
        raw, standardised = (
            values_by_item(one for one in each if (one.pair, one.scale) == (pair, scale))
            for each in (judgments, z)
        )
        units = [list(each.values()) for each in raw.values()]
        shared = sum(len(unit) > 1 for unit in units)
        alphas = {
            "interval": krippendorff_alpha(units),
            "standardised": krippendorff_alpha([list(u.values()) for u in standardised.values()]),
            "ordinal": krippendorff_alpha(units, "ordinal"),
        }
        found = None
        if categories is not None:
            cut = [
                {judge: _category(value, categories, bounds) for judge, value in unit.items()}
                for unit in raw.values()
            ]
            found = kappas(cut, weights)
        judges = len({judge for unit in raw.values() for judge in unit})
        scales.append(Consensus(pair, scale, judges, len(units), shared, alphas, found))
    return ConsensusReport(tuple(scales), tuple(consistency(judgments)), standard.remarks)


def _category(value: float, categories: int, bounds: tuple[float, float]) -> int:
    low, high = bounds
    # Multiplied first, and with slack: 29 of 100 is the 30th of 100 parts, though .29 · 100 < 29.
    return min(categories - 1, int(categories * (value - low) / (high - low) + 1e-9))


def preference_consensus(preferences: Sequence[Preference]) -> ConsensusReport:
    """Return how far judges agree on which of two outputs is better, ties among the answers.

    A unit is a segment and two systems (the WMT's kappas are of this kind). Who was asked twice
    counts between judges with the first answer.
    """
    units: dict[tuple[str, str, str], dict[str, list[int]]] = {}
    for one in preferences:
        if one.judge is None:
            raise InputError(
                "preferences that name no judges, so their agreement cannot be told; "
                "give a file with a column judge"
            )
        first, second = sorted((one.winner, one.loser))
        answer = 0 if one.tied else 1 if one.winner == first else -1
        unit = units.setdefault((one.segment, first, second), {})
        unit.setdefault(one.judge, []).append(answer)
    between = [{judge: answers[0] for judge, answers in each.items()} for each in units.values()]
    again = [
        (answers[0], answers[1])
        for each in units.values()
        for answers in each.values()
        if len(answers) > 1
    ]
    twice = cohen_kappa([a for a, _ in again], [b for _, b in again]) if again else None
    judged = Consensus(
        "",
        "preference",
        len({one.judge for one in preferences}),
        len(units),
        sum(len(unit) > 1 for unit in between),
        {"nominal": krippendorff_alpha([list(unit.values()) for unit in between], "nominal")},
        kappas(between),
        None if twice is None else (twice, len(again)),
    )
    return ConsensusReport((judged,), (), ())
