"""The views of `weigh tune` and `weigh rerank`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from weigh import __version__
from weigh.report.grid import Cell, Column, Grid, Value, table
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.phrases import sentences
from weigh.report.view import Used, View, view_of
from weigh.tuning.held_out import HeldOutScores
from weigh.tuning.model import TrainingResult
from weigh.tuning.oracle import OracleResult
from weigh.tuning.problem import Goal
from weigh.tuning.rerank import ChoicesResult
from weigh.tuning.search import TuneResult
from weigh.wording import fixed, p_value, plural

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture

_BY = f"weigh {__version__}"
_OPTIMIZERS = {
    "mert": "minimum error rate training with exact line search (Och 2003)",
    "pro": "pairwise ranking optimisation (Hopkins & May 2011)",
    "mira": "batch MIRA (Cherry & Foster 2012)",
}
# Keys in `citations.WORKS`.
_WORKS = {"mert": "minimum error rate training", "pro": "PRO", "mira": "batch MIRA"}
_LUCK = (
    "The score is measured on the list used for tuning, so part of the gain is luck: score the "
    "weights on another list."
)


def _text(score: float | None, goal: Goal) -> str:
    return fixed(score, goal.decimals)


def _score(title: str, value: Value, goal: Goal, *, marks_best: bool = False) -> Column:
    """A column of scores by the metric used for tuning."""
    better: Literal["higher", "lower"] = "lower" if goal.lower_is_better else "higher"
    return Column(
        title, value, "score", better=better, decimals=goal.decimals, marks_best=marks_best
    )


def _weights(result: TuneResult | TrainingResult, *more: Column, **options: Any) -> Grid:
    columns = [Column("Feature"), *more, Column("Weight", lambda row: row[1], "number")]
    return table(result.weights.items(), columns, title="Weights", section="Weights", **options)


@view_of(TuneResult)
def tune(result: TuneResult) -> View:
    """Show the weights, their gain, and the runs and iterations."""
    extent, held_out = result.test_set, result.held_out
    several = len(result.runs) > 1
    start = Column("Start", lambda row: result.start_weights[row[0]], "number")
    cautions = sentences(result.remarks)
    parts: list[Part] = [
        *summary(
            list(_findings(result)),
            cautions if held_out else [*cautions, _LUCK],
            level="brief",
        ),
        _weights(result, start, level="brief", paper=True),
    ]
    if result.iterations:
        parts += [_iterations(result), Pictures(lambda: _iteration_plot(result))]
    if several:
        parts.append(_runs(result))
    signatures = [(result.name, result.signature)]
    if held_out is not None and held_out.signature != result.signature:
        signatures.append(("held out", held_out.signature))
    return View(
        title=f"Tuning toward {result.name}",
        subtitle=f"{plural(extent.segments, 'segment')}, "
        f"{plural(extent.candidates, 'candidate')}, {plural(extent.references, 'reference')}",
        parts=parts,
        methods=_methods(result),
        signatures=signatures,
        records=[
            {"feature": name, "start": result.start_weights[name], "weight": weight}
            for name, weight in result.weights.items()
        ],
        used=Used(
            [result.metric],
            works=[_WORKS[result.optimizer], *(["several runs of tuning"] if several else [])],
            draws=True,
        ),
    )


def _findings(result: TuneResult) -> list[str]:
    """The gain, the spread of several runs, and the gain on a held-out list."""
    extent, spread, held_out = result.test_set, result.spread, result.held_out
    runs = plural(len(result.runs), "run")
    left_out = f" ({plural(extent.left_out, 'segment')} without candidates left out)"
    findings = [
        f"{result.name} {_text(result.start_score, result)} before, {_text(result.score, result)} "
        f"after tuning by {result.optimizer.upper()}: {plural(extent.candidates, 'candidate')} of "
        f"{plural(extent.segments, 'segment')}{left_out if extent.left_out else ''}."
    ]
    if spread is not None:
        chosen = "the average of all runs" if result.averaged else f"those of run {result.best + 1}"
        findings.append(
            f"{runs}: mean {_text(spread.mean, result)}, standard deviation "
            f"{_text(spread.deviation, result)}, range {_text(spread.lowest, result)} to "
            f"{_text(spread.highest, result)}; with average weights "
            f"{_text(result.average_score, result)}. The weights below are {chosen}."
        )
    if held_out is not None:
        findings.append(
            f"Held out, {plural(held_out.segments, 'segment')}: "
            f"{_text(held_out.start_score, result)} before, {_text(held_out.score, result)} "
            f"after; {_significance(held_out, runs)}."
        )
    return findings


def _significance(held_out: HeldOutScores, runs: str) -> str:
    if held_out.p_value is None:
        return f"not compared: {held_out.refused}"
    conclusion = (
        "a significant difference" if held_out.is_significant else "no evidence of a difference"
    )
    return f"{conclusion} (randomization test, {runs}, {p_value(held_out.p_value)})"


def _runs(result: TuneResult) -> Grid:
    def score(row: tuple[int, Any]) -> Cell:
        return Cell(row[1].score, best=row[0] == result.best)

    columns = [
        Column("Run", lambda row: str(row[0] + 1)),
        Column("Seed", lambda row: str(row[1].seed), "number"),
        _score(result.name, score, result),
    ]
    if result.held_out is not None:
        columns.append(_score("Held out", lambda row: row[1].held_out_score, result))
    return table(enumerate(result.runs), columns, title="Runs", section="Runs", paper=True)


def _iterations(result: TuneResult) -> Grid:
    columns = [
        Column("Iteration", lambda row: str(row.iteration)),
        Column("Candidates", "candidates", "count"),
        Column("New", "new", "count"),
        _score("Decoded", "score", result, marks_best=True),
        _score("Tuned", "tuned_score", result),
    ]
    return table(result.iterations, columns, title="Iterations", section="Iterations")


def _iteration_plot(result: TuneResult) -> list[Picture]:
    """Draw the scores by iteration, if there are several."""
    from weigh.report.pictures.axes import Axis
    from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
    from weigh.report.pictures.picture import Caption

    iterations = result.iterations
    if len(iterations) < 2:
        return []

    def point(number: int, score: float, kind: str, *, is_best: bool = False) -> CurvePoint:
        title = f"iteration {number}, {kind}: {_text(score, result)}"
        return CurvePoint(number, score, title, stands_out=is_best)

    tuned = [
        point(row.iteration, row.tuned_score, "tuned")
        for row in iterations
        if row.tuned_score is not None
    ]
    decoded = [
        point(row.iteration, row.score, "decoded", is_best=row is result.best_iteration)
        for row in iterations
    ]
    caption = Caption("iterations", f"{result.name} by iteration")
    curves = [
        Curve("tuned on all candidates", tuned, "open"),
        Curve("as decoded; the largest point is the best", decoded),
    ]
    ticks = [(row.iteration, str(row.iteration)) for row in iterations]
    up = Axis(f"{result.name} (up: better)", reverse=result.lower_is_better)
    return [curve_plot(curves, caption, Axis("Iteration", ticks=ticks), up)]


def _methods(result: TuneResult) -> str:
    extent = result.test_set
    starts = f" from {plural(len(result.starts), 'start')}" if result.starts else ""
    text = (
        f"Weights of {plural(len(result.weights), 'feature')} were tuned toward {result.name} by "
        f"{_OPTIMIZERS[result.optimizer]}{starts}, on {plural(extent.candidates, 'candidate')} of "
        f"{plural(extent.segments, 'segment')}"
    )
    if result.iterations:
        text += f" from {plural(len(result.iterations), 'iteration')} of decoding and tuning"
    if len(result.runs) > 1:
        text += f", in {plural(len(result.runs), 'run')} with different seeds (Clark et al. 2011)"
    return f"{text} ({_BY}, seed {result.runs[0].seed})."


@view_of(OracleResult)
def oracle(result: OracleResult) -> View:
    """Show the best, average and worst scores that choices from a list can reach."""
    size = (
        f"{plural(result.sentences, 'sentence')}, {plural(result.candidates, 'candidate')} "
        f"({result.per_sentence:.1f} for each), {plural(result.references, 'reference')}"
    )
    names = ("oracle", "first", "average", "worst")
    rows = [
        [limits.name, *(Cell(getattr(limits, name), decimals=limits.decimals) for name in names)]
        for limits in result.scores
    ]
    columns = [Column("Metric"), *(Column(name.capitalize(), kind="score") for name in names)]
    return View(
        title="The limits of an n-best list",
        subtitle=size,
        parts=[
            *summary(
                [
                    f"{limits.name}: {_text(limits.first, limits)} of the first candidates, "
                    f"{_text(limits.oracle, limits)} of the best choice."
                    for limits in result.scores
                ],
                sentences(result.remarks),
            ),
            table(rows, columns, title=size, section="Limits", paper=True),
        ],
        methods="The best and the worst choice of candidates were found by exchanging one "
        f"sentence's candidate at a time ({_BY}).",
        signatures=[(limits.name, limits.signature) for limits in result.scores],
        records=[
            {"metric": limits.metric} | {name: getattr(limits, name) for name in names}
            for limits in result.scores
        ],
        used=Used(list(dict.fromkeys(limits.metric for limits in result.scores))),
    )


@view_of(TrainingResult)
def training(result: TrainingResult) -> View:
    """Show the quality of a trained reranker and its regularisation."""
    size = f"{plural(result.sentences, 'sentence')}, {plural(result.candidates, 'candidate')}"
    headline = f"{'WARNING: ' if result.warnings else ''}{result.conclusion}"
    return View(
        title=f"A reranker trained toward {result.name}",
        subtitle=f"{size}, {plural(result.test_set.references, 'reference')}",
        parts=[
            *summary([headline], [*result.warnings, *sentences(result.remarks)], level="brief"),
            _regularisation(result),
            Note(_about_training(result, size), section="Model"),
            _weights(result, level="page"),
        ],
        methods=f"A log-linear model of {plural(result.selected, 'feature')} was trained toward "
        f"{result.name} with L1 regularisation by incremental feature selection (Riezler & Maxwell "
        f"2005; Perkins et al. 2003) on {plural(result.candidates, 'candidate')} of "
        f"{plural(result.sentences, 'sentence')} ({_BY}, seed {result.seed}).",
        signatures=[(result.name, result.signature)],
        records=[{"feature": name, "weight": value} for name, value in result.weights.items()],
        used=Used([result.metric], works=["log-linear reranking"]),
    )


def _regularisation(result: TrainingResult) -> Grid:
    """The values of γ that were tried, or the value that was given."""

    def loss(trial: Any) -> Cell:
        return Cell(trial.loss, best=trial is result.trial)

    gamma, score = Column("γ", "gamma", "number"), _score(result.name, "score", result)
    columns = [gamma, score, Column("Features", "selected", "count")]
    if result.path:
        columns[2:] = [
            Column("Loss", loss, "score", better="lower", decimals=4),
            Column("Features", "features", "score", decimals=1),
        ]
    title = "Regularisation"
    rows = result.path or [result]
    return table(rows, columns, title=title, section=title, level="brief", paper=True)


def _about_training(result: TrainingResult, size: str) -> list[str]:
    """Sentences on the training and its scores, compared with gold and first candidates."""
    name, trial = result.name, result.trial
    chosen = "together" if result.gold == "corpus" else "chosen sentence by sentence"
    lines = [
        f"{size}, {plural(result.features, 'feature')} "
        f"({result.dropped:,} dropped for varying in too few sentences).",
        f"γ = {result.gamma:.6g}: {plural(result.selected, 'feature')} selected in "
        f"{plural(len(result.active), 'round')}, relative gap {result.gap:.1e}.",
        f"{name} of the gold candidates, {chosen}: {_text(result.gold_score, result)}.",
        f"{name} of the first candidates: {_text(result.first_score, result)}.",
    ]
    if trial is not None:
        difference = fixed(result.gain, result.decimals, sign=True)
        lines.append(
            f"{name} in {result.folds}-fold cross-validation: {_text(trial.score, result)} "
            f"({difference}, {p_value(result.p_value)} by approximate randomization)."
        )
    lines.append(
        f"{name} on the training sentences: {_text(result.score, result)}, which says little "
        "about other sentences."
    )
    if result.length is not None and result.shift:
        lines.append(
            f"A line search changed the weight of {result.length} by {result.shift:+.4g}: without "
            f"it {name} is {_text(result.fit_score, result)} on the training sentences."
        )
    return lines


@view_of(ChoicesResult)
def choices(result: ChoicesResult) -> View:
    """Show the chosen candidates: as plain lines for other programs, or with their scores."""
    chosen = result.sentences
    columns = [
        Column("Sentence", "id"),
        Column("Place", lambda sentence: str(sentence.place), "number"),
        Column("Score", "score", "number"),
        Column("Text", "text", "text"),
    ]
    return View(
        title="Candidates chosen",
        subtitle=plural(len(chosen), "sentence"),
        parts=[
            *summary(
                [
                    f"The choice differs from the first candidate in {result.changed:,} of "
                    f"{plural(len(chosen), 'sentence')}."
                ],
                sentences(result.remarks),
            ),
            table(chosen, columns, section="Candidates", paper=True),
        ],
        records=[
            {name: getattr(sentence, name) for name in ("id", "text", "place", "score")}
            for sentence in chosen
        ],
        lines=[(sentence.id, sentence.text) for sentence in chosen],
    )
