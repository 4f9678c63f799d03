"""Judgments that are written are read back as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading import read_judgments
from unit.human.judgments import KINDS, one
from weigh.errors import InputError
from weigh.human.judgments import WRITERS, as_tsv
from weigh.human.quality import quality
from weigh.read.answers import Judgments
from weigh.types import Judgment, Span
from weigh_lab.simulation import simulate

# What ends cells, rows, answers and names, formulas, references, and writing from right to left.
HOSTILE = ("=1+1", "-x", "@a", "'=1", "''", '"', ",", ";", "|", "_", "__", ":", "a_b", "b_c", " ")
HOSTILE += (
    "\t",
    "\n",
    "\r\n",
    "\r",
    "שלום",
    "\u202eabc",
    "日本",
    "&amp;",
    "<b>",
    "{",
    "0",
    "\u2028",
)

_names = st.lists(st.sampled_from(HOSTILE) | st.text("ab_: 1", max_size=3), max_size=3).map("".join)
_filled = _names.filter(bool)
_times = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1))


def _iso(time: datetime, hours: int | None) -> str:
    zone = None if hours is None else timezone(timedelta(hours=hours))
    return time.replace(tzinfo=zone).isoformat()


@st.composite
def answers(draw: st.DrawFn, excluded: str = "") -> list[Judgment]:
    """Answers of some judges of some hits, none to the same question of a hit twice."""
    names = _filled.filter(lambda name: not set(name) & set(excluded))
    some = st.lists(names, min_size=1, max_size=3, unique=True)
    judges, hits, systems, segments = (draw(some) for _ in range(4))
    questions = draw(
        st.lists(
            st.tuples(
                st.sampled_from(judges),
                st.sampled_from(["adequacy", "fluency", "=style"]),
                st.sampled_from(KINDS),
                st.sampled_from(systems),
                st.sampled_from(segments),
            ),
            min_size=1,
            max_size=12,
            unique=True,
        )
    )
    numbered = draw(st.booleans())
    return [
        Judgment(
            judge,
            hit := draw(st.sampled_from(hits)),
            draw(st.sampled_from(["de-en", "zh-hans-en", "=x-@y"])),
            kind,
            system,
            segment,
            draw(st.integers(0, 100) | st.floats(0, 100)) + 0.0,
            scale,
            draw(st.none() | st.floats(0, 1e4)),
            draw(st.none() | st.builds(_iso, _times, st.sampled_from([None, 0, -8]))),
            str(place) if numbered else None,
            draw(st.none() | st.just("1")),
            draw(st.booleans()),
            f"{judge}@{hit}" if draw(st.booleans()) else None,
        )
        for place, (judge, scale, kind, system, segment) in enumerate(questions)
    ]


def read_back(text: str, ending: str = "") -> Judgments:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"answers{ending}"
        path.write_bytes(text.encode())
        return read_judgments([str(path)])


def in_order(judgments: Sequence[Judgment]) -> list[Judgment]:
    return sorted(judgments, key=repr)


def check(form: str, judgments: Sequence[Judgment], expected: Sequence[Judgment]) -> None:
    """Nothing is changed, left out or wondered at; writing what was read gives the same."""
    text = WRITERS[form](judgments)
    found = read_back(text)
    assert not found.omissions
    assert in_order(found.judgments) == in_order(expected)
    again = read_back(WRITERS[form](found.judgments))
    assert in_order(again.judgments) == in_order(expected)


@st.composite
def marked_answers(draw: st.DrawFn, excluded: str = "") -> list[Judgment]:
    """Answers with what only our own forms hold: documents, slices and marked errors."""
    names = _filled.filter(lambda name: not set(name) & set(excluded))
    place = st.integers(0, 50).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + 1, 60))
    )
    span = st.builds(
        lambda ends, severity, category: Span(*ends, severity, category),
        place | st.just((None, None)),
        st.sampled_from(["minor", "major"]),
        st.sampled_from(["", "Accuracy/Omission"]),
    )
    spans = st.none() | st.lists(span, max_size=3).map(tuple)
    return [
        replace(
            judgment,
            document=draw(st.none() | names),
            slice=draw(st.none() | names),
            spans=draw(spans),
        )
        for judgment in draw(answers(excluded))
    ]


@settings(max_examples=20)
@given(marked_answers())
def test_json_lines(judgments: list[Judgment]) -> None:
    check("jsonl", judgments, judgments)
    assert list(read_back(WRITERS["jsonl"](judgments)).judgments) == judgments


@settings(max_examples=20)
@given(marked_answers(excluded="\t\n\r"))
def test_tsv(judgments: list[Judgment]) -> None:
    check("tsv", judgments, judgments)
    assert list(read_back(as_tsv(judgments)).judgments) == judgments


@pytest.mark.parametrize("form", list(WRITERS))
def test_a_repeat_of_a_repeat(form: str) -> None:
    """One judge, two hits, both scales, an item and its repeat in each, all with one score."""
    judgments = [
        one(
            *("A", 1, 50.0, "ann", kind, hit, scale),
            at=f"2026-01-0{day}T10:{minute}0:00+00:00",
            item=str(minute),
        )
        for day, hit in enumerate(["h1", "h2"], 1)
        for scale in ("adequacy", "fluency")
        for minute, kind in enumerate(KINDS, 1)
    ]
    found = read_back(WRITERS[form](judgments)).judgments
    assert len(found) == len(judgments)
    key = {(each.scale, each.kind) for each in judgments}
    assert {(each.scale, each.kind) for each in found} == key


def test_what_a_form_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="has a tab or a line end, which TSV cannot hold"):
        as_tsv([one("a\tb", 1, 5.0)])


def test_nothing_to_write() -> None:
    assert {form: write([]).count("\n") for form, write in WRITERS.items()} == {
        "jsonl": 0,
        "tsv": 1,
    }


@pytest.mark.parametrize("form", list(WRITERS))
def test_judges_get_the_same_verdicts_through_every_form(form: str) -> None:
    judgments = simulate(seed=0, segments=100, hits=12, judges=6).judgments
    told = attrgetter("judge", "judgments", "p_value", "controls", "mean_bad", "reasons")
    found = quality(read_back(WRITERS[form](judgments)).judgments)
    assert [told(each) for each in found.judges] == [
        told(each) for each in quality(judgments).judges
    ]
