"""How weights are tuned and rerankers trained: all choices, with what the command line says."""

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
    """How weights are sought: by which optimizer, how often, and within which bounds.

    `starts`, `directions`, `smooth`, `window` and `regularize` are of mert alone, `iterations`
    and `size` of a decoder. Without `normalize`, results have the l1 norm 1, unless a weight is
    held by `fix` or `bound`.
    """

    optimizer: str = option(
        "mert",
        "mert (exact line search), pro or mira for hundreds of features",
        metavar="WHICH",
        choices=OPTIMIZERS,
    )
    starts: int = count(20, "number of starts: the given one and random ones")
    directions: int = count(
        420,
        "lines per feature, of which 50 count, along which every six starts are annealed together; "
        "0 for none",
        least=0,
    )
    smooth: str = option(
        "none",
        "average or minimum over neighbouring steps of the error surface",
        metavar="HOW",
        choices=SMOOTHINGS,
    )
    window: int = count(1, "neighbours on either side that --smooth takes in")
    regularize: float = option(
        0.0,
        "points of the metric that a squared distance of 1 from the start costs",
        metavar="X",
        least=0,
        below=math.inf,
    )
    fix: Sequence[str] = option(
        (), "keep this feature's start weight; repeat it for more", metavar="NAME"
    )
    bound: Mapping[str, Range] = option(
        {},
        "keep this feature's weight between two numbers, either of which may be left out; "
        "repeat it for more",
        metavar="NAME=LOW:HIGH",
    )
    normalize: str | None = option(
        None,
        "bring the l1, l2 or max norm of the weights shown and written to 1, or none",
        metavar="HOW",
        choices=NORMS,
        shown="l1; none where --fix or --bound holds weights",
    )
    runs: int = count(
        1, "tune so many times with different seeds and show how much the results differ"
    )
    average: bool = option(
        False, "take the average of the runs' weights instead of those of the best run"
    )
    iterations: int = count(15, "most iterations of decoding and tuning")
    size: int = count(100, "candidates per sentence that the decoder is asked for")
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
            raise UsageError("--normalize would change what --fix and --bound hold; leave it out")
        if self.average and self.runs == 1:
            raise UsageError("--average needs several --runs; give at least 2")


def bounds_of(texts: Iterable[str]) -> dict[str, Range]:
    """Return the ranges that texts such as `lm_0=0:1` give to weights.

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
            raise UsageError(f"--bound {text}: not NAME=LOW:HIGH; give lm_0=0:1, say") from None
    return bounds


def _end(text: str, farthest: float) -> float | None:
    end = float(text) if text else farthest
    if math.isnan(end):
        raise ValueError
    return None if end == farthest else end


def bound_text(name: str, ends: Range) -> str:
    """Return a range of a weight as the command line has it.

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
        "learn from the candidates that score best together (corpus), or from each sentence's "
        "best by itself (sentence)",
        metavar="HOW",
        choices=GOLD,
    )
    phrases: tuple[int, ...] = option(
        (),
        "make a feature of every phrase of so many words, such as 2,3",
        metavar="N,...",
        least=1,
        shown="none",
    )
    cutoff: int = count(2, "drop sparse features that vary in fewer sentences than this")
    gamma: tuple[float, ...] = option(
        (),
        "strength of the L1 regularisation; of several the best by cross-validation",
        metavar="G,...",
        above=0,
        below=math.inf,
        shown="a path from the largest that selects anything",
    )
    folds: int = count(5, "number of parts of the cross-validation")
    per_round: int = count(1000, "features that one round of the selection may add")
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
        object.__setattr__(self, "phrases", tuple(sorted(set(self.phrases))))
