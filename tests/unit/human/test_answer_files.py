"""Answers that are written in the forms of other places are read back as they were."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from math import fsum
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reading import read_judgments
from unit.human.judgments import KINDS, one
from weigh.errors import InputError, UsageError
from weigh.human.answer_files import WRITERS, as_appraise, as_mturk, as_pearmut, as_tsv
from weigh.human.quality import quality
from weigh.human.simulation import simulate
from weigh.read.answers import Judgments
from weigh.read.judgment_tables import moment
from weigh.read.records import parsed_number
from weigh.types import Judgment, Span, grouped

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
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


@given(marked_answers())
def test_json_lines(judgments: list[Judgment]) -> None:
    check("jsonl", judgments, judgments)
    assert list(read_back(WRITERS["jsonl"](judgments)).judgments) == judgments


@given(marked_answers(excluded="\t\n\r"))
def test_tsv(judgments: list[Judgment]) -> None:
    check("tsv", judgments, judgments)
    assert list(read_back(as_tsv(judgments)).judgments) == judgments


@given(answers())
def test_pearmut(judgments: list[Judgment]) -> None:
    check("pearmut", judgments, judgments)


def told_by_mturk(judgments: Sequence[Judgment]) -> list[Judgment]:
    """What results of MTurk tell of judgments, no two of which a row would call the same."""
    work = grouped(
        judgments,
        lambda each: (
            *(each.judge, each.hit, each.pair, each.scale),
            *(each.rejected, each.assignment),
        ),
    )
    told = []
    for row in work.values():
        times = [moment(each.at) for each in row if each.at is not None]
        seconds = [each.seconds for each in row if each.seconds is not None]
        for place, each in enumerate(row):
            told.append(
                replace(
                    each,
                    at=max(times).isoformat() if times else None,
                    seconds=fsum(seconds) / len(row) if len(seconds) == len(row) else None,
                    item=each.item or str(place),
                    of=None,
                )
            )
    return told


def approximately(judgments: Sequence[Judgment], digits: int) -> list[Judgment]:
    return in_order(
        [
            replace(each, seconds=None if each.seconds is None else round(each.seconds, digits))
            for each in judgments
        ]
    )


@given(answers(excluded="|"))
@example([one("a", 1, 5.0, judge="=1"), one("a", 1, 6.0, judge="=1", kind="repeat", item="x")])
def test_mturk(judgments: list[Judgment]) -> None:
    if any(each.item == "x" for each in judgments):
        expected = [
            replace(each, item=str(place)) for place, each in enumerate(told_by_mturk(judgments))
        ]
    else:
        expected = told_by_mturk(judgments)
    found = read_back(as_mturk(judgments))
    assert not found.omissions
    assert approximately(found.judgments, 6) == approximately(expected, 6)


def test_names_that_run_into_each_other_are_told_apart_by_their_places() -> None:
    judgments = [
        replace(one("a_b", 1, 5.0, item="1"), segment="c"),
        replace(one("a", 1, 6.0, item="2"), segment="b_c"),
        replace(one("a", 1, 7.0, item="2"), segment="b__c"),
        replace(one("a_b_c_SYSTEM_1__5", 1, 7.0, item="3"), segment="c"),
    ]
    check("mturk", judgments, judgments)


def test_what_a_row_of_mturk_would_confuse_stands_in_another() -> None:
    judgments = [
        replace(one("a_b", 1, 5.0, item="1"), segment="c"),
        replace(one("a", 1, 6.0, item="1"), segment="b_c"),
    ]
    assert as_mturk(judgments).count("\r\n") == 3
    check("mturk", judgments, judgments)


def told_by_appraise(judgments: Sequence[Judgment]) -> list[Judgment]:
    return [
        replace(
            each,
            hit=each.judge,
            at=None if each.at is None else moment(each.at).isoformat(),
            seconds=None if each.at is None else each.seconds,
            item=None,
            of=None,
            assignment=None,
            document=_document_within(each.segment),
        )
        for each in judgments
    ]


def _document_within(segment: str) -> str | None:
    document, _, number = segment.rpartition(":")
    return document if document and number else None


@given(answers())
def test_appraise(judgments: list[Judgment]) -> None:
    found = read_back(as_appraise(judgments))
    assert not found.omissions
    expected = told_by_appraise(judgments)
    assert [replace(each, seconds=None) for each in found.judgments] == [
        replace(each, seconds=None) for each in expected
    ]
    seconds = [each.seconds for each in expected]
    assert [each.seconds for each in found.judgments] == [
        None if each is None else pytest.approx(each, abs=1e-5) for each in seconds
    ]


def test_appraise_has_its_own_columns_where_that_suffices() -> None:
    [header, row] = csv.reader(
        io.StringIO(
            as_appraise(
                [
                    replace(
                        one("A", 1, 70.5, kind="repeat", seconds=8.25, at="2016-11-21T16:37:58Z"),
                        segment="news:4",
                    )
                ]
            ),
            newline="",
        )
    )
    assert ",".join(header) == (
        "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd"
    )
    assert ",".join(row) == "ann,A,4,CHK,de,en,70.5,news,False,1479746269.75,1479746278"


def test_appraise_says_what_would_be_taken_for_something_else() -> None:
    judgments = [one("A", 1, 5.0), one("A", 1, 6.0, scale="fluency"), one("B", 1, 7.0)]
    text = as_appraise([*judgments[:2], replace(judgments[2], rejected=True)])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["scale"] for row in rows] == ["", "fluency", ""]
    assert [row["rejected"] for row in rows] == ["", "", "true"]


def test_times_before_appraise_knows_any() -> None:
    judgments = [
        one("A", 1, 5.0, at="1969-12-31T23:00:00Z", seconds=1.0),
        one("B", 1, 5.0, at="1970-01-01T00:00:01Z", seconds=2.0),
    ]
    [first, second] = read_back(as_appraise(judgments)).judgments
    assert (first.at, first.seconds) == (None, None)
    assert (second.at, second.seconds) == ("1970-01-01T00:00:01+00:00", None)


def test_the_form_of_mturk() -> None:
    judgments = [
        one("A", 3, 70.0, item="1", seconds=5.0, at="2016-11-21T08:37:00-08:00"),
        one(
            "A", 3, 10.5, item="2", kind="bad", of="1", seconds=3.5, at="2016-11-21T08:37:58-08:00"
        ),
        one("B", 3, 20.0, judge="bob", hit="h2", rejected=True, assignment="as1"),
    ]
    ann, bob = csv.DictReader(io.StringIO(as_mturk(judgments), newline=""))
    assert ann["SubmitTime"] == "Mon Nov 21 16:37:58 UTC 2016"
    assert ann["WorkTimeInSeconds"] == "8.5"
    assert ann["Answer.Q1"] == "A_3_SYSTEM_1__70|A_3_BAD_REF_2__10.5"
    assert (ann["Input.sys_1"], ann["Input.tst_1"], ann["Input.item"]) == (
        "'A'",
        "'BAD_REF'",
        "'ad'",
    )
    assert (bob["HITId"], bob["AssignmentId"], bob["WorkerId"]) == ("h2", "as1", "bob")
    assert (bob["AssignmentStatus"], bob["SubmitTime"]) == ("Rejected", "")
    assert bob["Input.sys_1"] == ""


def test_the_form_of_pearmut() -> None:
    content = json.loads(
        as_pearmut(
            [
                one("A", 3, 70.0, kind="bad", seconds=5.0, at="1970-01-01T00:01:00Z"),
                one("A", 3, 10.5, scale="fluency"),
            ]
        )
    )
    assert list(content) == ["weigh-de-en-adequacy", "weigh-de-en-fluency"]
    [entry] = content["weigh-de-en-adequacy"]
    assert (entry["user_id"], entry["item_i"]) == ("ann", 0)
    assert entry["annotation"][0]["bad"]["score"] == 70.0
    assert entry["actions"] == [{"time": 55.0}, {"time": 60.0}]


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


@given(answers(excluded="|"))
def test_no_cell_is_a_formula(judgments: list[Judgment]) -> None:
    for write in (as_mturk, as_appraise):
        for row in csv.reader(io.StringIO(write(judgments), newline="")):
            for cell in row:
                assert not cell.startswith(FORMULAS) or parsed_number(cell) is not None


def test_what_a_form_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match=r"'a\|b' has a \|, which stands between answers"):
        as_mturk([one("a|b", 1, 5.0)])
    with pytest.raises(InputError, match="has a tab or a line end, which TSV cannot hold"):
        as_tsv([one("a\tb", 1, 5.0)])
    for write in (as_mturk, as_appraise):
        with pytest.raises(UsageError, match="write it as SOURCE-TARGET, like de-en"):
            write([replace(one("a", 1, 5.0), pair="")])


def test_nothing_to_write() -> None:
    assert {form: write([]).count("\n") for form, write in WRITERS.items()} == {
        "jsonl": 0,
        "tsv": 1,
        "mturk": 1,
        "appraise": 1,
        "pearmut": 1,
    }


@pytest.mark.parametrize("form", list(WRITERS))
def test_judges_get_the_same_verdicts_through_every_form(form: str) -> None:
    judgments = simulate(seed=0).judgments
    told = attrgetter("judge", "judgments", "p_value", "controls", "mean_bad", "reasons")
    found = quality(read_back(WRITERS[form](judgments)).judgments)
    assert [told(each) for each in found.judges] == [
        told(each) for each in quality(judgments).judges
    ]
