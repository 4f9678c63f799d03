"""The list of `weigh tune --heldout`: what was found, on candidates that it was not found on."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.cli import lists, terminal
from weigh.comparing.compare import compare
from weigh.comparing.measure import Measured
from weigh.comparing.plan import Plan
from weigh.errors import InputError, UsageError
from weigh.metrics.combine import Combine
from weigh.metrics.supply import needs_references, needs_sources
from weigh.read import read_test_set
from weigh.report.tuning import HeldOut, ReadGain, TuneReport
from weigh.rypt.metric import Rypt
from weigh.stats.sample import Sample
from weigh.tuning.gather import read_nbest
from weigh.tuning.nbest import locate, restricted, without_candidates
from weigh.tuning.problem import Problem
from weigh.tuning.tuning import transferred
from weigh.types import Outputs, System, readings_of

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals
    from weigh.types import Metric, Rows, TestSet


@dataclass(frozen=True, slots=True)
class HeldOutList:
    """Candidates that are not tuned on, counted by the metric, and the texts they belong to."""

    problem: Problem
    test_set: TestSet

    @classmethod
    def read(cls, arguments: argparse.Namespace, metric: Metric) -> HeldOutList | None:
        """Read the list if there is one: before tuning, which may take long."""
        if not arguments.heldout:
            return None
        parses = arguments.heldout_parses
        metric = metric if parses is None else _with_parses(metric, parses)
        test_set = read_test_set(
            arguments.heldout_ref,
            arguments.heldout_src,
            references_needed=needs_references(metric),
        )
        nbest = read_nbest(arguments.heldout, test_set)
        lists.say_missing(without_candidates(nbest.ids, test_set), len(test_set))
        problem = Problem.of(nbest, test_set, metric, threads=arguments.threads)
        for remark in problem.remarks():
            terminal.say(f"held out: {remark}")
        return cls(problem, test_set)

    def scored(self, report: TuneReport, *, seed: int, threads: int) -> HeldOut:
        """Score the result, and compare all runs with the start."""
        problem = self.problem
        # The start is the same in every run, and tests are stratified over runs.
        named = [("start", report.start, str(run)) for run in range(len(report.runs))]
        named += [("tuned", run.weights, str(at)) for at, run in enumerate(report.runs)]
        systems, rows = [], []
        for name, weights, run in named:
            texts, own = self._chosen(weights_here(report, weights, problem))
            systems.append(System(name, Outputs(texts), run))
            rows.append(own)
        nbest, metric = problem.nbest, problem.metric
        test_set = restricted(self.test_set, np.sort(locate(nbest.ids, self.test_set)))
        names = ("start", "tuned")
        runs = len(report.runs)
        sample = Sample(metric, names, (tuple(rows[:runs]), tuple(rows[runs:])))
        contents = [system.outputs.texts for system in systems]
        measured = Measured.of(
            [sample], len(test_set.references), contents=(contents[:runs], contents[runs:])
        )
        compared, refused = None, None
        try:
            [compared] = compare(measured, plan=Plan(seed=seed), threads=threads).comparisons
        except InputError as error:  # which is no reason to lose what was found
            refused = str(error)
        agree = None if compared is None else compared.readings_agree
        said = readings_of(metric)
        caution = None
        if said is not None and agree is not None:
            caution = said.if_they_agree if agree else said.if_they_disagree
        return HeldOut(
            segments=len(nbest.ids),
            signature=metric.signature(len(test_set.references)),
            start_score=problem.score(weights_here(report, report.start, problem)),
            run_scores=[
                problem.score(weights_here(report, run.weights, problem)) for run in report.runs
            ],
            score=problem.score(weights_here(report, report.weights, problem)),
            p_value=None if compared is None else compared.p_value,
            refused=refused,
            readings=[
                ReadGain(one.reading, one.score_a, one.score_b, one.p_value)
                for one in (() if compared is None else compared.readings)
            ],
            readings_agree=agree,
            caution=caution,
        )

    def _chosen(self, weights: Reals) -> tuple[list[str], Rows]:
        """Return the texts that weights choose and their rows, in the test set's order."""
        nbest = self.problem.nbest
        order = np.argsort(locate(nbest.ids, self.test_set))
        chosen = nbest.hypotheses[nbest.best(weights)][order]
        return [nbest.texts[text] for text in chosen], self.problem.rows[chosen]


def weights_here(report: TuneReport, weights: Reals, problem: Problem) -> Reals:
    """Return weights for a list of the same features, whatever their order."""
    return transferred(dict(zip(report.names, weights.tolist(), strict=True)), problem)


def check_held_out(arguments: argparse.Namespace, metric: Metric) -> None:
    """Refuse a held-out list without what the metric needs, before anything is read."""
    if not arguments.heldout:
        return
    parses = arguments.heldout_parses
    if _has_rypt(metric) != (parses is not None):
        raise UsageError(
            f"{metric.name} needs the parses of the held-out sources; add them with "
            "--heldout-parses"
            if parses is None
            else "--heldout-parses is for -m rypt; leave it out"
        )
    if needs_references(metric) and not arguments.heldout_ref:
        raise UsageError("--heldout and --heldout-ref go together; give both")
    if needs_sources(metric) and arguments.heldout_src is None:
        raise UsageError(
            f"{metric.name} needs the sources of the held-out list; add them with --heldout-src"
        )


def _has_rypt(metric: Metric) -> bool:
    return isinstance(metric, Rypt) or any(map(_has_rypt, getattr(metric, "metrics", ())))


def _with_parses(metric: Metric, parses: str) -> Metric:
    if isinstance(metric, Combine):
        return Combine([_with_parses(part, parses) for part in metric.metrics], metric.weights)
    return replace(metric, parses=parses) if isinstance(metric, Rypt) else metric
