"""Judgments to try a store on, and the plain meaning of what it says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import strategies as st

from weigh.rypt.labels import GAP, Entry, EntryJudgment, Label, Labels

HOSTILE = "<b>&amp;</b> =1+1 'x' \"y\" 日本 \u2028 𝒳 \\N \\. %s :p ;--"


def time(second: int) -> str:
    return f"2009-06-01T12:{second // 60:02d}:{second % 60:02d}.000000Z"


def judgment(
    label: Label = Label.YES,
    judge: str = "w1",
    second: int = 0,
    substring: str = "the house",
    source: str = "das haus steht",
    **more: object,
) -> EntryJudgment:
    entry = Entry(source, 0, 2, substring)
    return EntryJudgment(entry, label, judge, time(second), **more)  # type: ignore[arg-type]


def said(judgments: Iterable[EntryJudgment]) -> Labels:
    """The majority of the judges' last words, by the definition and one entry at a time."""
    kept = list(judgments)
    found: Labels = {}
    for entry in {one.entry for one in kept}:
        counts: Counter[Label] = Counter()
        for judge in {one.judge for one in kept if one.entry == entry}:
            mine = [one for one in kept if (one.entry, one.judge) == (entry, judge)]
            counts[max(mine, key=lambda one: one.at).label] += 1
        most = max(counts.values())
        first = [label for label in counts if counts[label] == most]
        label = first[0] if len(first) == 1 else Label.NOT_SURE
        found.setdefault(entry.source, {})[entry.start, entry.end, entry.substring] = label
    return found


_words = st.sampled_from(["a", "b", "c", *HOSTILE.split(" ")])
_sources = st.sampled_from(["eins zwei drei", HOSTILE, "x"])


@st.composite
def _entries(draw: st.DrawFn) -> Entry:
    source = draw(_sources)
    length = len(source.split(" "))
    start = draw(st.integers(0, min(1, length - 1)))
    end = draw(st.integers(start + 1, min(start + 2, length)))
    runs = draw(st.lists(st.lists(_words, min_size=1, max_size=2), min_size=1, max_size=2))
    return Entry(source, start, end, f" {GAP} ".join(map(" ".join, runs)))


@st.composite
def judgment_lists(draw: st.DrawFn) -> list[EntryJudgment]:
    """Judgments none of which contradicts another, some of them more than once."""
    entries = draw(st.lists(_entries(), min_size=1, max_size=4))
    keys = st.tuples(
        st.sampled_from(entries),
        st.sampled_from(["w1", "w2", "Ω"]),
        st.sampled_from(["", time(0), time(1), time(61)]),
    )
    labels = draw(st.dictionaries(keys, st.sampled_from(list(Label)), max_size=12))
    made = [
        EntryJudgment(
            *(entry, label, judge, at),
            seconds=draw(st.none() | st.floats(0, 1e6)),
            origin=draw(st.sampled_from(["", "HIT 7", "batch\u2028=1"])),
            corrects=time(0) if at > time(0) else "",
        )
        for (entry, judge, at), label in labels.items()
    ]
    return made + (draw(st.lists(st.sampled_from(made), max_size=3)) if made else [])
