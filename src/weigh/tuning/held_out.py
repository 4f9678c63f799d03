"""Held-out lists: scores of weights on candidates that they were not tuned on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.compare import compare
from weigh.comparing.dataset import Dataset
from weigh.comparing.plan import Plan
from weigh.errors import InputError, UsageError
from weigh.metrics.combine import Combine
from weigh.options import options_of
from weigh.result import checked_p_value
from weigh.stats.sample import Sample
from weigh.tuning.gather import Lists, as_nbest, missing_remarks
from weigh.tuning.nbest import locate, without_candidates
from weigh.tuning.problem import Problem
from weigh.tuning.weights import transferred
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals
    from weigh.types import Rows

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Spread:
    """The variation of scores between runs that differ only in their seed (Clark et al. 2011)."""

    mean: float
    deviation: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> Spread:
        """Describe scores; one has no deviation."""
        deviation = float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
        return cls(float(np.mean(scores)), deviation, min(scores), max(scores))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A list that is not tuned on, and its test set; `parses` are of its sources, for RYPT."""

    lists: Lists
    test_set: TestSet
    parses: str | None = None


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """Scores on a list that was not tuned on: of the start, of the result and over the runs.

    `p_value` is that of the comparison of the start with all runs, by randomization; where that
    makes no sense it is None, and `refused` says why.
    """

    segments: int
    start_score: float
    score: float
    spread: Spread
    p_value: float | None
    signature: str
    refused: str | None = None

    def __post_init__(self) -> None:
        if self.p_value is not None:
            checked_p_value(self.p_value)

    @property
    def is_significant(self) -> bool:
        """Whether there is evidence of a difference between the start and the runs."""
        return self.p_value is not None and self.p_value <= ALPHA


@dataclass(frozen=True, slots=True)
class HeldOutList:
    """Candidates that are not tuned on, counted by the metric, and the texts they belong to."""

    problem: Problem
    test_set: TestSet
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, held_out: HeldOut | None, metric: Metric, *, threads: int) -> HeldOutList | None:
        """Count the candidates of a list if there is one: before tuning, which may take long."""
        if held_out is None:
            return None
        test_set, parses = held_out.test_set, held_out.parses
        check_held_out(
            metric, bool(test_set.references), test_set.sources is not None, parses is not None
        )
        nbest = as_nbest(held_out.lists, test_set)
        metric = metric if parses is None else _with_parses(metric, parses)
        problem = Problem.of(nbest, test_set, metric, threads=threads)
        remarks = (
            *missing_remarks(without_candidates(nbest.ids, test_set), len(test_set)),
            *(f"held out: {remark}" for remark in problem.remarks()),
        )
        return cls(problem, test_set, remarks)

    def scored(
        self,
        start: Mapping[str, float],
        runs: Sequence[Mapping[str, float]],
        result: Mapping[str, float],
        *,
        seed: int,
        threads: int,
    ) -> tuple[HeldOutScores, list[float]]:
        """Score the start, the result and every run, and compare all runs with the start."""
        problem = self.problem
        nbest, metric = problem.nbest, problem.metric
        # The start is the same in every run, and tests are stratified over runs.
        chosen = [
            self._choose(transferred(weights, nbest)) for weights in ([start] * len(runs) + [*runs])
        ]
        texts, rows = [tuned for tuned, _ in chosen], [tuned for _, tuned in chosen]
        test_set = self.test_set.part(np.sort(locate(nbest.ids, self.test_set)))
        count = len(runs)
        dataset = Dataset.of_samples(
            [Sample(metric, ("start", "tuned"), (tuple(rows[:count]), tuple(rows[count:])))],
            references=len(test_set.references),
            outputs=(texts[:count], texts[count:]),
        )
        compared, refused = None, None
        try:
            [compared] = compare(dataset, plan=Plan(seed=seed), threads=threads).comparisons
        except InputError as error:  # which is no reason to lose what was found
            refused = str(error)
        run_scores = [problem.score(transferred(weights, nbest)) for weights in runs]
        scores = HeldOutScores(
            segments=len(nbest.ids),
            start_score=problem.score(transferred(start, nbest)),
            score=problem.score(transferred(result, nbest)),
            spread=Spread.of(run_scores),
            p_value=None if compared is None else compared.p_value,
            signature=metric.signature(len(test_set.references)),
            refused=refused,
        )
        return scores, run_scores

    def _choose(self, weights: Reals) -> tuple[list[str], Rows]:
        """The texts chosen by weights and their rows, in the test set's order."""
        nbest = self.problem.nbest
        order = np.argsort(locate(nbest.ids, self.test_set))
        chosen = nbest.hypotheses[nbest.best(weights)][order]
        return [nbest.texts[text] for text in chosen], self.problem.rows[chosen]


def check_held_out(metric: Metric, references: bool, sources: bool, parses: bool) -> None:
    """Reject a held-out list that lacks what the metric needs, before reading it."""
    if _reads_parses(metric) != parses:
        raise UsageError(
            "--heldout-parses is for -m rypt; leave it out"
            if parses
            else f"{metric.name} needs the parses of the held-out sources; add them with "
            "--heldout-parses"
        )
    if metric.needs_references and not references:
        raise UsageError("--heldout and --heldout-ref go together; give both")
    if metric.needs_sources and not sources:
        raise UsageError(
            f"{metric.name} needs the sources of the held-out list; add them with --heldout-src"
        )


def _reads_parses(metric: Metric) -> bool:
    if isinstance(metric, Combine):
        return any(map(_reads_parses, metric.metrics))
    # An option of RYPT, which stands beside this package and not below it.
    return any(chosen.name == "parses" for chosen in options_of(metric))


def _with_parses(metric: Metric, parses: str) -> Metric:
    if isinstance(metric, Combine):
        return Combine([_with_parses(part, parses) for part in metric.metrics], metric.weights)
    changed: Any = metric  # a dataclass
    return replace(changed, parses=parses) if _reads_parses(metric) else metric
