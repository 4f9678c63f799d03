"""Blind pairs: what two metrics choose from n-best lists, for people who must not know which.

Zaidan & Callison-Burch (2009, §5): the candidate of an n-best list that one metric likes best,
against the one that another likes best, shown side by side in a random order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from weigh.engine.executors import accepts_executor
from weigh.errors import InputError, UsageError
from weigh.human.draws import Draws
from weigh.metrics.registry import key_of, shared_name
from weigh.read.text import read_whole, shown
from weigh.read.weights import WeightsFile
from weigh.result import Extent, Result, decode, rendered
from weigh.tuning.gather import candidates_for, gather
from weigh.tuning.nbest import first_maxima, locate
from weigh.tuning.problem import Problem
from weigh.tuning.weights import weight_space
from weigh.validate.nbest_systems import remarks_on_missing
from weigh.validate.plan import PreferencePlan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.metrics.custom import Definition
    from weigh.read.nbest import Candidate
    from weigh.tuning.nbest import Integers, NBest, Reals
    from weigh.types import Metric, TestSet

_KEY = "validate preference key"

Side = Literal["a", "b"]
OTHER: dict[Side, Side] = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two candidates of a segment under a meaningless id; `left` is one metric's choice."""

    pair: str
    segment: str
    left: Side


@dataclass(frozen=True, slots=True)
class Key:
    """The secret part of blind pairs: which metric chose which side.

    `a` and `b` are the metrics. Of so many `segments`, both chose the `same` text for some, which
    need no judging, and `unscored` ones cannot be scored by both. `broken_ties`
    tells how often each metric had several favourites, of which the model chose.
    """

    a: str
    b: str
    signatures: Mapping[str, str]
    segments: int
    same: int
    unscored: int
    broken_ties: Mapping[str, int]
    judges: int
    reference_shown: bool
    seed: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """The visible part of a pair; a text is None if it is not shown."""

    pair: str
    source: str | None
    reference: str | None
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class PairsResult(Result):
    """A summary of pairs before they are judged; the key tells the sides apart.

    `ties` tells how often each metric had several favourites, `ties_by_model` whether the model's
    scores decided between them.
    """

    command: ClassVar[str] = "validate preference"

    test_set: Extent
    a: str
    b: str
    segments: int
    unscored: int
    same: int
    pairs: int
    judges: int
    reference_shown: bool
    seed: int
    ties: Mapping[str, int]
    ties_by_model: bool
    signatures: Mapping[str, str]
    remarks: tuple[str, ...] = ()

    @property
    def judgments(self) -> int:
        """The number of answers to collect."""
        return self.pairs * self.judges


@dataclass(frozen=True, slots=True)
class BlindPairs:
    """Pairs for those who judge, the key for those who count, and what can be said before."""

    key: Key
    questions: tuple[Question, ...]
    result: PairsResult


class Totals:
    """The model's highest total score of each text, as n-best lists tell it themselves."""

    def __init__(self) -> None:
        self._best: dict[tuple[str, str], float] = {}
        self._complete = True

    def noted(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Pass candidates on and remember their totals."""
        for candidate in candidates:
            try:
                total = float(candidate.total) if candidate.total is not None else math.nan
            except ValueError:
                total = math.nan
            self._complete = self._complete and math.isfinite(total)
            text = candidate.id, candidate.text
            self._best[text] = max(total, self._best.get(text, total))
            yield candidate

    def of(self, nbest: NBest) -> Reals | None:
        """Return a score for each candidate, or None if not every line has one."""
        if not self._complete:
            return None
        segments = [nbest.ids[segment] for segment in nbest.text_segments.tolist()]
        texts = [self._best[text] for text in zip(segments, nbest.texts, strict=True)]
        return np.array(texts)[nbest.hypotheses]


def favourites(problem: Problem, model: Reals) -> tuple[Integers, NDArray[np.bool_], Integers]:
    """The candidate of each segment that the metric scores best.

    Of equal ones it is that with the highest model score, then the first. Return also which
    segments can be scored, and how many texts share the highest score. A segment cannot be if a
    candidate has no score, or if all statistics are 0, as RYPT's are without a parse.
    """
    nbest = problem.nbest
    scores = problem.sign * problem.metric.segment_scores(problem.rows)[nbest.hypotheses]
    starts, counts = nbest.offsets[:-1], np.diff(nbest.offsets)
    scored = ~np.logical_or.reduceat(np.isnan(scores), starts)
    counted = np.asarray(problem.rows.any(axis=1))[nbest.hypotheses]
    scored &= np.logical_or.reduceat(counted, starts)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    highest = scores == np.repeat(np.maximum.reduceat(scores, starts), counts)
    best = first_maxima(np.where(highest, model, -np.inf), nbest.offsets)
    texts = np.unique(nbest.hypotheses[highest])
    return best, scored, np.bincount(nbest.text_segments[texts], minlength=len(nbest.ids))


@accepts_executor
def blind_pairs(
    lists: Sequence[str],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    plan: PreferencePlan | None = None,
    *,
    weights: WeightsFile | Mapping[str, float] | None = None,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
) -> BlindPairs:
    """Pairs of the candidates of n-best lists that two metrics score best.

    Of candidates that a metric likes equally, the model decides: by its `weights`, else by the
    total scores of the lists, else by their order.
    """
    if len(metrics) != 2:
        raise UsageError(f"{len(metrics)} metrics given; give two, whose choices are compared")
    totals = Totals()
    nbest = gather(totals.noted(candidates_for(lists, test_set)))
    first, second = (Problem.of(nbest, test_set, metric, threads=threads) for metric in metrics)
    if isinstance(weights, Mapping):
        weights = WeightsFile("weights", weights)
    model = (
        totals.of(nbest) if weights is None else nbest.scores(weight_space(nbest, weights).start)
    )
    scores = np.zeros(len(nbest)) if model is None else model
    key, questions = experiment(first, second, scores, test_set, plan or PreferencePlan())
    if not questions:
        raise InputError("both metrics choose the same text everywhere; there is nothing to judge")
    result = PairsResult(
        Extent(key.segments, len(test_set.references)),
        key.a,
        key.b,
        key.segments,
        key.unscored,
        key.same,
        len(key.pairs),
        key.judges,
        key.reference_shown,
        key.seed,
        key.broken_ties,
        model is not None,
        key.signatures,
        remarks_on_missing(nbest, test_set),
    )
    return BlindPairs(key, questions, result)


def experiment(
    first: Problem, second: Problem, model: Reals, test_set: TestSet, plan: PreferencePlan
) -> tuple[Key, tuple[Question, ...]]:
    """Pairs of the candidates that two metrics score best, where these differ.

    One metric's choice stands on the left in half of the pairs, drawn by the seed.
    """
    show_reference, seed = plan.show_reference, plan.seed
    metrics = first.metric, second.metric
    a, b = _distinct_names(metrics, [metric.name for metric in metrics])
    names_in_ids = _distinct_names(metrics, [shared_name(metric) for metric in metrics])
    if show_reference and not test_set.references:
        raise InputError("no references to show; give them with -r REF")
    nbest = first.nbest
    (best_a, scored_a, ties_a), (best_b, scored_b, ties_b) = (
        favourites(problem, model) for problem in (first, second)
    )
    scored = scored_a & scored_b
    texts = [
        [nbest.texts[text] for text in nbest.hypotheses[best].tolist()] for best in (best_a, best_b)
    ]
    different = [at for at in np.flatnonzero(scored).tolist() if texts[0][at] != texts[1][at]]
    places = locate(nbest.ids, test_set)
    pairs, questions = [], []
    for at, side in zip(different, _left_choices(len(different), seed), strict=True):
        chosen: dict[Side, str] = {"a": texts[0][at], "b": texts[1][at]}
        identity = (*names_in_ids, nbest.ids[at], *chosen.values(), str(show_reference))
        pair = Pair(_opaque_name((str(seed), *identity)), nbest.ids[at], side)
        pairs.append(pair)
        place = int(places[at])
        questions.append(
            Question(
                pair.pair,
                None if test_set.sources is None else test_set.sources[place],
                test_set.references[0][place] if show_reference else None,
                chosen[side],
                chosen[OTHER[side]],
            )
        )
    key = Key(
        a=a,
        b=b,
        signatures={
            name: problem.metric.signature(len(test_set.references))
            for name, problem in ((a, first), (b, second))
        },
        segments=len(nbest.ids),
        same=int(scored.sum()) - len(different),
        unscored=int((~scored).sum()),
        broken_ties={a: int((ties_a[scored] > 1).sum()), b: int((ties_b[scored] > 1).sum())},
        judges=plan.judges,
        reference_shown=show_reference,
        seed=seed,
        pairs=tuple(pairs),
    )
    return key, tuple(questions)


def _distinct_names(metrics: Sequence[Metric], names: Sequence[str]) -> tuple[str, str]:
    """The names of two metrics, with options if only these differ."""
    a, b = map(key_of, metrics)
    if a == b:
        raise UsageError(f"{a} against itself; give two different metrics")
    a_name, b_name = names
    return (a, b) if a_name == b_name else (a_name, b_name)


def _left_choices(size: int, seed: int) -> list[Side]:
    draws = Draws(seed)
    sides: list[Side] = draws.shuffled(["a", "b"])  # who has one more of an odd number
    return draws.shuffled((sides * (size // 2 + 1))[:size])


def _opaque_name(parts: Sequence[str]) -> str:
    """A name without meaning that no spreadsheet takes for a number."""
    digest = blake2b("\0".join(parts).encode(), digest_size=5)
    return f"p{digest.hexdigest()}"


def as_key(key: Key) -> str:
    """The key file, which tells which side of each pair is whose choice."""
    return rendered(_KEY, key) + "\n"


def read_key(path: str) -> Key:
    """Return a key from its file."""
    return key_from(read_whole(path), shown(path))


def key_from(text: str, name: str) -> Key:
    """Return a key from what its file holds; `name` is the file's, for errors."""
    import json

    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("command") != _KEY:
        raise InputError(
            f"{name}: not a key of blind pairs; give the file that 'weigh validate preference' "
            "wrote with --key"
        )
    return decode(Key, document, name)


def as_jsonl(questions: Sequence[Question]) -> str:
    """Return one JSON object for each question, without what is not shown."""
    import json
    from dataclasses import asdict

    return "".join(
        json.dumps(
            {name: text for name, text in asdict(question).items() if text is not None},
            ensure_ascii=False,
        )
        + "\n"
        for question in questions
    )


def as_csv(questions: Sequence[Question]) -> str:
    """A CSV file for crowdsourcing sites, with values as HTML."""
    from dataclasses import asdict

    from weigh.read.cells import csv_text, html

    # What one question does not show, none does.
    columns = [name for name, text in asdict(questions[0]).items() if text is not None]
    rows = [[html(getattr(question, name)) for name in columns] for question in questions]
    return csv_text([columns, *rows])
