"""Blind pairs and people's choices from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weigh.read.answers import Omission
from weigh.report import validation_preference
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.restored.saved import Saved, checked_p_value, unfit
from weigh.report.validation_preference import PairsReport, VotesReport
from weigh.validate.preference import Key
from weigh.validate.preference_votes import Votes

_COMMAND = "validate preference"


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A document that was written with the pairs."""

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


@dataclass(frozen=True, slots=True)
class _Votes:
    """What people said of the pairs of one key."""

    a: str
    b: str
    reference_shown: bool
    judges: int
    judgments_a: int
    judgments_b: int
    judgments_neither: int
    sentences_a: int
    sentences_b: int
    p_value: float
    left: int
    alpha: float
    unanswered: int
    incomplete: int
    judges_per_pair: int
    seed: int
    signatures: Mapping[str, str]
    margins: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Counted:
    """A document that was written with the answers."""

    test_set: Extent
    preferences: tuple[_Votes, ...]
    omissions: tuple[Omission, ...]


def restore_preference(
    document: Mapping[str, Any], name: str
) -> Saved[PairsReport] | Saved[VotesReport]:
    """Return what `weigh validate preference` has written; which side is whose is not in it."""
    if "preferences" in document:
        return _counted(decode(_Counted, document, name), name)
    return _made(decode(_Pairs, document, name))


def _made(given: _Pairs) -> Saved[PairsReport]:
    key = Key(
        given.a,
        given.b,
        dict(given.signatures),
        given.segments,
        given.same,
        given.unscored,
        dict(given.ties),
        given.judges,
        given.reference_shown,
        given.seed,
        (),
    )
    return Saved(
        _COMMAND,
        PairsReport(key, given.pairs, given.test_set.references, given.ties_by_model),
        validation_preference.pairs_as_table,
        validation_preference.PAIRS_FORMATS,
    )


def _counted(given: _Counted, name: str) -> Saved[VotesReport]:
    if not given.preferences:
        raise unfit(name, "no preferences")
    return Saved(
        _COMMAND,
        VotesReport(
            [_votes(one, name) for one in given.preferences],
            given.test_set.segments,
            given.omissions,
        ),
        validation_preference.as_table,
        validation_preference.FORMATS,
    )


def _votes(one: _Votes, name: str) -> Votes:
    key = Key(
        one.a,
        one.b,
        dict(one.signatures),
        segments=0,
        same=0,
        unscored=0,
        broken_ties={},
        judges=one.judges_per_pair,
        reference_shown=one.reference_shown,
        seed=one.seed,
        pairs=(),
    )
    return Votes(
        key,
        one.judges,
        (one.judgments_a, one.judgments_b, one.judgments_neither),
        dict(one.margins),
        (one.sentences_a, one.sentences_b),
        checked_p_value(one.p_value, name),
        one.left,
        one.alpha,
        one.unanswered,
        one.incomplete,
    )


RESTORERS = {"validate preference": restore_preference}
