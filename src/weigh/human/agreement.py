"""Agreement of judges with each other and with themselves, and of two runs of a campaign."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import ClassVar

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.human.judgments import (
    OUTPUTS,
    Answers,
    about,
    extent_of,
    in_order,
    left_out,
    load_answers,
    renamed,
    single,
    with_scores,
)
from weigh.human.plan import PREFERENCE, AgreementPlan
from weigh.human.scores import Sample, standardise
from weigh.keywords import keywords
from weigh.read.answers import (
    BOUNDS,
    BadRows,
    Judgments,
    Omission,
    Preferences,
    count_identical,
)
from weigh.result import Extent, Result, warns
from weigh.stats.agreement import Kappas, cohen_kappa, kappas, krippendorff_alpha
from weigh.stats.correlation import pearson
from weigh.types import Judgment, Preference, grouped


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleAgreement:
    """Agreement on one scale.

    `judged_by_several` of `judged` outputs have two judges or more. Alpha is that of raw scores, of
    standard scores, which remove each judge's bias, and of ranks; for preferences only the
    nominal one. Cohen's and Fleiss' kappa (see `weigh.stats.agreement.Kappas`) need categories;
    `intra` is Cohen's kappa of judges with themselves, for repeated preferences. NaN means unknown.
    """

    pair: str
    scale: str
    judges: int
    judged: int
    judged_by_several: int
    alpha_interval: float = math.nan
    alpha_standardised: float = math.nan
    alpha_ordinal: float = math.nan
    alpha_nominal: float = math.nan
    cohen_kappa: float = math.nan
    cohen_pairs: int | None = None
    fleiss_kappa: float = math.nan
    fleiss_units: int | None = None
    fleiss_judges: int | None = None
    intra_kappa: float = math.nan
    intra_units: int | None = None

    def with_kappas(self, coefficients: Kappas) -> ScaleAgreement:
        """Add the kappas of categories."""
        return replace(
            self,
            cohen_kappa=coefficients.mean,
            cohen_pairs=coefficients.pairs,
            fleiss_kappa=coefficients.fleiss,
            fleiss_units=coefficients.units,
            fleiss_judges=coefficients.judges,
        )

    @property
    def is_known(self) -> bool:
        """Whether an output was judged by two people, or twice by one."""
        return bool(self.judged_by_several) or self.intra_units is not None

    def applies(self, measure: str) -> bool:
        """Whether a measure applies to this scale, even if the data do not determine it."""
        if measure.startswith("alpha"):
            return (measure == "alpha_nominal") == (self.scale == PREFERENCE)
        if measure.startswith(("cohen", "fleiss")):
            return self.cohen_pairs is not None
        return not measure.startswith("intra") or self.intra_units is not None


@dataclass(frozen=True, slots=True)
class Consistency:
    """A judge's answers to repeated items.

    `difference` is the mean of repeat − original, `distance` the mean of its size; `r` is
    Pearson's correlation, NaN if there are too few pairs or no variation.
    """

    judge: str
    repeats: int
    difference: float
    distance: float
    r: float


@dataclass(frozen=True, slots=True)
class Replication:
    """Correlation (Pearson) of two runs, over systems and over outputs judged in both.

    An output is a segment by a system; its score is the mean of its standard scores.
    """

    pair: str
    scale: str
    systems: int
    r_systems: float
    outputs: int
    r_outputs: float


@dataclass(frozen=True, slots=True)
class AgreementResult(Result):
    """Agreement between judges on every scale, of each with himself, and of two runs."""

    command: ClassVar[str] = "human agreement"

    test_set: Extent
    categories: int | None
    weights: str
    agreement: tuple[ScaleAgreement, ...]
    repeats: tuple[Consistency, ...]
    replication: tuple[Replication, ...]
    omissions: tuple[Omission, ...]
    remarks: tuple[str, ...]

    @property
    def repeated(self) -> int:
        """The number of items that judges scored again."""
        return sum(judge.repeats for judge in self.repeats)

    @property
    def mean_distance(self) -> float:
        """The mean size of the difference between repeat and original; NaN without repeats."""
        total = sum(judge.distance * judge.repeats for judge in self.repeats)
        return total / self.repeated if self.repeated else math.nan


@warns
@keywords(AgreementPlan)
def agreement(
    answers: Answers,
    plan: AgreementPlan | None = None,
    *,
    replicate: Answers | None = None,
    categories: int | None = None,
    weights: str = "none",
    bounds: tuple[float, float] = BOUNDS,
    judge: str | None = None,
    system: str | None = None,
    item: str | None = None,
    score: str | None = None,
    scale: str | None = None,
    kind: str | None = None,
    hit: str | None = None,
    seconds: str | None = None,
    document: str | None = None,
    slice: str | None = None,
    columns: Mapping[str, str] | None = None,
    pair: str | None = None,
    bad_rows: BadRows = "refuse",
    names: bool = False,
) -> AgreementResult:
    """Measure how far judges agree on outputs, or on which of two outputs is better.

    Answers are judgments or preferences, a file, several files or a data frame; those of a second
    run, whose judges bear their names, are `replicate`. `categories`, `weights` and `bounds` are
    the fields of `AgreementPlan`; they replace those of a `plan` that is given too.

    Files and data frames are read as by `weigh.read_judgments`, with its `pair`, `bounds`,
    `bad_rows` and `names`. The keywords from `judge` to `slice` name columns of a long table, and
    `columns` names others by role.
    """
    plan = plan or AgreementPlan()
    read = load_answers(answers, locals() | {"bounds": plan.bounds})
    if isinstance(read, Preferences):
        for name, value in (("categories", plan.categories), ("replicate", replicate)):
            if value is not None:
                raise UsageError(f"--{name} is for scores, but these are preferences; leave it out")
        scales: tuple[ScaleAgreement, ...] = (of_preferences(read.preferences),)
        return AgreementResult(
            extent_of(read), None, plan.weights, scales, (), (), read.omissions, read.remarks
        )
    single(read, "their agreement is unknown")
    scales, remarks = of_judgments(read.judgments, plan)
    runs: Sequence[Replication] = ()
    if replicate is not None:
        runs, replication_remarks = _second_run(
            read, single(with_scores(replicate), "the agreement of two runs is unknown")
        )
        remarks = (*remarks, *replication_remarks)
    return AgreementResult(
        extent_of(read),
        plan.categories,
        plan.weights,
        scales,
        tuple(consistency(read.judgments)),
        tuple(runs),
        read.omissions,
        (*read.remarks, *remarks),
    )


def of_judgments(
    judgments: Sequence[Judgment], plan: AgreementPlan
) -> tuple[tuple[ScaleAgreement, ...], tuple[str, ...]]:
    """Agreement of judges on the outputs of systems, with remarks."""
    standard = standardise(judgments)
    z = [
        replace(judgment, value=z)
        for judgment, z in zip(standard.judgments, standard.z, strict=True)
    ]
    scales = []
    for pair, scale in sorted({(judgment.pair, judgment.scale) for judgment in judgments}):
        raw, standardised = (
            values_by_item(
                judgment for judgment in run if (judgment.pair, judgment.scale) == (pair, scale)
            )
            for run in (judgments, z)
        )
        units = [list(by_judge.values()) for by_judge in raw.values()]
        agreed = ScaleAgreement(
            pair=pair,
            scale=scale,
            judges=len({judge for unit in raw.values() for judge in unit}),
            judged=len(units),
            judged_by_several=sum(len(unit) > 1 for unit in units),
            alpha_interval=krippendorff_alpha(units),
            alpha_standardised=krippendorff_alpha([[*u.values()] for u in standardised.values()]),
            alpha_ordinal=krippendorff_alpha(units, "ordinal"),
        )
        if plan.categories is not None:
            cut = [
                {
                    judge: _category(value, plan.categories, plan.bounds)
                    for judge, value in unit.items()
                }
                for unit in raw.values()
            ]
            agreed = agreed.with_kappas(kappas(cut, plan.weights))
        scales.append(agreed)
    alone = [
        f"{about(scale.pair, scale.scale)}: no output was judged by two people, "
        "so their agreement is unknown"
        for scale in scales
        if not scale.judged_by_several
    ]
    return tuple(scales), (*standard.remarks, *alone)


def _category(value: float, categories: int, bounds: tuple[float, float]) -> int:
    low, high = bounds
    # Multiplied first, and with slack: 29 of 100 is the 30th of 100 parts, though .29 · 100 < 29.
    return min(categories - 1, int(categories * (value - low) / (high - low) + 1e-9))


def of_preferences(preferences: Sequence[Preference]) -> ScaleAgreement:
    """Agreement of judges on which of two outputs is better; a tie is an answer too.

    A unit is a segment and two systems (the WMT's kappas are of this kind). Who was asked twice
    counts between judges with the first answer.
    """
    units: dict[tuple[str, str, str], dict[str, list[int]]] = {}
    for preference in preferences:
        if preference.judge is None:
            raise InputError(
                "the preferences name no judges, so their agreement is unknown; add a column judge"
            )
        if not preference.segment:
            raise InputError(
                "the preferences name no questions, so their agreement is unknown; add a column "
                "question_id"
            )
        first, second = sorted((preference.winner, preference.loser))
        answer = 0 if preference.tied else 1 if preference.winner == first else -1
        unit = units.setdefault((preference.segment, first, second), {})
        unit.setdefault(preference.judge, []).append(answer)
    between = [
        {judge: answers[0] for judge, answers in by_judge.items()} for by_judge in units.values()
    ]
    again = [
        (answers[0], answers[1])
        for by_judge in units.values()
        for answers in by_judge.values()
        if len(answers) > 1
    ]
    twice = cohen_kappa([a for a, _ in again], [b for _, b in again]) if again else None
    agreed = ScaleAgreement(
        pair="",
        scale=PREFERENCE,
        judges=len({preference.judge for preference in preferences}),
        judged=len(units),
        judged_by_several=sum(len(unit) > 1 for unit in between),
        alpha_nominal=krippendorff_alpha([list(unit.values()) for unit in between], "nominal"),
        intra_kappa=math.nan if twice is None else twice,
        intra_units=None if twice is None else len(again),
    )
    return agreed.with_kappas(kappas(between))


def consistency(judgments: Sequence[Judgment]) -> list[Consistency]:
    """Return the consistency of every judge who got a repeat together with its original."""
    originals = {}
    for judgment in judgments:
        if judgment.kind == "system":
            for key in _item_keys(judgment, judgment.item):
                originals[key] = judgment.value
    pairs: dict[str, list[tuple[float, float]]] = {}
    for judgment in judgments:
        if judgment.kind == "repeat":
            key = _item_keys(judgment, judgment.of)[0]
            if key in originals:
                pairs.setdefault(judgment.judge, []).append((originals[key], judgment.value))
    result = []
    for judge in sorted(pairs, key=in_order):
        both = pairs[judge]
        first, second = np.array(both).T
        result.append(
            Consistency(
                judge,
                len(both),
                float((second - first).mean()),
                float(np.abs(second - first).mean()),
                pearson(first, second),
            )
        )
    return result


def _item_keys(judgment: Judgment, item: str | None) -> list[tuple[str, ...]]:
    """Keys of an item: its name within the HIT, if it has one, and the output it shows."""
    where = (judgment.judge, judgment.hit, judgment.pair, judgment.scale)
    shows = (*where, judgment.system, judgment.segment)
    return [shows] if item is None else [(*where, item), shows]


def values_by_item(
    judgments: Iterable[Judgment],
) -> dict[tuple[str, str], dict[str, float]]:
    """Each judge's value of every system and segment, the mean if there are several."""
    scored = [judgment for judgment in judgments if judgment.kind in OUTPUTS]
    values: dict[tuple[str, str], dict[str, float]] = {}
    answers = grouped(scored, lambda judgment: (judgment.system, judgment.segment, judgment.judge))
    for (system, segment, judge), by_repetition in answers.items():
        mean = fsum(judgment.value for judgment in by_repetition) / len(by_repetition)
        values.setdefault((system, segment), {})[judge] = mean
    return values


def _second_run(first: Judgments, second: Judgments) -> tuple[list[Replication], tuple[str, ...]]:
    """Correlation of a second run with the first, with remarks."""
    # By their names: numbers of one person may differ between the runs.
    before = renamed(first.judgments, first.names)
    again = renamed(second.judgments, second.names)
    remarks = [*left_out(second), *second.remarks]
    same = count_identical(before, again)
    if same:
        remarks.append(
            f"{same:,} of {len(again):,} judgments of the second run are identical to judgments "
            "of the first; if they are copies, agreement is overstated"
        )
    correlations = replications(before, again)
    if not correlations:
        raise InputError(
            "the second run has no language pair and scale in common with the first; name the "
            "pair with --pair where a file does not"
        )
    return correlations, tuple(remarks)


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
    standard = standardise(judgments)
    scored = zip(standard.judgments, standard.z, strict=True)
    return grouped(scored, lambda entry: (entry[0].pair, entry[0].scale))


def _replication(
    pair: str,
    scale: str,
    first: Sequence[tuple[Judgment, float]],
    second: Sequence[tuple[Judgment, float]],
) -> Replication:
    systems = [
        {score.system: score.score for score in Sample(run).scores(level=0.95)}
        for run in (first, second)
    ]
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


def _outputs(run: Iterable[tuple[Judgment, float]]) -> dict[tuple[str, str], float]:
    scored = (entry for entry in run if entry[0].kind in OUTPUTS)
    outputs = grouped(scored, lambda entry: (entry[0].system, entry[0].segment))
    return {
        output: fsum(z for _, z in entries) / len(entries) for output, entries in outputs.items()
    }
