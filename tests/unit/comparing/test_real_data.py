"""Comparisons of real systems: what is known about them from elsewhere."""

from __future__ import annotations

from functools import cache

import pytest

from shared_data import SHARED, lines, needs_shared
from unit.comparing.systems import ALTERNATIVES, TESTS, by_pair
from weigh import Bleu, Chrf, Nist, Outputs, System, Ter, TestSet, compare

pytestmark = needs_shared

WMT12 = SHARED / "data" / "wmt12"
RUNS = SHARED / "data" / "multeval-opt-runs"


@cache
def wmt12(pair: str):
    target = pair.partition("-")[2]
    folder = WMT12 / pair
    systems = [
        System(path.name.removesuffix(f".{target}.gz"), Outputs(lines(path)))
        for path in sorted((folder / "sys").iterdir())
    ]
    return compare(
        systems,
        TestSet([lines(folder / f"ref.{target}.gz")]),
        [Bleu(), Ter(), Nist(), Chrf()],
        tests=TESTS,
        adjust="none",
        trials=10_000,
    )


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("metric", ["bleu", "ter", "nist", "chrf"])
@pytest.mark.parametrize(("pair", "systems"), [("es-en", 12), ("en-es", 11)])
def test_the_three_tests_hardly_differ(pair, systems, metric, alpha):
    """Graham et al. (2014, §4): at most one conclusion differs by metric and α."""
    found = by_pair(wmt12(pair))
    pairs = {(a, b) for key, _, a, b in found if key == metric}
    assert len(pairs) == systems * (systems - 1) // 2
    conclusions = [{found[metric, test, a, b].p_value <= alpha for test in TESTS} for a, b in pairs]
    assert sum(len(one) > 1 for one in conclusions) <= 1
    assert any(one == {True} for one in conclusions)
    assert any(one == {False} for one in conclusions)


@cache
def replicated() -> tuple[list[System], TestSet]:
    systems = [
        System(name, Outputs(lines(RUNS / f"hyps.lc.tok.en.{name}.opt{run}.gz")), str(run))
        for name in ("baseline", "sys1", "sys2")
        for run in range(3)
    ]
    return systems, TestSet([lines(RUNS / "refs.test2010.lc.tok.en.0.gz")])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_replications_of_one_system_do_not_differ(alternative):
    """The files of baseline and sys2 are the same, byte for byte."""
    systems, test_set = replicated()
    result = compare(
        systems,
        test_set,
        [Bleu(tokenize="none"), Ter()],
        tests=TESTS,
        alternative=alternative,
        trials=1000,
    )
    same = [pair for pair in result.comparisons if {pair.a, pair.b} == {"baseline", "sys2"}]
    assert len(same) == 6 * (1 if alternative == "two-sided" else 2)
    for pair in same:
        assert (pair.p_value, pair.p_adjusted, pair.identical) == (1, 1, 1)
