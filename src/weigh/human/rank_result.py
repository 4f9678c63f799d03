"""Rankings of systems from judgments: scores, tests of every pair and clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from statistics import median
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeVar

from weigh.errors import plural
from weigh.human.arena import Arena, Strength
from weigh.human.conclusions import Conclusion, ExpectedWins
from weigh.human.errors import MarkedTexts, SystemErrors
from weigh.human.judgments import Step, about
from weigh.human.plan import COMBINED, PAIRED, PREFERENCE, Quality, RankPlan
from weigh.human.powered import PoweredScore
from weigh.human.quality import Verdict
from weigh.human.scores import HumanScore, UnrankedScore
from weigh.human.tables import DocumentScore, SegmentScore, SliceScore, document_scores
from weigh.read.answers import Omission
from weigh.result import Extent, Result, checked, derived, sometimes, unsaved
from weigh.stats.crossed import LEAST_DOCUMENTS
from weigh.stats.crossed import LEAST_JUDGES as LEAST_JUDGES
from weigh.stats.multiplicity import FAMILYWISE

Score = HumanScore | ExpectedWins | Strength


class NewData(NamedTuple):
    """The summary of intervals for other judges and segments, or documents, over all pairs.

    So many of the `intervals` are `excluding_zero`; `fewest_judges` are behind one of them.
    `why_these_judges` is why none of them covers other judges. Of `missing` pairs there is no
    interval. So many differences are significant but for `these_judges_only`.
    """

    intervals: int
    excluding_zero: int
    fewest_judges: int
    why_these_judges: Literal["", "few documents", "one judge"]
    missing: int
    these_judges_only: int


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """Systems of one language pair, judged on one scale, best first.

    Where fluency decides what adequacy leaves open, those are first that beat most systems, less
    those that beat them; the scores are of adequacy. A ranking by strength has an `arena`.
    """

    pair: str
    scale: str
    signature: str = ""
    arena: Arena | None = sometimes()
    scores: tuple[Score, ...] = unsaved(())
    comparisons: tuple[Conclusion, ...] = unsaved(())
    unranked: tuple[UnrankedScore, ...] = unsaved(())
    slices: tuple[SliceScore, ...] = unsaved(())
    powered: tuple[PoweredScore, ...] = unsaved(())
    segment_scores: tuple[SegmentScore, ...] = unsaved((), compare=False)

    @property
    def about(self) -> str:
        """The language pair and scale."""
        return about(self.pair, self.scale)

    @property
    def by(self) -> Literal["z", "raw", "expected wins", "bradley-terry"]:
        """The kind of scores."""
        return self.scores[0].by

    @property
    def decimals(self) -> int:
        """With how many decimals its scores are shown."""
        return 2 if self.by == "raw" else 3

    @property
    def combined(self) -> bool:
        """Whether two scales determine the ranking."""
        return self.scale == COMBINED

    @property
    def by_document(self) -> bool:
        """Whether tests and intervals treat documents, not segments, as independent."""
        return any(row.documents is not None for row in self.comparisons)

    @property
    @derived
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """Clusters of systems without a significant line between them."""
        groups = groupby(self.scores, lambda score: score.cluster)
        return tuple(tuple(score.system for score in group) for _, group in groups)

    @property
    @derived
    def uncorrected(self) -> bool:
        """Whether the ranks are no confidence statement: of one-sided tests, of two families of
        them, or of p-values that do not bound the chance of any false win."""
        return self.combined or any(
            conclusion.alternative != "two-sided"
            or (conclusion.family_size > 1 and conclusion.adjust not in FAMILYWISE)
            for conclusion in self.comparisons
        )

    @property
    def why_uncorrected(self) -> Literal["", "combined", "one-sided", "adjustment"]:
        """Why the ranks are no confidence statement; empty if they are one."""
        if self.combined or not self.uncorrected:
            return "combined" if self.combined else ""
        return "one-sided" if self.comparisons[0].adjust in FAMILYWISE else "adjustment"

    @property
    def beaten(self) -> tuple[tuple[str, str], ...]:
        """The better and the worse system of every significant difference."""
        return tuple(pair.beats for pair in self.comparisons if pair.beats is not None)

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs of systems without a significant difference."""
        decided = {frozenset(pair) for pair in self.beaten}
        pairs = combinations([score.system for score in self.scores], 2)
        return tuple(pair for pair in pairs if frozenset(pair) not in decided)

    def wins(self, system: str) -> int | None:
        """The number of systems that this one beats; None if it is not ranked."""
        ranks = {score.system: score.rank for score in self.scores}
        return len(ranks) - ranks[system][1] if system in ranks else None

    def losses(self, system: str) -> int | None:
        """The number of systems that beat this one; None if it is not ranked."""
        ranks = {score.system: score.rank for score in self.scores}
        return ranks[system][0] - 1 if system in ranks else None

    @property
    def pairs(self) -> tuple[Conclusion, ...]:
        """Every pair once; where both directions were tested, from the better system's side."""
        pairs: dict[frozenset[str], Conclusion] = {}
        for pair in self.comparisons:
            pairs.setdefault(frozenset((pair.a, pair.b)), pair)
        return tuple(pairs.values())

    @property
    def most_trials(self) -> int:
        """The most trials of a test; 0 if all are exact."""
        return max(pair.trials or 0 for pair in self.comparisons)

    @property
    def most_documents(self) -> int:
        """The most documents of a pair."""
        return max(pair.documents or 0 for pair in self.comparisons)

    @property
    def most_left_out(self) -> int:
        """The most segments of one system alone that a paired test leaves out."""
        return max((pair.left_out or 0 for pair in self.pairs if pair.test in PAIRED), default=0)

    @property
    def fewest_shared(self) -> int:
        """The fewest segments that a paired test has of both systems."""
        return min((pair.shared or 0 for pair in self.pairs if pair.test in PAIRED), default=0)

    @property
    def new_data(self) -> NewData:
        """The summary of the intervals for other judges and segments over all pairs."""
        intervals = [pair.for_others for pair in self.pairs if pair.for_others is not None]
        why: Literal["", "few documents", "one judge"] = ""
        if self.by_document and not any(interval.judges for interval in intervals):
            too_few = any((interval.documents or 0) < LEAST_DOCUMENTS for interval in intervals)
            why = "few documents" if too_few else "one judge"
        return NewData(
            len(intervals),
            sum(not interval.contains_zero for interval in intervals),
            min((interval.judges for interval in intervals), default=0),
            why,
            sum(pair.for_others is None and pair.scale != PREFERENCE for pair in self.pairs),
            sum(pair.these_judges_only for pair in self.pairs),
        )

    def intervals(self) -> dict[tuple[str, str], tuple[float, float] | None]:
        """The intervals of the differences of all pairs, as tested."""
        if self.arena is not None:
            return self.arena.intervals()
        return {
            (pair.a, pair.b): None if pair.for_others is None else pair.for_others.interval
            for pair in self.comparisons
        }

    @property
    def slice_sizes(self) -> dict[str, int]:
        """The number of segments of every slice; the most, where systems differ."""
        sizes: dict[str, int] = {}
        for row in self.slices:
            sizes[row.slice] = max(sizes.get(row.slice, 0), row.segments)
        return sizes

    @property
    def macro_winner(self) -> str | None:
        """The system with the best mean over slices, unless that is the first one anyway."""
        macro = {
            score.system: score.macro
            for score in self.scores
            if isinstance(score, UnrankedScore) and score.macro is not None
        }
        first = self.scores[0].system
        best = max(macro, key=lambda system: macro[system], default=first)
        return best if first in macro and macro[best] > macro[first] else None

    @property
    def powered_systems(self) -> tuple[PoweredScore, ...]:
        """The scores of systems with a metric's help."""
        return tuple(row for row in self.powered if row.against is None)

    @property
    def powered_differences(self) -> tuple[PoweredScore, ...]:
        """The differences of pairs with a metric's help."""
        return tuple(row for row in self.powered if row.against is not None)

    @property
    def median_saved(self) -> float:
        """The median share of judgments that a metric replaces, over systems."""
        return median(row.saved for row in self.powered_systems)


@dataclass(frozen=True, slots=True)
class RankResult(Result):
    """All rankings, the judgments left at each step, and remarks.

    `scores` and `comparisons` are those of all rankings, each of which has its own too. `judges`
    tell what the `quality` control found of each judge; without one, how he or she worked.
    `powered` are scores of systems, then differences of pairs, with a metric's help.
    `unranked` are systems that were to be shown only, and `slices` the scores by slice, where there
    are some. Scores of segments and documents are too many for documents: a result that is read
    back has none.
    `errors` are those that were marked, where people were asked for them; `texts`, which documents
    leave out, are what pages show them in.
    """

    command: ClassVar[str] = "human rank"

    test_set: Extent
    quality: Quality
    plan: RankPlan
    steps: tuple[Step, ...]
    omissions: tuple[Omission, ...]
    judges: tuple[Verdict, ...]
    scores: tuple[Score, ...]
    comparisons: tuple[Conclusion, ...]
    rankings: tuple[HumanRanking, ...]
    remarks: tuple[str, ...]
    powered: tuple[PoweredScore, ...] = sometimes(())
    unranked: tuple[UnrankedScore, ...] = sometimes(())
    slices: tuple[SliceScore, ...] = sometimes(())
    errors: tuple[SystemErrors, ...] = sometimes(())
    texts: MarkedTexts | None = unsaved(None)

    @property
    def segment_scores(self) -> tuple[SegmentScore, ...]:
        """The mean of every segment of every system."""
        return tuple(row for ranking in self.rankings for row in ranking.segment_scores)

    @property
    def document_scores(self) -> tuple[DocumentScore, ...]:
        """The means over documents, where judgments or the caller tell them."""
        return tuple(
            row for ranking in self.rankings for row in document_scores(ranking.segment_scores)
        )

    def __post_init__(self) -> None:
        rankings = tuple(self._whole(ranking) for ranking in self.rankings)
        checked(bool(rankings), "no rankings")
        object.__setattr__(self, "rankings", rankings)

    def _whole(self, ranking: HumanRanking) -> HumanRanking:
        """A ranking with its scores and comparisons, which are separate in documents."""
        scores, pairs = _rows_of(ranking, self.scores), _rows_of(ranking, self.comparisons)
        unranked, slices = _rows_of(ranking, self.unranked), _rows_of(ranking, self.slices)
        systems = {row.system for row in scores}
        checked(
            0 < len(systems) == len(scores)
            and len({row.by for row in scores}) == 1
            and all({row.a, row.b} <= systems for row in pairs)
            and systems.isdisjoint(row.system for row in unranked),
            f"{ranking.about}: scores and comparisons are not of the same systems",
        )
        return replace(
            ranking,
            scores=scores,
            comparisons=pairs,
            unranked=unranked,
            slices=slices,
            powered=_rows_of(ranking, self.powered),
        )


def ranking_basis(result: RankResult) -> str:
    """Describe the judges of a ranking and their quality control.

    Such as "Ranking from 10 of 12 judges; quality control: crowd-alone".
    """
    first, last = result.steps[0], result.steps[-1]
    counted = f"{last.judges:,} of {plural(first.judges, 'judge')}"
    if not first.judges:
        counted = plural(last.judgments, "judgment")
    return f"Ranking from {counted}; quality control: {result.quality}"


class _Judged(Protocol):
    """A row that tells what was judged."""

    @property
    def pair(self) -> str: ...
    @property
    def scale(self) -> str: ...


Row = TypeVar("Row", bound=_Judged)


def _rows_of(ranking: HumanRanking, rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(row for row in rows if (row.pair, row.scale) == (ranking.pair, ranking.scale))
