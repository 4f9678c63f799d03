"""What is shown of labels that are inferred or used again: `weigh rypt infer`, `diversity`."""

from __future__ import annotations

from weigh import __version__
from weigh.report.grid import Cell, Column, Grid
from weigh.report.parts import Part, summary
from weigh.report.rypt_labels import BY, RYPT, number_grid, remarks_part
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.rypt.labels import Label
from weigh.wording import fixed, listed, percent, plural
from weigh_lab.rypt.diversity import DiversityResult
from weigh_lab.rypt.hidden_labels import HeldOut
from weigh_lab.rypt.inferred import InferResult
from weigh_lab.rypt.soft_percolation import LENGTH_NAMES


@view_of(InferResult)
def inferred(result: InferResult) -> View:
    """Show expected scores, what was learned, and how well hidden labels are told."""
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
        best = min(held.methods, key=lambda fit: fit.brier)
        findings.append(
            f"Hidden labels are told best by {best.method}: {fixed(100 * best.accuracy, 1)}% "
            f"right, Brier score {fixed(best.brier, 4)}."
        )
    return View(
        title=f"Expected RYPT of {listed([system.system for system in result.systems])}",
        subtitle=f"{plural(result.sentences, 'parsed sentence')}, "
        f"{plural(sum(result.answers), 'answer')} on nodes of outputs",
        parts=[
            *summary(findings, result.warnings),
            _expected_grid(result).titled(
                "Expected RYPT",
                [
                    f"Means over all nodes of {plural(result.sentences, 'parsed sentence')}. ±: "
                    "the standard deviation of what the labels leave open, if the model is right. "
                    "Strict, half and labelled: the hard rules, with open nodes as NO, as half a "
                    "YES, and left out."
                ],
                paper=True,
            ),
            _length_grid(result).titled("What was learned", [_label_sentence(result)], paper=True),
            *([_held_out_part(held)] if held is not None else []),
            *remarks_part(result.warnings),
        ],
        methods="The chance that each constituent is translated acceptably was inferred from all "
        "answers of people: below an acceptable constituent its parts are acceptable with a chance "
        "that was learned by expectation maximisation, as was the chance of an error (Pearl 1988; "
        f"Dempster et al. 1977; weigh {__version__}).",
        signatures=[("infer", signature(parts))],
        records=encode(result.systems),
        used=Used(works=["RYPT", "inference of labels"]),
    )


def _expected_grid(result: InferResult) -> Grid:
    columns = [Column("System"), Column("Expected", kind="number", better="higher")]
    columns.append(Column("±", kind="number", attached=True))
    columns += [
        Column(title, kind="number", better="higher") for title in ("Strict", "Half", "Labelled")
    ]
    columns += [Column(title, kind="number") for title in ("Labelled %", "Decided %", "Nodes")]
    best = max(system.expected for system in result.systems)
    rows = [
        [
            system.system,
            Cell(fixed(system.expected, 2), best=system.expected == best),
            fixed(system.deviation, 2),
            *(fixed(score, 2) for score in (system.strict, system.half, system.labelled)),
            *(fixed(share, 1) for share in (system.direct, system.coverage)),
            f"{system.nodes:,}",
        ]
        for system in result.systems
    ]
    return Grid(columns, [rows])


def _length_grid(result: InferResult) -> Grid:
    titles = ("Nodes", "Answers", "Acceptable below NO", "Acceptable below YES", "As a sentence")
    rows = [
        (length, nodes, answers, fixed(no, 3), fixed(yes, 3), fixed(root, 3))
        for length, nodes, answers, (no, yes), root in zip(
            LENGTH_NAMES,
            result.nodes,
            result.answers,
            result.below,
            result.parameters.root.tolist(),
            strict=True,
        )
    ]
    return number_grid("Words", titles, rows)


def _label_sentence(result: InferResult) -> str:
    shares = [
        ", ".join(
            f"{percent(round(chance, 3))} {label.value}"
            for chance, label in zip(chances, Label, strict=True)
        )
        for chances in result.parameters.label.tolist()
    ]
    said = f"Answers on what is acceptable: {shares[1]}; on what is not: {shares[0]}."
    if result.parameters.symmetric:
        said += " Errors were taken to be symmetric, since no node was judged more than once."
    return said


def _held_out_part(held: HeldOut) -> Part:
    columns = [
        Column("Method"),
        Column("Right %", kind="number", better="higher"),
        Column("Brier", kind="number", better="lower"),
        Column("Above inference", kind="number"),
        Column("±", kind="number", attached=True),
        Column("Log loss", kind="number", better="lower"),
    ]
    lowest = min(fit.brier for fit in held.methods)
    rows = [
        [
            fit.method,
            fixed(100 * fit.accuracy, 1),
            Cell(fixed(fit.brier, 4), best=fit.brier == lowest),
            *(
                ["", ""]
                if fit.method == "inference"
                else [fixed(fit.excess, 4, sign=True), fixed(fit.error, 4)]
            ),
            fixed(fit.log_loss, 3),
        ]
        for fit in held.methods
    ]
    return Grid(columns, [rows]).titled(
        "Hidden labels, told from the others",
        [
            f"Of {plural(held.labels, 'label')}, {percent(held.share)} were hidden, "
            f"{plural(held.draws, 'time')}: {plural(held.hidden, 'node')} of outputs, of which the "
            f"hard rules decide {percent(round(held.decided, 3))}. ±: the standard error, by "
            "sentence. Log loss: no chance counts as more than .99."
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
                    f"Of {plural(last.entries, 'substring')} of the last list, {last.list}, "
                    f"{fixed(100 * last.reusable, 1)}% were seen before, so that their labels "
                    "can be used again."
                ],
                result.warnings,
            ),
            _iterations_part(result),
            _lengths_part(result),
            *remarks_part(result.warnings),
        ],
        methods="A label is asked for once for each source span and what candidates say for it, "
        f"and is used again in later iterations of tuning {BY}",
        signatures=[("diversity", signature(parts))],
        records=encode(result.iterations),
        used=RYPT,
    )


def _iterations_part(result: DiversityResult) -> Part:
    titles = ("Candidates", "New", "Repeated", "Substrings", "Seen before", "%", "Per node")
    rows = [
        (
            f"{iteration.number} {iteration.list}",
            iteration.candidates,
            iteration.new,
            iteration.candidates - iteration.new,
            iteration.entries,
            iteration.known,
            fixed(100 * iteration.reusable, 1),
            fixed(iteration.alternatives, 2),
        )
        for iteration in result.iterations
    ]
    return number_grid("Iteration", titles, rows).titled(
        "Iterations",
        [
            f"{plural(result.sentences, 'parsed sentence')} with candidates. Substrings: distinct "
            "ones of the candidates of an iteration for the nodes of the frontiers, of at most "
            f"{plural(result.max_length, 'word')}. Seen before: in earlier iterations, so that "
            "their labels can be used again. Per node: distinct ones so far, for each node with "
            "any."
        ],
        paper=True,
    )


def _lengths_part(result: DiversityResult) -> Part:
    titles = ["Nodes", "Per sentence", "Substrings", "Per node"]
    if result.labels is not None:
        titles += ["Labelled", "YES %"]
    rows = []
    for length in result.lengths:
        row: list[int | str] = [
            str(length.max_length),
            length.nodes,
            fixed(length.per_sentence, 2),
            length.entries,
            fixed(length.per_node, 2),
        ]
        if result.labels is not None:
            row += [length.yes + length.no, fixed(100 * length.yes_share, 1)]
        rows.append(row)
    return number_grid("Most words", titles, rows).titled(
        "The longest spans to ask about",
        ["Frontiers by the most words of a node, with the substrings of all iterations."],
        paper=True,
    )
