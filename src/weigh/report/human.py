"""What is shown of human evaluation: campaigns, judges and their agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weigh.human.agreement import AgreementResult, Consistency, Replication, ScaleAgreement
from weigh.human.conduct import LEAST_SECONDS, LONGEST_RUN, TASK
from weigh.human.judgments import about
from weigh.human.plan import COMBINED, PREFERENCE, Control
from weigh.human.quality import QualityResult, Verdict
from weigh.report.grid import Column, Grid, table
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
    """Return the steps with what each dropped, and what was left out when files were read."""
    rows = [*zip([None, *steps], steps, strict=False)]
    grid = table(
        rows,
        [
            Column("What is left", lambda row: row[1].step),
            Column("Judgments", lambda row: row[1].judgments, kind="count"),
            Column("Judges", lambda row: row[1].judges, kind="count"),
            Column("Judgments dropped", lambda row: _dropped("judgments", *row), kind="number"),
            Column("Judges dropped", lambda row: _dropped("judges", *row), kind="number"),
        ],
    )
    return grid.titled(
        "Steps", [*before, *left_out(omissions)], section="Judgments, step by step", paper=True
    )


def _dropped(what: str, before: Step | None, after: Step) -> str:
    return "" if before is None else f"{getattr(before, what) - getattr(after, what):,}"


def left_out(omissions: Iterable[Omission]) -> list[str]:
    """Return a sentence for everything that was left out when the files were read."""
    return [f"Left out before, {omission.extent}: {omission.why}." for omission in omissions]


DIRECT = "direct assessment"
_SCALES = {"esa": "error span annotation", "mqm": "MQM", COMBINED: "adequacy before fluency"}


def quality_works(control: str) -> list[str]:
    """Return what is cited for a quality control."""
    return [] if control == "none" else [f"quality control by {control}"]


def scale_works(scales: Iterable[str]) -> list[str]:
    """Return what is cited for what people were asked: all but error spans is direct assessment."""
    works = [_SCALES.get(scale, DIRECT) for scale in scales if scale != PREFERENCE]
    return list(dict.fromkeys(works))


_TESTS = {
    "paired-t": "a one-sided paired t-test between bad items and those that they were made from",
    "mann-whitney": "a one-sided Mann-Whitney test between bad items and outputs",
    "sign": "a one-sided sign test of the choices between a text and its damaged version",
}
# Where columns of TSV stood before they were fields.
_FIRST = ("judge", "kept", "p_value", "controls", "mean_bad", "mean_system", "mean_reference")
ADVICE = (
    ", for which nobody is dropped: mean scores in the wrong order, a hit in less than "
    f"{LEAST_SECONDS:g} s (divided by the number of hits that were open at once), one score more "
    f"than {LONGEST_RUN} times running."
)


@view_of(QualityResult)
def quality(result: QualityResult) -> View:
    """Show which judges stay, which do not, and why."""
    kept = [each for each in result.judges if each.kept]
    dropped = [each for each in result.judges if not each.kept]
    control = Control(result.test, result.alpha, result.least_seconds)
    advised = any(each.flags for each in result.judges)
    advice = [f"In brackets stands advice{ADVICE}"] if advised else []
    heading = f"{plural(len(kept), 'judge')} kept, {len(dropped):,} dropped"
    parts: dict[str, object] = {
        "preset": result.preset,
        "test": control.test,
        "alpha": share(control.alpha),
    }
    if control.least_seconds is not None:
        parts["seconds"] = f"{control.least_seconds:g}"
    read, left = result.steps[0], result.steps[-1]
    return View(
        title=f"{plural(len(result.judges), 'judge')} and their controls",
        subtitle=f"{plural(read.judgments, 'judgment')}, quality control {result.preset}",
        parts=[
            *summary(
                [
                    f"{len(kept):,} of {plural(len(result.judges), 'judge')} are kept, with "
                    f"{left.judgments:,} of {plural(read.judgments, 'judgment')}."
                ],
                result.remarks,
            ),
            verdicts_grid([kept, dropped]).titled(
                heading, [rule(control), *advice], section="Judges", paper=True
            ),
            *error_parts(result.errors, result.texts),
            steps_part(result.steps, result.omissions),
        ],
        methods="Judges who did not tell damaged texts from genuine ones were dropped (quality "
        f"control {result.preset}). {rule(control).rstrip('.')} {BY}",
        signatures=[("quality", signature(parts))],
        records=[{name: row[name] for name in _FIRST} | row for row in encode(result.judges)],
        used=Used(works=[DIRECT, *quality_works(result.preset)]),
    )


def _said(verdict: Verdict) -> list[str]:
    """Return why a judge is dropped, and advice in brackets."""
    return [*verdict.reasons, *(f"[{flag}]" for flag in verdict.flags)]


def rule(control: Control) -> str:
    """Return who stays, in words."""
    said = f"A judge stays if p ≤ {share(control.alpha)} by {_TESTS[control.test]}"
    if control.least_seconds is not None:
        said += f", and if no hit takes less than {control.least_seconds:g} s per {TASK} items"
    return f"{said}. Judges with a rejected hit are dropped before."


def verdicts_grid(blocks: Sequence[Sequence[Verdict]]) -> Grid:
    """Return judges in blocks, with what the test says, how they worked, and why it matters."""
    return Grid(
        [
            Column("Judge", lambda judge: judge.judge),
            Column("Verdict", lambda judge: "kept" if judge.kept else "dropped"),
            Column("p", lambda judge: judge.p_value, kind="p"),
            Column("Controls", lambda judge: judge.controls, kind="count"),
            Column("Bad", lambda judge: judge.mean_bad, kind="score", decimals=1),
            Column("Outputs", lambda judge: judge.mean_system, kind="score", decimals=1),
            Column("References", lambda judge: judge.mean_reference, kind="score", decimals=1),
            Column("Hits", lambda judge: judge.hits, kind="count"),
            Column("s/hit", lambda judge: judge.seconds_per_hit, kind="score", decimals=0),
            Column("Run", lambda judge: judge.longest_run, kind="score", decimals=0),
            Column("Why", lambda judge: "; ".join(_said(judge)), kind="text"),
        ],
        [block for block in blocks if block],
    )


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Grid:
    """Return names with one value each."""
    return table(
        [*rows],
        [
            Column(title, lambda row: row[0]),
            Column("", lambda row: row[1], kind="number"),
        ],
    )


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
    """Show how far judges agree, with each other and with themselves, and two runs."""
    scales = result.agreement
    parts: list[Part] = [
        _scale_grid(scale).titled(
            _about(scale), _explained_scale(scale), section="Agreement", paper=True
        )
        for scale in scales
    ]
    if result.repeats:
        parts.append(_repeats(result.repeats))
    if result.replication:
        parts.append(_replications(result.replication))
    if result.omissions:
        parts.append(Note(left_out(result.omissions), section="Left out"))
    about: dict[str, object] = {}
    if result.categories is not None:
        about = {"categories": result.categories, "weights": result.weights}
    works = ["Krippendorff's alpha", *scale_works(scale.scale for scale in scales)]
    kappas = any(scale.cohen_pairs is not None for scale in scales)
    weighted = result.weights != "none"
    if kappas:
        works += ["weighted kappa" if weighted else "Cohen's kappa", "Fleiss' kappa"]
    said = "Agreement is told by Krippendorff's α"
    if kappas:
        kind = f" with {result.weights} weights" if weighted else ""
        said += f", by the mean of Cohen's κ{kind} over pairs of judges, and by Fleiss' κ"
    return View(
        title="Agreement of judges",
        subtitle="; ".join(map(_about, scales)),
        parts=[*summary([_finding(scale) for scale in scales], result.remarks), *parts],
        methods=f"{said} {BY}",
        signatures=[("agreement", signature(about))],
        records=[
            {"pair": scale.pair, "scale": scale.scale, "measure": name, "value": value}
            for scale in scales
            for name, value in encode(scale).items()
            if name not in ("pair", "scale") and _is_told(name, scale)
        ],
        used=Used(works=works),
    )


def _about(group: ScaleAgreement | Replication) -> str:
    return about(group.pair, group.scale)


def _is_told(name: str, scale: ScaleAgreement) -> bool:
    """Return whether something can be said of a scale, were it only that data cannot tell."""
    if name.startswith("alpha"):
        return (name == "alpha_nominal") == (scale.scale == PREFERENCE)
    if name.startswith(("cohen", "fleiss")):
        return scale.cohen_pairs is not None
    return not name.startswith("intra") or scale.intra_units is not None


def _scale_grid(scale: ScaleAgreement) -> Grid:
    return facts(
        "Agreement",
        (
            (title, fixed(getattr(scale, name), 3))
            for name, title in _MEASURES.items()
            if _is_told(name, scale)
        ),
    )


def _explained_scale(scale: ScaleAgreement) -> list[str]:
    what = "pair" if scale.scale == PREFERENCE else "output"
    text = (
        f"{scale.judged_by_several:,} of {plural(scale.judged, what)} judged by two or more of "
        f"{plural(scale.judges, 'judge')}."
    )
    if scale.cohen_pairs is not None and scale.fleiss_judges:
        text += (
            f" Cohen's κ over {plural(scale.cohen_pairs, 'pair')} of judges, Fleiss' over "
            f"{plural(scale.fleiss_units or 0, what)} with {scale.fleiss_judges} judges."
        )
    if scale.intra_units is not None:
        text += f" {scale.intra_units:,} were judged twice by the same person."
    return [text]


def _finding(scale: ScaleAgreement) -> str:
    if not scale.judged_by_several and scale.intra_units is None:
        what = "pair" if scale.scale == PREFERENCE else "output"
        return f"{_about(scale)}: no {what} was judged by two people, so agreement is not known."
    first = next(name for name in _MEASURES if _is_told(name, scale))
    said = f"{_MEASURES[first]} is {fixed(getattr(scale, first), 3)}"
    return f"{_about(scale)}: {said}; 1 is full agreement, 0 what chance brings about."


def _repeats(repeats: Sequence[Consistency]) -> Part:
    grid = table(
        repeats,
        [
            Column("Judge", lambda each: each.judge),
            Column("Repeats", lambda each: each.repeats, kind="count"),
            Column("Difference", lambda each: each.difference, kind="difference", decimals=1),
            Column("Distance", lambda each: each.distance, kind="score", decimals=1),
            Column("r", lambda each: each.r, kind="score", decimals=3),
        ],
    )
    total = sum(each.repeats for each in repeats)
    mean = sum(each.distance * each.repeats for each in repeats) / total
    return grid.titled(
        "Repeats",
        [
            "Difference: mean of repeat less original; distance: mean of its size, "
            f"{fixed(mean, 1)} over all {total:,} repeats; r: Pearson's correlation."
        ],
        section="Repeats",
        paper=True,
    )


def _replications(replications: Sequence[Replication]) -> Part:
    grid = table(
        replications,
        [
            Column("Scale", _about),
            Column("Systems", lambda each: each.systems, kind="count"),
            Column("r", lambda each: each.r_systems, kind="score", decimals=3),
            Column("Outputs", lambda each: each.outputs, kind="count"),
            Column("r of outputs", lambda each: each.r_outputs, kind="score", decimals=3),
        ],
    )
    return grid.titled(
        "Two runs",
        ["Pearson's correlation of standard scores, over what both runs have judged."],
        section="Two runs",
        paper=True,
    )
