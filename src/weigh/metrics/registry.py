"""The metrics by name: one list that the command line, the docs and the common test read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from weigh.errors import UsageError, did_you_mean
from weigh.metrics.options import convert, options_of

if TYPE_CHECKING:
    from weigh.types import Metric

# Where each metric's class is; a module is imported when its metric is used.
_HOMES = {
    "bleu": "weigh.metrics.bleu:Bleu",
    "chrf": "weigh.metrics.chrf:Chrf",
    "ter": "weigh.metrics.ter:Ter",
    "nist": "weigh.metrics.nist:Nist",
    "wer": "weigh.metrics.wer:Wer",
    "per": "weigh.metrics.per:Per",
    "cder": "weigh.metrics.cder:Cder",
    "meteor": "weigh.metrics.meteor.metric:Meteor",
}


@dataclass(frozen=True, slots=True)
class OptionDescription:
    """One option of a metric, as it is documented."""

    name: str
    kind: str
    default: Any
    help: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric, as it is documented."""

    name: str
    summary: str
    source: str
    options: tuple[OptionDescription, ...]


def metric_names() -> list[str]:
    """Return the names that `-m` takes."""
    return list(_HOMES)


def metric_class(name: str) -> Any:
    """Return the class of a metric.

    >>> metric_class("bleu").name
    'BLEU'
    """
    if name not in _HOMES:
        raise UsageError(f"unknown metric {name!r}; {did_you_mean(name, _HOMES)}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute)


def describe() -> list[MetricDescription]:
    """Describe all metrics: their options, and the first lines of their docstrings."""
    return [_describe(name) for name in _HOMES]


def parse_metrics(specs: Sequence[str]) -> list[Metric]:
    r"""Return the metrics that `-m` arguments name.

    Metrics are separated by commas and options by colons, `\,` and `\:` stand for themselves,
    and an option without a value is true.

    >>> [metric.name for metric in parse_metrics(["bleu:tokenize=intl:lowercase,chrf", "ter"])]
    ['BLEU', 'chrF2', 'TER']
    """
    metrics = [parse_metric(spec) for given in specs for spec in _split(given, ",")]
    keys = [key_of(metric) for metric in metrics]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise UsageError(f"metric {twice!r} is given twice; give it once")
    return metrics


def parse_metric(spec: str) -> Metric:
    """Return the metric that one specification such as `chrf:word_order=2` names."""
    name, *parts = (part.strip() for part in _split(spec, ":"))
    if not name:
        raise UsageError(f"an empty metric in {spec!r}; {did_you_mean('', _HOMES)}")
    made = metric_class(_unescape(name).lower())
    known = {f.name: f for f in options_of(made)}
    values: dict[str, Any] = {}
    for part in parts:
        option_name, given, text = part.partition("=")
        option_name = option_name.strip()
        if option_name not in known:
            raise UsageError(
                f"{name}: unknown option {option_name!r}; {did_you_mean(option_name, known)}"
            )
        if option_name in values:
            raise UsageError(f"{name}: option {option_name!r} is given twice; give it once")
        kind = str(known[option_name].type)
        if not given and kind != "bool":
            raise UsageError(f"{name}: {option_name} needs a value, as in {option_name}=…")
        values[option_name] = convert(
            _unescape(text.strip()) if given else "true", kind, f"{name}: {option_name}"
        )
    metric: Metric = made(**values)
    return metric


def key_of(metric: Metric) -> str:
    """Return the specification that names this metric: its name and what is not default.

    >>> key_of(parse_metric("chrf:word_order=2:beta=2"))
    'chrf:word_order=2'
    """
    for name in _HOMES:
        if type(metric) is metric_class(name):
            break
    else:
        return metric.name
    changed = []
    for f in options_of(metric):
        value = getattr(metric, f.name)
        if value != f.default:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if isinstance(value, float):
                text = text.removesuffix(".0")
            changed.append(f.name if value is True else f"{f.name}={_escape(text)}")
    return ":".join([name, *changed])


def _describe(name: str) -> MetricDescription:
    made = metric_class(name)
    source = import_module(made.__module__).__doc__ or ""
    options = tuple(
        OptionDescription(f.name, str(f.type), f.default, f.metadata["help"], f.metadata["choices"])
        for f in options_of(made)
    )
    return MetricDescription(
        name, made.__doc__.partition("\n")[0], source.partition("\n")[0], options
    )


def _split(text: str, separator: str) -> list[str]:
    return re.split(rf"(?<!\\){separator}", text)


def _unescape(text: str) -> str:
    return re.sub(r"\\([,:])", r"\1", text)


def _escape(text: str) -> str:
    return re.sub(r"([,:])", r"\\\1", text)
