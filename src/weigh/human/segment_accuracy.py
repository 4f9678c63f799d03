"""Pairs of outputs for one segment: how often a metric says what people say, ties included.

People often find two outputs equally good, a metric hardly ever. So the metric is allowed to call
outputs level whose scores differ by no more than a threshold: tie calibration (Deutsch, Foster &
Freitag 2023).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import plural
from weigh.human.rank import sample_of
from weigh.human.rank_result import HumanRanking
from weigh.read.answers import Judgments, Preferences
from weigh.stats.intervals import t_interval
from weigh.stats.ranking import with_ties

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.dataset import Dataset
    from weigh.human.plan import RankPlan
    from weigh.types import Preference

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

FOLDS = 10
# Sums of shares differ by rounding alone where they differ by less.
_TIE = 1e-11
# How often scores are shuffled: the more pairs there are, the less a single time varies.
_FEWEST_SHUFFLES, _MOST_SHUFFLES, _SHUFFLED_PAIRS = 5, 200, 1_000_000


@dataclass(frozen=True, slots=True)
class OutputPairs:
    """Pairs of systems' outputs for the same segment, and which of the two people prefer.

    `segments`, `first` and `second` are places in a metric's scores; `signs` are 1 where the first
    is better, −1 where the second is, and 0 where people find them level.
    """

    segments: Places
    first: Places
    second: Places
    signs: Places

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.signs)

    def part(self, kept: NDArray[np.bool_]) -> OutputPairs:
        """Return some of the pairs."""
        return OutputPairs(
            self.segments[kept], self.first[kept], self.second[kept], self.signs[kept]
        )

    @classmethod
    def of_scores(
        cls,
        systems: Sequence[str],
        scores: Mapping[str, Mapping[str, float]],
        places: Mapping[str, int],
    ) -> OutputPairs:
        """Pair all outputs for a segment, by people's scores of each system and segment."""
        score_table = np.full((len(systems), max(places.values(), default=-1) + 1), np.nan)
        for at, system in enumerate(systems):
            for name, score in scores[system].items():
                if name in places:
                    score_table[at, places[name]] = score
        first, second = np.triu_indices(len(systems), 1)
        differences = score_table[first] - score_table[second]
        segment, pair = np.nonzero(np.isfinite(differences).T)
        signs = np.sign(differences[pair, segment]).astype(np.int64)
        return cls(segment, first[pair], second[pair], signs)

    @classmethod
    def of_preferences(
        cls,
        systems: Sequence[str],
        preferences: Iterable[Preference],
        places: Mapping[str, int],
    ) -> OutputPairs:
        """Take the pairs that people were asked about: who wins more often is the better one."""
        numbers = {name: at for at, name in enumerate(systems)}
        votes: Counter[tuple[int, int, int]] = Counter()
        for preference in preferences:
            is_scored = preference.winner in numbers and preference.loser in numbers
            if is_scored and preference.segment in places:
                a, b = numbers[preference.winner], numbers[preference.loser]
                won = 0 if preference.tied else 1 if a < b else -1
                votes[places[preference.segment], min(a, b), max(a, b)] += won
        rows = sorted((*about, (won > 0) - (won < 0)) for about, won in votes.items())
        return cls(*np.array(rows, np.int64).reshape(-1, 4).T)


@dataclass(frozen=True, slots=True)
class SegmentAccuracy:
    """The share of pairs of outputs for a segment that a metric orders as people do.

    Shares are means over segments of the share of a segment's pairs. `plain` calls outputs level
    only if their scores are equal, `accuracy` up to the `threshold` that is best for just these
    segments. For `held_out` it was chosen on other segments than those that it is used on, and
    `chance` is what scores get in the same way that were shuffled among each segment's outputs.
    None of these exist for a single segment. The `interval` is for other segments. `tied` is the
    share of pairs that people find level.
    """

    scale: str
    metric: str
    segments: int
    pairs: int
    tied: float
    plain: float
    accuracy: float
    threshold: float
    held_out: float | None
    interval: tuple[float, float] | None
    chance: float | None


def segment_accuracy(
    pairs: OutputPairs,
    scores: Floats,
    *,
    scale: str = "",
    metric: str = "",
    level: float = 0.95,
    seed: int = 12345,
) -> SegmentAccuracy | None:
    """Compare a metric's scores (systems × segments, higher is better) with people.

    Pairs of which the metric has no score are left out; None if there are no others.
    """
    differences = scores[pairs.first, pairs.segments] - scores[pairs.second, pairs.segments]
    scored = np.isfinite(differences)
    pairs, differences = pairs.part(scored), differences[scored]
    if not len(pairs):
        return None
    people = _People(pairs, seed)
    threshold = _Thresholds(differences).best(people.gains(differences))
    held_out = interval = chance = None
    if people.segments > 1:
        by_segment = people.held_out(differences)
        held_out = float(by_segment.mean())
        low, high = t_interval(by_segment, level)
        interval = max(low, 0.0), min(high, 1.0)
        chance = people.chance(scores)
    return SegmentAccuracy(
        scale,
        metric,
        people.segments,
        len(pairs),
        people.mean(pairs.signs == 0),
        people.mean(people.agree(differences, 0.0)),
        people.mean(people.agree(differences, threshold)),
        threshold,
        held_out,
        interval,
        chance,
    )


class _Thresholds:
    """All thresholds that tell some pairs apart: 0, and every size of a difference."""

    def __init__(self, differences: Floats) -> None:
        size = np.abs(differences)
        self._order = np.argsort(size, kind="stable")
        ordered = size[self._order]
        self._ends = np.flatnonzero(np.append(np.diff(ordered) > 0, True))
        self._sizes = np.append(0.0, ordered[self._ends])

    def best(self, gains: Floats) -> float:
        """Return the smallest threshold with the largest sum of gains up to it."""
        sums = np.append(0.0, np.cumsum(gains[self._order])[self._ends])
        return float(self._sizes[np.argmax(sums >= sums.max() - _TIE)])


class _People:
    """People's orderings of pairs, in segments that are divided into folds."""

    def __init__(self, pairs: OutputPairs, seed: int) -> None:
        self._pairs = pairs
        names, self._segment = np.unique(pairs.segments, return_inverse=True)
        self.segments = len(names)
        self._counts = np.bincount(self._segment)
        self._weights = 1.0 / (self._counts[self._segment] * self.segments)
        self._random = np.random.Generator(np.random.Philox(key=seed))
        dealt = self._random.permutation(self.segments) % min(FOLDS, self.segments)
        self._fold = dealt[self._segment]

    def mean(self, holds: NDArray[np.bool_]) -> float:
        """The mean over segments of the share of pairs with a property."""
        return float(self._shares(holds).mean())

    def agree(self, differences: Floats, threshold: Floats | float) -> NDArray[np.bool_]:
        """Pairs on which a metric agrees with people."""
        signs = np.where(np.abs(differences) <= threshold, 0.0, np.sign(differences))
        return np.asarray(signs == self._pairs.signs)

    def gains(self, differences: Floats) -> Floats:
        """Gain of accuracy if a pair counts as a tie."""
        level = self._pairs.signs == 0
        risen = level.astype(np.float64) - self.agree(differences, 0.0)
        return np.asarray(self._weights * risen)

    def held_out(self, differences: Floats) -> Floats:
        """Every segment's accuracy with a threshold chosen on the other folds."""
        tried, gains = _Thresholds(differences), self.gains(differences)
        folds = range(int(self._fold.max()) + 1)
        chosen = np.array([tried.best(np.where(self._fold == fold, 0.0, gains)) for fold in folds])
        return self._shares(self.agree(differences, chosen[self._fold]))

    def _shares(self, holds: NDArray[np.bool_]) -> Floats:
        return np.asarray(np.bincount(self._segment, holds) / self._counts)

    def chance(self, scores: Floats) -> float:
        """The accuracy of scores shuffled among the outputs of each segment."""
        pairs = self._pairs
        keys = self._segment * len(scores)
        both = np.concatenate([keys + pairs.first, keys + pairs.second])
        outputs, at = np.unique(both, return_inverse=True)
        first, second = np.split(at, 2)
        place = np.empty(self.segments, np.int64)
        place[self._segment] = pairs.segments
        segment = outputs // len(scores)
        values = scores[outputs % len(scores), place[segment]]
        times = min(max(_FEWEST_SHUFFLES, _SHUFFLED_PAIRS // len(pairs)), _MOST_SHUFFLES)
        total = 0.0
        for _ in range(times):
            # Sorted by segment, so that a permutation within segments keeps each at its place.
            shuffled = values[np.lexsort((self._random.random(len(values)), segment))]
            total += float(self.held_out(shuffled[first] - shuffled[second]).mean())
        return total / times


# What people and metrics have scored, put together.


def places_of(
    dataset: Dataset, answers: Judgments | Preferences
) -> tuple[dict[str, int], list[str]]:
    """Positions of judged segments in metrics' scores, and the segments that are missing.

    They are named as in the test set, or by their numbers from 1.
    """
    rows = answers.preferences if isinstance(answers, Preferences) else answers.judgments
    judged = {row.segment for row in rows}
    units = range(dataset.samples[0].units)
    numbers = {name: at for at, name in enumerate(dataset.ids or ())}
    if not judged & numbers.keys():
        numbers = {str(dataset.number_of(at)): at for at in units}
        if "0" in judged:
            return {}, [
                "the judgments number segments from 0, but the test set from 1, so agreement on "
                "single segments is unknown; number segments from 1"
            ]
    missing = judged - numbers.keys()
    if len(missing) == len(judged):
        return {}, [
            f"no judged segment, such as {min(missing)!r}, is in the test set, so agreement on "
            "single segments is unknown; number segments from 1"
        ]
    places = {name: numbers[name] for name in judged - missing}
    remark = f"{plural(len(missing), 'judged segment')} not in the test set, such as"
    return places, [f"{remark} {min(missing)!r}"] if missing else []


def output_pairs(
    answers: Judgments | Preferences,
    ranking: HumanRanking,
    systems: Sequence[str],
    places: Mapping[str, int],
    plan: RankPlan,
) -> OutputPairs:
    """People's preferences between pairs of outputs, by the scores of the ranking."""
    if isinstance(answers, Preferences):
        return OutputPairs.of_preferences(systems, answers.preferences, places)
    sample = sample_of(answers.judgments, ranking.pair, ranking.scale, plan)
    scores = {name: sample.by_segment(name) for name in systems}
    return OutputPairs.of_scores(systems, scores, places)


def output_scores(dataset: Dataset) -> dict[str, dict[str, Floats]]:
    """Scores of all outputs by metric and system, larger being better, as means over runs.

    Equal ones are equal here, whatever rounding makes of them.
    """
    from weigh.metrics.registry import key_of

    scores: dict[str, dict[str, Floats]] = {}
    for sample in dataset.samples:
        metric = sample.metric
        sign = 1.0 if metric.higher_is_better else -1.0
        values = sign * np.array(
            [
                np.mean([metric.segment_scores(matrix) for matrix in runs], axis=0)
                for runs in sample.rows
            ]
        )
        finite = np.isfinite(values)
        values[finite] = with_ties(values[finite], float(np.abs(values[finite]).max(initial=0.0)))
        scores[key_of(metric)] = dict(zip(sample.names, values, strict=True))
    return scores
