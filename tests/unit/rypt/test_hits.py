"""HITs as files hold what was asked, whatever the texts contain, and results come back."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weigh.read.trees import Node
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.hits import (
    ANSWERS,
    COLUMNS,
    SUBSTRINGS,
    Hit,
    as_csv,
    as_jsonl,
    layout,
    make_hits,
    preview,
)
from weigh.rypt.label_files import RESULTS, read_judgments
from weigh.rypt.labels import Label
from weigh.rypt.pools import Pool
from weigh.rypt.queries import make_queries
from weigh.rypt.tree import Tree

HOSTILE = [
    *("<script>hacked=1</script>", "</p><img", "src=x", "onerror=hacked=1>", "${hit}", "$", "&lt;"),
    *("=1+1", "+1", "-1", "@SUM(A1)", '"quoted"', "'single'", "a,b", "&#61;", "😀", "\U0001ffff"),
    *("\u2028", "\u202e", "日本", "\\", "[GAP]x"),
]


def hits_of(words: list[str], reference: list[str] | None = None) -> list[Hit]:
    """HITs about a source of these words, of which every candidate translates each by another."""
    source = ["s", *words]
    tree = Tree.of(source, [Node("X", 0, len(source))])
    pool = Pool()
    turns = range(min(len(words), 12))
    links = " ".join(f"{place}-{place}" for place in range(len(source)))
    for turn in turns:
        text = " ".join(["s", *words[turn:], *words[:turn]])
        pool.add(text, links, "x", turn + 1)
    queries = make_queries([tree], [pool], {}, 1).queries
    references = None
    if reference is not None:
        references = AlignedTexts.of([" ".join(reference)], [links], [source], str)
    return make_hits(queries, [source], [pool], references)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


class Shown(HTMLParser):
    """What a browser would show of a value, and which of it is marked."""

    def __init__(self, value: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.marked: list[str] = []
        self.feed(value)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert not attrs
        self.tags.append(tag)
        self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.tags and self.tags[-1] == "mark":
            self.marked[-1] += data


def test_values_show_the_texts_and_nothing_else() -> None:
    made = hits_of(HOSTILE, ["r", *HOSTILE[::-1]])
    for hit, row in zip(made, rows(as_csv(made)), strict=True):
        assert tuple(row) == COLUMNS
        assert all(not value.startswith(("=", "+", "-", "@", "\t")) for value in row.values())
        assert not any("$" in value for value in row.values())
        shown = Shown(row["source_html"])
        assert shown.text == " ".join(hit.source)
        assert shown.marked == [" ".join(hit.source[hit.start : hit.end])]
        shown = Shown(row["reference_html"])
        assert shown.text == " ".join(hit.reference)
        assert shown.marked == [hit.reference[place] for place in hit.reference_places]
        for number, each in enumerate(hit.alternatives, 1):
            shown = Shown(row[f"candidate_html_{number}"])
            assert set(shown.tags) == {"mark", "/mark"}
            assert shown.text == " ".join(each.words)
            assert " [GAP] ".join(shown.marked) == each.query.substring
        for number in range(len(hit.alternatives) + 1, 11):
            assert row[f"candidate_html_{number}"] == row[f"substring_{number}"] == ""


# What lines of files may hold: no line ends, and no word that a gap could be taken for.
_word = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs"), exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=6,
)


@example(HOSTILE)
@given(st.lists(_word, min_size=1, max_size=4, unique=True))
def test_results_come_back_as_they_were_asked(words: list[str]) -> None:
    """The HITs are answered as the site would return them, and that is read."""
    made = hits_of(words)
    labels = list(Label)
    text = io.StringIO()
    writer = csv.DictWriter(
        text,
        [*RESULTS, *(f"Answer.{name}" for name in ANSWERS[1:])],
        extrasaction="ignore",
    )
    writer.writeheader()
    expected = []
    for at, (hit, row) in enumerate(zip(made, rows(as_csv(made)), strict=True)):
        answers = {}
        for number, each in enumerate(hit.alternatives, 1):
            label = labels[(at + number) % 3]
            answers[f"Answer.label_{number}"] = str(label)
            entry = (" ".join(hit.source), hit.start, hit.end, each.query.substring)
            expected.append((entry, label))
        writer.writerow(
            {
                "HITId": "H",
                "WorkerId": "W",
                "AssignmentStatus": "Submitted",
                "SubmitTime": "Mon Jun 01 05:00:09 PDT 2009",
                "WorkTimeInSeconds": "10",
                **{f"Input.{name}": value for name, value in row.items()},
                **answers,
            }
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
        read = read_judgments(str(path)).batch.judgments
    assert [(tuple(one.entry), one.label) for one in read] == expected


def test_json_lines() -> None:
    made = hits_of(HOSTILE, ["r", *HOSTILE])
    for hit, line in zip(made, as_jsonl(made), strict=True):
        assert "\n" not in line
        fields = json.loads(line)
        assert (
            fields["source"].split(" ")[hit.start : hit.end]
            == list(hit.source)[hit.start : hit.end]
        )
        assert (fields["schema"], fields["line"], fields["hit"]) == ("weigh/3", 1, hit.name)
        for each, alternative in zip(fields["alternatives"], hit.alternatives, strict=True):
            words = each["candidate"].split(" ")
            assert [words[place] for place in each["places"]] == each["substring"].split(" ")
            assert each["candidates"] == alternative.query.candidates


def test_the_layout_names_all_columns_that_judges_see_and_loads_nothing() -> None:
    page = layout()
    fields = set(re.findall(r"\$\{(\w+)\}", page))
    identifying = {"source", "start", "end", *SUBSTRINGS}
    assert fields == set(COLUMNS) - identifying
    assert page.count("$") == len(re.findall(r"\$\{\w+\}", page))
    assert not re.search(r"https?:|//|@import|url\(|<link|src=", re.sub(r"// .*", "", page))
    values = re.findall(r'name="(\w+)" value="([^"]+)"', page)
    assert values == [(name, str(label)) for name in ANSWERS for label in Label]


@pytest.mark.parametrize("reference", [None, ["r", *HOSTILE]])
def test_the_preview_has_no_fields_left(reference: list[str] | None) -> None:
    page = preview(hits_of(HOSTILE, reference)[0])
    assert "${" not in page
    assert "<script>hacked" not in page
    assert unescape(page).count("hacked=1") >= 1
