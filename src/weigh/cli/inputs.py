"""What a verb works on: texts, given scores and statistics that were computed before."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weigh.cli import shortening
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.metrics.stored import StoredStatistics
    from weigh.read.missing import Missing
    from weigh.types import Metric, System, TestSet


@dataclass(frozen=True, slots=True)
class Inputs:
    """Systems, test set and metrics, what was left out, and what need not be computed again."""

    systems: tuple[System, ...]
    test_set: TestSet
    metrics: Sequence[Metric]
    missing: Missing | None = None
    stored: StoredStatistics | None = None


# What means nothing for given scores.
_FOR_TEXTS = ("ref", "src", "metric", "text", "statistics")


def refuse_texts(arguments: argparse.Namespace) -> None:
    """Raise UsageError if something is given that is for texts and not for scores."""
    for name in _FOR_TEXTS:
        if name in arguments.given:
            raise UsageError(f"--{name} is for texts and not for --scores; leave it out")


def read(arguments: argparse.Namespace, metrics: Sequence[Metric]) -> Inputs:
    """Read all that the arguments name; without texts, everything comes from statistics.

    A verb need not have all options. Slices in the statistics are for those that can be asked for
    slices.
    """
    from weigh.metrics.supply import needs_references, supplied
    from weigh.read import read_inputs

    stored = None
    if arguments.statistics:
        from weigh.metrics.statistics_file import read_statistics

        stored = read_statistics(arguments.statistics)
        shortening.remember(stored.metrics, also=True)
        if _are_names(arguments, metrics):
            return _without_texts(arguments, metrics, stored.pick(arguments.systems))
    option = vars(arguments).get
    test_set, systems = read_inputs(
        arguments.systems,
        arguments.ref,
        option("src"),
        option("documents"),
        option("slices"),
        option("id", "id"),
        option("text", "text"),
        references_needed=any(map(needs_references, metrics)),
    )
    systems, test_set, missing = supplied(
        systems, test_set, metrics, allow_missing=bool(arguments.allow_missing)
    )
    if stored is not None:
        stored.check(systems, test_set)
    return Inputs(systems, test_set, metrics, missing, stored)


def _are_names(arguments: argparse.Namespace, metrics: Sequence[Metric]) -> bool:
    """Return whether systems, if any are given, are named as in the statistics.

    Files need references to be scored against; to a few metrics they do not, and then a path that
    exists is one.
    """
    from pathlib import Path

    from weigh.metrics.supply import needs_references

    if not arguments.systems:
        return True
    if arguments.ref or vars(arguments).get("src"):
        return False
    return any(map(needs_references, metrics)) or not any(
        Path(name).exists() for name in arguments.systems
    )


def _without_texts(
    arguments: argparse.Namespace, metrics: Sequence[Metric], stored: StoredStatistics
) -> Inputs:
    for name in ("ref", "src"):
        if name in arguments.given:
            raise UsageError(
                f"--{name} is given, but no system's output; give them too, or neither, to take "
                "all from the statistics"
            )
    from weigh.read import read_texts
    from weigh.read.stream import shown
    from weigh.read.textset import Frame

    given: dict[str, Any] = {} if "slices" in arguments else {"slices": None}
    for name in ("documents", "slices"):
        path = vars(arguments).get(name)
        if path is not None:
            labels = read_texts(path)
            Frame(stored.label, stored.segments).check_lines(shown(path), len(labels))
            given[name] = labels
    chosen = stored.choose(metrics if "metric" in arguments.given else None)
    return Inputs(stored.stand_ins(), replace(stored.test_set, **given), chosen, stored=stored)
