"""Quality control: which judges tell damaged texts from genuine ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.conduct import TASK, Conduct, conduct_of, tasks_of
from weigh.human.numbering import in_order
from weigh.human.ranksum import rank_sum
from weigh.human.steps import Step
from weigh.stats.rounding import with_ties
from weigh.types import Judgment


@dataclass(frozen=True, slots=True)
class Preset:
    """A judge stays if bad items score lower with p ≤ `alpha`, and if no task was too quick.

    `least_seconds` are those of a task of 100 items; a smaller piece needs as many less.
    """

    test: Literal["paired-t", "mann-whitney"]
    alpha: float
    least_seconds: float | None = None


PRESETS = {
    # Graham et al. (2015, 2017): against the genuine item that each bad one was made from.
    "crowd-alone": Preset("paired-t", 0.05),
    # The WMT's campaigns with Appraise: against all outputs.
    "appraise": Preset("mann-whitney", 0.01, 600.0),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one judge: the test's p-value, None where there was too little to test.

    `controls` is the number of bad items that were tested; `reasons` say why the judge is dropped.
    """

    judge: str
    controls: int
    p_value: float | None
    reasons: tuple[str, ...]
    conduct: Conduct

    @property
    def kept(self) -> bool:
        """Whether the judge's answers are used."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Quality:
    """Verdicts on all judges, by name, and what is left of the judgments."""

    preset: str
    verdicts: tuple[Verdict, ...]
    kept: tuple[Judgment, ...]
    steps: tuple[Step, ...]
    remarks: tuple[str, ...]


def check_quality(judgments: Sequence[Judgment], preset: str = "crowd-alone") -> Quality:
    """Test every judge.

    1. Judges with a rejected hit are dropped, with all their judgments.
    2. Of the others, those stay whose bad items score lower than genuine ones. `crowd-alone`: a
       one-sided paired t-test between bad items and those that they were made from, p ≤ .05.
       `appraise`: a one-sided Mann-Whitney test between bad items and outputs, p ≤ .01, and every
       task takes 600 seconds or more per 100 items.

    A judge without enough controls to test is dropped too, and that is the reason given.
    """
    if preset not in PRESETS:
        raise UsageError(f"unknown preset {preset!r}; {did_you_mean(preset, PRESETS)}")
    if all(one.kind != "bad" for one in judgments):
        raise InputError(
            "no bad items among the judgments, so no judge can be tested; "
            "give judgments with their controls, or do without quality control"
        )
    remarks: list[str] = []
    verdicts = tuple(
        _verdict(judge, own, PRESETS[preset], remarks) for judge, own in _by_judge(judgments)
    )
    rejected = {each.judge for each in verdicts if each.conduct.rejected_hits}
    dropped = {each.judge for each in verdicts if not each.kept}
    accepted = [one for one in judgments if one.judge not in rejected]
    kept = tuple(one for one in judgments if one.judge not in dropped)
    steps = (
        Step.after("read", judgments),
        Step.after("judges without a rejected hit", accepted),
        Step.after("judges who pass the test", kept),
    )
    return Quality(preset, verdicts, kept, steps, tuple(remarks))


def untested(judgments: Iterable[Judgment]) -> tuple[Verdict, ...]:
    """Return how judges worked whom no control was asked for: all are kept."""
    return tuple(
        Verdict(judge, sum(one.kind == "bad" for one in own), None, (), conduct_of(own))
        for judge, own in _by_judge(judgments)
    )


def _by_judge(judgments: Iterable[Judgment]) -> list[tuple[str, list[Judgment]]]:
    found: dict[str, list[Judgment]] = {}
    for one in judgments:
        found.setdefault(one.judge, []).append(one)
    return sorted(found.items(), key=lambda one: in_order(one[0]))


def _verdict(
    judge: str, judgments: Sequence[Judgment], preset: Preset, remarks: list[str]
) -> Verdict:
    conduct = conduct_of(judgments)
    if preset.test == "paired-t":
        pairs, alone = paired_controls(judgments)
        if alone:
            remarks.append(f"{judge}: {alone} bad items without the item that they were made from")
        controls, p_value = len(pairs), paired_t([bad - genuine for bad, genuine in pairs])
    else:
        bad = [one.value for one in judgments if one.kind == "bad"]
        outputs = [one.value for one in judgments if one.kind == "system"]
        controls, p_value = len(bad), None
        if bad and outputs:
            p_value = rank_sum(outputs, bad, "better").p_value
    reasons = []
    if conduct.rejected_hits:
        reasons.append(f"{conduct.rejected_hits} of {conduct.hits} hits rejected")
    if p_value is None:
        reasons.append(f"too few controls to test ({controls})")
    elif p_value > preset.alpha:
        reasons.append("fails the test")
    if preset.least_seconds is not None:
        untimed = sum(task.seconds is None for task in tasks_of(judgments))
        if untimed:
            of = "" if untimed == conduct.hits else f" of {untimed} of {conduct.hits} hits"
            remarks.append(f"{judge}: no times{of}, so whether hits took long enough is not known")
        pace = conduct.least_seconds_per_item
        # To the millisecond, so that shared seconds add up to their hit's.
        if pace is not None and round(pace * TASK, 3) < preset.least_seconds:
            reasons.append(f"below {preset.least_seconds:g} s per {TASK} items")
    return Verdict(judge, controls, p_value, tuple(reasons), conduct)


def paired_controls(judgments: Iterable[Judgment]) -> tuple[list[tuple[float, float]], int]:
    """Return scores of bad items with those of their originals, and how many have none.

    The original stands in the same hit of the same judge: it is the item that `of` names, or else
    the output of the same system for the same segment.
    """
    judged = list(judgments)
    by_item = {(one.judge, one.hit, one.item): one for one in judged if one.item is not None}
    by_output: dict[tuple[str, ...], list[Judgment]] = {}
    for one in judged:
        if one.kind == "system":
            by_output.setdefault(_output(one), []).append(one)
    pairs, alone = [], 0
    for one in judged:
        if one.kind != "bad":
            continue
        named = by_item.get((one.judge, one.hit, one.of)) if one.of is not None else None
        originals = [named] if named is not None else by_output.get(_output(one), [])
        if originals:
            mean = math.fsum(each.value for each in originals) / len(originals)
            pairs.append((one.value, mean))
        else:
            alone += 1
    # A bad item may score exactly what its originals do on average, and rounding shows no failing.
    scores = [score for pair in pairs for score in pair]
    even = with_ties(scores, max(map(abs, scores), default=0.0)).tolist()
    return list(zip(even[::2], even[1::2], strict=True)), alone


def _output(one: Judgment) -> tuple[str, ...]:
    return (one.judge, one.hit, one.pair, one.scale, one.system, one.segment)


def paired_t(differences: Sequence[float]) -> float | None:
    """Return the one-sided p-value of Student's paired t-test that the mean is below zero.

    None for fewer than two differences. Equal differences have no variance: then p is 0 if they
    are below zero and 1 if not.

    >>> round(paired_t([-1.0, -2.0, -3.0]), 4)
    0.0371
    """
    from scipy.special import stdtr  # much quicker to import than scipy.stats

    n = len(differences)
    if n < 2:
        return None
    mean = math.fsum(differences) / n
    if len(set(differences)) == 1:
        return float(mean >= 0)
    deviation = math.sqrt(math.fsum((each - mean) ** 2 for each in differences) / (n - 1))
    return float(stdtr(n - 1, mean / deviation * math.sqrt(n)))
