"""Quality control: which judges tell damaged texts from genuine ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Literal

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.human.conduct import TASK, Conduct, conduct_of, single_answers, tasks_of
from weigh.human.errors import MarkedTexts, SystemErrors, shown_errors
from weigh.human.judgments import (
    MOST_NAMED,
    Answers,
    Step,
    as_answers,
    extent_of,
    in_order,
    load_answers,
    single,
    some_of,
    with_scores,
)
from weigh.human.plan import CONTROLS, DEFAULT_CONTROL, PREFERENCE, Control, Quality
from weigh.keywords import keywords
from weigh.read.answers import BOUNDS, BadRows, Judgments, Omission, Preferences
from weigh.read.pair_results import AS_CONTROLS
from weigh.result import Extent, Result, derived, sometimes, unsaved, warns
from weigh.stats.ranking import rank_sum, sign_test, with_ties
from weigh.types import Judgment, System, TestSet, grouped

LEAST_CHOICES = 8
"""Fewer controls that are no ties say nothing about a judge who chose between two texts."""
_UNDECIDED = f"without a tie, but the sign test needs {LEAST_CHOICES}; not tested, and kept"


@dataclass(frozen=True, slots=True)
class Verdict(Conduct):
    """The test result of one judge; the p-value is None if there were too few controls.

    `controls` is the number of bad items that were tested, without ties between two texts;
    `reasons` say why the judge is dropped.
    """

    p_value: float | None
    controls: int
    reasons: tuple[str, ...]

    @property
    @derived
    def kept(self) -> bool:
        """Whether the judge's answers are used."""
        return not self.reasons


@dataclass(frozen=True, slots=True)
class QualityResult(Result):
    """Verdicts on all judges, by name, and what is left of the judgments at each step."""

    command: ClassVar[str] = "human quality"

    test_set: Extent
    preset: str
    test: Literal["paired-t", "mann-whitney", "sign"]
    alpha: float
    least_seconds: float | None
    steps: tuple[Step, ...]
    omissions: tuple[Omission, ...]
    judges: tuple[Verdict, ...]
    remarks: tuple[str, ...]
    kept: tuple[Judgment, ...] = unsaved(())
    """The judgments of the judges who are kept; not part of saved documents."""
    errors: tuple[SystemErrors, ...] = sometimes(())
    """Those that the judges who stay have marked, where they were asked for them."""
    texts: MarkedTexts | None = unsaved(None)


@warns
@keywords()
def quality(
    answers: Answers,
    preset: str = "crowd-alone",
    *,
    systems: Sequence[System] = (),
    test_set: TestSet | None = None,
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
    bounds: tuple[float, float] = BOUNDS,
) -> QualityResult:
    """Test every judge by the control items among the answers.

    Files and data frames are read as by `weigh.read_judgments`, with its `pair`, `bounds`,
    `bad_rows` and `names`. The keywords from `judge` to `slice` name columns of a long table, and
    `columns` names others by role.

    The texts of `systems` are only for pages, which show marked errors in them; a `test_set` has
    their sources and ids.

    1. Judges with a rejected hit are dropped, with all their judgments.
    2. Of the others, those stay whose bad items score lower than genuine ones. `crowd-alone`: a
       one-sided paired t-test between bad items and those that they were made from, p ≤ .05.
       `appraise`: a one-sided Mann-Whitney test between bad items and outputs, p ≤ .01, and every
       task takes 600 seconds or more per 100 items.

    A judge without enough controls to test is dropped too, and that is the reason given. Who chose
    between two texts is tested by a sign test instead: is the damaged one chosen less often than
    the genuine one? Ties say nothing, and fewer than `LEAST_CHOICES` other controls decide nothing:
    the judge is kept, with a remark.
    """
    if preset not in CONTROLS:
        raise UsageError(f"unknown preset {preset!r}; {did_you_mean(preset, CONTROLS)}")
    control, read = CONTROLS[preset], testable(load_answers(answers, locals()))
    single(read, "no judge can be tested")
    judgments = read.judgments
    if all(judgment.kind != "bad" for judgment in judgments):
        raise InputError(
            "no bad items among the judgments, so no judge can be tested; rank with --quality "
            "none, or wait until control items are judged too"
        )
    if any(judgment.scale == PREFERENCE for judgment in judgments):
        control = replace(control, test="sign")
    notes: list[_Note] = []
    verdicts = tuple(_verdict(work, control, notes) for work in _by_judge(judgments))
    rejected = {verdict.judge for verdict in verdicts if verdict.rejected_hits}
    dropped = {verdict.judge for verdict in verdicts if not verdict.kept}
    accepted = [judgment for judgment in judgments if judgment.judge not in rejected]
    kept = tuple(judgment for judgment in judgments if judgment.judge not in dropped)
    errors, texts = shown_errors(replace(read, judgments=kept), systems, test_set)
    return QualityResult(
        extent_of(read),
        preset,
        **asdict(control),
        steps=(
            Step.after("read", single_answers(judgments)),
            Step.after("judges without a rejected HIT", single_answers(accepted)),
            Step.after("judges who pass the test", single_answers(kept)),
        ),
        omissions=read.omissions,
        judges=verdicts,
        remarks=(*read.remarks, *_sign_tested(judgments), *_remarks(notes)),
        kept=kept,
        errors=errors,
        texts=texts,
    )


def controlled(answers: Answers, control: str) -> Judgments | Preferences:
    """Answers that pass a quality control, with remarks."""
    read = as_answers(answers)
    if control == "none":
        return read
    passing = answers_of_kept_judges(read, _tested(read, control))
    single = read.preferences if isinstance(read, Preferences) else read.judgments
    kept = passing.preferences if isinstance(passing, Preferences) else passing.judgments
    what = "choices" if isinstance(read, Preferences) else "judgments"
    remark = f"{len(single) - len(kept):,} of {len(single):,} {what} dropped by {control}"
    return replace(passing, remarks=(*passing.remarks, remark))


def apply_control(
    answers: Judgments | Preferences, control: Quality | None, preset: str = "weigh"
) -> tuple[Quality, QualityResult | None, tuple[str, ...]]:
    """The quality control of a ranking, its result, and remarks.

    None stands for the default: `crowd-alone` where there are control items, else `none`. The
    published presets have none. A default that would drop everybody is not applied.
    """
    if control is not None:
        return control, None if control == "none" else _tested(answers, control), ()
    if preset != "weigh" or all(judgment.kind != "bad" for judgment in answers.judgments):
        return "none", None, ()
    result = quality(answers, DEFAULT_CONTROL)
    if any(verdict.kept for verdict in result.judges):
        return DEFAULT_CONTROL, result, ()
    remark = (
        f"no judge passes quality control {DEFAULT_CONTROL}, so the answers of all judges count"
    )
    return "none", None, (remark,)


def _tested(answers: Judgments | Preferences, control: str) -> QualityResult:
    """Result of a quality control that keeps at least one judge."""
    if isinstance(answers, Preferences) and not answers.judgments:
        raise UsageError(
            f"quality control {control} is for scores, but these are preferences; leave it out"
        )
    result = quality(answers, control)
    check_kept(result)
    return result


def answers_of_kept_judges(
    answers: Judgments | Preferences, result: QualityResult
) -> Judgments | Preferences:
    """The answers of judges who pass, with the remarks of the quality control."""
    if isinstance(answers, Judgments):
        return replace(answers, judgments=result.kept, remarks=result.remarks)
    kept = {verdict.judge for verdict in result.judges if verdict.kept}
    preferences = tuple(
        preference for preference in answers.preferences if preference.judge in kept
    )
    if not preferences:
        raise InputError(
            f"quality control {result.preset} leaves no choices between systems; choose another "
            "quality control, or none"
        )
    return replace(answers, preferences=preferences, remarks=result.remarks)


def check_kept(result: QualityResult) -> None:
    """Refuse a quality control that leaves nobody, where answers are to be used."""
    if not result.kept:
        untested = sum(judge.p_value is None for judge in result.judges)
        why = f" ({untested:,} of them with too few controls to test)" if untested else ""
        raise InputError(
            f"quality control {result.preset} drops all of {plural(len(result.judges), 'judge')}"
            f"{why}; leave it out, or wait for more answers"
        )


def testable(answers: Answers) -> Judgments:
    """Judgments for testing judges; choices become judgments of single texts."""
    if not isinstance(answers, Preferences) or not answers.judgments:
        return with_scores(answers)
    # Pairs that are controls are left out of rankings alone.
    omissions = tuple(omission for omission in answers.omissions if AS_CONTROLS not in omission.why)
    return Judgments(answers.judgments, omissions, answers.remarks, answers.names)


def untested(judgments: Iterable[Judgment]) -> tuple[Verdict, ...]:
    """Conduct of judges without quality control: all are kept."""
    return tuple(
        Verdict(
            **asdict(conduct_of(work)),
            p_value=None,
            controls=sum(judgment.kind == "bad" for judgment in work),
            reasons=(),
        )
        for work in _by_judge(judgment for judgment in judgments if judgment.judge)
    )


def _by_judge(judgments: Iterable[Judgment]) -> list[list[Judgment]]:
    work = grouped(judgments, lambda judgment: judgment.judge)
    return [work[judge] for judge in sorted(work, key=in_order)]


def _sign_tested(judgments: Iterable[Judgment]) -> list[str]:
    """A remark if the test differs from that of the preset."""
    if all(judgment.scale != PREFERENCE for judgment in judgments):
        return []
    return ["choices between two texts: judges are tested by a sign test on controls"]


# A judge, how many items something is to be remarked on of, and what.
_Note = tuple[str, int, str]


def _remarks(notes: Sequence[_Note]) -> list[str]:
    """Remarks on judges, those with the same text combined."""
    remarks = []
    for text, group in grouped(notes, lambda note: note[2]).items():
        if len(group) > MOST_NAMED:
            total = sum(count for _, count, _ in group)
            counted = f"{total:,} " if total else ""
            remarks.append(f"{some_of(judge for judge, _, _ in group)}: {counted}{text}")
        else:
            remarks += [
                f"{judge}: {f'{count} ' if count else ''}{text}" for judge, count, _ in group
            ]
    return remarks


def _verdict(judgments: Sequence[Judgment], control: Control, notes: list[_Note]) -> Verdict:
    conduct = conduct_of(judgments)
    judge = conduct.judge
    is_undecided = False
    if control.test == "sign":
        pairs, _ = paired_controls(judgments)
        wins = sum(bad < genuine for bad, genuine in pairs)
        losses = sum(bad > genuine for bad, genuine in pairs)
        controls, p_value = wins + losses, None
        is_undecided = controls < LEAST_CHOICES
        if is_undecided:
            notes.append((judge, 0, f"{plural(controls, 'control')} {_UNDECIDED}"))
        else:
            p_value = sign_test(wins, losses, "better")
    elif control.test == "paired-t":
        pairs, alone = paired_controls(judgments)
        if alone:
            notes.append((judge, alone, "bad items without the item that they were made from"))
        controls, p_value = len(pairs), paired_t([bad - genuine for bad, genuine in pairs])
    else:
        bad = [judgment.value for judgment in judgments if judgment.kind == "bad"]
        outputs = [judgment.value for judgment in judgments if judgment.kind == "system"]
        controls, p_value = len(bad), None
        if bad and outputs:
            p_value = rank_sum(outputs, bad, "better").p_value
    reasons = []
    if conduct.rejected_hits:
        reasons.append(f"{conduct.rejected_hits} of {conduct.hits} hits rejected")
    if p_value is None and not is_undecided:
        reasons.append(f"too few controls to test ({controls})")
    elif p_value is not None and p_value > control.alpha:
        reasons.append("fails the test")
    if control.least_seconds is not None:
        untimed = sum(task.seconds is None for task in tasks_of(judgments))
        if untimed:
            of = "" if untimed == conduct.hits else f" of {untimed} of {conduct.hits} hits"
            notes.append(
                (judge, 0, f"no times{of}, so it is unknown whether HITs took long enough")
            )
        pace = conduct.least_seconds_per_item
        # To the millisecond, so that shared seconds add up to their hit's.
        if pace is not None and round(pace * TASK, 3) < control.least_seconds:
            reasons.append(f"below {control.least_seconds:g} s per {TASK} items")
    return Verdict(**asdict(conduct), p_value=p_value, controls=controls, reasons=tuple(reasons))


def paired_controls(judgments: Iterable[Judgment]) -> tuple[list[tuple[float, float]], int]:
    """Scores of bad items paired with their originals, and the number without an original.

    The original stands in the same hit of the same judge: it is the item that `of` names, or else
    the output of the same system for the same segment.
    """
    judged = list(judgments)
    by_item = {
        (judgment.judge, judgment.hit, judgment.item): judgment
        for judgment in judged
        if judgment.item is not None
    }
    by_output = grouped((judgment for judgment in judged if judgment.kind == "system"), _output)
    pairs, alone = [], 0
    for judgment in judged:
        if judgment.kind != "bad":
            continue
        named = (
            by_item.get((judgment.judge, judgment.hit, judgment.of))
            if judgment.of is not None
            else None
        )
        originals = [named] if named is not None else by_output.get(_output(judgment), [])
        if originals:
            mean = math.fsum(judgment.value for judgment in originals) / len(originals)
            pairs.append((judgment.value, mean))
        else:
            alone += 1
    # A bad item may score exactly what its originals do on average, and rounding shows no failing.
    scores = [score for pair in pairs for score in pair]
    even = with_ties(scores, max(map(abs, scores), default=0.0)).tolist()
    return list(zip(even[::2], even[1::2], strict=True)), alone


def _output(judgment: Judgment) -> tuple[str, ...]:
    return (
        judgment.judge,
        judgment.hit,
        judgment.pair,
        judgment.scale,
        judgment.system,
        judgment.segment,
    )


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
    deviation = math.sqrt(
        math.fsum((difference - mean) ** 2 for difference in differences) / (n - 1)
    )
    return float(stdtr(n - 1, mean / deviation * math.sqrt(n)))
