"""What metrics are called in text; in JSON and TSV they are called as they were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from weigh.errors import WeighError

# Parts of the signatures of scores that were given: what those are called is for the user to say.
_GIVEN = ("mean:segments", "ratio:sums")


def metric_name(metric: str, signatures: Iterable[tuple[str, str]]) -> str:
    """Return a metric's name, or how it was asked for where two have one name.

    `signatures` are those of all metrics of a study, by how they were asked for.

    >>> metric_name("chrf", [("chrf", "nrefs:1"), ("ter", "nrefs:1")])
    'chrF2'
    """
    names = {asked: _own_name(asked, signature) for asked, signature in signatures}
    own = names.get(metric, metric)
    return own if list(names.values()).count(own) == 1 else metric


def named(signatures: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return signatures by the names of their metrics."""
    return [(metric_name(asked, signatures), signature) for asked, signature in signatures]


@cache
def _own_name(asked: str, signature: str) -> str:
    from weigh.metrics.registry import parse_metric

    if not set(_GIVEN).isdisjoint(signature.split("|")):
        return asked
    try:
        return parse_metric(asked).name
    except WeighError:  # of a package, say, that is not installed where a saved result is shown
        return asked
