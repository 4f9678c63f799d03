from __future__ import annotations

import json
import math

from weigh import __version__
from weigh.report import document


def test_every_document_says_what_it_is() -> None:
    text = document.render("score", {"entries": [{"a": 1}, {"a": 2}], "none": []})
    assert json.loads(text) == {
        "schema": "weigh/1",
        "weigh": __version__,
        "command": "score",
        "entries": [{"a": 1}, {"a": 2}],
        "none": [],
    }
    assert '\n    {"a": 1},\n    {"a": 2}\n' in text


def test_numbers_that_json_lacks_are_null() -> None:
    assert document.number(math.nan) is None
    assert document.number(-math.inf) is None
    assert document.number(0.1) == 0.1
