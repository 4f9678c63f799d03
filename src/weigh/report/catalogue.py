"""What is shown of the list of metrics and tokenisers: `weigh metrics`."""

from __future__ import annotations

from collections.abc import Iterator

from weigh.metrics.registry import Catalogue, MetricDescription, OptionDescription
from weigh.report.grid import Cell, Column, Grid
from weigh.report.view import Part, View, view_of

_GRIDS = ("markdown", "html")


@view_of(Catalogue)
def catalogue(result: Catalogue) -> View:
    """Show every metric with its options: listed for a terminal, else in tables."""
    schemes = {each.tokenizer for each in result.tokenizers}
    parts = [part for metric in result.metrics for part in _parts(metric, schemes)]
    longest = max(len(each.tokenizer) for each in result.tokenizers)
    listed = [f"    {each.tokenizer:<{longest}}  {each.summary}" for each in result.tokenizers]
    rows = [[Cell(each.tokenizer), Cell(each.summary)] for each in result.tokenizers]
    columns = [Column("Name"), Column("What it does", kind="remark")]
    records = [
        {"metric": metric.metric, **_record(option, schemes)}
        for metric in result.metrics
        for option in metric.options or [None]
    ]
    everything = Grid(
        [Column(name) for name in records[0]],
        [[[Cell(str(value)) for value in record.values()] for record in records]],
    )
    return View(
        title="Metrics and their options",
        parts=[
            *parts,
            Part("Tokenisers", sentences=listed, forms=("table",)),
            Part("Tokenisers", Grid(columns, [rows]), forms=_GRIDS, section="Tokenisers"),
            Part("Metrics and their options", everything, forms=("latex",)),
        ],
        records=records,
    )


def _parts(metric: MetricDescription, schemes: set[str]) -> Iterator[Part]:
    names = [_setting(option) for option in metric.options]
    longest = max(map(len, names), default=0)
    options = [
        f"    {name:<{longest}}  {_meaning(option, schemes)}"
        for name, option in zip(names, metric.options, strict=True)
    ]
    about = [metric.source, metric.summary]
    listed = [*(f"  {text}" for text in about), *options]
    yield Part(metric.metric, sentences=listed, forms=("table",))
    yield Part(metric.metric, sentences=[" ".join(about)], forms=_GRIDS, section=metric.metric)
    if metric.options:
        titles = ("Option", "Kind", "Default", "Meaning")
        records = [_record(option, schemes) for option in metric.options]
        rows = [[Cell(value) for value in record.values()] for record in records]
        yield Part(grid=Grid([*map(Column, titles)], [rows]), forms=_GRIDS)


def _setting(option: OptionDescription) -> str:
    default = _default(option)
    return f"{option.name}={default}" if default else option.name


def _default(option: OptionDescription) -> str:
    value = option.default
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _meaning(option: OptionDescription, schemes: set[str]) -> str:
    """Return the help with the values to choose from; tokenisers have a list of their own."""
    named = set(option.choices) - {"auto"}
    if not option.choices or (named <= schemes and len(named) > 1):
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
