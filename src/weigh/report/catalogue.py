"""The view of `weigh metrics`: metrics with their options, and tokenisers."""

from __future__ import annotations

from collections.abc import Iterator

from weigh.metrics.registry import Catalogue, MetricDescription, OptionDescription
from weigh.report.grid import Column, table
from weigh.report.parts import Note, Part
from weigh.report.view import View, view_of


@view_of(Catalogue)
def catalogue(result: Catalogue) -> View:
    """Show every metric with its options, and the tokenisers."""
    schemes = {scheme.tokenizer for scheme in result.tokenizers}
    parts = [part for metric in result.metrics for part in _parts(metric, schemes)]
    columns = [
        Column("Name", "tokenizer"),
        Column("What it does", "summary", "text"),
    ]
    records = [
        {"metric": metric.metric, **_record(option, schemes)}
        for metric in result.metrics
        for option in metric.options or [None]
    ]
    return View(
        title="Metrics and their options",
        parts=[
            *parts,
            table(result.tokenizers, columns, title="Tokenisers", section="Tokenisers", paper=True),
        ],
        records=records,
    )


def _parts(metric: MetricDescription, schemes: set[str]) -> Iterator[Part]:
    yield Note([metric.source, metric.summary], metric.metric, section=metric.metric)
    if metric.options:
        columns = [
            Column("Option", "name"),
            Column("Default", _default),
            Column("Meaning", lambda option: _meaning(option, schemes), kind="text"),
        ]
        yield table(metric.options, columns, paper=True)


def _default(option: OptionDescription) -> str:
    value = option.default
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _meaning(option: OptionDescription, schemes: set[str]) -> str:
    """The help with the choices of an option, except tokenisers, which have their own table."""
    names = set(option.choices) - {"auto"}
    if not option.choices or (names <= schemes and len(names) > 1):
        return option.help
    return f"{option.help} ({', '.join(option.choices)})"


def _record(option: OptionDescription | None, schemes: set[str]) -> dict[str, str]:
    if option is None:
        return dict.fromkeys(("option", "kind", "default", "help"), "")
    kind = option.kind.removesuffix(" | None")
    return {
        "option": option.name,
        "kind": kind,
        "default": _default(option),
        "help": _meaning(option, schemes),
    }
