from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from e2e.browser.visit import Visit, compared, expect
from generated import generated
from weigh.comparing.compare_result import CompareResult
from weigh.types import Outputs, System, TestSet


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


def best_two(result: CompareResult, metric: str = "bleu") -> tuple[str, str]:
    scores = sorted((-s.score, s.system) for s in result.scores if s.metric == metric)
    return scores[0][1], scores[1][1]


def advantages(result: CompareResult, metric: str, a: str, b: str) -> list[float]:
    assert result.details is not None
    scores = result.details.segments.scores[metric]
    sign = -1 if metric == "ter" else 1
    return [sign * (round(x, 2) - round(y, 2)) for x, y in zip(scores[a], scores[b], strict=True)]


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_segments_sort(visit: Visit, result: CompareResult, metric: str) -> None:
    visit.browse()
    a, b = best_two(result)
    view = visit.view
    assert view.locator("#browse-a option:checked").text_content() == a
    assert view.locator("#browse-b option:checked").text_content() == b
    ahead = advantages(result, metric, a, b)
    places = range(len(ahead))
    view.select_option("#browse-metric", label=metric.upper())
    for order, key in (
        ("difference", lambda at: (-abs(ahead[at]), at)),
        ("a", lambda at: (-ahead[at], at)),
        ("b", lambda at: (ahead[at], at)),
        ("place", lambda at: at),
    ):
        view.select_option("#browse-order", order)
        assert visit.numbers() == [at + 1 for at in sorted(places, key=key)][:25]


def test_segments_by_length_and_search(visit: Visit, result: CompareResult) -> None:
    visit.browse()
    evidence = result.details
    assert evidence is not None
    [references] = evidence.segments.references
    lengths = [len(re.findall(r"\w+", text)) for text in references]
    view = visit.view
    view.select_option("#browse-order", "place")
    for value, least, most in (("1-10", 1, 10), ("21-30", 21, 30), ("51-", 51, 10**6)):
        view.select_option("#browse-length", value)
        expected = [at + 1 for at, n in enumerate(lengths) if least <= n <= most]
        assert visit.numbers() == expected[:25]
        assert (
            view.locator("#browse-status")
            .text_content()
            .startswith(f"{len(expected)} of 200 segments")
        )
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
    visit.cards(0)


def test_words_that_differ_from_the_reference_are_marked(
    visit: Visit, result: CompareResult
) -> None:
    visit.browse()
    evidence = result.details
    assert evidence is not None
    a, b = best_two(result)
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


def test_ngrams_that_make_the_difference(visit: Visit, result: CompareResult) -> None:
    visit.browse()
    view, evidence = visit.view, result.details
    assert evidence is not None
    a, b = best_two(result)
    visit.click("#ngram-panel summary")
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
    ngram = button.text_content()
    visit.click(button)
    expect(view.locator("#browse-text")).to_have_value(ngram)
    assert 0 < int(view.locator("#browse-status").text_content().split(" ")[0]) < 200


def test_a_large_comparison_is_small_and_can_be_browsed(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    compared(*generated(12, 3000), trials=100).to_html(path)
    assert path.stat().st_size < 6_000_000
    visit = Visit(chromium, path)
    visit.browse()
    for order in ("b", "place", "difference"):
        visit.view.select_option("#browse-order", order)
        assert visit.view.locator(".card").count() > 0
    assert visit.complaints == []
    visit.leave()


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
    compared(systems, TestSet([references]), "chrf").to_html(path)
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
    visit.leave()
    assert visit.complaints == []


def test_a_word_of_any_reference_is_not_marked(chromium: Any, tmp_path: Path) -> None:
    references = [
        ["the large dog sleeps", "one two three", "a b", "so it is"],
        ["a big dog is asleep", "four five", "c d", "so it is"],
        ["yes , the the dog", "three five nine", "d e", "so it is"],
    ]
    systems = [
        # The third `the` is one more than any reference has; `five` and `one` stand in other
        # orders and other references than their neighbours.
        System("one", Outputs(["the the the big dog", "five one nine ten", "e d c", "so it is"])),
        System("two", Outputs(["big dog", "one two three", "x", "so it was"])),
    ]
    path = tmp_path / "references.html"
    compared(systems, TestSet(references), "bleu").to_html(path)
    visit = Visit(chromium, path)
    visit.browse()
    visit.view.select_option("#browse-a", label="one")
    visit.view.select_option("#browse-b", label="two")
    visit.view.select_option("#browse-order", "place")
    marked = visit.view.eval_on_selector_all(
        ".card",
        """(cards) => cards.map((card) => [...card.querySelectorAll(".line")].map((line) =>
            [...line.querySelectorAll("mark, .text [class]")].map(
                (each) => [each.className, each.textContent])))""",
    )
    first, second, third, fourth = marked
    assert first == [
        [["lacks-b", "the"], ["lacks-both", "large"], ["lacks-both", "sleeps"]],
        [["lacks-both", "a"], ["lacks-both", "is asleep"]],
        [["lacks-both", "yes ,"], ["lacks-b", "the the"]],
        [["extra", "the"]],
        [],
    ]
    assert second[3:] == [[["extra", "ten"]], []]
    assert third[3:] == [[], [["extra", "x"]]]
    assert fourth == [[["lacks-b", "is"]]] * 3 + [[], [["extra", "was"]]]
    legend = " ".join(visit.view.locator("#browse-legend").text_content().split())
    assert (
        "words that are in no reference are marked; in each reference, words missing from A"
        in legend
    )
    visit.leave()
    assert visit.complaints == []
