"""What is shown of tuning and reranking: `weigh tune`, `weigh rerank`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from weigh import __version__
from weigh.report.grid import Cell, Column, Grid, table
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.view import Used, View, view_of
from weigh.tuning.held_out import HeldOutScores
from weigh.tuning.model import TrainingResult
from weigh.tuning.oracle import Limits, OracleResult
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
# What to cite for each.
_WORKS = {"mert": "minimum error rate training", "pro": "PRO", "mira": "batch MIRA"}
_LUCK = (
    "The score is that of the candidates that were tuned on, which is always partly luck: score "
    "the weights on another list before believing it."
)


def _shown(score: float | None, goal: Goal) -> str:
    return fixed(score, goal.decimals)


def _better(goal: Goal) -> Literal["higher", "lower"]:
    return "lower" if goal.lower_is_better else "higher"


def _number(title: str) -> Column:
    return Column(title, kind="number")


@view_of(TuneResult)
def tune(result: TuneResult) -> View:
    """Show the weights, how much they gain, and what was seen on the way."""
    extent, runs = result.test_set, len(result.runs)
    cautions = [*(_sentence(one) for one in result.remarks)]
    parts: list[Part] = [
        *summary(
            [f"{_summary(result)}.", *_said(result)],
            cautions if result.held_out else [*cautions, _LUCK],
            level="brief",
        ),
        _weights_grid(result).titled("Weights", section="Weights", level="brief", paper=True),
    ]
    if result.iterations:
        parts.append(_iterations_grid(result).titled("Iterations", section="Iterations"))
        parts.append(Pictures(lambda: _iteration_plot(result)))
    if runs > 1:
        parts.append(_runs_grid(result).titled("Runs", section="Runs", paper=True))
    signatures = [(result.name, result.signature)]
    if result.held_out is not None and result.held_out.signature != result.signature:
        signatures.append(("held out", result.held_out.signature))
    works = [_WORKS[result.optimizer], *(["several runs of tuning"] if runs > 1 else [])]
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
        used=Used([result.metric], works=works, draws=True),
    )


def _iteration_plot(result: TuneResult) -> list[Picture]:
    """Draw the scores of a search that has several iterations."""
    from weigh.report.pictures.axes import Axis
    from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
    from weigh.report.pictures.picture import Caption

    iterations = result.iterations
    if len(iterations) < 2:
        return []
    best = max(iterations, key=lambda each: result.sign * each.score)

    def point(number: int, score: float, kind: str) -> CurvePoint:
        title = f"iteration {number}, {kind}: {fixed(score, result.decimals)}"
        is_best = kind == "decoded" and number == best.iteration
        return CurvePoint(number, score, title, stands_out=is_best)

    tuned = [
        point(each.iteration, each.tuned_score, "tuned")
        for each in iterations
        if each.tuned_score is not None
    ]
    decoded = [point(each.iteration, each.score, "decoded") for each in iterations]
    scores = ", ".join(fixed(each.score, result.decimals) for each in iterations)
    return [
        curve_plot(
            [
                Curve("tuned on all candidates", tuned, "open"),
                Curve("as decoded; the largest point is the best", decoded),
            ],
            Caption(
                "iterations",
                f"{result.name} by iteration",
                f"{result.name} of {plural(len(iterations), 'decoding')}: {scores}; best in "
                f"iteration {best.iteration}. Scores of weights tuned on all candidates stand "
                "beside them.",
            ),
            Axis(
                "Iteration",
                ticks=[(each.iteration, str(each.iteration)) for each in iterations],
            ),
            Axis(f"{result.name} (up: better)", reverse=result.lower_is_better),
        )
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _summary(result: TuneResult) -> str:
    extent = result.test_set
    left_out = (
        f", {plural(extent.left_out, 'segment')} without any left out" if extent.left_out else ""
    )
    return (
        f"{result.name} {_shown(result.start_score, result)} before, "
        f"{_shown(result.score, result)} after tuning by {result.optimizer.upper()}: "
        f"{plural(extent.candidates, 'candidate')} of {plural(extent.segments, 'segment')}"
        f"{left_out}"
    )


def _weights_grid(result: TuneResult) -> Grid:
    return table(
        (
            [name, f"{result.start_weights[name]:.6g}", f"{weight:.6g}"]
            for name, weight in result.weights.items()
        ),
        [Column("feature"), _number("start"), _number("weight")],
    )


def _runs_grid(result: TuneResult) -> Grid:
    columns = [
        Column("run"),
        _number("seed"),
        Column(result.name, kind="number", better=_better(result)),
    ]
    rows: list[list[str | Cell]] = [
        [
            str(number + 1),
            str(run.seed),
            Cell(_shown(run.score, result), best=number == result.best),
        ]
        for number, run in enumerate(result.runs)
    ]
    if result.held_out is not None:
        columns.append(Column("held out", kind="number", better=_better(result)))
        for row, run in zip(rows, result.runs, strict=True):
            row.append(_shown(run.held_out_score, result))
    return table(rows, columns)


def _iterations_grid(result: TuneResult) -> Grid:
    better = _better(result)
    best = max(result.sign * each.score for each in result.iterations)
    return table(
        (
            [
                str(each.iteration),
                f"{each.candidates:,}",
                f"{each.new:,}",
                Cell(_shown(each.score, result), best=result.sign * each.score == best),
                "" if each.tuned_score is None else _shown(each.tuned_score, result),
            ]
            for each in result.iterations
        ),
        [
            Column("iteration"),
            _number("candidates"),
            _number("new"),
            Column("decoded", kind="number", better=better),
            Column("tuned", kind="number", better=better),
        ],
    )


def _said(result: TuneResult) -> list[str]:
    """Return what is to be said of several runs and of a held-out list."""
    said = []
    runs, spread, held_out = plural(len(result.runs), "run"), result.spread, result.held_out
    if spread is not None:
        chosen = "the average of all" if result.averaged else f"those of run {result.best + 1}"
        said.append(
            f"{runs}: mean {_shown(spread.mean, result)}, standard deviation "
            f"{_shown(spread.deviation, result)}, from {_shown(spread.lowest, result)} to "
            f"{_shown(spread.highest, result)}; average weights "
            f"{_shown(result.average_score, result)}; the weights shown are {chosen}."
        )
    if held_out is not None:
        said.append(
            f"Held out, {plural(held_out.segments, 'segment')}: "
            f"{_shown(held_out.start_score, result)} before, {_shown(held_out.score, result)} "
            f"after; {_verdict(held_out, runs)}."
        )
    return said


def _verdict(held_out: HeldOutScores, runs: str) -> str:
    if held_out.p_value is None:
        return f"not compared: {held_out.refused}"
    found = "a significant difference" if held_out.is_significant else "no evidence of a difference"
    return f"{found} (randomization, {runs}, {p_value(held_out.p_value)})"


def _methods(result: TuneResult) -> str:
    starts = f" from {plural(len(result.starts), 'start')}" if result.starts else ""
    said = (
        f"Weights of {plural(len(result.weights), 'feature')} were tuned toward {result.name} by "
        f"{_OPTIMIZERS[result.optimizer]}{starts}, on "
        f"{plural(result.test_set.candidates, 'candidate')} of "
        f"{plural(result.test_set.segments, 'segment')}"
    )
    if result.iterations:
        said += f" from {plural(len(result.iterations), 'iteration')} of decoding and tuning"
    if len(result.runs) > 1:
        said += f", in {plural(len(result.runs), 'run')} with different seeds (Clark et al. 2011)"
    return f"{said} ({_BY}, seed {result.runs[0].seed})."


@view_of(OracleResult)
def oracle(result: OracleResult) -> View:
    """Show the best, average and worst scores that a list allows."""
    each = result.candidates / result.sentences
    size = (
        f"{plural(result.sentences, 'sentence')}, {plural(result.candidates, 'candidate')} "
        f"({each:.1f} for each), {plural(result.references, 'reference')}"
    )
    signatures = [(one.name, one.signature) for one in result.scores]
    return View(
        title="The limits of an n-best list",
        subtitle=size,
        parts=[
            *summary(
                [
                    f"{one.name}: {_shown(one.first, one)} of the first candidates, "
                    f"{_shown(one.oracle, one)} of the best choice."
                    for one in result.scores
                ],
                [_sentence(one) for one in result.remarks],
            ),
            _limits_grid(result.scores).titled(size, section="Limits", paper=True),
        ],
        methods="The best and the worst choice of candidates were sought by exchanging one "
        f"sentence's candidate at a time ({_BY}).",
        signatures=signatures,
        records=[
            {
                "metric": one.metric,
                "oracle": one.oracle,
                "first": one.first,
                "average": one.average,
                "worst": one.worst,
            }
            for one in result.scores
        ],
        used=Used(list(dict.fromkeys(one.metric for one in result.scores))),
    )


def _limits_grid(scores: Sequence[Limits]) -> Grid:
    return table(
        (
            [one.name]
            + [_shown(score, one) for score in (one.oracle, one.first, one.average, one.worst)]
            for one in scores
        ),
        [Column("Metric"), *map(_number, ("Oracle", "First", "Average", "Worst"))],
    )


@view_of(TrainingResult)
def training(result: TrainingResult) -> View:
    """Show what a trained reranker is worth, and how it came about."""
    headline = f"{'WARNING: ' if result.warnings else ''}{result.conclusion}"
    path = _path_grid(result) if result.path else _gamma_grid(result)
    remarks = [_sentence(one) for one in result.remarks]
    parts = [
        *summary([headline], [*result.warnings, *remarks], level="brief"),
        path.titled("Regularisation", section="Regularisation", level="brief", paper=True),
        Note([f"{line}." for line in _about_training(result)], section="Model"),
        _model_grid(result).titled("Weights", section="Weights", level="page"),
    ]
    return View(
        title=f"A reranker trained toward {result.name}",
        subtitle=f"{plural(result.sentences, 'sentence')}, "
        f"{plural(result.candidates, 'candidate')}, "
        f"{plural(result.test_set.references, 'reference')}",
        parts=parts,
        methods=f"A log-linear model of {plural(_selected(result), 'feature')} was trained toward "
        f"{result.name} with L1 regularisation by incremental feature selection (Riezler & Maxwell "
        f"2005; Perkins et al. 2003) on {plural(result.candidates, 'candidate')} of "
        f"{plural(result.sentences, 'sentence')} ({_BY}, seed {result.seed}).",
        signatures=[(result.name, result.signature)],
        records=[{"feature": name, "weight": value} for name, value in result.weights.items()],
        used=Used([result.metric], works=["log-linear reranking"]),
    )


def _selected(result: TrainingResult) -> int:
    return sum(weight != 0 for weight in result.weights.values())


def _about_training(result: TrainingResult) -> list[str]:
    """Return in words what was trained and what it is worth."""
    name, trial = result.name, result.trial
    chosen = "together" if result.gold == "corpus" else "chosen sentence by sentence"
    said = [
        f"{plural(result.sentences, 'sentence')}, {plural(result.candidates, 'candidate')}, "
        f"{plural(result.features, 'feature')} "
        f"(dropped, since they vary in too few sentences: {result.dropped:,})",
        f"γ = {result.gamma:.6g}: {plural(_selected(result), 'feature')} selected in "
        f"{plural(len(result.active), 'round')}, relative gap {result.gap:.1e}",
        f"{name} of the gold candidates, {chosen}: {_shown(result.gold_score, result)}",
        f"{name} of the first candidates: {_shown(result.first_score, result)}",
    ]
    if trial is not None:
        difference = fixed(trial.score - result.first_score, result.decimals, sign=True)
        said.append(
            f"{name} on sentences left out of the training, {result.folds} folds: "
            f"{_shown(trial.score, result)} ({difference}, {p_value(result.p_value)} by "
            "approximate randomization)"
        )
    said.append(
        f"{name} on the sentences trained on: {_shown(result.score, result)}, which says little "
        "of others"
    )
    if result.length is not None and result.shift:
        said.append(
            f"Weight of {result.length} changed by {result.shift:+.4g} in a line search: without "
            f"it {name} {_shown(result.fit_score, result)} on the sentences trained on"
        )
    return said


def _path_grid(result: TrainingResult) -> Grid:
    return table(
        (
            [
                f"{trial.gamma:.6g}",
                _shown(trial.score, result),
                Cell(fixed(trial.loss, 4), best=trial is result.trial),
                f"{trial.features:.1f}",
            ]
            for trial in result.path
        ),
        [
            _number("γ"),
            Column(result.name, kind="number", better=_better(result)),
            Column("Loss", kind="number", better="lower"),
            _number("Features"),
        ],
    )


def _gamma_grid(result: TrainingResult) -> Grid:
    """Return the one γ that was given, with the score on the sentences trained on."""
    return table(
        [[f"{result.gamma:.6g}", _shown(result.score, result), str(_selected(result))]],
        [
            _number("γ"),
            Column(result.name, kind="number", better=_better(result)),
            _number("Features"),
        ],
    )


def _model_grid(result: TrainingResult) -> Grid:
    rows = ([name, f"{value:.6g}"] for name, value in result.weights.items())
    return table(rows, [Column("feature"), _number("weight")])


@view_of(ChoicesResult)
def choices(result: ChoicesResult) -> View:
    """Show the candidates chosen: as plain lines for other programs, or with their scores."""
    grid = table(
        ([one.id, str(one.place), f"{one.score:.6g}", one.text] for one in result.sentences),
        [Column("Sentence"), _number("Place"), _number("Score"), Column("Text", kind="text")],
    )
    others = sum(one.place > 1 for one in result.sentences)
    return View(
        title="Candidates chosen",
        subtitle=plural(len(result.sentences), "sentence"),
        parts=[
            *summary(
                [
                    f"In {others:,} of {plural(len(result.sentences), 'sentence')} another "
                    "candidate than the first of its list is chosen."
                ],
                [_sentence(one) for one in result.remarks],
            ),
            grid.titled("", section="Candidates", paper=True),
        ],
        records=[
            {"id": one.id, "text": one.text, "place": one.place, "score": one.score}
            for one in result.sentences
        ],
        lines=[(one.id, one.text) for one in result.sentences],
    )
