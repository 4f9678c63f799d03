from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generated import generated
from unit.report.page.test_validation import PAGES
from unit.report.studies import KINDS
from unit.report.tunings import made_report, made_views
from weigh.comparing import Plan, compare
from weigh.human.campaign import simulate
from weigh.human.rank import rank
from weigh.metrics.registry import key_of, parse_metrics
from weigh.report.compared import CompareReport
from weigh.report.human_rank import RankReport
from weigh.report.page import human_page, page
from weigh.report.page.tuning import tuning_page
from weigh.report.pictures.tuning import tuning_pictures
from weigh.types import Outputs, System, TestSet

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="chromium is not installed")

HOSTILE_TEXTS = [
    "<script>window.hacked = 1</script> and </script><img src=x onerror='window.hacked = 1'>",
    "\"double\" & 'single' &lt;b&gt; {{7*7}} ${window.hacked = 1}",
    "left \u202ethgir\u202c \u2067isolated\u2069 \u05e9\u05dc\u05d5\u05dd \u2028 separator",
    "w" * 10_000,
    "",
    "--> <!-- ]]> \\u003c \x00 \x1b[31m \t tab",
]
HOSTILE_NAMES = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "\u202egnp.exe & 'co'\nand more",
    "n" * 300,
]


def report_on(
    systems: Sequence[System], test_set: TestSet, metrics: str = "bleu,chrf,ter", **plan: Any
) -> CompareReport:
    chosen = parse_metrics([metrics])
    result = compare(
        systems, test_set, chosen, plan=Plan(**({"trials": 200} | plan)), evidence=True
    )
    return CompareReport(result, {key_of(one): 2 for one in chosen})


@pytest.fixture(scope="module")
def report() -> CompareReport:
    # As many trials as the correction for 66 pairs needs to find anything.
    return report_on(*generated(), tests=("randomization", "paired-bootstrap"), trials=4000)


@pytest.fixture(scope="module")
def page_file(report: CompareReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(report), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    systems, test_set = generated(len(HOSTILE_NAMES), 40)
    systems = [
        replace(
            system,
            name=name,
            outputs=Outputs([*HOSTILE_TEXTS[at:], *HOSTILE_TEXTS[:at], *system.outputs.texts]),
        )
        for at, (system, name) in enumerate(zip(systems, HOSTILE_NAMES, strict=True))
    ]
    references = [*HOSTILE_TEXTS, *test_set.references[0]]
    ids = [f"<b>{number}</b>" for number in range(len(references))]
    path = tmp_path_factory.mktemp("page") / "hostile.html"
    test_set = TestSet([references], sources=references, ids=ids)
    path.write_text(page(report_on(systems, test_set)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        # Chromium's sandbox does not work for root, which tests in containers often are.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        browser.close()


class Visit:
    """A page from disk, with all that it asked for and all that it complained about."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        given = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"} | options
        self.view = browser.new_page(**given)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.view.on("console", lambda message: self.complaints.append(message.text))
        self.view.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.view.on("request", lambda request: self.requests.append(request.url))
        self.address = path.as_uri()
        self.view.goto(self.address)

    def browse(self) -> None:
        self.view.evaluate("document.getElementById('browse').scrollIntoView()")
        self.view.wait_for_selector(".card")

    def numbers(self) -> list[int]:
        titles = self.view.locator(".card h4").all_text_contents()
        return [int(re.sub(r"\D", "", title)) for title in titles]

    def cells(self, table: str, column: int) -> list[str]:
        rows: list[str] = self.view.eval_on_selector_all(
            f"{table} tbody tr:not([hidden])",
            "(rows, at) => rows.map((row) => row.cells[at].textContent)",
            column,
        )
        return rows


@pytest.fixture
def visit(chromium: Any, page_file: Path) -> Iterator[Visit]:
    made = Visit(chromium, page_file)
    yield made
    made.view.close()
    assert made.complaints == []
    assert made.requests == [made.address]


def tokens(text: str) -> list[str]:
    """Words and marks of the generated texts, whose words hold letters only."""
    return re.findall(r"\w+|[^\w\s]", text)


def longest_common(x: Sequence[str], y: Sequence[str]) -> int:
    row = [0] * (len(y) + 1)
    for one in x:
        before = row
        row = [0]
        for at, other in enumerate(y):
            row.append(before[at] + 1 if one == other else max(before[at + 1], row[-1]))
    return row[-1]


def best_two(report: CompareReport, metric: str = "bleu") -> tuple[str, str]:
    scores = sorted((-s.score, s.system) for s in report.result.scores if s.metric == metric)
    return scores[0][1], scores[1][1]


def advantages(report: CompareReport, metric: str, a: str, b: str) -> list[float]:
    assert report.result.evidence is not None
    scores = report.result.evidence.segments.scores[metric]
    sign = 1 if report.higher(metric) else -1
    return [sign * (round(x, 2) - round(y, 2)) for x, y in zip(scores[a], scores[b], strict=True)]


def test_sections_stand_in_order_and_the_contents_lead_to_them(visit: Visit) -> None:
    titles = visit.view.locator("main > section > h2").all_inner_texts()
    assert titles == [
        *("Summary", "Scores", "Ranking", "Pairs", "Distributions", "Segments"),
        *("Methods and signatures", "Data"),
    ]
    assert visit.view.locator("nav a").all_inner_texts() == titles
    targets = visit.view.eval_on_selector_all(
        "nav a", "(links) => links.map((a) => document.querySelector(a.hash).tagName)"
    )
    assert targets == ["SECTION"] * len(titles)
    outside = visit.view.eval_on_selector_all(
        "[href], [src]", "(all) => all.map((e) => e.getAttribute('href') ?? 'src')"
    )
    assert all(address.startswith("#") for address in outside)


def test_scores_sort_by_every_column(visit: Visit, report: CompareReport) -> None:
    entries = [s for s in report.result.scores if s.metric == "bleu"]
    best_first = [f"{s.score:.2f}" for s in sorted(entries, key=lambda s: -s.score)]
    title = visit.view.locator("#scores thead th").nth(1)
    for expected, direction in (
        (best_first, "descending"),
        (best_first[::-1], "ascending"),
        (best_first, "descending"),
    ):
        title.locator("button").click()
        assert visit.cells("#scores table", 1) == expected
        assert title.get_attribute("aria-sort") == direction
    visit.view.locator("#scores thead th button").first.press("Enter")
    assert visit.cells("#scores table", 0) == sorted(s.system for s in entries)
    assert title.get_attribute("aria-sort") is None


def test_pairs_are_filtered(visit: Visit, report: CompareReport) -> None:
    view, comparisons = visit.view, report.result.comparisons
    rows = view.locator("#pair-table tbody tr:visible")
    assert rows.count() == len(comparisons) == 2 * 3 * 66
    view.select_option("#pair-metric", "ter")
    view.select_option("#pair-test", "paired-bootstrap")
    own = [c for c in comparisons if c.metric == "ter" and c.test == "paired-bootstrap"]
    assert rows.count() == len(own) == 66
    view.check("#pair-significant")
    significant = [c for c in own if c.significant]
    assert 0 < len(significant) < 66
    assert rows.count() == len(significant)
    view.fill("#pair-text", "SYSTEM-07 better")
    with_seven = [c for c in significant if "system-07" in (c.a, c.b)]
    assert rows.count() == len(with_seven)
    assert f"{len(with_seven)} of 396 rows" == view.inner_text("#pair-count")


def test_pairs_sort_by_p(visit: Visit, report: CompareReport) -> None:
    titles = visit.view.locator("#pair-table thead th").all_inner_texts()
    visit.view.locator("#pair-table thead th button").nth(titles.index("p")).click()
    shown = [float(p.removeprefix("<")) for p in visit.cells("#pair-table", titles.index("p"))]
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(max(c.p_value for c in report.result.comparisons), abs=1e-4)


def test_heat_map_has_a_titled_cell_for_every_pair(visit: Visit, report: CompareReport) -> None:
    maps = visit.view.locator("#pairs svg")
    assert maps.count() == 2 * 3
    cells = maps.first.locator(".cell")
    titles = cells.locator("title").all_text_contents()
    assert cells.count() == len(titles) == 12 * 12
    own = [c for c in report.tests["randomization"] if c.metric == "bleu"]
    order = sorted({(-c.score_a, c.a) for c in own} | {(-c.score_b, c.b) for c in own})
    for row, (_, a) in enumerate(order):
        for column, (_, b) in enumerate(order):
            if row == column:
                continue
            [pair] = [c for c in own if {c.a, c.b} == {a, b}]
            title = titles[12 * row + column]
            better, worse = (a, b) if row < column else (b, a)
            if pair.significant:
                assert title.startswith(f"{better} better than {worse}")
            else:
                assert title.startswith("no evidence of a difference between")
                assert a in title
                assert b in title


def test_segments_are_unpacked_when_looked_at(visit: Visit) -> None:
    assert visit.view.locator(".card").count() == 0
    visit.browse()
    assert visit.view.locator(".card").count() == 25
    visit.view.click("#browse-more")
    assert visit.view.locator(".card").count() == 50


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_segments_sort(visit: Visit, report: CompareReport, metric: str) -> None:
    visit.browse()
    a, b = best_two(report)
    view = visit.view
    assert view.locator("#browse-a option:checked").inner_text() == a
    assert view.locator("#browse-b option:checked").inner_text() == b
    ahead = advantages(report, metric, a, b)
    places = range(len(ahead))
    view.select_option("#browse-metric", label=report.titles[metric])
    for order, key in (
        ("difference", lambda at: (-abs(ahead[at]), at)),
        ("a", lambda at: (-ahead[at], at)),
        ("b", lambda at: (ahead[at], at)),
        ("place", lambda at: at),
    ):
        view.select_option("#browse-order", order)
        assert visit.numbers() == [at + 1 for at in sorted(places, key=key)][:25]


def test_other_pairs_can_be_chosen(visit: Visit, report: CompareReport) -> None:
    visit.browse()
    visit.view.select_option("#browse-a", label="system-12")
    visit.view.select_option("#browse-b", label="system-01")
    ahead = advantages(report, "bleu", "system-12", "system-01")
    first = min(range(len(ahead)), key=lambda at: (-abs(ahead[at]), at))
    assert visit.numbers()[0] == first + 1
    shown = visit.view.locator(".card .difference").first.text_content()
    assert shown == f"A − B: {ahead[first]:+.2f} BLEU"


def test_segments_by_length_and_search(visit: Visit, report: CompareReport) -> None:
    visit.browse()
    evidence = report.result.evidence
    assert evidence is not None
    [references] = evidence.segments.references
    lengths = [len(re.findall(r"\w+", text)) for text in references]
    view = visit.view
    view.select_option("#browse-order", "place")
    for value, least, most in (("1-10", 1, 10), ("21-30", 21, 30), ("51-", 51, 10**6)):
        view.select_option("#browse-length", value)
        expected = [at + 1 for at, n in enumerate(lengths) if least <= n <= most]
        assert visit.numbers() == expected[:25]
        assert view.inner_text("#browse-status").startswith(f"{len(expected)} of 200 segments")
    view.select_option("#browse-length", "")
    view.select_option("#browse-order", "longest")
    assert visit.numbers()[0] == lengths.index(max(lengths)) + 1
    view.select_option("#browse-order", "place")
    texts = [references, evidence.segments.sources or (), *evidence.segments.outputs.values()]
    for query in ("YELLOW Machine", "morning,"):
        view.fill("#browse-text", query)
        found = [
            number
            for number, together in enumerate(zip(*texts, strict=True), 1)
            if any(query.lower() in text.lower() for text in together)
        ]
        assert 0 < len(found) < 200
        view.wait_for_function(
            "(n) => document.getElementById('browse-status').textContent.startsWith(n)",
            arg=f"{len(found)} of 200",
        )
        assert visit.numbers() == found[:25]
    view.fill("#browse-text", "no such words")
    view.wait_for_function("() => document.querySelectorAll('.card').length === 0")


def test_words_that_differ_from_the_reference_are_marked(
    visit: Visit, report: CompareReport
) -> None:
    visit.browse()
    evidence = report.result.evidence
    assert evidence is not None
    a, b = best_two(report)
    shown = visit.view.eval_on_selector_all(
        ".card",
        """(cards) => cards.map((card) => [...card.querySelectorAll(".text")].map((text) =>
            [...text.childNodes].map((node) => [node.className ?? "", node.textContent])))""",
    )
    for number, lines in zip(visit.numbers(), shown, strict=True):
        _source, reference, *outputs = lines
        words = tokens(evidence.segments.references[0][number - 1])
        kept: dict[str, list[str]] = {}
        for name, parts in zip((a, b), outputs, strict=True):
            text = evidence.segments.outputs[name][number - 1]
            assert "".join(part for _, part in parts) == text
            plain = [word for kind, part in parts if not kind for word in tokens(part)]
            kept[name] = plain
            assert len(plain) == longest_common(tokens(text), words)
        assert "".join(part for _, part in reference) == evidence.segments.references[0][number - 1]
        for name, lacking in ((a, {"lacks-a", "lacks-both"}), (b, {"lacks-b", "lacks-both"})):
            has = [w for kind, part in reference if kind not in lacking for w in tokens(part)]
            assert has == kept[name]


def test_other_systems_are_shown_when_asked_for(visit: Visit, report: CompareReport) -> None:
    visit.browse()
    evidence = report.result.evidence
    assert evidence is not None
    card = visit.view.locator(".card").first
    button = card.locator("button.others")
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    names = card.locator(".label").all_text_contents()
    rest = [name for name in evidence.segments.outputs if name not in best_two(report)]
    assert sorted(names[4:]) == sorted(rest)
    text = card.locator(".text").nth(4).text_content()
    assert text == evidence.segments.outputs[names[4]][visit.numbers()[0] - 1]
    button.click()
    assert card.locator(".label").count() == 4


def test_what_is_found_in_folded_texts_is_shown(chromium: Any, tmp_path: Path) -> None:
    systems, test_set = generated(3, 40)
    at = 7
    texts = list(systems[-1].outputs.texts)
    texts[at] = "Quixotic words."
    systems = [*systems[:-1], replace(systems[-1], outputs=Outputs(texts))]
    path = tmp_path / "page.html"
    path.write_text(page(report_on(systems, test_set)), encoding="utf-8")
    visit = Visit(chromium, path)
    visit.browse()
    view = visit.view
    buttons = view.locator("button.others")
    assert buttons.first.inner_text() == "Show 1 other system"
    view.fill("#browse-text", "quixotic WORDS")
    view.wait_for_function("() => document.querySelectorAll('.card').length === 1")
    assert visit.numbers() == [at + 1]
    assert "Quixotic words." in view.locator(".card .text").all_text_contents()
    assert buttons.first.inner_text() == "Hide the other system"
    assert buttons.first.get_attribute("aria-expanded") == "true"
    assert view.evaluate("CSS.highlights.get('found').size") == 1
    buttons.first.click()
    assert view.locator(".card .text").count() == 4
    assert view.evaluate("CSS.highlights.get('found').size") == 0
    reference = test_set.references[0][at].split(" ")[0]
    view.fill("#browse-text", reference)
    view.wait_for_function("() => document.querySelectorAll('.card').length > 1")
    assert "true" not in [one.get_attribute("aria-expanded") for one in buttons.all()]
    view.close()
    assert visit.complaints == []


def matches(outputs: Sequence[str], references: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Count the n-grams of outputs that stand in the reference, each at most as often as there."""
    total: Counter[tuple[str, ...]] = Counter()
    for output, reference in zip(outputs, references, strict=True):
        for size in (1, 2, 3, 4):
            own, other = (
                Counter(zip(*(words[at:] for at in range(size)), strict=False))
                for words in (tokens(output), tokens(reference))
            )
            total += own & other
    return total


def test_ngrams_that_make_the_difference(visit: Visit, report: CompareReport) -> None:
    visit.browse()
    view, evidence = visit.view, report.result.evidence
    assert evidence is not None
    a, b = best_two(report)
    view.click("#ngram-panel summary")
    view.wait_for_selector("#ngrams table")
    of_a, of_b = (
        matches(evidence.segments.outputs[name], evidence.segments.references[0]) for name in (a, b)
    )
    tables = view.eval_on_selector_all(
        "#ngrams table",
        """(tables) => tables.map((table) =>
            [...table.tBodies[0].rows].map((row) => [...row.cells].map((c) => c.textContent)))""",
    )
    for sign, rows in zip((1, -1), tables, strict=True):
        leads = {n: sign * (of_a[n] - of_b[n]) for n in of_a | of_b}
        ahead = sorted((n for n in leads if leads[n] > 0), key=lambda n: (-leads[n], -len(n), n))
        expected = [[" ".join(n), f"{of_a[n]:,}", f"{of_b[n]:,}"] for n in ahead[:10]]
        assert rows == expected
    view.select_option("#ngram-size", "3")
    view.wait_for_function(
        "() => document.querySelector('#ngrams .ngram')?.textContent.split(' ').length === 3"
    )
    button = view.locator("#ngrams .ngram").first
    ngram = button.inner_text()
    button.click()
    assert view.input_value("#browse-text") == ngram
    assert 0 < int(view.inner_text("#browse-status").split(" ")[0]) < 200


def test_hostile_texts_are_shown_as_text(chromium: Any, hostile_file: Path) -> None:
    visit = Visit(chromium, hostile_file, viewport={"width": 390, "height": 844})
    visit.browse()
    view = visit.view
    view.select_option("#browse-order", "place")
    view.click(".card button.others")
    view.click("#ngram-panel summary")
    view.wait_for_selector("#ngrams table")
    shown = view.locator(".card").nth(0).locator(".text").all_text_contents()
    assert shown[0] == HOSTILE_TEXTS[0]
    sources = [
        view.locator(".card").nth(at).locator(".text").first.text_content() for at in range(6)
    ]
    assert sources == [text or "(empty)" for text in HOSTILE_TEXTS]
    assert view.locator(".card header bdi").first.inner_text() == "<b>0</b>"
    options = view.locator("#browse-a option").all_text_contents()
    assert {HOSTILE_NAMES[0], HOSTILE_NAMES[1], HOSTILE_NAMES[3]} < set(options)
    assert r"\u202egnp.exe & 'co'\nand more" in options
    labels = view.locator(".card").first.locator(".label").all_text_contents()
    assert {label.removeprefix("A: ").removeprefix("B: ") for label in labels[2:]} == set(options)
    for query in (HOSTILE_TEXTS[0], "(", "[a", "\\", "$&"):
        view.fill("#browse-text", query)
        view.wait_for_timeout(200)
    assert view.evaluate("window.hacked") is None
    assert view.locator("img").count() == 0
    assert view.evaluate("document.scripts.length") == 3
    for width in (390, 1400):
        view.set_viewport_size({"width": width, "height": 900})
        fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert view.evaluate(fits)
    view.close()
    assert visit.complaints == []
    assert visit.requests == [visit.address]


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows(chromium: Any, page_file: Path, width: int, scheme: str) -> None:
    visit = Visit(
        chromium, page_file, viewport={"width": width, "height": 844}, color_scheme=scheme
    )
    visit.browse()
    view = visit.view
    view.click("#ngram-panel summary")
    view.wait_for_selector("#ngrams table")
    view.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    size = view.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert size == [width, width]
    paper = view.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", paper))
    assert (red + green + blue > 600) == (scheme == "light")
    view.click("#theme")
    turned = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", turned))) > 600) == (scheme == "dark")
    view.close()
    assert visit.complaints == []


_CONTRAST = """
() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((value) => {
      const c = value / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const poor = [];
  for (const each of document.querySelectorAll("main *, header *, nav *")) {
    if (each.closest("svg, mark") || !each.checkVisibility()) continue;
    if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const ink = light(getComputedStyle(each).color);
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) poor.push(`${each.tagName} ${each.className} ${ratio}`);
  }
  return poor;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(chromium: Any, page_file: Path, scheme: str) -> None:
    visit = Visit(chromium, page_file, color_scheme=scheme)
    visit.browse()
    assert visit.view.evaluate(_CONTRAST) == []
    visit.view.close()


def test_everything_is_reached_by_keyboard(visit: Visit) -> None:
    visit.browse()
    unnamed = visit.view.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary")]
            .filter((e) => !(e.textContent.trim() || e.labels?.length)).map((e) => e.id)"""
    )
    assert unnamed == []
    visit.view.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    visit.view.keyboard.press("Tab")
    assert visit.view.evaluate("document.activeElement.textContent") == "Skip to the summary"
    outline = visit.view.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_print_leaves_out_what_paper_cannot_do(visit: Visit) -> None:
    visit.browse()
    view = visit.view
    view.emulate_media(media="print", color_scheme="dark")
    assert view.locator("button:not(.sort):visible").count() == 0
    assert view.locator("select:visible, input:visible, nav:visible").count() == 0
    assert view.locator("#pair-table tbody tr:visible").count() == 396
    height = "(box) => [box.scrollHeight, box.clientHeight]"
    box = view.eval_on_selector("#pairs .scroll", height)
    assert box[0] == box[1]
    paper = view.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert view.pdf().startswith(b"%PDF")


def test_without_scripts_all_but_the_segments_is_there(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, java_script_enabled=False)
    view = visit.view
    assert view.locator("#pair-table tbody tr").count() == 396
    assert view.locator("#scores svg").count() == 3
    assert view.locator(".controls:visible, button:visible").count() == 0
    assert "scripts are switched off" in view.inner_text("#browse")
    view.close()


def test_data_can_be_saved(visit: Visit, report: CompareReport) -> None:
    with visit.view.expect_download() as download:
        visit.view.click("#save")
    saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert saved["command"] == "compare"
    assert [one["p_value"] for one in saved["comparisons"]] == [
        one.p_value for one in report.result.comparisons
    ]
    visit.requests[1:] = []  # the blob that is saved


def test_a_large_comparison_is_small_and_can_be_browsed(chromium: Any, tmp_path: Path) -> None:
    text = page(report_on(*generated(12, 3000), trials=100))
    path = tmp_path / "large.html"
    path.write_text(text, encoding="utf-8")
    assert path.stat().st_size < 6_000_000
    visit = Visit(chromium, path)
    visit.browse()
    for order in ("b", "place", "difference"):
        visit.view.select_option("#browse-order", order)
        assert visit.view.locator(".card").count() > 0
    assert visit.complaints == []
    visit.view.close()


def test_scores_without_texts_are_browsed_by_number(chromium: Any, tmp_path: Path) -> None:
    scores = {"one": [0.5, 0.25, 0.75, 0.1] * 10, "two": [0.25, 0.5, 0.1, 0.1] * 10}
    result = compare(scores, metric="rating", evidence=True, trials=100)
    path = tmp_path / "scores.html"
    path.write_text(page(CompareReport(result, {"rating": 4})), encoding="utf-8")
    visit = Visit(chromium, path)
    visit.browse()
    assert visit.numbers()[0] == 3
    assert visit.view.locator(".card .score").all_text_contents()[:2] == ["0.7500", "0.1000"]
    assert visit.view.locator("#browse-length, #ngram-panel").count() == 0
    visit.view.close()
    assert visit.complaints == []


def test_scripts_without_spaces_and_endless_texts_are_marked_too(
    chromium: Any, tmp_path: Path
) -> None:
    # So many words are not aligned: reversed, they are still all in the reference.
    endless = [f"word{number}" for number in range(500)]
    reversed_words = " ".join(reversed(endless))
    references = ["我喜欢苹果。", "Costs 1,000.50 euros, don't they?", " ".join(endless)]
    systems = [
        System("one", Outputs(["我爱苹果。", "Costs 1,000.51 euros, do they?", reversed_words])),
        System("two", Outputs([*references[:2], f"{reversed_words} more"])),
    ]
    path = tmp_path / "scripts.html"
    path.write_text(page(report_on(systems, TestSet([references]), "chrf")), encoding="utf-8")
    visit = Visit(chromium, path)
    visit.browse()
    visit.view.select_option("#browse-a", label="one")
    visit.view.select_option("#browse-b", label="two")
    visit.view.select_option("#browse-order", "place")
    marked = visit.view.eval_on_selector_all(
        ".card",
        """(cards) => cards.map((card) => [...card.querySelectorAll("mark, .text [class]")].map(
            (each) => [each.className, each.textContent]))""",
    )
    assert marked == [
        [["lacks-a", "喜欢"], ["extra", "爱"]],
        [["lacks-a", "1,000.50"], ["lacks-a", "don't"], ["extra", "1,000.51"], ["extra", "do"]],
        [["extra", "more"]],
    ]
    visit.view.close()
    assert visit.complaints == []


@pytest.fixture(scope="module")
def ranking() -> RankReport:
    made = simulate(systems=5, segments=100, hits=40, judges=20)
    found = rank([replace(one, system=f"<b>{one.system}</b>") for one in made.judgments])
    return RankReport(found, steps=found.steps, remarks=found.remarks)


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_ranking_by_people(
    chromium: Any, tmp_path: Path, ranking: RankReport, width: int, scheme: str
) -> None:
    path = tmp_path / "people.html"
    path.write_text(human_page(ranking), encoding="utf-8")
    visit = Visit(chromium, path, viewport={"width": width, "height": 844}, color_scheme=scheme)
    view = visit.view
    size = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert view.evaluate(size) == [width, width]
    assert view.evaluate(_CONTRAST) == []
    titles = view.locator("main > section > h2").all_inner_texts()
    assert titles == view.locator("nav a").all_inner_texts()
    assert (titles[0], titles[-1], len(titles)) == ("Summary", "Data", 6 + bool(ranking.verdicts))
    [only] = ranking.result.rankings
    best_first = [one.system for one in only.scores]
    assert visit.cells("#scores table", 1) == best_first
    cells = view.locator("#pairs svg .cell title").all_text_contents()
    assert len(cells) == 5 * 5
    assert cells[0] == best_first[0]
    rows = view.locator("#pair-table tbody tr:visible")
    assert rows.count() == len(only.conclusions) == 10
    view.check("#pair-significant")
    assert rows.count() == sum(one.significant for one in only.conclusions) > 0
    view.locator("#scores thead th button").nth(1).click()
    assert visit.cells("#scores table", 1) == sorted(best_first) != best_first
    with view.expect_download() as download:
        view.click("#save")
    saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [one["score"] for one in saved["scores"]] == [one.score for one in only.scores]
    view.close()
    assert visit.complaints == []
    assert visit.requests[0] == visit.address
    assert all(address.startswith("blob:") for address in visit.requests[1:])


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
def test_a_tuning(chromium: Any, tmp_path: Path, width: int, scheme: str) -> None:
    names = HOSTILE_NAMES[:2]
    tuning, views = made_report(names), made_views(names, HOSTILE_TEXTS[0])
    html = tuning_page(tuning, tuning_pictures(tuning, views), views.segment)
    with _seen(chromium, tmp_path, html, width, scheme) as (visit, titles):
        assert titles[:2] == ["Summary", "Iterations"]
        assert visit.cells("#weights table", 0) == names
        assert visit.view.locator("svg").count() == 4


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1400, "light")])
def test_studies_of_tests(
    chromium: Any, tmp_path: Path, kind: str, width: int, scheme: str
) -> None:
    html = PAGES[kind](KINDS[kind][0](2))  # type: ignore[operator]
    with _seen(chromium, tmp_path, html, width, scheme) as (visit, titles):
        assert (titles[0], titles[-1]) == ("Summary", "Data")
        assert visit.view.locator("svg.picture").count() > 0


@contextmanager
def _seen(
    chromium: Any, folder: Path, html: str, width: int, scheme: str
) -> Iterator[tuple[Visit, list[str]]]:
    """Look at what holds for every page; give the titles of its sections."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    visit = Visit(chromium, path, viewport={"width": width, "height": 844}, color_scheme=scheme)
    view = visit.view
    size = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert view.evaluate(size) == [width, width]
    assert view.evaluate(_CONTRAST) == []
    assert view.evaluate(_OUTSIDE) == []
    assert view.evaluate("window.hacked") is None
    titles = view.locator("main > section > h2").all_inner_texts()
    assert titles == view.locator("nav a").all_inner_texts()
    yield visit, titles
    view.close()
    assert visit.complaints == []
    assert visit.requests == [visit.address]


# What is drawn beyond its picture.
_OUTSIDE = """
[...document.querySelectorAll("svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text, path, circle")].filter((shape) => {
    const box = shape.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1 ||
      box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((shape) => shape.outerHTML);
})
"""
