"""Compared systems as LaTeX tables: scores with those that they beat in superscripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

from weigh.report import latex
from weigh.report.grid import Column, in_clusters
from weigh.report.methods import procedure
from weigh.report.number import intervals
from weigh.report.pairs import winner
from weigh.report.scores import OVERALL

if TYPE_CHECKING:
    from weigh.metrics.scoring import SystemScore
    from weigh.report.compared import CompareReport
    from weigh.types import Comparison

_BETTER, _WORSE = "+", r"$-$"

# Metric, slice and system.
_Place = tuple[str, str | None, str]


def as_latex(report: CompareReport) -> str:
    """Return one table for every test; needs the package booktabs."""
    return "\n\n".join(_table(report, pairs) for pairs in report.tests.values())


def _table(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    baseline = report.result.plan.baseline
    entries = report.scores.scores
    names = list(dict.fromkeys(entry.system for entry in entries))
    labels = dict(zip(names, _labels(len(names)), strict=True))
    ranks = report.ranks_by(pairs[0].test)
    beaten: dict[_Place, list[str]] = {}
    for one in pairs:
        found = winner(one, report.higher(one.metric))
        if found is not None:
            beaten.setdefault((one.metric, one.slice, found[0]), []).append(found[1])
    keys = ["Slice"] * report.sliced + [""] * (baseline is None) + ["System"]
    columns = [*map(Column, keys)]
    for metric, title in report.titles.items():
        columns.append(Column(title, "higher" if report.higher(metric) else "lower"))
        columns.append(Column("", kind="remark", attached=True))
        columns.append(Column("interval", kind="number", attached=True))
        if ranks is not None:
            # The caption says whether they are corrected; a longer title would part the table.
            columns.append(Column("Rank", kind="number", attached=True))
    blocks = []
    for label in dict.fromkeys(entry.slice for entry in entries):
        cells: dict[str, list[str]] = {name: [] for name in names}
        for metric in report.titles:
            own = [e for e in entries if (e.metric, e.slice) == (metric, label)]
            ends = intervals([entry.interval for entry in own], report.decimals(metric))
            for entry, interval in zip(own, ends, strict=True):
                score = report.scores.shown(entry, entry.score)
                raised = _raised(entry, beaten, names, labels, baseline)
                cells[entry.system] += [latex.escape(score), raised, latex.escape(interval)]
                if ranks is not None:
                    rank = ranks.shown[metric, label][entry.system]
                    cells[entry.system].append(latex.escape(rank))
        head = [latex.escape(OVERALL if label is None else label)] * report.sliced
        blocks.append(
            [
                [*head, *([labels[name]] * (baseline is None)), latex.escape(name), *cells[name]]
                for name in names
            ]
        )
    if clusters := report.lines(pairs[0].test):
        blocks = in_clusters(blocks[0], clusters)
    note = latex.signature_note(
        [
            (title, signature)
            for title, signature in report.signatures
            if title in report.titles.values() or title == pairs[0].test
        ]
    )
    return latex.typeset(columns, blocks, _caption(report, pairs[0]), note)


def _raised(
    entry: SystemScore,
    beaten: Mapping[_Place, Sequence[str]],
    names: Sequence[str],
    labels: Mapping[str, str],
    baseline: str | None,
) -> str:
    losers = beaten.get((entry.metric, entry.slice, entry.system), ())
    if baseline is None:
        mark = _ranges([names.index(name) for name in losers], list(labels.values()))
    elif baseline in losers:
        mark = _BETTER
    elif entry.system in beaten.get((entry.metric, entry.slice, baseline), ()):
        mark = _WORSE
    else:
        mark = ""
    return rf"\textsuperscript{{{mark}}}" if mark else ""


def _labels(count: int) -> list[str]:
    """Return letters, or numbers where there are not enough letters."""
    if count <= len(ascii_lowercase):
        return list(ascii_lowercase[:count])
    return [str(number) for number in range(1, count + 1)]


def _ranges(places: Sequence[int], labels: Sequence[str]) -> str:
    """Return labels with three or more neighbours drawn together.

    >>> _ranges([1, 3, 4, 5], "abcdef")
    'b,d--f'
    """
    runs: list[list[int]] = []
    for place in sorted(set(places)):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    texts: list[str] = []
    for run in runs:
        names = [labels[place] for place in run]
        texts += names if len(names) < 3 else [f"{names[0]}--{names[-1]}"]
    return ",".join(texts)


def _caption(report: CompareReport, one: Comparison) -> str:
    result, baseline = report.result, report.result.plan.baseline
    raised = (
        "A score's superscript names the systems that it is significantly better than"
        if baseline is None
        else f"+ and − mark scores significantly better and worse than those of {baseline}"
    )
    said = f"{report.size}; {report.scores.intervals}. {raised} ({procedure(one, result)})."
    if report.ranks_by(one.test) is not None:
        said += f" {report.about_ranks(one.test)}"
    return latex.escape(said)
