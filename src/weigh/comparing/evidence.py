"""What a comparison saw on its way: distributions, samples, lengths and segments, to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often the trials of one test of one pair fell where.

    Differences are turned so that positive means that a is better. Bin i goes from
    `start + i·width` to `start + (i + 1)·width`; all trials are counted, the few beyond the ends
    in the first and last bin. The actual difference may lie far outside.
    """

    metric: str
    test: str
    a: str
    b: str
    start: float
    width: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One pair by one metric over disjoint samples of the test set (Koehn 2004, figures 4, 7, 8).

    Sample i holds the segments i, i + k, i + 2k … for k samples. `differences` are turned so that
    positive means that a is better; `intervals` are those of the bootstrap, at the level of the
    report, so that a sample draws a conclusion where zero lies outside.
    """

    metric: str
    a: str
    b: str
    differences: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Segments:
    """Single segments: texts, and scores by metric and system.

    `numbers` are their places in the test set, from 1: all of them, or those on which the systems
    differ most where there were too many. Without texts, `references` and `outputs` are
    empty.
    Of several runs the first one's text is kept; scores are means over runs.
    """

    numbers: Sequence[int]
    scores: Mapping[str, Mapping[str, Sequence[float]]]
    references: Sequence[Sequence[str]] = ()
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sources: Sequence[str] | None = None
    ids: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it, for the whole test set.

    `sample_size` is the number of units in each sample of the sweeps. `lengths` are, by system,
    the words (or characters, see `length_unit`) of output per one of the references; empty
    without texts.
    """

    histograms: tuple[Histogram, ...]
    sweeps: tuple[Sweep, ...]
    sample_size: int
    lengths: Mapping[str, float]
    length_unit: Literal["word", "character"]
    segments: Segments
