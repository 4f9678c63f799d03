"""The list of metrics and tokenisers as text, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document, latex, markdown, table, tsv
from weigh.report.grid import Cell, Column, Grid

if TYPE_CHECKING:
    from weigh.metrics.registry import MetricDescription, OptionDescription

_TOKENIZERS = "Tokenisers"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every metric with its options, and every tokeniser with one line on it."""

    metrics: Sequence[MetricDescription]
    tokenizers: Mapping[str, str]


def as_table(catalogue: Catalogue, screen: table.Screen = table.PLAIN) -> str:
    """Return a paragraph per metric, its options listed underneath."""
    parts = []
    for metric in catalogue.metrics:
        lines = [screen.bold(metric.name)]
        lines += [_wrapped(text, "  ", screen) for text in (metric.source, metric.summary)]
        options = {_setting(option): _meaning(option, catalogue) for option in metric.options}
        parts.append("\n".join([*lines, *_items(options, screen)]))
    parts.append("\n".join([screen.bold(_TOKENIZERS), *_items(catalogue.tokenizers, screen)]))
    return "\n\n".join(parts)


def _items(items: Mapping[str, str], screen: table.Screen) -> list[str]:
    longest = max(map(len, items), default=0)
    return [_wrapped(text, f"    {name:<{longest}}  ", screen) for name, text in items.items()]


def _wrapped(text: str, start: str, screen: table.Screen) -> str:
    """Return `start` and the text, wrapped such that the text stands in a column of its own."""
    limit = max(60, min(100, screen.columns or 100))
    return textwrap.fill(
        text,
        limit,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
    )


def _setting(option: OptionDescription) -> str:
    default = _default(option)
    return f"{option.name}={default}" if default else option.name


def _default(option: OptionDescription) -> str:
    value = option.default
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _meaning(option: OptionDescription, catalogue: Catalogue) -> str:
    """Return the help with the values to choose from; tokenisers have a list of their own."""
    schemes = set(option.choices) - {"auto"}
    if not option.choices or (schemes <= set(catalogue.tokenizers) and len(schemes) > 1):
        return option.help
    return f"{option.help} ({', '.join(option.choices)})"


def as_markdown(catalogue: Catalogue) -> str:
    """Return a section per metric with a table of its options."""
    parts = []
    for metric in catalogue.metrics:
        parts += [f"## {metric.name}", *map(markdown.escape, (metric.source, metric.summary))]
        if metric.options:
            rows = [_cells(option, catalogue) for option in metric.options]
            titles = ("Option", "Kind", "Default", "Meaning")
            parts.append(markdown.render(Grid([*map(Column, titles)], [rows])))
    rows = [[Cell(name), Cell(summary)] for name, summary in catalogue.tokenizers.items()]
    parts += [
        f"## {_TOKENIZERS}",
        markdown.render(Grid([Column("Name"), Column("What it does")], [rows])),
    ]
    return "\n\n".join(parts)


def as_latex(catalogue: Catalogue) -> str:
    """Return one table of all metrics and options."""
    return latex.render(_grid(catalogue), "Metrics and their options")


def as_tsv(catalogue: Catalogue) -> str:
    """Return one row per metric and option."""
    return tsv.render(_grid(catalogue))


def as_json(catalogue: Catalogue) -> str:
    """Return the document that programs read."""
    metrics: list[dict[str, Any]] = [
        {
            "metric": metric.name,
            "summary": metric.summary,
            "source": metric.source,
            "options": [
                {
                    "name": option.name,
                    "kind": option.kind,
                    "default": option.default,
                    "choices": list(option.choices),
                    "help": option.help,
                }
                for option in metric.options
            ],
        }
        for metric in catalogue.metrics
    ]
    tokenizers = [
        {"tokenizer": name, "summary": summary} for name, summary in catalogue.tokenizers.items()
    ]
    return document.render("metrics", {"metrics": metrics, "tokenizers": tokenizers})


def _grid(catalogue: Catalogue) -> Grid:
    titles = ("metric", "option", "kind", "default", "help")
    blocks = [
        [[Cell(metric.name), *_cells(option, catalogue)] for option in metric.options]
        or [[Cell(metric.name), *(Cell("") for _ in titles[1:])]]
        for metric in catalogue.metrics
    ]
    return Grid([*map(Column, titles)], blocks)


def _cells(option: OptionDescription, catalogue: Catalogue) -> list[Cell]:
    kind = option.kind.removesuffix(" | None")
    texts = (option.name, kind, _default(option), _meaning(option, catalogue))
    return [Cell(text) for text in texts]


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[Catalogue], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
