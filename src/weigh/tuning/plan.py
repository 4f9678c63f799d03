"""Options of tuning weights and training rerankers, with their help texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from weigh.errors import UsageError
from weigh.options import check_plan_options, count, option
from weigh.wording import number_text

OPTIMIZERS = ("mert", "pro", "mira")
SMOOTHINGS = ("none", "average", "minimum")
NORMS = ("none", "l1", "l2", "max")
GOLD = ("corpus", "sentence")

# The ends of a weight's range; None where it has none.
Range = tuple[float | None, float | None]
Plan = TypeVar("Plan", "TunePlan", "TrainPlan")


@dataclass(frozen=True, slots=True)
class TunePlan:
    """Options of tuning: the optimizer, its repetitions, and bounds of weights.

    `starts`, `directions`, `smooth`, `window` and `regularize` are of mert alone, `iterations`
    and `size` of a decoder. Without `normalize`, results have the l1 norm 1, unless a weight is
    held by `fix` or `bound`.
    """

    optimizer: str = option(
        "mert",
        "mert (exact line search), or pro or mira for hundreds of features",
        metavar="WHICH",
        choices=OPTIMIZERS,
    )
    starts: int = count(20, "number of starting points: the given one and random ones")
    directions: int = count(
        420,
        "random search directions per feature in the annealed search; 0 turns it off",
        least=0,
        advanced=True,
    )
    smooth: str = option(
        "none",
        "smooth the error surface: average or minimum over neighbouring intervals, or none",
        metavar="HOW",
        advanced=True,
        choices=SMOOTHINGS,
    )
    window: int = count(1, "neighbours on each side for --smooth", advanced=True)
    regularize: float = option(
        0.0,
        "penalty, in points of the metric, for a squared distance of 1 from the start",
        metavar="X",
        advanced=True,
        least=0,
        below=math.inf,
    )
    fix: Sequence[str] = option(
        (), "keep this feature's starting weight; repeatable", metavar="NAME", advanced=True
    )
    bound: Mapping[str, Range] = option(
        {},
        "keep this feature's weight within a range; LOW or HIGH may be omitted; repeatable",
        metavar="NAME=LOW:HIGH",
        advanced=True,
    )
    normalize: str | None = option(
        None,
        "scale the weights to norm 1: l1, l2, max or none",
        metavar="HOW",
        advanced=True,
        choices=NORMS,
        shown="l1; none with --fix or --bound",
    )
    runs: int = count(1, "tune N times with different seeds and report how much the results vary")
    average: bool = option(
        False, "return the average weights of all runs instead of the best run's"
    )
    iterations: int = count(15, "maximum number of iterations of decoding and tuning")
    size: int = count(100, "candidates per sentence to request from the decoder")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
        object.__setattr__(self, "fix", tuple(self.fix))
        for name, (low, high) in self.bound.items():
            if low is not None and high is not None and not low < high:
                raise UsageError(
                    f"--bound {bound_text(name, (low, high))}: the lower end is not below the "
                    "upper; swap them"
                )
        if self.normalize not in (None, "none") and (self.fix or self.bound):
            raise UsageError(
                "--normalize would change weights that --fix and --bound hold; leave it out"
            )
        if self.average and self.runs == 1:
            raise UsageError("--average needs several --runs; give at least 2")


def bounds_of(texts: Iterable[str]) -> dict[str, Range]:
    """Ranges of weights from texts such as `lm_0=0:1`.

    >>> bounds_of(["lm_0=0:1", "tm_0=:2"])
    {'lm_0': (0.0, 1.0), 'tm_0': (None, 2.0)}
    """
    bounds: dict[str, Range] = {}
    for text in texts:
        name, equals, rest = text.rpartition("=")
        low, colon, high = rest.partition(":")
        try:
            if not (equals and colon):
                raise ValueError
            bounds[name] = (_end(low, -math.inf), _end(high, math.inf))
        except ValueError:
            raise UsageError(f"--bound {text}: expected NAME=LOW:HIGH, such as lm_0=0:1") from None
    return bounds


def _end(text: str, farthest: float) -> float | None:
    end = float(text) if text else farthest
    if math.isnan(end):
        raise ValueError
    return None if end == farthest else end


def bound_text(name: str, ends: Range) -> str:
    """A weight's range in the syntax of the command line.

    >>> bound_text("lm_0", (0.0, None))
    'lm_0=0:'
    """
    low, high = ("" if end is None else number_text(end) for end in ends)
    return f"{name}={low}:{high}"


@dataclass(frozen=True, slots=True)
class TrainPlan:
    """How a reranker is trained: on which gold candidates, with which features, how strict.

    Several values of `gamma`, or none for a path of them, are chosen from by cross-validation.
    """

    gold: str = option(
        "corpus",
        "train toward the candidates with the best corpus score (corpus), or toward the best "
        "candidate of each sentence (sentence)",
        metavar="HOW",
        choices=GOLD,
    )
    phrases: tuple[int, ...] = option(
        (),
        "add a feature for every phrase of N words, such as 2,3",
        metavar="N,...",
        least=1,
        shown="none",
    )
    cutoff: int = count(2, "drop sparse features that vary in fewer sentences")
    gamma: tuple[float, ...] = option(
        (),
        "strength of the L1 regularisation; of several values, cross-validation chooses the best",
        metavar="G,...",
        above=0,
        below=math.inf,
        shown="a sequence from the largest value that selects a feature",
    )
    folds: int = count(5, "number of folds of the cross-validation")
    per_round: int = count(1000, "features added per round of feature selection", advanced=True)
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
        object.__setattr__(self, "phrases", tuple(sorted(set(self.phrases))))
