"""Scores and tests in the layouts of sacreBLEU 2.6 (Post 2018), for scripts that read those."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil

from weigh.report.grid import right, visible, width
from weigh.report.latex import escape

# The keys of signatures in its order, each with its short form; those of metrics come between.
_FIRST = {"nrefs": "#", "bs": "bs", "ar": "ar", "seed": "rs"}
_SHORT = _FIRST | {
    **{"case": "c", "eff": "e", "smooth": "s", "space": "s", "version": "v"},
    **{"norm": "nr", "punct": "pn", "asian": "as"},
}
_ALPHA = 0.05
# Corners and crossings of a grid: left, between columns, right.
_TOP, _BELOW_HEAD, _BETWEEN, _BOTTOM = "╒╤╕", "╞╪╡", "├┼┤", "╘╧╛"


@dataclass(frozen=True, slots=True)
class Entry:
    """One system's score by one metric; fields and their order are those of the JSON document.

    `mean` and `ci` are the mean of bootstrap scores and half the width of their interval.
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None


def signed(signature: str, added: Mapping[str, int], *, short: bool = False) -> str:
    """A metric's signature with what is known of its test, in sacreBLEU's order.

    >>> signed("nrefs:1|case:mixed|beta:3|version:x", {"ar": 100, "seed": 1}, short=True)
    '#:1|ar:100|rs:1|c:mixed|v:x'
    """
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    parts.pop("beta", None)  # which the name of chrF tells, and nothing else there
    values = parts | {key: str(value) for key, value in added.items()}
    ordered = {key: values[key] for key in _FIRST if key in values} | parts
    shorter = _SHORT | ({"tok": "t"} if "norm" in parts else {})
    names = {key: shorter.get(key, key) if short else key for key in ordered}
    return "|".join(f"{names[key]}:{value}" for key, value in ordered.items())


# One system.


def one_system(
    metric: str, signature: str, entry: Entry, verbose: str, decimals: int, *, score_only: bool
) -> str:
    """A line on one metric, `BLEU|signature = score`, or the score alone."""
    score = f"{entry.score:.{decimals}f}"
    if entry.mean is not None:
        score += f" ({_confidence(entry, decimals)})"
    return score if score_only else f"{metric}|{signature} = {score} {verbose}".rstrip()


def one_system_json(
    metric: str, signature: str, entry: Entry, verbose: str, decimals: int
) -> dict[str, object]:
    """The document on one metric, which has every part of the signature as a key too."""
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


def in_list(documents: Sequence[Mapping[str, object] | str]) -> str:
    """One document as it is, and several as a list of them."""
    texts = [
        document
        if isinstance(document, str)
        else json.dumps(document, indent=1, ensure_ascii=False)
        for document in documents
    ]
    return texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def under_each_other(lines: Sequence[str]) -> str:
    """Lines with their equals signs in one column."""
    ends = [line.find(" =") for line in lines]
    return "\n".join(" " * (max(ends) - end) + line for end, line in zip(ends, lines, strict=True))


# Several systems.

Entries = Mapping[str, Sequence[Entry]]
"""By the name of a metric, one entry for every system."""


def systems_json(names: Sequence[str], entries: Entries, decimals: int, *, paired: bool) -> str:
    """The document on several systems: all digits where they are tested, else texts."""
    return json.dumps(
        [
            {"system": name}
            | {
                metric: asdict(scores[at]) if paired else f"{scores[at].score:.{decimals}f}"
                for metric, scores in entries.items()
            }
            for at, name in enumerate(names)
        ],
        indent=4,
    )


def systems_table(
    names: Sequence[str],
    entries: Entries,
    decimals: int,
    signatures: Mapping[str, str],
    note: Sequence[str],
    *,
    latex: bool,
) -> str:
    """A table of several systems, as text or as LaTeX, a note and the signatures."""
    columns = [["System", *map(visible, names)]]
    for metric, scores in entries.items():
        title = metric if scores[0].mean is None else f"{metric} (μ ± 95% CI)"
        cells = [_cell(entry, decimals, " " if latex else "\n") for entry in scores]
        columns.append([title, *cells])
    rows = list(zip(*columns, strict=True))
    signed = [f" - {metric:<10} {signature}" for metric, signature in signatures.items()]
    under = [_underlined("Metric signatures"), *signed]
    return "\n".join([_booktabs(rows) if latex else _grid(rows), "", *note, *under])


def note_on_test(test: str, trials: int, baseline: str) -> list[str]:
    """The lines under a table with p-values."""
    what = f"Paired {test} test with {trials} trials"
    return [
        _underlined(what),
        f" - p is two-sided and for the difference of each system from {visible(baseline)}.",
        f" - An asterisk marks p ≤ {_ALPHA}; p-values are not adjusted for the number of systems.",
        "",
    ]


def _underlined(title: str) -> str:
    rule = "-" * len(title)
    return f"{rule}\n{title}\n{rule}"


def _cell(entry: Entry, decimals: int, between: str) -> str:
    text = f"{entry.score:.{decimals}f}"
    if entry.mean is not None:
        text += f" ({entry.mean:.{decimals}f} ± {entry.ci:.{decimals}f})"
    if entry.p_value is None:
        return text
    return f"{text}{between}(p = {entry.p_value:.4f}){'*' * (entry.p_value <= _ALPHA)}"


def _aligned(rows: Sequence[Sequence[str]]) -> tuple[list[int], list[list[list[str]]]]:
    """The widths of columns and, by row and column, lines that are padded to them."""
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
                [(right if at == 0 else _centred)(line, widths[at]) for line in cell]
                for at, cell in enumerate(cells)
            ]
        )
    return widths, padded


def _centred(text: str, cells: int) -> str:
    return right(text + " " * ceil((cells - width(text)) / 2), cells)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """Rows in a grid, the first of them as the head."""
    widths, padded = _aligned(rows)

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
