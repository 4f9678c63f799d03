from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report.made.compare import compare_result, score_result
from weigh.comparing.compare_result import Gate
from weigh.report.grid import visible

markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")

HOSTILE = [
    "<details>",
    "</details>",
    "</summary><script>alert(1)</script>",
    "<!--",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "](javascript:alert(1))",
    "<https://example.org>",
    "a|b",
    r"\|",
    "`code",
    "``",
    "&lt;b&gt; &amp; &#60;",
    "# heading",
    "- item",
    "1. item",
    "> quote",
    "```",
    "~~~",
    "---",
    "    code",
    "[!NOTE]",
    "@everyone",
    "$x^2$",
    "#12",
    "https://example.org/ www.example.org",
    "two\n\n# lines",
    "\u2028\u202e日本",
    "_*~a~*_",
]
names = st.lists(
    st.sampled_from(HOSTILE) | st.text(min_size=1, max_size=12),
    min_size=2,
    max_size=4,
    unique_by=lambda name: " ".join(visible(name).split()),
)
# What the reports are made of; `p` also stands in alerts and lists.
TAGS = {
    *("h2", "p", "ul", "li", "blockquote", "strong", "code", "details", "summary", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Page(HTMLParser):
    """Rendered Markdown: its tags, its cells and its text, all of it by tag too."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.cells: list[list[str]] = []
        self.text: dict[str, str] = {}
        self.texts: list[str] = []
        self.comments: list[str] = []
        renderer = markdown_it.MarkdownIt("commonmark", {"html": True})
        self.feed(renderer.enable(["table", "strikethrough"]).render(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        elif tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.cells[-1][-1] += data
        for tag in set(self.open):
            self.text[tag] = self.text.get(tag, "") + data


def check(page: Page) -> None:
    assert set(page.tags) <= TAGS
    assert page.open == []
    assert page.comments == []
    assert {name for name, _ in page.attributes} <= {"style"}  # of aligned cells
    assert page.tags.count("details") == page.tags.count("summary")


def plain(name: str) -> str:
    """Return a name as HTML shows it, white space drawn together."""
    return " ".join(visible(name).split())


def shown(page: Page, column: int) -> set[str]:
    return {" ".join(row[column].split()) for row in page.cells}


@given(names, st.booleans())
def test_names_stay_names_in_scores(systems: list[str], sliced: bool) -> None:
    result = score_result(systems, intervals=True, sliced=sliced)
    page = Page(result.to_text("github"))
    check(page)
    assert set(map(plain, systems)) <= shown(page, 1 if sliced else 0)


@given(names, st.booleans(), st.sampled_from(["pass", "fail", "inconclusive"]))
def test_names_stay_names_in_comparisons(systems: list[str], sliced: bool, verdict: str) -> None:
    result = compare_result(
        systems,
        dict.fromkeys(combinations(range(len(systems)), 2), 0.01),
        baseline=True,
        sliced=sliced,
        tests=["randomization", "bootstrap"],
        gate=Gate(verdict, tuple(f"{name}, bleu: {verdict} (p = .5)" for name in systems[1:])),
        warnings=tuple(f"{name} is short" for name in systems),
    )
    page = Page(result.to_text("github"))
    check(page)
    assert set(map(plain, systems)) <= shown(page, 1 if sliced else 0)
    quoted = " ".join(page.text["blockquote"].split())
    for name in systems[1:]:
        assert plain(f"{name}, bleu: {verdict} (p = .5)") in quoted
        assert plain(f"{name} is short") in quoted
    assert plain(f"against {systems[0]}, two-sided") in " ".join(page.text["summary"].split())


def test_what_is_read_first_stands_first() -> None:
    systems = ["base", "ours"]
    for verdict, alert in (("pass", "TIP"), ("fail", "CAUTION"), ("inconclusive", "WARNING")):
        result = compare_result(
            systems,
            {(0, 1): 0.01},
            baseline=True,
            gate=Gate(verdict, (f"ours, bleu: {verdict}",)),
            warnings=("only 3 segments",),
        )
        text = result.to_text("github")
        assert text.startswith(
            "## 2 systems compared by BLEU and TER\n\n40 segments, 1 reference\n\n"
            f"> [!{alert}]\n> **Gate: {verdict}**\n>\n> - ours, bleu: {verdict}\n\n"
            "> [!WARNING]\n> - only 3 segments\n\n"
        )
        assert text.count(f"Gate: {verdict}") == 1
        places = [
            text.index(part)
            for part in (
                "By BLEU, ours is significantly worse than base; by TER, ours is significantly "
                "better than base.",
                "By the randomization test over 40 segments, p ≤ .05.",
                "| System ",
                "<summary>Randomization test against base, two-sided</summary>\n\n| Metric ",
                "<summary>Methods and signatures</summary>",
                "`sig:bleu|x:1`",
            )
        ]
        assert places == sorted(places)


def test_nothing_is_left_for_github_to_act_upon() -> None:
    names = ["@team", "$5$", "#12", "x#12", "http://a.b", "WWW.a.b"]
    result = compare_result(names, {(0, 1): 0.01}, baseline=True, warnings=tuple(names))
    page = Page(result.to_text("github"))
    # GitHub looks at one text after another, each up to the next tag.
    assert {"@", "$", "#", "//", "."} <= set(page.texts)
    for text in page.texts:
        assert not re.search(r"@\w|\$\w|#\d|://|www\.", text, re.IGNORECASE)
