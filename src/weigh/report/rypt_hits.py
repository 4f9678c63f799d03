"""HITs of RYPT as files: JSON lines for programs, and CSV with a page for Mechanical Turk.

Texts come from systems and may hold anything. JSON carries them as they are. The site puts the
values of a CSV file into the page as they stand, so they are HTML: the only tags in them are ours,
and nothing in them is taken for a formula by a spreadsheet or for a name of a column by the site.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, Any

from weigh.human.export import html
from weigh.rypt.labels import Label
from weigh.rypt.mturk import ALTERNATIVES, ANSWERS, END, SOURCE, START, SUBSTRINGS

if TYPE_CHECKING:
    from weigh.rypt.hits import Hit

CANDIDATES = tuple(f"candidate_html_{number}" for number in range(1, ALTERNATIVES + 1))
COLUMNS = (
    *("hit", SOURCE, START, END, "source_html", "reference_html"),
    *(name for both in zip(SUBSTRINGS, CANDIDATES, strict=True) for name in both),
)

_CHOICES = {Label.YES: "Yes", Label.NO: "No", Label.NOT_SURE: "Not sure"}
# The site takes no characters beyond the first plane, and replaces names after a dollar sign.
_REFERRED = re.compile("[$\U00010000-\U0010ffff]")
_FIELD = re.compile(r"\$\{(\w+)\}")


def as_jsonl(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield one JSON object per HIT; `line` is the source's, and places count words from 0."""
    import json

    from weigh import __version__
    from weigh.report.document import SCHEMA

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
                "substring": each.query.substring,
                "candidates": each.query.candidates,
                "candidate": " ".join(each.words),
                "places": each.places,
                "if_yes": each.query.if_yes,
                "if_no": each.query.if_no,
            }
            for each in hit.alternatives
        ]
        yield json.dumps(fields, ensure_ascii=False)


def as_csv(hits: Sequence[Hit]) -> str:
    """Return the input of a batch for Mechanical Turk: one row per HIT."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for hit in hits:
        values = _values(hit)
        writer.writerow([values.get(name, "") for name in COLUMNS])
    return text.getvalue()


def _values(hit: Hit) -> dict[str, str]:
    values = {
        "hit": hit.name,
        SOURCE: _html(" ".join(hit.source)),
        START: str(hit.start),
        END: str(hit.end),
        "source_html": _marked(hit.source, range(hit.start, hit.end)),
        "reference_html": _marked(hit.reference, hit.reference_places),
    }
    columns = zip(SUBSTRINGS, CANDIDATES, hit.alternatives, strict=False)
    for substring, candidate, alternative in columns:
        values[substring] = _html(alternative.query.substring)
        values[candidate] = _marked(alternative.words, alternative.places)
    return values


def _html(text: str) -> str:
    """Return a text as HTML that the site leaves alone, and that `unescape` makes a text again."""
    return _REFERRED.sub(_referred, html(text))


def _referred(found: re.Match[str]) -> str:
    reference = f"&#{ord(found[0])};"
    return reference if unescape(reference) == found[0] else found[0]


def _marked(words: Sequence[str], places: Collection[int]) -> str:
    """Return words as HTML, with a mark around each run of those at the given places."""
    parts = []
    for place, word in enumerate(words):
        start = "<mark>" if place in places and place - 1 not in places else ""
        end = "</mark>" if place in places and place + 1 not in places else ""
        parts.append(f"{start}{_html(word)}{end}")
    return " ".join(parts)


def layout() -> str:
    """Return the page of a HIT, in which `${column}` stands for the values of a row."""
    from importlib.resources import files

    text = (files("weigh.report") / "rypt_hit.html").read_text(encoding="utf-8")
    asked = zip(CANDIDATES, ANSWERS, strict=True)
    items = "\n".join(_item(candidate, answer) for candidate, answer in asked)
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
    """Return the page of one HIT by itself, as the site would fill it in."""
    values: Mapping[str, str] = _values(hit)
    page = _FIELD.sub(lambda found: values.get(found[1], ""), layout())
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Preview of a HIT'
        f"</title></head>\n<body>\n<form>\n{page}</form>\n</body>\n</html>\n"
    )
