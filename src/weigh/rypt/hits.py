"""HITs: one source span on each, with up to ten of its translations to be judged, and their files.

Texts come from systems and may hold anything. JSON carries them as they are. Mechanical Turk puts
the values of a CSV file into the page as they stand, so they are HTML: the only tags in them are
ours, and nothing in them is taken for a formula by a spreadsheet or for a name of a column by the
site.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.errors import InputError, plural
from weigh.read.cells import csv_text, html
from weigh.read.text import read_texts, shown
from weigh.result import SCHEMA
from weigh.rypt.alignment import AlignedTexts, line_of
from weigh.rypt.labels import Label
from weigh.rypt.plan import ALTERNATIVES, EXPORTS
from weigh.rypt.pools import Pool
from weigh.types import grouped

if TYPE_CHECKING:
    from weigh.rypt.queries import Query

# The columns of a HIT for Mechanical Turk; results have them too.
SOURCE, START, END = "source", "start", "end"
SUBSTRINGS = tuple(f"substring_{number}" for number in range(1, ALTERNATIVES + 1))
ANSWERS = tuple(f"label_{number}" for number in range(1, ALTERNATIVES + 1))
CANDIDATES = tuple(f"candidate_html_{number}" for number in range(1, ALTERNATIVES + 1))
COLUMNS = (
    *("hit", SOURCE, START, END, "source_html", "reference_html"),
    *(name for both in zip(SUBSTRINGS, CANDIDATES, strict=True) for name in both),
)

_CHOICES = {Label.YES: "Yes", Label.NO: "No", Label.NOT_SURE: "Not sure"}
_FIELD = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A translation of the span, and the places of its words in a whole candidate."""

    query: Query
    words: Sequence[str]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A question on one span with several alternatives; `reference_places` align to the span.

    Without a reference there are no words of it.
    """

    name: str
    sentence: int
    source: Sequence[str]
    start: int
    end: int
    alternatives: tuple[Alternative, ...]
    reference: Sequence[str] = ()
    reference_places: tuple[int, ...] = ()

    @property
    def gain(self) -> float:
        """The expected number of nodes that its labels decide, if none decides another's."""
        return sum(alternative.query.gain for alternative in self.alternatives)


def read_references(
    path: str, alignment: str | None, sources: Sequence[Sequence[str]]
) -> AlignedTexts:
    """References with their alignments, which are needed to mark words in them."""
    texts = read_texts(path)
    lines = read_texts(alignment) if alignment is not None else [""] * len(texts)
    for name, column in ((path, texts), (alignment or "", lines)):
        if len(column) != len(sources):
            raise InputError(
                f"{shown(name)}: {plural(len(column), 'line')}, but the source has "
                f"{plural(len(sources), 'sentence')}; look for a missing last line"
            )
    return AlignedTexts.of(texts, lines, sources, line_of(alignment or ""))


def number_of_hits(queries: Iterable[Query], most: int = ALTERNATIVES) -> int:
    """Number of HITs that `make_hits` would make."""
    by_span = Counter((query.line, query.start, query.end) for query in queries)
    return sum(-(-count // most) for count in by_span.values())


def make_hits(
    queries: Iterable[Query],
    sources: Sequence[Sequence[str]],
    pools: Sequence[Pool],
    references: AlignedTexts | None = None,
    most: int = ALTERNATIVES,
) -> list[Hit]:
    """Put queries on HITs of limited size, the most useful HIT first.

    The queries of a span fill one HIT after the other in the order in which they come, and stand
    on it in the order of the alphabet, so that their places tell nothing. HITs are ordered by the
    sum of their gains.
    """
    hits = []
    for line, about_sentence in grouped(queries, lambda query: query.line).items():
        sentence = line - 1
        source = sources[sentence]
        candidates = pools[sentence].aligned(source)
        reference = () if references is None else references.words[sentence]
        by_span = grouped(about_sentence, lambda query: (query.start, query.end))
        for (start, end), span_queries in by_span.items():
            places = () if references is None else references.places(sentence, start, end)
            for at in range(0, len(span_queries), most):
                part = sorted(span_queries[at : at + most], key=lambda query: query.substring)
                alternatives = tuple(
                    Alternative(
                        query,
                        candidates.words[query.context],
                        candidates.places(query.context, start, end),
                    )
                    for query in part
                )
                hits.append(Hit("", sentence, source, start, end, alternatives, reference, places))
    hits.sort(key=lambda hit: (-hit.gain, hit.sentence, hit.start, hit.end))
    return [replace(hit, name=f"hit-{number:05d}") for number, hit in enumerate(hits, 1)]


def as_jsonl(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield one JSON object per HIT; `line` is the source's, and places count words from 0."""
    import json

    for hit in hits:
        fields: dict[str, Any] = {
            "schema": SCHEMA,
            "weigh": __version__,
            "hit": hit.name,
            "line": hit.sentence + 1,
            "source": " ".join(hit.source),
            "start": hit.start,
            "end": hit.end,
        }
        if hit.reference:
            fields |= {
                "reference": " ".join(hit.reference),
                "reference_places": hit.reference_places,
            }
        fields["alternatives"] = [
            {
                "substring": alternative.query.substring,
                "candidates": alternative.query.candidates,
                "candidate": " ".join(alternative.words),
                "places": alternative.places,
                "if_yes": alternative.query.if_yes,
                "if_no": alternative.query.if_no,
            }
            for alternative in hit.alternatives
        ]
        yield json.dumps(fields, ensure_ascii=False)


def as_csv(hits: Sequence[Hit]) -> str:
    """Return the input of a batch for Mechanical Turk: one row per HIT."""
    rows = ([values.get(name, "") for name in COLUMNS] for values in map(_values, hits))
    return csv_text([COLUMNS, *rows])


def _values(hit: Hit) -> dict[str, str]:
    values = {
        "hit": hit.name,
        SOURCE: html(" ".join(hit.source)),
        START: str(hit.start),
        END: str(hit.end),
        "source_html": _marked(hit.source, range(hit.start, hit.end)),
        "reference_html": _marked(hit.reference, hit.reference_places),
    }
    columns = zip(SUBSTRINGS, CANDIDATES, hit.alternatives, strict=False)
    for substring, candidate, alternative in columns:
        values[substring] = html(alternative.query.substring)
        values[candidate] = _marked(alternative.words, alternative.places)
    return values


def _marked(words: Sequence[str], places: Collection[int]) -> str:
    """Return words as HTML, with a mark around each run of those at the given places."""
    parts = []
    for place, word in enumerate(words):
        start = "<mark>" if place in places and place - 1 not in places else ""
        end = "</mark>" if place in places and place + 1 not in places else ""
        parts.append(f"{start}{html(word)}{end}")
    return " ".join(parts)


def layout() -> str:
    """The page of a HIT, with `${column}` as placeholder for the values of a row."""
    from importlib.resources import files

    text = (files("weigh.rypt") / "hit.html").read_text(encoding="utf-8")
    fields = zip(CANDIDATES, ANSWERS, strict=True)
    items = "\n".join(_item(candidate, answer) for candidate, answer in fields)
    return text.replace("<!-- alternatives -->", items)


def _item(candidate: str, answer: str) -> str:
    choices = "\n".join(
        f'        <label><input type="radio" name="{answer}" value="{label}" required> '
        f"{title}</label>"
        for label, title in _CHOICES.items()
    )
    return (
        f'    <li>\n      <p class="candidate" dir="auto">${{{candidate}}}</p>\n'
        f'      <div class="choices" role="radiogroup">\n{choices}\n      </div>\n    </li>'
    )


def preview(hit: Hit) -> str:
    """The page of one HIT, filled in as the site would."""
    values = _values(hit)
    page = _FIELD.sub(lambda match: values.get(match[1], ""), layout())
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Preview of a HIT'
        f"</title></head>\n<body>\n<form>\n{page}</form>\n</body>\n</html>\n"
    )


def hit_files(hits: Sequence[Hit], exports: Iterable[str] = ("jsonl",)) -> dict[str, str]:
    """Content of each file of these exports."""
    contents: dict[str, Callable[[], str]] = {
        "hits.jsonl": lambda: "".join(f"{line}\n" for line in as_jsonl(hits)),
        "hits.csv": lambda: as_csv(hits),
        "hit.html": layout,
        "preview.html": lambda: preview(hits[0]),
    }
    names = [name for export in dict.fromkeys(exports) for name in EXPORTS[export]]
    return {name: contents[name]() for name in names}
