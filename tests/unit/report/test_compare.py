from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.comparing.compare_result import CompareResult, Comparison, Gate, Ranking, TestSignature
from weigh.comparing.methods import methods, signatures_of_tests
from weigh.comparing.plan import Plan
from weigh.comparing.score_result import MetricShown, SystemScore, interval_method, titles
from weigh.report.grid import Grid, Screen, visible, width
from weigh.report.view import show, view
from weigh.result import Extent
from weigh.wording import fixed, probability

CONTRACT = [
    *("metric", "a", "b", "score_a", "score_b", "difference", "interval", "level", "test"),
    *("alternative", "trials", "count", "p_value", "p_stderr", "p_adjusted", "adjust"),
    *("family_size", "significant", "detectable", "seed"),
]


def score(system: str, value: float, metric: str = "bleu", **fields: Any) -> SystemScore:
    return SystemScore(
        metric,
        f"sig:{metric}",
        metric == "ter",
        system,
        value,
        interval=(value - 1, value + 1),
        level=0.95,
        **fields,
    )


def pair(a: str, b: str, difference: float, p: float, **fields: Any) -> Comparison:
    values: dict[str, Any] = {
        "metric": "bleu",
        "a": a,
        "b": b,
        "score_a": 30.0 + difference,
        "score_b": 30.0,
        "difference": difference,
        "interval": (difference - 0.5, difference + 0.5),
        "level": 0.95,
        "test": "randomization",
        "alternative": "two-sided",
        "trials": 10_000,
        "count": 10,
        "p_value": p,
        "p_stderr": 0.001,
        "p_adjusted": min(1.0, 3 * p),
        "adjust": "holm",
        "family_size": 3,
        "significant": 3 * p <= 0.05,
        "detectable": 0.75,
        "seed": 12345,
        "identical": 0.05,
    }
    return Comparison(**(values | fields))


def result(
    scores: list[SystemScore],
    comparisons: list[Comparison],
    plan: Plan | None = None,
    **fields: Any,
) -> CompareResult:
    plan, test_set = plan or Plan(), Extent(3000, 1)
    names = {"segment:file=x": "comet"}
    values: dict[str, Any] = {
        "test_set": test_set,
        "metrics": tuple(
            MetricShown(metric, names.get(metric, metric.upper()))
            for metric in dict.fromkeys(entry.metric for entry in scores)
        ),
        "unit": "segment",
        "units": 3000,
        "rankings": (),
        "warnings": (),
        "intervals": interval_method(plan.interval, plan.level, plan.trials, plan.seed, test_set),
    }
    return described(
        CompareResult(
            plan=plan, scores=tuple(scores), comparisons=tuple(comparisons), **values | fields
        )
    )


def described(result: CompareResult) -> CompareResult:
    """Return a result with the words and signatures that `compare` gives it."""
    return replace(
        result,
        tests=tuple(TestSignature(*pair) for pair in signatures_of_tests(result)),
        methods=methods(result, list(titles(result.metrics).values())),
    )


def grids(result: CompareResult) -> list[Grid]:
    return [part.grid for part in view(result).parts_in("table") if part.grid is not None]


def in_form(result: CompareResult, form: str) -> str:
    return result.to_html() if form == "html" else result.to_text(form)


THREE = result(
    [score("a", 31.0), score("b", 30.5), score("c", 33.0)],
    [pair("a", "b", 0.5, 0.3), pair("a", "c", -2.0, 0.0001), pair("b", "c", -2.5, 0.0001)],
    rankings=(
        Ranking(
            "bleu", "randomization", (("c",), ("a", "b")), {"a": (2, 3), "b": (2, 3), "c": (1, 1)}
        ),
    ),
)


def many(size: int) -> CompareResult:
    names = [f"s{number:02}" for number in range(size)]
    comparisons = [
        pair(a, b, 0.5, 0.0001 if int(b[1:]) - int(a[1:]) > 2 else 0.2)
        for a, b in combinations(names, 2)
    ]
    return result([score(name, 50.0 - at) for at, name in enumerate(names)], comparisons)


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n")]


def test_few_pairs_are_a_list() -> None:
    lines = rows(str(THREE))
    assert lines[0] == ["3", "systems,", "3,000", "segments,", "1", "reference"]
    assert [set(line[0]) for line in (lines[3], lines[5])] == [{"─"}, {"─"}]  # around a cluster
    assert [lines[4], *lines[6:8]] == [
        ["c", "33.00", "*", "[32.00,", "34.00]", "1"],
        ["a", "31.00", "[30.00,", "32.00]", "2–3"],
        ["b", "30.50", "[29.50,", "31.50]", "2–3"],
    ]
    no_evidence = ["no", "evidence", "of", "a", "difference"]
    listed = [line for line in lines if line[:1] in (["a"], ["b"]) and line[1:2] in (["b"], ["c"])]
    assert listed == [  # by rank: c, a, b
        ["a", "c", "-2.00", "[-2.50,", "-1.50]", ".0001", ".0003", "c", "is", "better"],
        ["b", "c", "-2.50", "[-3.00,", "-2.00]", ".0001", ".0003", "c", "is", "better"],
        ["a", "b", "+0.50", "[", "0.00,", "+1.00]", ".3000", ".9000", "0.75", *no_evidence],
    ]


def test_in_brief_there_is_the_ranking_and_a_line_of_how() -> None:
    text = show(THREE, "table", Screen(depth="brief"))
    table, said = text.split("\n* best of its column\n")
    assert [line.split()[0] for line in table.split("\n") if line[0] not in "─"] == [
        *("System", "c", "a", "b")
    ]
    assert said == (
        "By the randomization test over 3,000 segments, p ≤ .05 adjusted for 3 comparisons; lines "
        "by BLEU."
    )


@pytest.mark.parametrize(
    ("systems", "metrics", "rows", "which"),
    [
        (5, 4, 40, ""),
        (5, 6, 24, "neighbours in rank"),
        (6, 1, 5, "neighbours in rank"),
        (12, 4, 44, "neighbours in rank"),
        (30, 4, 29, "neighbours in rank, by BLEU"),
    ],
)
def test_a_terminal_lists_as_many_pairs_as_are_read(
    systems: int, metrics: int, rows: int, which: str
) -> None:
    base = many(systems)
    names = ["bleu", *(f"m{number}" for number in range(1, metrics))]
    made = result(
        [replace(entry, metric=name) for name in names for entry in base.scores],
        [replace(each, metric=name) for name in names for each in base.comparisons],
    )
    [_, pairs] = [part for part in view(made).parts_in("table") if part.grid is not None]
    assert pairs.grid is not None
    assert len(pairs.grid.rows) == rows
    said = " ".join(pairs.sentences)
    total = metrics * systems * (systems - 1) // 2
    assert (f"{rows} of {total:,} comparisons, {which}; all are" in said) is bool(which)


def test_pairs_of_slices_give_way_first() -> None:
    base = many(5)
    labels = [None, *(f"slice {number}" for number in range(9))]
    made = result(
        [replace(entry, slice=label) for label in labels for entry in base.scores],
        [replace(each, slice=label) for label in labels for each in base.comparisons],
    )
    listed = grids(made)[1]
    assert len(listed.rows) == 10
    assert {row[0].text for row in listed.rows} == {"(all)"}


def test_scores_of_many_slices_give_way() -> None:
    base = many(5)
    labels = [None, *(f"slice {number}" for number in range(10)), "(macro mean)"]
    made = result(
        [replace(entry, slice=label) for label in labels for entry in base.scores],
        [replace(each, slice=label) for label in labels for each in base.comparisons],
    )
    whole, *_ = [part for part in view(made).parts_in("table") if part.grid]
    assert whole.grid is not None
    assert {row[0].text for row in whole.grid.rows} == {"(all)", "(macro mean)"}
    assert "--html" in " ".join(whole.sentences)
    all_slices, *_ = [part.grid for part in view(made).parts_in("markdown") if part.grid]
    assert len(all_slices.rows) == 60


def test_an_empty_row_is_a_line_in_markdown() -> None:
    table = THREE.to_text("markdown").split("\n\n")[1].split("\n")
    firsts = [line.split("|")[1].strip() for line in table]
    assert firsts[2:] == ["c", "", "a", "b"]


def test_lines_part_clusters_of_the_whole_beside_slices_too() -> None:
    scores = [*THREE.scores, *(score(name, 30.0, slice="news") for name in "abc")]
    pairs = [*THREE.comparisons, *(replace(each, slice="news") for each in THREE.comparisons)]
    sliced = result(scores, pairs, rankings=THREE.rankings)
    assert [[row[1].text for row in block] for block in grids(sliced)[0].blocks] == [
        ["c"],
        ["a", "b"],
        ["c", "a", "b"],
    ]
    assert "A line within (all) stands where every system above beats" in sliced.to_text("markdown")


def test_nothing_is_ever_called_equal() -> None:
    for form in ("table", "markdown", "latex"):
        assert "equal" not in THREE.to_text(form).lower().replace("of equal quality", "")


def test_what_was_found_stands_out_on_a_colour_terminal() -> None:
    coloured = show(THREE, "table", Screen(colour=True))
    assert len(re.findall(r"\x1b\[1mc is better *\x1b\[0m", coloured)) == 2
    assert not re.search(r"\x1b\[1mno evidence", coloured)
    plain = str(THREE)
    stripped = re.sub(r"\x1b\[\d*m", "", coloured)
    assert [line.rstrip() for line in stripped.split("\n")] == plain.split("\n")


def test_many_pairs_are_a_triangle() -> None:
    [_, part] = [part for part in view(many(12)).parts_in("markdown") if part.grid is not None]
    assert part.heading == "BLEU: Randomization test, two-sided"
    cells = [[cell.text for cell in row] for row in part.grid.rows]
    assert [line[1] for line in cells] == [f"s{number:02}" for number in range(12)]
    assert [text for text in cells[0][2:] if text] == [".600", ".600", *">" * 9]
    assert not any(cells[11][2:])


def test_a_narrow_screen_gets_whole_names() -> None:
    text = show(many(17), "table", Screen(columns=80))
    assert all(width(line) <= 80 for line in text.split("\n") if "|" not in line)


def test_seventeen_systems_fit_in_120_columns() -> None:
    text = str(many(17))
    assert all(width(line) <= 120 for line in text.split("\n") if "|" not in line)


def test_one_sided_pairs_are_a_whole_square() -> None:
    names = [f"s{number}" for number in range(4)]
    comparisons = [
        pair(a, b, 1.0, 0.001 if a < b else 0.9, alternative="better", test="bootstrap")
        for a in names
        for b in names
        if a != b
    ]
    made = result(
        [score(name, 10.0 - at) for at, name in enumerate(names)],
        comparisons,
        Plan(alternative="better", tests=("bootstrap",)),
    )
    [_, square] = [part.grid for part in view(made).parts_in("markdown") if part.grid is not None]
    assert [[cell.text for cell in row if cell.text] for row in square.rows] == [
        ["1", "s0", ">", ">", ">"],
        ["2", "s1", "1", ">", ">"],
        ["3", "s2", "1", "1", ">"],
        ["4", "s3", "1", "1", "1"],
    ]


def test_errors_are_turned_but_shown_as_they_are() -> None:
    comparison = pair("a", "b", -3.0, 0.001, metric="ter")
    made = result([score("a", 50.0, "ter"), score("b", 53.0, "ter")], [comparison])
    text = str(made)
    assert "-3.00" in text
    assert "a is better" in text


def test_a_baseline() -> None:
    comparisons = [pair("a", "c", -2.0, 0.0001), pair("b", "c", -2.5, 0.2)]
    made = replace(THREE, plan=Plan(baseline="c"), comparisons=tuple(comparisons), rankings=())
    text = str(made)
    assert "Randomization test against c, two-sided" in text
    assert "Rank" not in text
    assert " *" not in text
    caption, body = made.to_text("latex").split("\\toprule")
    assert r"+ and $-$ mark scores significantly better and worse than those of c" in caption
    assert r"a & 31.00 & \textsuperscript{$-$} &" in body
    assert "b & 30.50 &  &" in body


def test_latex_names_whom_a_score_beats() -> None:
    text = many(12).to_text("latex")
    assert r"a & s00 & 50.00 & \textsuperscript{d\textendash{}l} & {[}49.00, 51.00] \\" in text
    assert r"i & s08 & 42.00 & \textsuperscript{l} &" in text
    assert r"j & s09 & 41.00 &  & " in text
    assert "10,000 trials" in text
    assert "Holm's method for 3 comparisons" in text
    assert text.isascii()


def test_latex_of_more_systems_than_letters() -> None:
    assert r"\textsuperscript{4\textendash{}28}" in many(28).to_text("latex")


def test_json_follows_the_contract() -> None:
    made = json.loads(THREE.to_json())
    assert {*CONTRACT, "exact", "detectable_reason"} <= {*made["comparisons"][0]}
    assert made["comparisons"][0]["interval"] == [0.0, 1.0]
    assert made["rankings"] == [
        {
            "metric": "bleu",
            "test": "randomization",
            "clusters": [["c"], ["a", "b"]],
            "ranks": {"a": [2, 3], "b": [2, 3], "c": [1, 1]},
        }
    ]
    assert [each["system"] for each in made["scores"]] == ["a", "b", "c"]
    assert made["scores"][0]["interval"] == [30.0, 32.0]
    assert (made["unit"], made["units"], made["warnings"]) == ("segment", 3000, [])
    assert made["test_set"] == {"segments": 3000, "references": 1, "documents": None}
    assert "gate" not in made


def test_what_applies_now_and_then() -> None:
    one = pair(
        *("a", "b", 0.5, 0.3),
        margin=1.0,
        margin_interval=(-0.1, 0.9),
        equivalent=True,
        non_inferior=True,
        units_needed=4005,
        slice="news",
        identical=math.nan,
    )
    made = result(
        [
            score("a", 1.0),
            score("b", 0.5),
            score("a", 1.0, slice="news"),
            score("b", 0.5, slice="news"),
        ],
        [pair("a", "b", 0.5, 0.3), one],
        Plan(margin={"bleu": 1.0}, detect={"bleu": 0.3}, baseline="b", gate=True),
        gate=Gate("fail", ("a, bleu: fail",)),
        warnings=("only 3 segments",),
    )
    document = json.loads(made.to_json())
    assert document["gate"] == {"verdict": "fail", "reasons": ["a, bleu: fail"]}
    assert document["warnings"] == ["only 3 segments"]
    first, second = document["comparisons"]
    assert not {"slice", "margin"} & set(first)
    assert second["slice"] == "news"
    assert second["margin_interval"] == [-0.1, 0.9]
    assert (second["equivalent"], second["non_inferior"]) == (True, True)
    assert second["units_needed"] == 4005
    text = str(made)
    assert "equivalent within 1" in text
    assert "4,005" in text
    assert "Gate: fail\n  a, bleu: fail" in text
    header, *lines = (line.split("\t") for line in made.to_text("tsv").split("\n"))
    record = dict(zip(header, lines[1], strict=True))
    assert (record["margin_low"], record["margin_high"], record["slice"]) == ("-0.1", "0.9", "news")


@pytest.mark.parametrize(("share", "told"), [(0.19, False), (0.2, True), (1.0, True)])
def test_identical_outputs_are_told_where_notable(share: float, told: bool) -> None:
    made = result([score("a", 1.0), score("b", 1.0)], [pair("a", "b", 0, 1.0, identical=share)])
    assert ("identical outputs" in str(made)) is told


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("bootstrap", "if the systems were alike on average"),
        ("paired-bootstrap", "the better system is not ahead, doubled"),
        ("tukey", "two of as many systems of equal quality"),
        ("scheffe", "any grouping of as many systems"),
    ],
)
def test_every_test_says_what_it_is(test: str, words: str) -> None:
    plan = Plan(tests=(test,))
    made = result([score("a", 1.0), score("b", 2.0)], [pair("a", "b", 1.0, 0.2, test=test)], plan)
    assert words in made.to_text("markdown")


@pytest.mark.parametrize(
    ("adjust", "words"),
    [
        ("none", "if they were independent, would bring a false one with a probability of 0.97"),
        ("bh", "at most 5% of what is called significant is expected to be false"),
    ],
)
def test_every_correction_says_what_it_is_worth(adjust: str, words: str) -> None:
    one = pair("a", "b", 1.0, 0.2, adjust=adjust, family_size=66)
    made = result([score("a", 1.0), score("b", 2.0)], [one], Plan(adjust=adjust))
    assert words in made.to_text("markdown")


@pytest.mark.parametrize(
    ("units", "trials", "size", "found"),
    [
        (5, 32, 1, False),  # 2/32 is above .05
        (6, 64, 1, True),
        (6, 64, 2, False),
        (3000, 18, 1, False),  # 1/19 is above .05
        (3000, 19, 1, True),
        (3000, 1000, 66, False),
    ],
)
def test_a_test_that_can_find_nothing_does_not_promise_to(
    units: int, trials: int, size: int, found: bool
) -> None:
    exact = trials == 2**units
    one = pair("a", "b", 1.0, 0.2, trials=0 if exact else trials, family_size=size, exact=exact)
    made = result([score("a", 1.0), score("b", 2.0)], [one], units=units)
    text = " ".join(str(made).split())
    assert ("Detectable" in text) is found
    assert ("can show no difference at all" in text) is not found


HOSTILE = ["a|b", "50%_&#{x}", "t\tab", "new\nline", "\x1b[31mred", "日本語", "\\\\", "1.00 >", "–"]
names = st.lists(
    st.sampled_from(HOSTILE) | st.text(min_size=1),
    min_size=2,
    max_size=7,
    unique_by=lambda name: visible(name).strip(),
)


@given(st.data())
def test_the_same_numbers_in_every_format(data: st.DataObject) -> None:
    systems = data.draw(names)
    shares = st.floats(0.0001, 1.0)
    comparisons = [
        pair(a, b, data.draw(st.floats(-100, 100)), data.draw(shares), metric=metric)
        for metric in ("bleu", "ter")
        for a, b in combinations(systems, 2)
    ]
    scores = [
        score(name, data.draw(st.floats(0, 100)), metric)
        for metric in ("bleu", "ter")
        for name in systems
    ]
    made = result(scores, comparisons)
    exact = {(one.metric, one.a, one.b): (one.difference, one.p_adjusted) for one in comparisons}

    entries = json.loads(made.to_json())["comparisons"]
    found = {(e["metric"], e["a"], e["b"]): (e["difference"], e["p_adjusted"]) for e in entries}
    assert found == exact

    header, *lines = (line.split("\t") for line in made.to_text("tsv").split("\n"))
    records = [dict(zip(header, line, strict=True)) for line in lines]

    def undone(text: str) -> str:
        return text.encode("latin-1", "backslashreplace").decode("unicode_escape")

    assert {
        (e["metric"], undone(e["a"]), undone(e["b"])): (
            float(e["difference"]),
            float(e["p_adjusted"]),
        )
        for e in records
    } == exact

    table, marked, typeset = map(made.to_text, ("table", "markdown", "latex"))
    for text in (table, marked, typeset):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    if len(systems) <= 5:
        for one in comparisons:
            shown = [fixed(one.difference, 2, sign=True), probability(one.p_adjusted)]
            assert any(all(part in line for part in shown) for line in table.split("\n"))
            assert any(all(part in line for part in shown) for line in marked.split("\n"))
    # A row per system, none of them broken: every row has as many cells as the header.
    body = typeset.split("\\toprule\n")[1].split("\\bottomrule")[0]
    counts = {line.count(" & ") for line in body.split("\n") if line.endswith(r"\\")}
    assert len(counts) == 1
    assert body.count("\\\\\n") == len(systems) + 1
    for grid in re.findall(r"(?:^\|.*\n)+", marked + "\n", re.MULTILINE):
        pipes = {
            len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in grid.rstrip("\n").split("\n")
        }
        assert len(pipes) == 1


def test_a_margin_of_an_error_rate_turns_difference_and_interval_alike() -> None:
    """In the table of TER the difference was −2.00 and its interval +1.00 to +3.00."""
    one = pair(
        *("a", "b", -2.0, 0.01),
        metric="ter",
        interval=(-3.1, -0.9),
        margin=0.5,
        margin_interval=(1.0, 3.0),
        margin_verdict="pass",
        equivalent=False,
        non_inferior=True,
    )
    scores = [score(name, 50.0, metric="ter") for name in "ab"]
    made = result(scores, [one], Plan(margin={"ter": 0.5}))
    [_, tested, margins] = grids(made)
    row = dict(zip([c.title for c in margins.columns], margins.rows[0], strict=True))
    assert row["Better by"].text == "+2.00"
    assert row["95% bounds"].text == "[+1.00, +3.00]"
    assert row["Margin"].text == "not worse by 0.5"
    row = dict(zip([c.title for c in tested.columns], tested.rows[0], strict=True))
    assert (row["A − B"].text, row["95% interval"].text) == ("-2.00", "[-3.10, -0.90]")


def test_no_power_is_claimed_where_none_is_known() -> None:
    same = pair("a", "b", 0.0, 1.0, detectable=None, identical=1.0)
    scores = [score("a", 1.0), score("b", 1.0), score("c", 2.0)]
    alone = result(scores[:2], [same], Plan(detect={"bleu": 0.3}))
    for form in ("table", "markdown", "html"):
        text = in_form(alone, form)
        assert "Detectable" not in text
        assert "would have been found" not in text
    assert "–" in str(alone)  # for the segments needed
    assert json.loads(alone.to_json())["comparisons"][0]["detectable"] is None
    beside = result(scores, [pair("a", "c", -1.0, 0.3), same])
    [_, tested] = grids(beside)
    at = [column.title for column in tested.columns].index("Detectable")
    assert [row[at].text for row in tested.rows] == ["0.75", "–"]
    assert "A dash says that" in " ".join(str(beside).split())
    assert "A dash" not in THREE.to_text("markdown")
    [same_of_many, *rest] = many(12).comparisons
    matrix = [replace(same_of_many, detectable=None), *rest]
    text = replace(many(12), comparisons=tuple(matrix)).to_text("markdown")
    assert "a true difference of 0.75 BLEU would have been found" in text
    nothing = [replace(one, detectable=None) for one in many(12).comparisons]
    text = replace(many(12), comparisons=tuple(nothing)).to_text("markdown")
    assert "would have been found" not in text


def test_a_slice_that_can_show_nothing_claims_no_power() -> None:
    """Of three segments no p-value is below .25, whatever the noise is."""
    whole = pair("a", "b", 0.5, 0.3)
    small = pair("a", "b", 0.5, 0.5, slice="news", trials=8, count=4, exact=True)
    scores = [score(name, 1.0, slice=label) for label in (None, "news") for name in "ab"]
    [_, tested] = grids(result(scores, [whole, small]))
    at = [column.title for column in tested.columns].index("Detectable")
    assert [row[at].text for row in tested.rows] == ["0.75", "–"]


def test_margins_that_are_left_open_say_why_everywhere() -> None:
    reason = "only 4 segments, and a verdict needs at least 10; use more segments"
    one = pair(
        *("a", "b", -2.0, 0.3),
        margin=0.5,
        margin_verdict="inconclusive",
        margin_reason=reason,
        equivalent=False,
        non_inferior=False,
    )
    plan = Plan(margin={"bleu": 0.5}, baseline="b", gate=True)
    gate = Gate("inconclusive", (f"a, BLEU: inconclusive ({reason})",))
    left_open = result([score("a", 1.0), score("b", 3.0)], [one], plan, gate=gate)
    for form in ("table", "markdown", "html"):
        words = " ".join(in_form(left_open, form).replace("\\", "").split())
        assert f"a and b by BLEU: {reason}." in words
        assert f"a, BLEU: inconclusive ({reason})" in words
    made = json.loads(left_open.to_json())["comparisons"][0]
    assert "margin_interval" not in made
    assert (made["margin_verdict"], made["margin_reason"]) == ("inconclusive", reason)
    triangle = [replace(one, a=each.a, b=each.b) for each in many(12).comparisons]
    plan = Plan(margin={"bleu": 0.5})
    text = str(replace(many(12), comparisons=tuple(triangle), plan=plan))
    words = " ".join(text.split())
    assert f"Every pair: {reason}." in words


def test_identical_scores_are_told_apart_from_identical_outputs() -> None:
    signature = "nrefs:1|mean:segments|file:x|version:weigh-0.1.0"
    scores = [score(name, 1.0) for name in "ab"]
    scores += [
        replace(score(name, 1.0), metric="segment:file=x", signature=signature) for name in "ab"
    ]
    pairs = [
        pair("a", "b", 0.0, 1.0, identical=1.0),
        pair("a", "b", 0.0, 1.0, metric="segment:file=x", identical=0.25),
    ]
    text = str(result(scores, pairs))
    assert "identical outputs: a and b 100%." in text
    assert "identical comet scores: a and b 25%." in text
    text = str(result(scores[2:], pairs[1:]))
    assert "identical scores: a and b 25%." in text
    assert "outputs" not in text.split("Share of segments")[1].split(".")[0]
