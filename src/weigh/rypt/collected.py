"""What has been collected: how many labels, which ones, and how long they took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weigh.rypt.aggregate import Agreement, agreements, decider
from weigh.rypt.judgment import EntryJudgment, votes
from weigh.rypt.label import Entry, Label


@dataclass(frozen=True, slots=True)
class Collected:
    """The judgments of a store in numbers.

    `judgments` are all that were ever given, `votes` the last of each judge on each entry, and
    `corrected` those that a later one took the place of. `labels` counts votes, `worth` what
    entries are in the end, by `aggregate`. `timed` judgments say how long they took, `seconds` in
    all. `given` holds the votes themselves, by entry and judge, and `agreements` how far each
    judge agrees with the others; judges are numbered, by their names.
    """

    judgments: int
    corrected: int
    sources: int
    spans: int
    entries: int
    judges: int
    labels: Mapping[Label, int]
    worth: Mapping[Label, int]
    timed: int
    seconds: float
    given: Mapping[Entry, Mapping[str, Label]]
    agreements: Sequence[Agreement]
    aggregate: str = "majority"

    @property
    def votes(self) -> int:
        """How many judgments count."""
        return self.judgments - self.corrected

    @property
    def seconds_per_label(self) -> float | None:
        """How long a label took on average, where that is known."""
        return self.seconds / self.timed if self.timed else None

    @property
    def labels_per_hour(self) -> float | None:
        """How many labels a judge gave in an hour."""
        return 3600 * self.timed / self.seconds if self.seconds else None


def collected(judgments: Sequence[EntryJudgment], aggregate: str = "majority") -> Collected:
    """Count what there is; `aggregate` says how several labels of an entry become one."""
    given = votes(judgments)
    times = [one.seconds for one in judgments if one.seconds is not None]
    labels = Counter(label for by_judge in given.values() for label in by_judge.values())
    worth = Counter(map(decider(aggregate, given.values), given.values()))
    return Collected(
        judgments=len(judgments),
        corrected=len(judgments) - labels.total(),
        sources=len({entry.source for entry in given}),
        spans=len({entry[:3] for entry in given}),
        entries=len(given),
        judges=len({one.judge for one in judgments}),
        labels={label: labels[label] for label in Label},
        worth={label: worth[label] for label in Label},
        timed=len(times),
        seconds=sum(times),
        given=given,
        agreements=list(agreements(given.values()).values()),
        aggregate=aggregate,
    )
