"""The views of `weigh human quality` and `agreement`, and parts shared by human evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weigh.human.agreement import AgreementResult, Replication, ScaleAgreement
from weigh.human.conduct import LEAST_SECONDS, LONGEST_RUN, TASK
from weigh.human.judgments import about, count_dropped
from weigh.human.plan import COMBINED, PREFERENCE, Control
from weigh.human.quality import QualityResult, Verdict
from weigh.report.grid import Column, Grid, facts, table
from weigh.report.human_errors import error_parts
from weigh.report.parts import Note, Part, summary
from weigh.report.phrases import BY
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.wording import fixed, plural, share

if TYPE_CHECKING:
    from weigh.human.judgments import Step
    from weigh.read.answers import Omission


def steps_part(
    steps: Sequence[Step], omissions: Iterable[Omission], before: Sequence[str] = ()
) -> Part:
    """The judgments and judges left after each step, and what was omitted while reading."""
    columns = [
        Column("Remaining", "step.step"),
        Column("Judgments", "step.judgments", "count"),
        Column("Judges", "step.judges", "count"),
        Column("Judgments dropped", lambda row: _or_blank(row.judgments), "count", optional=1),
        Column("Judges dropped", lambda row: _or_blank(row.judges), "count", optional=2),
    ]
    return table(
        count_dropped(steps),
        columns if len(steps) > 1 else columns[:3],
        title="Judgments, step by step",
        notes=[*before, *omission_sentences(omissions)],
        section="Judgments, step by step",
        paper=True,
    )


def _or_blank(count: int | None) -> int | str:
    return "" if count is None else count


def omission_sentences(omissions: Iterable[Omission]) -> list[str]:
    """A sentence for every kind of record omitted while reading files."""
    return [f"Left out while reading, {omission.extent}: {omission.why}." for omission in omissions]


DIRECT = "direct assessment"
_SCALES = {"esa": "error span annotation", "mqm": "MQM", COMBINED: "adequacy before fluency"}


def quality_works(control: str) -> list[str]:
    """The keys in `citations.WORKS` for a quality control."""
    return [] if control == "none" else [f"quality control by {control}"]


def scale_works(scales: Iterable[str]) -> list[str]:
    """The keys in `citations.WORKS` for scales; the default is direct assessment."""
    works = [_SCALES.get(scale, DIRECT) for scale in scales if scale != PREFERENCE]
    return list(dict.fromkeys(works))


_TESTS = {
    "paired-t": "a one-sided paired t-test between bad items and the outputs they were made from",
    "mann-whitney": "a one-sided Mann-Whitney test between bad items and outputs",
    "sign": "a one-sided sign test of the choices between a text and its damaged version",
}
# The first columns of TSV output, in a stable order.
_FIRST = ("judge", "kept", "p_value", "controls", "mean_bad", "mean_system", "mean_reference")
ADVICE = (
    "Advice drops nobody: mean scores in the wrong order, a HIT in less than "
    f"{LEAST_SECONDS:g} s (divided by the number of HITs open at once), the same score more than "
    f"{LONGEST_RUN} times in a row."
)


@view_of(QualityResult)
def quality(result: QualityResult) -> View:
    """Show which judges are kept or dropped, and why."""
    kept, dropped = split_judges(result.judges)
    control = Control(result.test, result.alpha, result.least_seconds)
    notes = [rule(control)]
    if any(judge.flags for judge in result.judges):
        notes.append(f"Brackets: advice. {ADVICE}")
    about: dict[str, object] = {
        "preset": result.preset,
        "test": control.test,
        "alpha": share(control.alpha),
    }
    if control.least_seconds is not None:
        about["seconds"] = f"{control.least_seconds:g}"
    first, last = result.steps[0], result.steps[-1]
    return View(
        title=f"{plural(len(result.judges), 'judge')} and their controls",
        subtitle=f"{plural(first.judgments, 'judgment')}, quality control {result.preset}",
        parts=[
            *summary(
                [
                    f"{count_kept(result.judges)}, with {last.judgments:,} of "
                    f"{plural(first.judgments, 'judgment')}."
                ],
                result.remarks,
            ),
            verdicts_grid([kept, dropped]).with_title(
                f"{plural(len(kept), 'judge')} kept, {len(dropped):,} dropped",
                notes,
                section="Judges",
                paper=True,
            ),
            *error_parts(result.errors, result.texts),
            steps_part(result.steps, result.omissions),
        ],
        methods="Judges who did not distinguish damaged from genuine texts were dropped (quality "
        f"control {result.preset}). {rule(control).rstrip('.')} {BY}",
        signatures=[("quality", signature(about))],
        records=[{name: row[name] for name in _FIRST} | row for row in encode(result.judges)],
        used=Used(works=[DIRECT, *quality_works(result.preset)]),
    )


def split_judges(judges: Iterable[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """The judges who are kept, then those who are dropped."""
    judges = list(judges)
    return [judge for judge in judges if judge.kept], [judge for judge in judges if not judge.kept]


def count_kept(judges: Sequence[Verdict]) -> str:
    """The number of judges who are kept, in words."""
    kept = len(split_judges(judges)[0])
    return f"{kept:,} of {plural(len(judges), 'judge')} {'is' if kept == 1 else 'are'} kept"


def rule(control: Control) -> str:
    """The rule for keeping a judge, in words."""
    text = f"A judge is kept if p ≤ {share(control.alpha)} by {_TESTS[control.test]}"
    if control.least_seconds is not None:
        text += f", and if no HIT takes less than {control.least_seconds:g} s per {TASK} items"
    return f"{text}. Judges with a rejected HIT are dropped first."


def verdicts_grid(blocks: Sequence[Sequence[Verdict]]) -> Grid:
    """A table of judges: the result of the test, how they worked, and reasons."""
    return Grid(
        [
            Column("Judge", "judge"),
            Column("Verdict", lambda judge: "kept" if judge.kept else "dropped"),
            Column("p", "p_value", "p"),
            Column("Controls", "controls", "count"),
            Column("Bad", "mean_bad", "score", decimals=1),
            Column("Outputs", "mean_system", "score", decimals=1),
            Column("References", "mean_reference", "score", decimals=1),
            Column("HITs", "hits", "count"),
            Column("s/HIT", "seconds_per_hit", "score", decimals=0),
            Column("Run", "longest_run", "score", decimals=0),
            Column("Why", _why, "text"),
        ],
        [block for block in blocks if block],
    )


def _why(verdict: Verdict) -> str:
    """The reasons for dropping a judge, and advice in brackets."""
    return "; ".join([*verdict.reasons, *(f"[{flag}]" for flag in verdict.flags)])


# Agreement.

_MEASURES = {
    "alpha_interval": "Krippendorff's α of scores",
    "alpha_standardised": "Krippendorff's α of standard scores",
    "alpha_ordinal": "Krippendorff's α of ranks",
    "alpha_nominal": "Krippendorff's α of answers",
    "cohen_kappa": "Cohen's κ, mean over pairs of judges",
    "fleiss_kappa": "Fleiss' κ",
    "intra_kappa": "Cohen's κ of judges with themselves",
}


@view_of(AgreementResult)
def agreement(result: AgreementResult) -> View:
    """Show how far judges agree with each other and with themselves, and how far two runs agree."""
    scales = result.agreement
    parts: list[Part] = [
        facts(
            "Agreement",
            [
                (title, fixed(getattr(scale, name), 3))
                for name, title in _MEASURES.items()
                if scale.applies(name)
            ],
            title=_about(scale),
            notes=_explain(scale),
            section="Agreement",
            paper=True,
        )
        for scale in scales
    ]
    if result.repeats:
        parts.append(_repeats(result))
    if result.replication:
        parts.append(_replications(result.replication))
    parts.append(Note(omission_sentences(result.omissions), section="Left out"))
    about: dict[str, object] = {}
    if result.categories is not None:
        about = {"categories": result.categories, "weights": result.weights}
    works = ["Krippendorff's alpha", *scale_works(scale.scale for scale in scales)]
    methods = "Agreement is measured by Krippendorff's α"
    if any(scale.cohen_pairs is not None for scale in scales):
        is_weighted = result.weights != "none"
        works += ["weighted kappa" if is_weighted else "Cohen's kappa", "Fleiss' kappa"]
        kind = f" with {result.weights} weights" if is_weighted else ""
        methods += f", by the mean of Cohen's κ{kind} over pairs of judges, and by Fleiss' κ"
    return View(
        title="Agreement of judges",
        subtitle="; ".join(map(_about, scales)),
        parts=[*summary([_finding(scale) for scale in scales], result.remarks), *parts],
        methods=f"{methods} {BY}",
        signatures=[("agreement", signature(about))],
        records=[
            {"pair": scale.pair, "scale": scale.scale, "measure": name, "value": value}
            for scale in scales
            for name, value in encode(scale).items()
            if name not in ("pair", "scale") and scale.applies(name)
        ],
        used=Used(works=works),
    )


def _about(group: ScaleAgreement | Replication) -> str:
    return about(group.pair, group.scale)


def _unit(scale: ScaleAgreement) -> str:
    return "pair" if scale.scale == PREFERENCE else "output"


def _explain(scale: ScaleAgreement) -> list[str]:
    text = (
        f"{_unit(scale).capitalize()}s judged by at least two people: "
        f"{scale.judged_by_several:,} of {scale.judged:,} ({plural(scale.judges, 'judge')})."
    )
    if scale.cohen_pairs is not None and scale.fleiss_judges:
        text += (
            f" Cohen's κ is over {plural(scale.cohen_pairs, 'pair')} of judges, Fleiss' κ over "
            f"{plural(scale.fleiss_units or 0, _unit(scale))} with "
            f"{plural(scale.fleiss_judges, 'judge')}."
        )
    if scale.intra_units is not None:
        was = "was" if scale.intra_units == 1 else "were"
        text += f" {scale.intra_units:,} {was} judged twice by the same person."
    return [text]


def _finding(scale: ScaleAgreement) -> str:
    if not scale.is_known:
        return (
            f"{_about(scale)}: agreement is unknown, because no {_unit(scale)} was judged by two "
            "people."
        )
    first = next(name for name in _MEASURES if scale.applies(name))
    value = fixed(getattr(scale, first), 3)
    return f"{_about(scale)}: {_MEASURES[first]} is {value} (1: full agreement, 0: chance)."


def _repeats(result: AgreementResult) -> Part:
    return table(
        result.repeats,
        [
            Column("Judge", "judge"),
            Column("Repeats", "repeats", "count"),
            Column("Difference", "difference", "difference", decimals=1),
            Column("Distance", "distance", "score", decimals=1),
            Column("r", "r", "score", decimals=3),
        ],
        title="Repeats",
        notes=[
            "Difference: mean of repeat minus original; distance: mean of its absolute value, "
            f"{fixed(result.mean_distance, 1)} over {plural(result.repeated, 'repeat')}; r: "
            "Pearson's correlation."
        ],
        section="Repeats",
        paper=True,
    )


def _replications(replications: Sequence[Replication]) -> Part:
    return table(
        replications,
        [
            Column("Scale", _about),
            Column("Systems", "systems", "count"),
            Column("r", "r_systems", "score", decimals=3),
            Column("Outputs", "outputs", "count"),
            Column("r of outputs", "r_outputs", "score", decimals=3),
        ],
        title="Two runs",
        notes=["Pearson's correlation of standard scores over what both runs judged."],
        section="Two runs",
        paper=True,
    )
