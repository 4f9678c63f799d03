"""What tuning found, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, latex, markdown, table, tsv
from weigh.report.formats import signature_lines
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural, probability
from weigh.tuning.tuning import Spread, Tuned

if TYPE_CHECKING:
    from weigh.tuning.loop import Iteration
    from weigh.tuning.nbest import Reals


_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores on a list that was not tuned on: of the start, of each run and of the result.

    `p_value` is that of the comparison of the start with all runs, by randomization; where that
    makes no sense it is None, and `refused` says why. Where the metric has several `readings`, they
    are those of the start and of all runs, it is the largest of their p-values, and `caution` says
    what their agreement is worth.
    """

    segments: int
    start_score: float
    run_scores: Sequence[float]
    score: float
    p_value: float | None
    signature: str
    refused: str | None = None
    readings: Sequence[ReadGain] = ()
    readings_agree: bool | None = None
    caution: str | None = None


@dataclass(frozen=True, slots=True)
class ReadGain:
    """What one reading of the metric says of the start and of the mean over runs."""

    reading: str
    start_score: float
    score: float
    p_value: float | None


@dataclass(frozen=True, slots=True)
class TuneReport:
    """All that `weigh tune` says.

    `weights` and `score` are the result: those of the best run, or the average of the runs'.
    """

    metric: str
    name: str
    signature: str
    higher_is_better: bool
    segments: int
    references: int
    left_out: int
    candidates: int
    optimizer: str
    names: Sequence[str]
    start: Reals
    runs: Sequence[Tuned]
    best: int
    weights: Reals
    score: float
    is_average: bool = False
    average_score: float | None = None
    decimals: int = 2
    held_out: HeldOut | None = None
    iterations: Sequence[Iteration] = ()

    @property
    def start_score(self) -> float:
        """The score of the start weights."""
        return self.runs[0].start_score

    @property
    def better(self) -> Any:
        """The direction of the metric, for columns."""
        return "higher" if self.higher_is_better else "lower"

    def shown(self, score: float) -> str:
        """Return a score as a reader wants to see it."""
        return fixed(score, self.decimals)


def as_table(report: TuneReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text with the signature underneath."""
    parts = [_summary(report)]
    parts += [table.render(grid, screen) for grid in _grids(report)]
    parts += remarks(report)
    parts.append(signature_lines(signatures(report), screen))
    return "\n\n".join(parts)


def as_markdown(report: TuneReport) -> str:
    """Return pipe tables and the signature."""
    parts = [_summary(report)]
    parts += [markdown.render(grid) for grid in _grids(report)]
    parts += remarks(report)
    parts.append(
        "\n".join(
            f"- {markdown.escape(name)}: {markdown.code(signature)}"
            for name, signature in signatures(report)
        )
    )
    return "\n\n".join(parts)


def as_latex(report: TuneReport) -> str:
    """Return table floats; the signature stands in the first caption."""
    caption = f"{latex.escape(_summary(report))} {latex.code(report.signature)}"
    grids = _grids(report)
    return "\n\n".join(
        latex.render(grid, caption if at == 0 else "") for at, grid in enumerate(grids)
    )


def as_tsv(report: TuneReport) -> str:
    """Return the weights."""
    return tsv.render(weights_grid(report, exact=True))


def as_json(report: TuneReport) -> str:
    """Return the document that programs rely on."""
    chosen = report.runs[report.best]
    parts: dict[str, Any] = {
        "test_set": {
            **document.Extent(report.segments, report.references).fields,
            "left_out": report.left_out,
            "candidates": report.candidates,
        },
        "metric": report.metric,
        "signature": report.signature,
        "lower_is_better": not report.higher_is_better,
        "name": report.name,
        "decimals": report.decimals,
        "optimizer": report.optimizer,
        "start_score": document.number(report.start_score),
        "score": document.number(report.score),
        "start_weights": _named(report.names, report.start),
        "weights": _named(report.names, report.weights),
        "averaged": report.is_average,
        "starts": [
            {
                "start_score": document.number(climb.start_score),
                "score": document.number(climb.score),
                "weights": _named(report.names, climb.weights),
            }
            for climb in chosen.climbs
        ],
        "runs": [_run(report, number) for number in range(len(report.runs))],
    }
    if len(report.runs) > 1:
        spread = Spread.of([run.score for run in report.runs])
        parts["spread"] = _spread(spread)
        parts["average_score"] = document.number(report.average_score or 0.0)
    if report.held_out is not None:
        parts["held_out"] = {
            "segments": report.held_out.segments,
            "start_score": document.number(report.held_out.start_score),
            "score": document.number(report.held_out.score),
            "spread": _spread(Spread.of(report.held_out.run_scores)),
            "p_value": report.held_out.p_value,
            "signature": report.held_out.signature,
        }
        if report.held_out.refused is not None:
            parts["held_out"]["refused"] = report.held_out.refused
        if report.held_out.readings:
            parts["held_out"]["readings"] = [asdict(one) for one in report.held_out.readings]
            parts["held_out"]["readings_agree"] = report.held_out.readings_agree
            parts["held_out"]["caution"] = report.held_out.caution
    if report.iterations:
        parts["iterations"] = [
            {
                "iteration": each.number,
                "candidates": each.candidates,
                "new": each.new,
                "score": document.number(each.score),
                "tuned_score": None
                if each.tuned_score is None
                else document.number(each.tuned_score),
                "weights": dict(each.weights),
            }
            for each in report.iterations
        ]
    return document.render("tune", parts)


FORMATS: Mapping[str, Callable[[TuneReport], str]] = {
    "table": as_table,
    "markdown": as_markdown,
    "latex": as_latex,
    "tsv": as_tsv,
    "json": as_json,
}


def _named(names: Sequence[str], weights: Reals) -> dict[str, float]:
    return dict(zip(names, weights.tolist(), strict=True))


def _spread(spread: Spread) -> dict[str, float]:
    return {
        "mean": spread.mean,
        "deviation": spread.deviation,
        "lowest": spread.lowest,
        "highest": spread.highest,
    }


def _run(report: TuneReport, number: int) -> dict[str, Any]:
    run = report.runs[number]
    entry = {
        "seed": run.seed,
        "start_score": document.number(run.start_score),
        "score": document.number(run.score),
        "weights": _named(report.names, run.weights),
    }
    if report.held_out is not None:
        entry["held_out_score"] = document.number(report.held_out.run_scores[number])
    return entry


def _summary(report: TuneReport) -> str:
    left_out = (
        f", {plural(report.left_out, 'segment')} without any left out" if report.left_out else ""
    )
    return (
        f"{report.name} {report.shown(report.start_score)} before, {report.shown(report.score)} "
        f"after tuning by {report.optimizer.upper()}: {plural(report.candidates, 'candidate')} of "
        f"{plural(report.segments, 'segment')}{left_out}"
    )


def _grids(report: TuneReport) -> list[Grid]:
    grids = [weights_grid(report)]
    if len(report.runs) > 1:
        grids.append(runs_grid(report))
    if report.iterations:
        grids.append(iterations_grid(report))
    return grids


def weights_grid(report: TuneReport, *, exact: bool = False) -> Grid:
    """Return every feature with its start and its weight."""

    def number(value: float) -> str:
        return repr(float(value)) if exact else f"{value:.6g}"

    columns = [Column("feature"), Column("start", kind="number"), Column("weight", kind="number")]
    rows = [
        [Cell(name), Cell(number(start)), Cell(number(weight))]
        for name, start, weight in zip(report.names, report.start, report.weights, strict=True)
    ]
    return Grid(columns, [rows])


def runs_grid(report: TuneReport) -> Grid:
    """Return the runs with their seeds and scores."""
    columns = [Column("run"), Column("seed", kind="number"), Column(report.name, report.better)]
    held_out = report.held_out
    if held_out is not None:
        columns.append(Column("held out", report.better))
    rows = []
    for number, run in enumerate(report.runs):
        row = [
            Cell(str(number + 1)),
            Cell(str(run.seed)),
            Cell(report.shown(run.score), best=number == report.best),
        ]
        if held_out is not None:
            row.append(Cell(report.shown(held_out.run_scores[number])))
        rows.append(row)
    return Grid(columns, [rows])


def iterations_grid(report: TuneReport) -> Grid:
    """Return what each iteration with a decoder found."""
    columns = [
        Column("iteration"),
        Column("candidates", kind="number"),
        Column("new", kind="number"),
        Column("decoded", report.better),
        Column("tuned", report.better),
    ]
    sign = 1 if report.higher_is_better else -1
    best = max(sign * each.score for each in report.iterations)
    rows = [
        [
            Cell(str(each.number)),
            Cell(f"{each.candidates:,}"),
            Cell(f"{each.new:,}"),
            Cell(report.shown(each.score), best=sign * each.score == best),
            Cell("" if each.tuned_score is None else report.shown(each.tuned_score)),
        ]
        for each in report.iterations
    ]
    return Grid(columns, [rows])


def remarks(report: TuneReport) -> list[str]:
    """Return what is to be said of several runs and of a held-out list."""
    said = []
    shown = report.shown
    runs = plural(len(report.runs), "run")
    if len(report.runs) > 1:
        spread = Spread.of([run.score for run in report.runs])
        chosen = "the average of all" if report.is_average else f"those of run {report.best + 1}"
        said.append(
            f"{runs}: mean {shown(spread.mean)}, standard deviation {shown(spread.deviation)}, "
            f"from {shown(spread.lowest)} to {shown(spread.highest)}; average weights "
            f"{shown(report.average_score or 0)}; the weights above are {chosen}"
        )
    held_out = report.held_out
    if held_out is not None:
        said.append(
            f"held out, {plural(held_out.segments, 'segment')}: {shown(held_out.start_score)} "
            f"before, {shown(held_out.score)} after; {_verdict(held_out, runs)}"
        )
        if held_out.readings:
            gains = ", ".join(
                f"{one.reading} from {shown(one.start_score)} to {shown(one.score)} "
                f"(p = {probability(one.p_value)})"
                for one in held_out.readings
            )
            said.append(f"held out, by each reading: {gains}; {held_out.caution}")
    return said


def _verdict(held_out: HeldOut, runs: str) -> str:
    if held_out.p_value is None:
        return f"not compared: {held_out.refused}"
    if held_out.readings_agree is False:
        return f"no conclusion, as readings of the score disagree (randomization, {runs})"
    found = "a difference" if held_out.p_value < _ALPHA else "no evidence of a difference"
    return f"{found} (randomization, {runs}, p = {probability(held_out.p_value)})"


def signatures(report: TuneReport) -> list[tuple[str, str]]:
    """Return the metric's signature, and that on the held-out list where it is another."""
    signatures = [(report.name, report.signature)]
    if report.held_out is not None and report.held_out.signature != report.signature:
        signatures.append(("held out", report.held_out.signature))
    return signatures


_OPTIMIZERS = {
    "mert": "minimum error rate training with exact line search (Och 2003)",
    "pro": "pairwise ranking optimisation (Hopkins & May 2011)",
    "mira": "batch MIRA (Cherry & Foster 2012)",
}


def methods(report: TuneReport) -> str:
    """Return some sentences for a paper."""
    run = report.runs[report.best]
    starts = f" from {plural(len(run.climbs), 'start')}" if run.climbs else ""
    said = (
        f"Weights of {plural(len(report.names), 'feature')} were tuned toward {report.name} by "
        f"{_OPTIMIZERS[report.optimizer]}{starts}, on {plural(report.candidates, 'candidate')} of "
        f"{plural(report.segments, 'segment')}"
    )
    if report.iterations:
        said += f" from {plural(len(report.iterations), 'iteration')} of decoding and tuning"
    if len(report.runs) > 1:
        said += f", in {plural(len(report.runs), 'run')} with different seeds (Clark et al. 2011)"
    return f"{said} (weigh {__version__}, seed {report.runs[0].seed})."
