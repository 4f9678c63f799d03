"""What is shown of human evaluation: campaigns, judges and their agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weigh.human.agreement import AgreementResult, Consistency, Replication, ScaleAgreement
from weigh.human.conduct import LEAST_SECONDS, LONGEST_RUN, TASK
from weigh.human.judgments import about
from weigh.human.plan import COMBINED, PREFERENCE, Control
from weigh.human.quality import QualityResult, Verdict
from weigh.report.grid import Cell, Column, Grid, tabulated
from weigh.report.human_errors import error_parts
from weigh.report.phrases import BY
from weigh.report.view import LATEX, PAGE, TEXT, Part, Used, View, signature, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.wording import fixed, plural, probability, share

if TYPE_CHECKING:
    from weigh.human.judgments import Step
    from weigh.read.answers import Omission


def steps_part(
    steps: Sequence[Step], omissions: Iterable[Omission], before: Sequence[str] = ()
) -> Part:
    """Return the steps with what each dropped, and what was left out when files were read."""
    rows = [*zip([None, *steps], steps, strict=False)]
    grid = tabulated(
        [rows],
        {"What is left": lambda row: row[1].step},
        {
            "Judgments": lambda row: f"{row[1].judgments:,}",
            "Judges": lambda row: f"{row[1].judges:,}",
            "Judgments dropped": lambda row: _dropped("judgments", *row),
            "Judges dropped": lambda row: _dropped("judges", *row),
        },
    )
    return Part(
        "Steps",
        grid,
        [*before, *left_out(omissions)],
        section="Judgments, step by step",
    )


def _dropped(what: str, before: Step | None, after: Step) -> str:
    return "" if before is None else f"{getattr(before, what) - getattr(after, what):,}"


def left_out(omissions: Iterable[Omission]) -> list[str]:
    """Return a sentence for everything that was left out when the files were read."""
    return [f"Left out before, {omission.extent}: {omission.why}." for omission in omissions]


NARROW = (*TEXT, *LATEX)
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
_WIDTH_OF_NAMES = 60
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
    verdicts = verdicts_grid([kept, dropped])
    reasons = _reasons([*dropped, *kept])
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
        findings=[
            f"{len(kept):,} of {plural(len(result.judges), 'judge')} are kept, with "
            f"{left.judgments:,} of {plural(read.judgments, 'judgment')}."
        ],
        cautions=result.remarks,
        parts=[
            # All that is said of a judge in a row is too wide for a terminal: reasons stand apart.
            Part(heading, _without_why(verdicts), [rule(control)], forms=NARROW),
            *([Part("Reasons", reasons, advice, forms=NARROW)] if reasons.blocks else []),
            Part(
                heading,
                verdicts,
                [rule(control), *advice],
                section="Judges",
                forms=PAGE,
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


def _reasons(verdicts: Sequence[Verdict]) -> Grid:
    """Return all reasons and advice with the judges that they are about, in rows not too long."""
    said = [(text, each.judge) for each in verdicts for text in _said(each)]
    judges = {
        text: [judge for _, judge in group]
        for text, group in grouped(said, lambda each: each[0]).items()
    }
    rows = []
    for text, names in sorted(judges.items(), key=lambda item: item[0].startswith("[")):
        first, *others = _lines(names)
        rows.append([Cell(text), Cell(f"{len(names):,}"), Cell(first)])
        rows += [[Cell(""), Cell(""), Cell(line)] for line in others]
    columns = [Column("Why"), Column("Judges", kind="number"), Column("Who", kind="remark")]
    return Grid(columns, [rows] if rows else [])


def _lines(names: Sequence[str]) -> list[str]:
    """Return names in lines that are not too long, one at least in each."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) > _WIDTH_OF_NAMES:
            lines.append(name)
        else:
            lines[-1] += f", {name}"
    return lines


def _said(verdict: Verdict) -> list[str]:
    """Return why a judge is dropped, and advice in brackets."""
    return [*verdict.reasons, *(f"[{flag}]" for flag in verdict.flags)]


def _without_why(grid: Grid) -> Grid:
    return Grid(grid.columns[:-1], [[row[:-1] for row in block] for block in grid.blocks])


def rule(control: Control) -> str:
    """Return who stays, in words."""
    said = f"A judge stays if p ≤ {share(control.alpha)} by {_TESTS[control.test]}"
    if control.least_seconds is not None:
        said += f", and if no hit takes less than {control.least_seconds:g} s per {TASK} items"
    return f"{said}. Judges with a rejected hit are dropped before."


def verdicts_grid(blocks: Sequence[Sequence[Verdict]]) -> Grid:
    """Return judges in blocks, with what the test says, how they worked, and why it matters."""
    return tabulated(
        [block for block in blocks if block],
        {
            "Judge": lambda judge: judge.judge,
            "Verdict": lambda judge: "kept" if judge.kept else "dropped",
        },
        {
            "p": lambda judge: probability(judge.p_value),
            "Controls": lambda judge: f"{judge.controls:,}",
            "Bad": lambda judge: fixed(judge.mean_bad, 1),
            "Outputs": lambda judge: fixed(judge.mean_system, 1),
            "References": lambda judge: fixed(judge.mean_reference, 1),
            "Hits": lambda judge: f"{judge.hits:,}",
            "s/hit": lambda judge: fixed(judge.seconds_per_hit, 0),
            "Run": lambda judge: fixed(judge.longest_run, 0),
        },
        {"Why": lambda judge: "; ".join(_said(judge))},
    )


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Grid:
    """Return names with one value each."""
    return tabulated([[*rows]], {title: lambda row: row[0]}, {"": lambda row: row[1]})


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
    parts = [
        Part(_about(scale), _scale_grid(scale), _explained_scale(scale), section="Agreement")
        for scale in scales
    ]
    if result.repeats:
        parts.append(_repeats(result.repeats))
    if result.replication:
        parts.append(_replications(result.replication))
    if result.omissions:
        parts.append(Part("", None, left_out(result.omissions), section="Left out"))
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
        findings=[_finding(scale) for scale in scales],
        cautions=result.remarks,
        parts=parts,
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
    grid = tabulated(
        [repeats],
        {"Judge": lambda each: each.judge},
        {
            "Repeats": lambda each: f"{each.repeats:,}",
            "Difference": lambda each: fixed(each.difference, 1, sign=True),
            "Distance": lambda each: fixed(each.distance, 1),
            "r": lambda each: fixed(each.r, 3),
        },
    )
    total = sum(each.repeats for each in repeats)
    mean = sum(each.distance * each.repeats for each in repeats) / total
    return Part(
        "Repeats",
        grid,
        [
            "Difference: mean of repeat less original; distance: mean of its size, "
            f"{fixed(mean, 1)} over all {total:,} repeats; r: Pearson's correlation."
        ],
        section="Repeats",
    )


def _replications(replications: Sequence[Replication]) -> Part:
    grid = tabulated(
        [replications],
        {"Scale": _about},
        {
            "Systems": lambda each: f"{each.systems:,}",
            "r": lambda each: fixed(each.r_systems, 3),
            "Outputs": lambda each: f"{each.outputs:,}",
            "r of outputs": lambda each: fixed(each.r_outputs, 3),
        },
    )
    return Part(
        "Two runs",
        grid,
        ["Pearson's correlation of standard scores, over what both runs have judged."],
        section="Two runs",
    )
