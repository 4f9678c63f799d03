"""Small results of `weigh tune` and `weigh rerank`, for a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

import numpy as np

from unit.tuning.lists import store
from weigh import TestSet, parse_metric
from weigh.result import Result
from weigh.tuning.held_out import HeldOutScores, Spread
from weigh.tuning.model import TrainingResult, train_reranker
from weigh.tuning.nbest import NBest
from weigh.tuning.oracle import OracleResult, oracle
from weigh.tuning.plan import TunePlan
from weigh.tuning.problem import Goal, ListExtent, Problem
from weigh.tuning.rerank import ChoicesResult, rerank
from weigh.tuning.search import Iteration, Run, Start, TuneResult

NAMES = ("lm_0", "tm_0")
HOSTILE = ('<b>"&</b>\t|', "\u202e_0\\")
SEGMENTS = 12


def made_list(names: Sequence[str], words: str, seed: int = 5) -> tuple[NBest, TestSet]:
    """Return nine candidates of each of twelve segments, and their references."""
    rng = np.random.default_rng(seed)
    segments = [
        [(f"a b {words} {rng.integers(4)}", rng.normal(size=2).tolist()) for _ in range(9)]
        for _ in range(SEGMENTS)
    ]
    references = [f"a b {words} {number % 4}" for number in range(SEGMENTS)]
    return store(segments, tuple(names)), TestSet([references])


def made_tuning(
    names: Sequence[str] = NAMES,
    words: str = "word",
    *,
    runs: int = 2,
    iterations: Sequence[float] = (40.0, 35.5, 36.0),
    seed: int = 5,
) -> TuneResult:
    """Return a tuning toward TER, which is the better the lower."""
    nbest, test_set = made_list(names, words, seed)
    problem = Problem.of(nbest, test_set, parse_metric("ter:tokenize=none"))
    first, found = (dict(zip(names, pair, strict=True)) for pair in ((1.0, 1.0), (0.5, 1.0)))
    held_out = HeldOutScores(
        12, 41.0, 39.0, Spread(39.0, 0.0, 39.0, 39.0), 0.04, "nrefs:1|<held out>"
    )
    return TuneResult(
        **asdict(Goal.of(problem.metric, 1)),
        test_set=ListExtent(segments=12, references=1, left_out=2, candidates=108),
        plan=TunePlan(runs=runs, seed=7),
        score=35.5,
        start_weights=first,
        weights=found,
        starts=(Start(40.0, 35.5, found),),
        runs=tuple(
            Run(7 + run, 40.0, 35.5 + run, found, 39.0 if runs > 1 else None) for run in range(runs)
        ),
        average_score=36.0 if runs > 1 else None,
        held_out=held_out if runs > 1 else None,
        iterations=tuple(
            Iteration(at, 50 * at, 50, score, None if at == 3 else 34.0, first, first)
            for at, score in enumerate(iterations, 1)
        ),
        remarks=("2 of 14 sentences have <no> candidates",),
    )


def of_tune(seed: int) -> TuneResult:
    """Return a tuning with or without runs, iterations and a held-out list."""
    result = made_tuning(
        HOSTILE if seed % 2 else NAMES,
        "<i>&" if seed % 2 else "word",
        runs=1 + seed % 3,
        iterations=[(), (40.0,), (40.0, 35.5, 36.0)][seed % 3],
        seed=seed,
    )
    plan = replace(
        result.plan,
        optimizer=("mert", "pro", "mira")[seed % 3],
        average=seed % 3 == 2,
        fix=(HOSTILE[0],) if seed % 2 else (),
        bound={NAMES[0]: (None, 2.0)} if seed % 2 else {},
    )
    held_out = result.held_out
    if held_out is not None and seed % 4 == 0:
        held_out = replace(held_out, p_value=None, refused="systems are <unlike>")
    return replace(result, plan=plan, held_out=held_out)


def of_choices(seed: int) -> ChoicesResult:
    """Return chosen texts, some of which are empty or look like markup."""
    nbest, _ = made_list(NAMES, "<i>&\\" if seed % 2 else "word", seed)
    result = rerank(nbest, {"lm_0": 1.0, "tm_0": 0.5})
    first = replace(result.sentences[0], text="")
    return replace(
        result,
        sentences=(first, *result.sentences[1:]),
        remarks=("a <remark>",) if seed % 2 else (),
    )


def of_oracle(seed: int) -> OracleResult:
    """Return the limits of a list, by one metric or two."""
    nbest, test_set = made_list(HOSTILE, "word", seed)
    return oracle(nbest, test_set, ["ter", "nist"][: 1 + seed % 2], threads=1)


def of_training(seed: int) -> TrainingResult:
    """Return a reranker, cross-validated or not, with or without phrases."""
    nbest, test_set = made_list(HOSTILE if seed % 2 else NAMES, "word", seed)
    gamma = (0.5,) if seed % 3 == 0 else (0.5, 1.0)
    result = train_reranker(
        nbest,
        test_set,
        "ter" if seed % 2 else "bleu:effective_order",
        gamma=gamma,
        folds=2,
        phrases=(1,) if seed % 2 else (),
        seed=seed,
        threads=1,
    )
    return replace(result, remarks=("a <remark>",) if seed % 2 else ())


MADE: dict[str, Callable[[int], Result]] = {
    "tune": of_tune,
    "rerank, choices": of_choices,
    "rerank, oracle": of_oracle,
    "rerank, train": of_training,
}
