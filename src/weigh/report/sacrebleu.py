"""Scores and tests in the layouts of sacreBLEU 2.6 (Post 2018), for scripts that parse them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from weigh.comparing.sacrebleu import Entry, Scores
from weigh.metrics.bleu import Bleu
from weigh.report.grid import align_right, visible, width
from weigh.report.latex import escape

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset
    from weigh.types import Metric

# Keys of signatures with their short forms. The first ones come before the keys of metrics.
_FIRST = {"nrefs": "#", "bs": "bs", "ar": "ar", "seed": "rs"}
_SHORT = _FIRST | {
    **{"case": "c", "eff": "e", "smooth": "s", "space": "s", "version": "v"},
    **{"norm": "nr", "punct": "pn", "asian": "as"},
}
_ALPHA = 0.05
# Corners and crossings of a grid: left, between columns, right.
_TOP, _BELOW_HEAD, _BETWEEN, _BOTTOM = "╒╤╕", "╞╪╡", "├┼┤", "╘╧╛"


@dataclass(frozen=True, slots=True)
class Layout:
    """How to print: as `json`, `text` or `latex`, with this many decimals."""

    form: str = "json"
    decimals: int = 1
    short: bool = False  # signatures
    score_only: bool = False


def show_scores(dataset: Dataset, scores: Scores, layout: Layout) -> str:
    """Format the scores of one system, or a table of several systems."""
    if len(scores.names) > 1:
        return _several_systems(dataset, scores, layout)
    as_json = layout.form == "json"
    added = {} if scores.resampling is None else scores.resampling.signature
    blocks: list[Mapping[str, object] | str] = []
    for sample in dataset.samples:
        metric = sample.metric
        [entry] = scores.entries[metric.name]
        short = layout.short and not as_json
        signature = full_signature(metric.signature(dataset.references), added, short=short)
        verbose = _verbose(metric, sample.rows[0][0].sum(axis=0))
        if as_json and not layout.score_only:
            blocks.append(_one_system_json(metric.name, signature, entry, verbose, layout.decimals))
        else:
            blocks.append(_one_system(metric.name, signature, entry, verbose, layout))
    if as_json:
        return _in_list(blocks)
    lines = [str(block) for block in blocks]
    return "\n".join(lines if layout.score_only else _align_equals(lines))


def show_segments(dataset: Dataset, layout: Layout) -> str:
    """Format the segment scores of one system by one metric."""
    [sample] = dataset.samples
    metric, [[rows]] = sample.metric, sample.rows
    signature = full_signature(metric.signature(dataset.references), {}, short=layout.short)
    return "\n".join(
        _one_system(metric.name, signature, Entry(score), _verbose(metric, row), layout)
        for score, row in zip(metric.segment_scores(rows).tolist(), rows, strict=True)
    )


def _several_systems(dataset: Dataset, scores: Scores, layout: Layout) -> str:
    tested = scores.resampling
    if layout.form == "json":
        return _systems_json(scores, layout.decimals)
    added = {} if tested is None else tested.signature
    signatures = {
        metric.name: full_signature(metric.signature(dataset.references), added, short=layout.short)
        for metric in dataset.metrics
    }
    return _systems_table(scores, signatures, layout.decimals, latex=layout.form == "latex")


def _verbose(metric: Metric, sums: Any) -> str:
    """Precisions and lengths, as sacreBLEU prints them after BLEU."""
    if not isinstance(metric, Bleu):
        return ""
    details = metric.details(sums)
    precisions = "/".join(f"{precision:.1f}" for precision in metric.smoothed_precisions(sums))
    ratio = details["length_ratio"] if details["reference_length"] else 0.0
    return (
        f"{precisions} (BP = {details['brevity_penalty']:.3f} ratio = {ratio:.3f} "
        f"hyp_len = {details['hypothesis_length']:.0f} ref_len = {details['reference_length']:.0f})"
    )


def full_signature(signature: str, added: Mapping[str, int], *, short: bool = False) -> str:
    """A metric's signature with the keys of its test, in sacreBLEU's order.

    >>> full_signature("nrefs:1|case:mixed|beta:3|version:x", {"ar": 100, "seed": 1}, short=True)
    '#:1|ar:100|rs:1|c:mixed|v:x'
    """
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    parts.pop("beta", None)  # part of the metric's name in sacreBLEU
    values = parts | {key: str(value) for key, value in added.items()}
    ordered = {key: values[key] for key in _FIRST if key in values} | parts
    shorter = _SHORT | ({"tok": "t"} if "norm" in parts else {})
    names = {key: shorter.get(key, key) if short else key for key in ordered}
    return "|".join(f"{names[key]}:{value}" for key, value in ordered.items())


# One system.


def _one_system(metric: str, signature: str, entry: Entry, verbose: str, layout: Layout) -> str:
    """A line `BLEU|signature = score`, or the score alone."""
    score = f"{entry.score:.{layout.decimals}f}"
    if entry.mean is not None:
        score += f" ({_confidence(entry, layout.decimals)})"
    return score if layout.score_only else f"{metric}|{signature} = {score} {verbose}".rstrip()


def _one_system_json(
    metric: str, signature: str, entry: Entry, verbose: str, decimals: int
) -> dict[str, object]:
    """The JSON object of one metric, which also contains every part of the signature as a key."""
    values: dict[str, object] = {
        "name": metric,
        "score": float(f"{entry.score:.{decimals}f}"),
        "signature": signature,
    }
    if entry.mean is not None:
        values["confidence_mean"] = float(f"{entry.mean:.{decimals}f}")
        values["confidence_var"] = float(f"{entry.ci:.{decimals}f}")
        values["confidence"] = _confidence(entry, decimals)
    if verbose:
        values["verbose_score"] = verbose
    return values | dict(part.split(":", 1) for part in signature.split("|"))


def _confidence(entry: Entry, decimals: int) -> str:
    return f"μ = {entry.mean:.{decimals}f} ± {entry.ci:.{decimals}f}"


def _in_list(documents: Sequence[Mapping[str, object] | str]) -> str:
    """A single document unchanged, or a list of several."""
    texts = [
        document
        if isinstance(document, str)
        else json.dumps(document, indent=1, ensure_ascii=False)
        for document in documents
    ]
    return texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def _align_equals(lines: Sequence[str]) -> list[str]:
    """Align the equals signs of lines."""
    ends = [line.find(" =") for line in lines]
    return [" " * (max(ends) - end) + line for end, line in zip(ends, lines, strict=True)]


# Several systems.


def _systems_json(scores: Scores, decimals: int) -> str:
    """The JSON document of several systems: numbers if they are tested, otherwise texts."""
    return json.dumps(
        [
            {"system": name}
            | {
                metric: f"{entries[at].score:.{decimals}f}"
                if scores.resampling is None
                else asdict(entries[at])
                for metric, entries in scores.entries.items()
            }
            for at, name in enumerate(scores.names)
        ],
        indent=4,
    )


def _systems_table(
    scores: Scores, signatures: Mapping[str, str], decimals: int, *, latex: bool
) -> str:
    """A table of several systems, as text or LaTeX, with a note on the test and the signatures."""
    columns = [["System", *map(visible, scores.names)]]
    for metric, entries in scores.entries.items():
        title = metric if entries[0].mean is None else f"{metric} (μ ± 95% CI)"
        cells = [_cell(entry, decimals, " " if latex else "\n") for entry in entries]
        columns.append([title, *cells])
    rows = list(zip(*columns, strict=True))
    lines = [f" - {metric:<10} {signature}" for metric, signature in signatures.items()]
    under = [_underline("Metric signatures"), *lines]
    table = _booktabs(rows) if latex else _grid(rows)
    return "\n".join([table, "", *_note_on_test(scores), *under])


def _note_on_test(scores: Scores) -> list[str]:
    """The lines below a table with p-values."""
    test = scores.resampling
    if test is None:
        return []
    name = "approximate randomization" if test.kind == "ar" else "bootstrap resampling"
    return [
        _underline(f"Paired {name} test with {test.trials} trials"),
        f" - p-values are two-sided and compare each system with {visible(scores.names[0])}.",
        f" - An asterisk marks p ≤ {_ALPHA}; p-values are not adjusted for the number of systems.",
        "",
    ]


def _underline(title: str) -> str:
    rule = "-" * len(title)
    return f"{rule}\n{title}\n{rule}"


def _cell(entry: Entry, decimals: int, between: str) -> str:
    text = f"{entry.score:.{decimals}f}"
    if entry.mean is not None:
        text += f" ({entry.mean:.{decimals}f} ± {entry.ci:.{decimals}f})"
    if entry.p_value is None:
        return text
    return f"{text}{between}(p = {entry.p_value:.4f}){'*' if entry.p_value <= _ALPHA else ''}"


def _align_cells(rows: Sequence[Sequence[str]]) -> tuple[list[int], list[list[list[str]]]]:
    """The widths of columns and, by row and column, the padded lines of cells."""
    split = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        max(width(column[0][0]) + 2, *(width(line) for cell in column for line in cell))
        for column in zip(*split, strict=True)
    ]
    padded = []
    for row in split:
        tallest = max(map(len, row))
        cells = [cell + [""] * (tallest - len(cell)) for cell in row]
        padded.append(
            [
                [(align_right if at == 0 else _centre)(line, widths[at]) for line in cell]
                for at, cell in enumerate(cells)
            ]
        )
    return widths, padded


def _centre(text: str, cells: int) -> str:
    return align_right(text + " " * ceil((cells - width(text)) / 2), cells)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """Format rows as a grid, with the first row as the head."""
    widths, padded = _align_cells(rows)

    def rule(ends: str, line: str) -> str:
        return ends[0] + ends[1].join(line * (wide + 2) for wide in widths) + ends[2]

    lines = [rule(_TOP, "═")]
    for at, row in enumerate(padded):
        if at:
            lines.append(rule(_BELOW_HEAD, "═") if at == 1 else rule(_BETWEEN, "─"))
        lines += (f"│ {' │ '.join(cells)} │" for cells in zip(*row, strict=True))
    return "\n".join([*lines, rule(_BOTTOM, "═")])


def _booktabs(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [f"{' & '.join(map(escape, row))} \\\\" for row in rows]
    columns = "r" + "c" * (len(rows[0]) - 1)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
        ]
    )
