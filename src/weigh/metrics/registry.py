"""The metrics by name: one list that the command line, the docs and the common test read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from weigh.errors import UsageError, WeighError, did_you_mean
from weigh.options import Chosen, convert, kind_of, options_of
from weigh.read.text import file_labels, public_path
from weigh.result import Result
from weigh.wording import number_text

if TYPE_CHECKING:
    from weigh.types import Metric

# Where each metric's class is; a module is imported when its metric is used.
_HOMES = {
    "bleu": "weigh.metrics.bleu:Bleu",
    "chrf": "weigh.metrics.chrf:Chrf",
    "ter": "weigh.metrics.ter:Ter",
    "nist": "weigh.metrics.nist:Nist",
    "wer": "weigh.metrics.edit_rates:Wer",
    "per": "weigh.metrics.edit_rates:Per",
    "cder": "weigh.metrics.edit_rates:Cder",
    "gtm": "weigh.metrics.gtm:Gtm",
    "dependency": "weigh.metrics.dependency:Dependency",
    "segment": "weigh.metrics.segment:Segment",
    "combine": "weigh.metrics.combine:Combine",
    "meteor": "weigh.metrics.meteor.metric:Meteor",
    "rypt": "weigh.rypt.metric:Rypt",
}
# Names that stand for several metrics of one run, and the option in which these differ.
_EXPANSIONS = {"rypt": ("unlabelled", ("strict", "labelled"))}
# Whose metric it is, where the first line of its module does not say.
_SOURCES = {
    "wer": "WER: word error rate by edit distance (Levenshtein 1966).",
    "per": "PER: position-independent word error rate (Tillmann et al. 1997).",
    "cder": "CDER: edit distance with block moves (Leusch, Ueffing & Ney 2006).",
}

_DECIMALS_UNKNOWN = 4
_OPTION = re.compile(r"\s*[A-Za-z_]\w*\s*=")


@dataclass(frozen=True, slots=True)
class OptionDescription:
    """One option of a metric, as it is documented."""

    name: str
    kind: str
    default: bool | int | float | str | None
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric, as it is documented."""

    metric: str
    summary: str
    source: str
    options: tuple[OptionDescription, ...]


@dataclass(frozen=True, slots=True)
class TokenizerDescription:
    """One way to find words, as it is documented."""

    tokenizer: str
    summary: str


@dataclass(frozen=True, slots=True)
class Catalogue(Result):
    """Every metric with its options, and every tokeniser with one line on it."""

    command: ClassVar[str] = "metrics"

    metrics: tuple[MetricDescription, ...]
    tokenizers: tuple[TokenizerDescription, ...]


def catalogue() -> Catalogue:
    """All metrics, including those of installed packages."""
    from weigh.tokenize import TOKENIZERS

    tokenizers = [TokenizerDescription(*pair) for pair in TOKENIZERS.items()]
    return Catalogue(tuple(describe()), tuple(tokenizers))


def metric_names() -> list[str]:
    """Return the names of weigh's own metrics; installed packages may add others."""
    return list(_HOMES)


# What people ask for by these names, and `segment` reads.
_OF_OTHER_PROGRAMS = ("comet", "bleurt", "bertscore", "metricx", "rouge", "yisi", "gemba")


def metric_class(name: str) -> Any:
    """The class of a metric, or the factory in an installed package.

    >>> metric_class("bleu").name
    'BLEU'
    """
    if name in _HOMES:
        module, _, attribute = _HOMES[name].partition(":")
        return getattr(import_module(module), attribute)
    from weigh.metrics.custom import load_plugin, plugin_names

    added = plugin_names()
    if name not in added:
        if name == "chrf++":
            raise UsageError(f"unknown metric {name!r}; write chrf:word_order=2")
        if any(other in name for other in _OF_OTHER_PROGRAMS):
            raise UsageError(
                f"unknown metric {name!r}: weigh does not compute it; give another program's "
                f"segment scores with -m segment:file=FILE:name={name}"
            )
        raise UsageError(f"unknown metric {name!r}; {did_you_mean(name, [*_HOMES, *added])}")
    return load_plugin(name)


def describe() -> list[MetricDescription]:
    """Describe all metrics: their options, and the first lines of their docstrings."""
    from weigh.metrics.custom import GROUP, plugin_names
    from weigh.plugins import package_of

    result = []
    for name in _HOMES:
        module = import_module(metric_class(name).__module__).__doc__ or ""
        result.append(_describe(name, _SOURCES.get(name, module.partition("\n")[0])))
    for name in plugin_names():
        if name not in _HOMES:
            source = f"Added by {package_of(GROUP, name)}."
            try:
                result.append(_describe(name, source))
            except WeighError as error:  # one broken package does not hide the others
                result.append(MetricDescription(name, str(error), source, ()))
    return result


def parse_metrics(specs: Sequence[str]) -> list[Metric]:
    r"""Return the metrics that `-m` arguments name.

    Metrics are separated by commas and options by colons, `\,` and `\:` stand for themselves,
    and an option without a value is true. No metric begins with `NAME=`: after a comma, that is
    one more option of the metric before.

    >>> [metric.name for metric in parse_metrics(["bleu:tokenize=intl:lowercase,chrf", "ter"])]
    ['BLEU', 'chrF2', 'TER']
    >>> [key_of(metric) for metric in parse_metrics(["chrf:beta=1,word_order=2,ter"])]
    ['chrf:word_order=2:beta=1', 'ter']
    """
    return _check_distinct(
        [parse_metric(spec, text) for text in specs for spec in _specifications(text)]
    )


def expand_metrics(specs: Sequence[str]) -> list[Metric]:
    """Return the metrics that `-m` arguments name to score and compare with.

    `rypt` stands for two of them, unless its option `unlabelled` chooses one.

    >>> [metric.name for metric in expand_metrics(["rypt:labels=x,bleu"])]
    ['RYPT strict', 'RYPT labelled', 'BLEU']
    """
    return _check_distinct(
        [
            metric
            for text in specs
            for spec in _specifications(text)
            for metric in _expand(spec, text)
        ]
    )


def _expand(spec: str, text: str) -> list[Metric]:
    metric = parse_metric(spec, text)
    name, *parts = (part.partition("=")[0].strip() for part in _split(spec, ":"))
    option, values = _EXPANSIONS.get(_unescape(name).lower(), ("", ()))
    if not values or option in parts:
        return [metric]
    return [replace(cast(Any, metric), **{option: value}) for value in values]


@cache
def expansion_of(key: str) -> str | None:
    """Return the name that expands into several metrics of which `key` is one, or None.

    >>> expansion_of("rypt:labels=x:unlabelled=labelled"), expansion_of("bleu")
    ('rypt:labels=x', None)
    """
    name, *parts = _split(key, ":")
    if name not in _EXPANSIONS:
        return None
    option, _ = _EXPANSIONS[name]
    return ":".join([name, *(part for part in parts if not part.startswith(f"{option}="))])


def shared_name(metric: Metric) -> str:
    """Return the name of a metric without the option that distinguishes it within an expansion.

    >>> shared_name(parse_metric("rypt:labels=x")), shared_name(parse_metric("bleu"))
    ('RYPT', 'BLEU')
    """
    name = key_of(metric).partition(":")[0]
    if name not in _EXPANSIONS:
        return metric.name
    option, _ = _EXPANSIONS[name]
    return metric.name.removesuffix(f" {getattr(metric, option)}")


def _check_distinct(metrics: list[Metric]) -> list[Metric]:
    metrics = with_distinct_keys(metrics)
    keys = [key_of(metric) for metric in metrics]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise UsageError(f"metric {twice!r} is given twice; give it once")
    return metrics


class LabelledPath(str):
    """The absolute path of a file that a metric reads, with what results call it."""

    __slots__ = ("label",)
    label: str

    def __new__(cls, path: str, label: str) -> Self:
        """Make a path that knows its label."""
        labelled = super().__new__(cls, path)
        labelled.label = label
        return labelled

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """What pickles make it from."""
        return str(self), self.label


def with_distinct_keys(metrics: Sequence[Metric]) -> list[Metric]:
    """Give metrics distinct keys where files in different folders share a name.

    >>> metrics = [parse_metric(f"segment:file=/data/{name}/m") for name in "ab"]
    >>> distinct = with_distinct_keys(metrics)
    >>> [key_of(metric) for metric in distinct]
    ['segment:file=a/m', 'segment:file=b/m']
    """
    keys = Counter(map(key_of, metrics))
    namesakes = [_absolute_paths(metric) if keys[key_of(metric)] > 1 else {} for metric in metrics]
    labels = file_labels(path for paths in namesakes for path in paths.values())
    names = []
    for metric, paths in zip(metrics, namesakes, strict=True):
        values = {name: LabelledPath(path, labels[path]) for name, path in paths.items()}
        names.append(replace(cast(Any, metric), **values) if values else metric)
    return names


def _absolute_paths(metric: Metric) -> dict[str, str]:
    """The options of a metric that are absolute paths."""
    values = {option.name: getattr(metric, option.name) for option in options_of(metric)}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and PurePath(value).is_absolute()
    }


def _specifications(text: str) -> list[str]:
    """The specifications in one argument, each with all its options."""
    specs: list[str] = []
    for item in _split(text, ","):
        if specs and _OPTION.match(item):
            specs[-1] += f":{item}"
        else:
            if specs:
                _check_bare(specs[-1], item.strip())
            specs.append(item)
    return specs


def _check_bare(before: str, name: str) -> None:
    """Refuse an option without a value after a comma, which would be taken for a metric."""
    owner = _unescape(_split(before, ":")[0].strip()).lower()
    if owner not in _HOMES or name in _HOMES:
        return
    if any(name == option.name for option in options_of(metric_class(owner))):
        raise UsageError(f"unknown metric {name!r}; for the option of {owner} write :{name}")


def parse_metric(spec: str, whole: str | None = None) -> Metric:
    """Return the metric that one specification such as `chrf:word_order=2` names.

    `given` is the argument that it stands in, for messages.
    """
    name, *parts = (part.strip() for part in _split(spec, ":"))
    if not name:
        raise UsageError(f"an empty metric in {whole or spec!r}; {did_you_mean('', _HOMES)}")
    name = _unescape(name).lower()
    metric_type = metric_class(name)
    if hasattr(metric_type, "of_options"):  # they are others than the fields of the class
        combined: Metric = metric_type.of_options([_unescape(part) for part in parts])
        return combined
    options = {f.name: f for f in options_of(metric_type)}
    values: dict[str, Any] = {}
    for part in parts:
        option_name, equals, text = part.partition("=")
        option_name = option_name.strip()
        if option_name not in options:
            raise UsageError(
                f"{name}: unknown option {option_name!r}; {did_you_mean(option_name, options)}"
            )
        if option_name in values:
            raise UsageError(f"{name}: option {option_name!r} is given twice; give it once")
        kind = kind_of(options[option_name])
        if not equals and kind != "bool":
            raise UsageError(f"{name}: {option_name} needs a value, as in {option_name}=…")
        values[option_name] = convert(
            _unescape(text.strip()) if equals else "true", kind, f"{name}: {option_name}"
        )
    if name not in _HOMES:
        return _plugin_metric(name, metric_type, values)
    metric: Metric = metric_type(**values)
    return metric


def _plugin_metric(name: str, plugin: Any, values: Mapping[str, Any]) -> Metric:
    """Make the metric of a package."""
    from weigh.metrics.custom import FAILURES, PluginMetric, as_metric, failure

    try:
        metric = plugin(**values)
    except (WeighError, KeyboardInterrupt):
        raise
    except FAILURES as error:
        raise failure(name, plugin.__name__, error) from error
    return PluginMetric(_key(name, metric), as_metric(metric))


def key_of(metric: Metric) -> str:
    """The specification of a metric: its name and the options that differ from defaults.

    Of an absolute path it has the base name, or the ending that `with_distinct_keys` has chosen.

    >>> key_of(parse_metric("chrf:word_order=2:beta=2"))
    'chrf:word_order=2'
    """
    if metric.key is not None:
        return metric.key
    home = f"{type(metric).__module__}:{type(metric).__qualname__}"
    name = next((name for name in _HOMES if _HOMES[name] == home), None)
    return metric.name if name is None else _key(name, metric)


def decimals_of(metric: Metric) -> int:
    """Number of decimals to show: two on a scale of 0 to 100, more on an unknown scale.

    A metric that has that scale though no output is perfect says so by itself.
    """
    if metric.decimals is not None:
        return metric.decimals
    return 2 if metric.perfect in (0, 100) else _DECIMALS_UNKNOWN


def _key(name: str, metric: Any) -> str:
    changed = []
    for f in options_of(metric):
        value = getattr(metric, f.name)
        if value != f.default and not isinstance(value, Chosen):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if isinstance(value, str):
                text = value.label if isinstance(value, LabelledPath) else public_path(value)
            if isinstance(value, float):
                text = number_text(value)
            changed.append(f.name if value is True else f"{f.name}={escaped(text)}")
    return ":".join([name, *changed])


def _describe(name: str, source: str) -> MetricDescription:
    metric = metric_class(name)
    options = tuple(
        OptionDescription(
            f.name, kind_of(f), cast(Any, f.default), f.metadata["choices"], f.metadata["help"]
        )
        for f in options_of(metric)
    )
    summary = (metric.__doc__ or "").strip().partition("\n")[0]
    return MetricDescription(name, summary, source, options)


def _split(text: str, separator: str) -> list[str]:
    return re.split(rf"(?<!\\){separator}", text)


def _unescape(text: str) -> str:
    return re.sub(r"\\([,:])", r"\1", text)


def summands(key: str) -> list[str]:
    """The keys of the metrics in a combination; of any other metric, its own key.

    >>> summands("combine:bleu=0.5:ter=-0.5"), summands("bleu")
    (['bleu', 'ter'], ['bleu'])
    """
    name, *parts = _split(key, ":")
    if name != "combine":
        return [key]
    return [name for part in parts for name in summands(_unescape(part).rpartition("=")[0])]


def escaped(text: str) -> str:
    r"""Text for a specification, with `\:` and `\,`."""
    return re.sub(r"([,:])", r"\\\1", text)
