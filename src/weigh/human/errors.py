"""Errors that people marked: how many in each system's texts, and where, for pages to show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.errors import InputError
from weigh.human.judgments import OUTPUTS, in_order, judged_names
from weigh.read.answers import Judgments, Preferences
from weigh.read.spans import SEVERITIES, place_span
from weigh.result import derived
from weigh.types import Judgment, Span, System, TestSet, grouped

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Segments


@dataclass(frozen=True, slots=True)
class SystemErrors:
    """The errors that were marked in one system's texts.

    `texts` is how often somebody read one and was asked for errors: a segment that two people have
    read counts twice, and so do their marks. In `without_errors` of these nothing was marked.
    `severities` and `categories` count errors, the latter as the files call them; `missing` are
    those that have no place in the text.
    """

    pair: str
    system: str
    texts: int
    without_errors: int
    severities: Mapping[str, int]
    categories: Mapping[str, int]
    missing: int

    @property
    @derived
    def per_hundred(self) -> dict[str, float]:
        """Errors of each severity per 100 texts."""
        return {name: 100 * count / self.texts for name, count in self.severities.items()}

    @property
    def all_per_hundred(self) -> float:
        """Errors per 100 texts."""
        return 100 * sum(self.severities.values()) / self.texts

    @property
    def missing_per_hundred(self) -> float:
        """Errors without a place per 100 texts."""
        return 100 * self.missing / self.texts

    @property
    def share_without_errors(self) -> float:
        """The share of texts in which nothing was marked."""
        return self.without_errors / self.texts

    @property
    def categories_per_hundred(self) -> dict[str, float]:
        """Errors of each category per 100 texts."""
        return {name: 100 * count / self.texts for name, count in self.categories.items()}


def undecided_errors(errors: Iterable[SystemErrors]) -> int:
    """The number of errors without a severity."""
    return sum(row.severities.get("undecided", 0) for row in errors)


def frequent_categories(errors: Iterable[SystemErrors]) -> list[str]:
    """The categories of all systems, the most frequent first."""
    totals: Counter[str] = Counter()
    for row in errors:
        totals.update(row.categories)
    return sorted(totals, key=lambda name: (-totals[name], name))


def errors_of(judgments: Iterable[Judgment]) -> tuple[SystemErrors, ...]:
    """The errors of every system, fewest per 100 texts first.

    Where one reading was scored on two scales, its errors count once.
    """
    readings = grouped(_readings(judgments), lambda judgment: (judgment.pair, judgment.system))
    errors = [_counted(pair, system, readings[pair, system]) for pair, system in readings]

    def by_rate(errors: SystemErrors) -> tuple[Any, ...]:
        rate = sum(errors.severities.values()) / errors.texts
        return errors.pair, rate, in_order(errors.system)

    return tuple(sorted(errors, key=by_rate))


def _readings(judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """One judgment per text that was read by somebody who could mark errors."""
    scales: dict[tuple[object, ...], str] = {}
    for judgment in judgments:
        if judgment.spans is None or judgment.kind not in OUTPUTS:
            continue  # what is marked in a control is no error of a system's
        reading = (
            *(judgment.judge, judgment.hit, judgment.pair, judgment.kind, judgment.system),
            *(judgment.segment, judgment.item, judgment.at, judgment.spans),
        )
        if scales.setdefault(reading, judgment.scale) == judgment.scale:
            yield judgment


def _counted(pair: str, system: str, readings: Sequence[Judgment]) -> SystemErrors:
    spans = [span for judgment in readings for span in judgment.spans or ()]
    severities = Counter(span.severity for span in spans)
    categories = Counter(span.category for span in spans if span.category)
    return SystemErrors(
        pair,
        system,
        len(readings),
        sum(not judgment.spans for judgment in readings),
        {name: severities[name] for name in SEVERITIES if severities[name]},
        dict(sorted(categories.items(), key=lambda item: (-item[1], item[0]))),
        sum(span.start is None for span in spans),
    )


def shown_errors(
    answers: Judgments | Preferences, systems: Sequence[System], test_set: TestSet | None
) -> tuple[tuple[SystemErrors, ...], MarkedTexts | None]:
    """The errors of systems, with the texts that contain them where these are given."""
    if isinstance(answers, Preferences):
        return (), None
    if not systems:
        return errors_of(answers.judgments), None
    segments = test_set or TestSet([systems[0].outputs.texts])
    return errors_of(answers.judgments), marked_texts(answers.judgments, systems, segments)


class Mark(NamedTuple):
    """An error where a page shows it: in characters of the output, and by whom it was marked."""

    span: Span
    judge: str


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """Outputs with the scores and the errors that people gave them, to look through.

    `marks` are, by system, those of every segment, and empty where nobody was asked for errors.
    Systems stand best first by the first scale.
    """

    segments: Segments
    systems: tuple[str, ...]
    marks: Mapping[str, tuple[tuple[Mark, ...], ...]]


def marked_texts(
    judgments: Sequence[Judgment], systems: Sequence[System], test_set: TestSet
) -> MarkedTexts:
    """The texts of judged segments, with the errors marked in them.

    A segment is known by its id, or else by its number in the test set. A span outside of its
    text is an error.
    """
    # Here, so that rankings are made without all that compares systems.
    from weigh.comparing.compare_result import Segments

    judged = [judgment for judgment in judgments if judgment.kind in OUTPUTS]
    pairs = {judgment.pair for judgment in judged}
    if len(pairs) > 1:
        raise InputError(
            f"judgments of {len(pairs)} language pairs ({', '.join(sorted(pairs))}), but texts "
            "of only one; choose the pair with --pair"
        )
    names = judged_names(
        [system.name for system in systems], {judgment.system for judgment in judged}
    )
    texts = {names[system.name]: system.outputs for system in systems if system.name in names}
    if not texts:
        judged_list = ", ".join(sorted({judgment.system for judgment in judged}, key=in_order))
        raise InputError(
            f"none of the texts is from a system that people judged ({judged_list}); name them, "
            "as in --system NAME=FILE"
        )
    places = _places(
        {judgment.segment for judgment in judged if judgment.system in texts}, test_set
    )
    positions = sorted(set(places.values()))
    row_of = {place: row for row, place in enumerate(positions)}
    values: dict[tuple[str, str, int], list[float]] = {}
    marks: dict[tuple[str, int], list[Mark]] = {}
    for judgment in judged:
        if judgment.system in texts:
            at = row_of[places[judgment.segment]]
            values.setdefault((judgment.scale, judgment.system, at), []).append(judgment.value)
    readings = [reading for reading in _readings(judged) if reading.system in texts]
    for judgment in readings:
        place = places[judgment.segment]
        text = texts[judgment.system].texts[place]
        marks.setdefault((judgment.system, row_of[place]), []).extend(
            Mark(_locate(span, text, judgment), judgment.judge) for span in judgment.spans or ()
        )
    scales = sorted({scale for scale, _, _ in values})
    rows = range(len(positions))
    scores = {
        scale: {
            name: [
                fsum(cell) / len(cell) if (cell := values.get((scale, name, at))) else math.nan
                for at in rows
            ]
            for name in texts
        }
        for scale in scales
    }
    ids = test_set.ids
    return MarkedTexts(
        Segments(
            [place + 1 for place in positions],
            scores,
            (),
            {
                name: [outputs.texts[place] for place in positions]
                for name, outputs in texts.items()
            },
            None if test_set.sources is None else [test_set.sources[place] for place in positions],
            None if ids is None else [ids[place] for place in positions],
        ),
        tuple(sorted(texts, key=lambda name: (-_mean(scores[scales[0]][name]), in_order(name)))),
        {
            name: tuple(tuple(marks.get((name, at), ())) for at in rows)
            for name in (texts if readings else ())
        },
    )


def _mean(scores: Sequence[float]) -> float:
    defined = [score for score in scores if not math.isnan(score)]
    return fsum(defined) / len(defined) if defined else -math.inf


def _places(segments: Iterable[str], test_set: TestSet) -> dict[str, int]:
    """Return the places of judged segments in the test set, from 0."""
    if test_set.ids is not None:
        numbers = {name: place for place, name in enumerate(test_set.ids)}
    else:
        numbers = {str(place + 1): place for place in range(len(test_set))}
    places = {}
    for segment in sorted(segments, key=in_order):
        if segment not in numbers:
            what = "ids" if test_set.ids is not None else "numbers"
            raise InputError(
                f"segment {segment!r} was judged, but the texts have {len(numbers):,} segments, "
                f"and no {what[:-1]} matches; give texts with the ids of the judgments"
            )
        places[segment] = numbers[segment]
    return places


def _locate(span: Span, text: str, judgment: Judgment) -> Span:
    try:
        return place_span(span, text)
    except ValueError as error:
        raise InputError(
            f"{judgment.system}, segment {judgment.segment}: a span of {judgment.judge} is outside "
            f"of the text ({error}); give the texts that were judged"
        ) from None
