"""The views of `weigh rypt infer` and `weigh rypt diversity`."""

from __future__ import annotations

from collections.abc import Callable

from weigh import __version__
from weigh.report.grid import Column, table
from weigh.report.parts import Note, Part, summary
from weigh.report.phrases import sentences
from weigh.report.rypt_labels import BY, RYPT
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.rypt.labels import Label
from weigh.wording import fixed, listed, percent, percentage, plural
from weigh_lab.rypt.diversity import DiversityResult
from weigh_lab.rypt.hidden_labels import HeldOut, PredictionFit
from weigh_lab.rypt.inferred import InferResult
from weigh_lab.rypt.soft_percolation import LENGTH_NAMES


@view_of(InferResult)
def infer(result: InferResult) -> View:
    """Show expected scores, what was learned, and how well hidden labels are predicted."""
    held = result.held_out
    parts = {"labels": result.labels, "parses": result.parses}
    if held is not None:
        parts = {"seed": str(held.seed), **parts}
    expected = [
        f"{system.system} {fixed(system.expected, 2)} ± {fixed(system.deviation, 2)}"
        for system in result.systems
    ]
    findings = [f"Expected RYPT: {listed(expected)}."]
    if held is not None:
        findings.append(
            f"{held.best.method} predicts hidden labels best: "
            f"{percentage(held.best.accuracy)} right, Brier score "
            f"{fixed(held.best.brier, 4)}."
        )
    return View(
        title=f"Expected RYPT of {listed([system.system for system in result.systems])}",
        subtitle=f"{plural(result.sentences, 'parsed sentence')}, "
        f"{plural(result.all_answers, 'answer')} on nodes of outputs",
        parts=[
            *summary(findings, result.warnings),
            _expected_part(result),
            _lengths_learned_part(result),
            *([_held_out_part(held)] if held is not None else []),
            Note(sentences(result.warnings), "Remarks", caution=True),
        ],
        methods="The probability that each constituent is translated acceptably was inferred from "
        "all answers: below an acceptable constituent its parts are acceptable with a "
        "probability learned by expectation maximisation, as was the probability of an "
        f"error (Pearl 1988; Dempster et al. 1977; weigh {__version__}).",
        signatures=[("infer", signature(parts))],
        records=encode(result.systems),
        used=Used(works=["RYPT", "inference of labels"]),
    )


def _expected_part(result: InferResult) -> Part:
    return table(
        result.systems,
        [
            Column("System", "system"),
            Column("Expected", "expected", "score", better="higher", marks_best=True),
            Column("±", "deviation", "score", attached=True),
            *(
                Column(name.capitalize(), name, "score", better="higher")
                for name in ("strict", "half", "labelled")
            ),
            Column("Labelled %", "direct", "score", decimals=1),
            Column("Decided %", "coverage", "score", decimals=1),
            Column("Nodes", "nodes", "count"),
        ],
        title="Expected RYPT",
        notes=[
            f"Means over all nodes of {plural(result.sentences, 'parsed sentence')}. ±: the "
            "standard deviation that remains given the labels, if the model is right. Strict, "
            "half and labelled: the hard rules, counting undecided nodes as NO, as half a YES, "
            "and not at all."
        ],
        paper=True,
    )


def _lengths_learned_part(result: InferResult) -> Part:
    roots = result.parameters.root.tolist()
    return table(
        zip(LENGTH_NAMES, result.nodes, result.answers, result.below, roots, strict=True),
        [
            Column("Words"),
            Column("Nodes", kind="count"),
            Column("Answers", kind="count"),
            Column("Acceptable below NO", lambda row: row[3][0], "score", decimals=3),
            Column("Acceptable below YES", lambda row: row[3][1], "score", decimals=3),
            Column("Whole sentence", lambda row: row[4], "score", decimals=3),
        ],
        title="Learned probabilities",
        notes=[_label_sentence(result)],
        paper=True,
    )


def _label_sentence(result: InferResult) -> str:
    shares = [
        ", ".join(
            f"{percent(round(chance, 3))} {label.value}"
            for chance, label in zip(chances, Label, strict=True)
        )
        for chances in result.parameters.label.tolist()
    ]
    text = f"Answers for acceptable nodes: {shares[1]}; for unacceptable ones: {shares[0]}."
    if result.parameters.symmetric:
        text += " Errors are assumed to be symmetric, because no node was judged more than once."
    return text


def _held_out_part(held: HeldOut) -> Part:
    def unless_inference(name: str) -> Callable[[PredictionFit], object]:
        return lambda fit: "" if fit.method == "inference" else getattr(fit, name)

    return table(
        held.methods,
        [
            Column("Method", "method"),
            Column("Right", "accuracy", "percent", better="higher", decimals=1),
            Column("Brier", "brier", "score", better="lower", decimals=4, marks_best=True),
            Column("Above inference", unless_inference("excess"), "difference", decimals=4),
            Column("±", unless_inference("error"), "score", decimals=4, attached=True),
            Column("Log loss", "log_loss", "score", better="lower", decimals=3),
        ],
        title="Prediction of hidden labels",
        notes=[
            f"{percent(held.share)} of {plural(held.labels, 'label')} were hidden, "
            f"{plural(held.draws, 'time')}: {plural(held.hidden, 'node')} of outputs, of which "
            f"the hard rules decide {percent(round(held.decided, 3))}. ±: the standard error, "
            "by sentence. Log loss: probabilities are capped at .99."
        ],
        paper=True,
    )


@view_of(DiversityResult)
def diversity(result: DiversityResult) -> View:
    """Show how far labels can be used again over iterations."""
    parts: dict[str, object] = {"max_length": result.max_length, "parses": result.parses}
    if result.labels is not None:
        parts["labels"] = result.labels
    if result.aggregate is not None:
        parts["aggregate"] = result.aggregate
    last = result.iterations[-1]
    return View(
        title=f"What {plural(len(result.iterations), 'iteration')} of tuning would ask people",
        subtitle=f"{plural(result.sentences, 'parsed sentence')} with candidates, source spans of "
        f"up to {plural(result.max_length, 'word')}",
        parts=[
            *summary(
                [
                    "Seen before, so that their labels can be reused: "
                    f"{percentage(last.reusable)} of {plural(last.entries, 'substring')} of the "
                    f"last list, {last.list}."
                ],
                result.warnings,
            ),
            _iterations_part(result),
            _lengths_part(result),
            Note(sentences(result.warnings), "Remarks", caution=True),
        ],
        methods="Each pair of a source span and its translation in candidates is labelled once; "
        f"later iterations of tuning reuse the label {BY}",
        signatures=[("diversity", signature(parts))],
        records=encode(result.iterations),
        used=RYPT,
    )


def _iterations_part(result: DiversityResult) -> Part:
    return table(
        result.iterations,
        [
            Column("Iteration", lambda row: f"{row.number} {row.list}"),
            Column("Candidates", "candidates", "count"),
            Column("New", "new", "count"),
            Column("Repeated", "repeated", "count"),
            Column("Substrings", "entries", "count"),
            Column("Seen before", "known", "count"),
            Column("Share", "reusable", "percent", decimals=1),
            Column("Per node", "alternatives", "score"),
        ],
        title="Iterations",
        notes=[
            f"{plural(result.sentences, 'parsed sentence')} with candidates. Substrings: "
            "distinct translations of frontier nodes (of at most "
            f"{plural(result.max_length, 'word')}) in the candidates of an iteration. Seen "
            "before: in earlier iterations, so that their labels can be reused. Per node: "
            "distinct substrings so far, per node that has any."
        ],
        paper=True,
    )


def _lengths_part(result: DiversityResult) -> Part:
    columns = [
        Column("Most words", lambda row: str(row.max_length)),
        Column("Nodes", "nodes", "count"),
        Column("Per sentence", "per_sentence", "score"),
        Column("Substrings", "entries", "count"),
        Column("Per node", "per_node", "score"),
    ]
    if result.labels is not None:
        columns += [
            Column("Labelled", "labelled", "count"),
            Column("YES", "yes_share", "percent", decimals=1),
        ]
    return table(
        result.lengths,
        columns,
        title="Maximum length of spans",
        notes=[
            "Frontiers by maximum number of words per node, with the substrings of all iterations."
        ],
        paper=True,
    )
