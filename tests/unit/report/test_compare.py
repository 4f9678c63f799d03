from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weigh
from weigh.comparing.compare_result import CompareResult, Comparison, Gate, Ranking, TestSignature
from weigh.comparing.methods import methods, signatures_of_tests
from weigh.comparing.plan import Plan
from weigh.comparing.score_result import MetricShown, SystemScore, interval_method, titles
from weigh.report.grid import Grid
from weigh.report.view import view
from weigh.result import Extent

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


def grid(result: CompareResult, title: str) -> list[dict[str, str]]:
    """The rows of a grid, as text by title."""
    [found] = [
        part for part in view(result).parts if isinstance(part, Grid) and part.title == title
    ]
    columns = zip(found.columns, found.cells(), strict=True)
    texts = {column.title: column.texts(cells) for column, cells in columns}
    return [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]


THREE = result(
    [score("a", 31.0), score("b", 30.5), score("c", 33.0)],
    [pair("a", "b", 0.5, 0.3), pair("a", "c", -2.0, 0.0001), pair("b", "c", -2.5, 0.0001)],
    rankings=(
        Ranking(
            "bleu", "randomization", (("c",), ("a", "b")), {"a": (2, 3), "b": (2, 3), "c": (1, 1)}
        ),
    ),
)


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
        gate=Gate("fail", ("a, bleu: fail (worse)", "b, bleu: pass (better)")),
        warnings=("only 3 segments",),
    )
    document = json.loads(made.to_json())
    assert document["gate"] == {
        "verdict": "fail",
        "reasons": ["a, bleu: fail (worse)", "b, bleu: pass (better)"],
    }
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
    assert text.startswith("▌ Gate: fail\n▌   a, bleu (worse)\n▌ There is")
    header, *lines = (line.split("\t") for line in made.to_text("tsv").split("\n"))
    record = dict(zip(header, lines[1], strict=True))
    assert (record["margin_low"], record["margin_high"], record["slice"]) == ("-0.1", "0.9", "news")


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
    plan = Plan(trials=None if exact else trials)
    made = result([score("a", 1.0), score("b", 2.0)], [one], plan, units=units)
    text = " ".join(str(made).split())
    assert ("Detectable" in text) is found
    assert ("no difference can be significant" in text) is not found


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
    [row] = grid(made, "Margins")
    assert row["Difference"] == "+2.00"
    assert row["95% bounds"] == "[+1.00, +3.00]"
    assert row["Margin"] == "not worse by more than 0.5"
    [row] = grid(made, "Pairs")
    assert (row["Better by"], row["95% interval"]) == ("+2.00", "[+0.90, +3.10]")


def test_margins_and_sample_sizes_are_tables_in_the_order_of_the_ranking() -> None:
    """Pairs by TER had empty margins, and the order was that of the command line."""
    margins = {"margin": 1.0, "margin_verdict": "inconclusive"}
    pairs = [pair("a", "b", 0.5, 0.3, **margins), pair("c", "b", 2.5, 0.0001, **margins)]
    by_ter = [pair(a, "b", 1.0, 0.3, metric="ter", units_needed=200) for a in "ac"]
    scores = [score(*each) for each in (("a", 31.0), ("b", 30.5), ("c", 33.0))]
    scores += [score(*each, "ter") for each in (("a", 51.0), ("b", 50.0), ("c", 52.0))]
    plan = Plan(baseline="b", margin={"bleu": 1.0}, detect={"ter": 2.0})
    made = result(scores, [*pairs, *by_ter], plan)
    assert [row["System"] for row in grid(made, "Margins")] == ["c", "a"]
    sizes = [(row["System"], row["Segments needed"]) for row in grid(made, "Sample sizes")]
    assert sizes == [("a", "200"), ("c", "200")]
    assert "Sample sizes" in made.to_text(depth="brief")
    assert "Margins" not in made.to_text(depth="brief")


def test_a_slice_that_can_show_nothing_claims_no_power() -> None:
    """Of three segments no p-value is below .25, whatever the noise is."""
    whole = pair("a", "b", 0.5, 0.3)
    counts = {"wins": 2, "ties": 1, "losses": 0}
    small = pair("a", "b", 0.5, 0.5, slice="news", trials=0, exact=True, **counts)
    scores = [score(name, 1.0, slice=label) for label in (None, "news") for name in "ab"]
    made = result(scores, [whole, small])
    assert [row["Detectable"] for row in grid(made, "Pairs")] == ["0.75"]
    assert "Detectable" not in grid(made, "Pairs by slice")[0]


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-7])
def test_no_significant_difference_is_shown_as_zero(unit: float) -> None:
    """However small the scores of a metric are: neither the difference nor an end beside 0."""
    rng = np.random.default_rng(3)
    base = rng.random(200)
    found = weigh.compare({"A": unit * base, "B": unit * (base + 0.01 + 0.02 * rng.random(200))})
    assert found.comparisons[0].significant
    row = grid(found, "Pairs")[0]
    assert float(row["Better by"]) == pytest.approx(-found.comparisons[0].difference, rel=0.1)
    low, high = map(float, re.findall(r"[+-][\d.]+", row["95% interval"]))
    assert 0 < low < high


def test_an_interval_without_zero_is_open_where_its_end_is_shown_as_zero() -> None:
    wide = pair("X", "Y", 4.0, 0.01, interval=(0.001, 8.0))
    made = described(result([score("X", 34.0), score("Y", 30.0)], [wide]))
    assert grid(made, "Pairs")[0]["95% interval"].replace(" ", "") == "(0,+8.00]"


@pytest.mark.parametrize(("unit", "decimals"), [(1e6, 0), (100.0, 2), (1.0, 4), (1e-6, 9)])
def test_scores_have_the_decimals_that_their_spread_carries(unit: float, decimals: int) -> None:
    scores = np.random.default_rng(5).random((2, 300))
    found = weigh.compare({"A": unit * scores[0], "B": 1000 * unit + unit * scores[1]})
    assert found.metrics[0].decimals == decimals
    found = weigh.compare({"A": unit * scores[0], "B": unit * scores[1]})
    assert "score best" not in str(found)  # as if both had the same score
