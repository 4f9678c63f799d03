"""What is shown of judges and their work: `weigh human quality`, and what other verbs say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from weigh import __version__
from weigh.human.plan import COMBINED, PREFERENCE, Control
from weigh.human.quality import LEAST_SECONDS, LONGEST_RUN, TASK, QualityResult, Verdict
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_steps import steps_part
from weigh.report.view import LATEX, PAGE, TEXT, Part, Used, View, signature, view_of
from weigh.result import encode
from weigh.wording import NO_NUMBER, fixed, plural, probability, share

NARROW = (*TEXT, *LATEX)
BY = f"(weigh {__version__})."
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
            Part(heading, verdicts, [rule(control), *advice], section="Judges", forms=PAGE),
            steps_part(result.steps, result.omissions),
        ],
        methods="Judges who did not tell damaged texts from genuine ones were dropped (quality "
        f"control {result.preset}). {rule(control).rstrip('.')} {BY}",
        signatures=[("quality", signature(parts))],
        records=judge_records(result.judges),
        used=Used(works=[DIRECT, *quality_works(result.preset)]),
    )


def judge_records(judges: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return judges as rows of TSV."""
    return [{name: record[name] for name in _FIRST} | record for record in encode(tuple(judges))]


def _reasons(verdicts: Sequence[Verdict]) -> Grid:
    """Return all reasons and advice with the judges that they are about, in rows not too long."""
    judges: dict[str, list[str]] = {}
    for each in verdicts:
        for text in _said(each):
            judges.setdefault(text, []).append(each.judge)
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
    titles = ("p", "Controls", "Bad", "Outputs", "References", "Hits", "s/hit", "Run")
    columns = [
        Column("Judge"),
        Column("Verdict"),
        *(Column(title, kind="number") for title in titles),
        Column("Why", kind="remark"),
    ]
    return Grid(columns, [[_row(each) for each in block] for block in blocks if block])


def _row(judge: Verdict) -> list[Cell]:
    texts = [
        judge.judge,
        "kept" if judge.kept else "dropped",
        probability(judge.p_value),
        f"{judge.controls:,}",
        *(fixed(mean, 1) for mean in (judge.mean_bad, judge.mean_system, judge.mean_reference)),
        f"{judge.hits:,}",
        fixed(judge.seconds_per_hit, 0),
        NO_NUMBER if judge.longest_run is None else f"{judge.longest_run}",
        "; ".join(_said(judge)),
    ]
    return [Cell(text) for text in texts]
