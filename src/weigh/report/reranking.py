"""What reranking found: chosen candidates, a trained model, the extremes of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document, latex, markdown, table, tsv
from weigh.report.formats import signature_lines
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, plural, probability

if TYPE_CHECKING:
    from weigh.tuning.oracle import Extremes
    from weigh.tuning.rerank import Choice
    from weigh.tuning.training import Training

_COMMAND = "rerank"
_ALPHA = 0.05
_REMEDY = (
    "do not use it as it is: train on more sentences, leave γ to the cross-validation (no "
    "--gamma), offer fewer features (no --phrases, a larger --cutoff), or tune the dense ones with "
    "'weigh tune'"
)


@dataclass(frozen=True, slots=True)
class MetricShown:
    """A metric as results name it, and with how many decimals they show it."""

    key: str
    name: str
    signature: str
    higher_is_better: bool
    decimals: int

    def fields(self) -> dict[str, Any]:
        """Return what a program wants to know."""
        return {
            "metric": self.key,
            "signature": self.signature,
            "lower_is_better": not self.higher_is_better,
            "name": self.name,
            "decimals": self.decimals,
        }


@dataclass(frozen=True, slots=True)
class ChoicesReport:
    """What `weigh rerank` chose by weights or by a model: a candidate for each sentence."""

    choices: Sequence[Choice]


def choices_as_tsv(choices: Sequence[Choice]) -> str:
    """Return one row per sentence, which can be joined by id."""
    rows = [
        [Cell(each.id), Cell(each.text), Cell(str(each.place)), Cell(repr(each.score))]
        for each in choices
    ]
    return tsv.render(Grid([*map(Column, ("id", "text", "place", "score"))], [rows]))


def choices_as_json(choices: Sequence[Choice]) -> str:
    """Return the document that programs read."""
    sentences = [
        {"id": each.id, "text": each.text, "place": each.place, "score": each.score}
        for each in choices
    ]
    return document.render(
        _COMMAND, {"test_set": document.Extent(len(choices), 0).fields, "sentences": sentences}
    )


# Every format but plain lines, one text per sentence.
CHOICES: dict[str, Callable[[Sequence[Choice]], str]] = {
    "tsv": choices_as_tsv,
    "json": choices_as_json,
}


@dataclass(frozen=True, slots=True)
class OracleReport:
    """All that `weigh rerank --oracle` says."""

    metrics: Sequence[tuple[MetricShown, Extremes]]
    sentences: int
    candidates: int
    references: int

    @property
    def _summary(self) -> str:
        each = self.candidates / self.sentences
        return (
            f"{plural(self.sentences, 'sentence')}, {plural(self.candidates, 'candidate')} "
            f"({each:.1f} for each), {plural(self.references, 'reference')}"
        )

    def _grid(self) -> Grid:
        rows = [
            [
                Cell(metric.name),
                *(Cell(fixed(value, metric.decimals)) for value in _values(found).values()),
            ]
            for metric, found in self.metrics
        ]
        titles = ("Oracle", "First", "Average", "Worst")
        return Grid([Column("Metric"), *(Column(title, kind="number") for title in titles)], [rows])

    def as_table(self, screen: table.Screen = table.PLAIN) -> str:
        """Return aligned text with the signatures underneath."""
        signatures = [(metric.name, metric.signature) for metric, _ in self.metrics]
        shown = table.render(self._grid(), screen)
        return f"{self._summary}\n\n{shown}\n\n{signature_lines(signatures, screen)}"

    def as_markdown(self) -> str:
        """Return a pipe table."""
        return f"{self._summary}\n\n{markdown.render(self._grid())}"

    def as_latex(self) -> str:
        """Return a table whose caption names the signatures."""
        signatures = "; ".join(
            f"{latex.escape(metric.name)}: {latex.code(metric.signature)}"
            for metric, _ in self.metrics
        )
        return latex.render(self._grid(), f"{self._summary}. Signatures: {signatures}.")

    def as_tsv(self) -> str:
        """Return one row per metric, with all digits."""
        rows = [
            [Cell(metric.key), *(Cell(repr(value)) for value in _values(found).values())]
            for metric, found in self.metrics
        ]
        titles = ("metric", "oracle", "first", "average", "worst")
        return tsv.render(Grid([*map(Column, titles)], [rows]))

    def as_json(self) -> str:
        """Return the document that programs read."""
        scores = [
            metric.fields()
            | {name: document.number(value) for name, value in _values(found).items()}
            for metric, found in self.metrics
        ]
        return document.render(
            _COMMAND,
            {
                "test_set": document.Extent(self.sentences, self.references).fields,
                "sentences": self.sentences,
                "candidates": self.candidates,
                "references": self.references,
                "scores": scores,
            },
        )


def _values(found: Extremes) -> dict[str, float]:
    return {
        "oracle": found.oracle,
        "first": found.first,
        "average": found.average,
        "worst": found.lowest,
    }


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """All that `weigh rerank --train` says."""

    metric: MetricShown
    training: Training
    sentences: int
    references: int
    candidates: int
    features: int
    dropped: int
    folds: int
    seed: int
    gold: str
    gold_score: float

    @property
    def conclusion(self) -> str:
        """What the model is worth, in one sentence, with what to do where it is worth nothing."""
        training = self.training
        if training.trial is None or training.p_value is None:
            if self._gain(training.score) < 0:
                return (
                    "The model chooses worse than taking the first candidates, even in the "
                    f"sentences trained on ({self._difference(training.score)}); {_REMEDY}."
                )
            return (
                "Not known: whether the model chooses better than taking the first candidates, "
                "since one --gamma is not cross-validated; give several, or none."
            )
        evidence = (
            f"({self._difference(training.trial.score)} on sentences left out of the training, "
            f"p = {probability(training.p_value)})"
        )
        significant = training.p_value <= _ALPHA
        if self._gain(training.trial.score) > 0:
            how = "The model chooses" if significant else "No evidence that the model chooses"
            return f"{how} better than taking the first candidates {evidence}."
        how = "chooses worse" if significant else "does not choose better"
        return f"The model {how} than taking the first candidates {evidence}; {_REMEDY}."

    @property
    def warnings(self) -> list[str]:
        """The conclusion, where it is that the model does not even seem to gain anything."""
        return [self.conclusion] if self.conclusion.endswith(f"{_REMEDY}.") else []

    def _gain(self, score: float) -> float:
        """Return by how much a score is better than that of the first candidates."""
        difference = score - self.training.first_score
        return difference if self.metric.higher_is_better else -difference

    def _difference(self, score: float) -> str:
        difference = fixed(score - self.training.first_score, self.metric.decimals, sign=True)
        return f"{self.metric.name} {difference}"

    def _headline(self) -> str:
        return f"{'WARNING: ' if self.warnings else ''}{self.conclusion}"

    def _summary(self) -> str:
        """Return in words what was trained and what it is worth."""
        training, metric = self.training, self.metric
        used = sum(weight != 0 for weight in training.weights.values())
        chosen = "together" if self.gold == "corpus" else "chosen sentence by sentence"
        lines = [
            f"{plural(self.sentences, 'sentence')}, {plural(self.candidates, 'candidate')}, "
            f"{plural(self.features, 'feature')} "
            f"(dropped, since they vary in too few sentences: {self.dropped:,})",
            f"γ = {training.fit.gamma:.6g}: {plural(used, 'feature')} selected in "
            f"{plural(len(training.fit.active), 'round')}, relative gap {training.fit.gap:.1e}",
            f"{metric.name} of the gold candidates, {chosen}: {self._shown(self.gold_score)}",
            f"{metric.name} of the first candidates: {self._shown(training.first_score)}",
        ]
        if training.trial is not None and training.p_value is not None:
            difference = training.trial.score - training.first_score
            lines.append(
                f"{metric.name} on sentences left out of the training, {self.folds} folds: "
                f"{self._shown(training.trial.score)} "
                f"({fixed(difference, metric.decimals, sign=True)}, "
                f"p = {probability(training.p_value)} by approximate randomization)"
            )
        lines.append(
            f"{metric.name} on the sentences trained on: {self._shown(training.score)}, "
            "which says little of others"
        )
        if training.length is not None and training.shift:
            lines.append(
                f"Weight of {training.length} changed by {training.shift:+.4g} in a line search: "
                f"without it {metric.name} {self._shown(training.fit_score)} on the sentences "
                "trained on"
            )
        return "\n".join(lines)

    def _shown(self, score: float) -> str:
        return fixed(score, self.metric.decimals)

    def _grid(self) -> Grid:
        rows = [
            [
                Cell(f"{trial.gamma:.6g}"),
                Cell(self._shown(trial.score)),
                Cell(fixed(trial.loss, 4), best=trial is self.training.trial),
                Cell(f"{trial.features:.1f}"),
            ]
            for trial in self.training.trials
        ]
        return Grid(
            [
                Column("γ", kind="number"),
                Column(self.metric.name, "higher" if self.metric.higher_is_better else "lower"),
                Column("Loss", "lower"),
                Column("Features", kind="number"),
            ],
            [rows],
        )

    def as_table(self, screen: table.Screen = table.PLAIN) -> str:
        """Return the path and what came of it."""
        parts = [table.render(self._grid(), screen)] if self.training.trials else []
        signature = signature_lines([(self.metric.name, self.metric.signature)], screen)
        return "\n\n".join([self._headline(), *parts, self._summary(), signature])

    def as_markdown(self) -> str:
        """Return the path and what came of it."""
        parts = [markdown.render(self._grid())] if self.training.trials else []
        lines = [f"- {markdown.escape(line)}" for line in self._summary().split("\n")]
        headline = f"**{markdown.escape(self._headline())}**"
        return "\n\n".join([headline, *parts, "\n".join(lines)])

    def as_latex(self) -> str:
        """Return the path as a table."""
        caption = self._summary().replace("\n", ". ")
        return latex.render(self._grid(), f"{self._headline()} {caption}.")

    def as_tsv(self) -> str:
        """Return the weights, one row for each."""
        rows = [[Cell(name), Cell(repr(value))] for name, value in self.training.weights.items()]
        return tsv.render(Grid([Column("feature"), Column("weight")], [rows]))

    def as_json(self) -> str:
        """Return the document that programs read."""
        training = self.training
        held_out = None if training.trial is None else document.number(training.trial.score)
        return document.render(
            _COMMAND,
            {
                "test_set": document.Extent(self.sentences, self.references).fields,
                **self.metric.fields(),
                "conclusion": self.conclusion,
                "warnings": self.warnings,
                "sentences": self.sentences,
                "candidates": self.candidates,
                "features": self.features,
                "dropped": self.dropped,
                "seed": self.seed,
                "folds": None if training.trial is None else self.folds,
                "path": [
                    {
                        "gamma": trial.gamma,
                        "score": document.number(trial.score),
                        "loss": document.number(trial.loss),
                        "features": trial.features,
                    }
                    for trial in training.trials
                ],
                "gamma": training.fit.gamma,
                "active": list(training.fit.active),
                "objective": training.fit.objective,
                "gap": training.fit.gap,
                "gold": self.gold,
                "gold_score": document.number(self.gold_score),
                "first_score": document.number(training.first_score),
                "held_out_score": held_out,
                "p_value": training.p_value,
                "score": document.number(training.score),
                "fit_score": document.number(training.fit_score),
                "length": training.length,
                "shift": training.shift,
                "weights": dict(training.weights),
            },
        )


def as_table(report: OracleReport | TrainingReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return report.as_table(screen)


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[OracleReport | TrainingReport], str]] = {
    "json": lambda report: report.as_json(),
    "tsv": lambda report: report.as_tsv(),
    "markdown": lambda report: report.as_markdown(),
    "latex": lambda report: report.as_latex(),
}
