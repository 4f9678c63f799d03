"""Agreement of whole sets of judgments: what is compared with what."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from weigh.errors import InputError, UsageError
from weigh.human.agreement import agreement, consistency, replications, values_by_item
from weigh.stats.agreement import cohen_kappa, krippendorff_alpha
from weigh.types import Judgment, Kind, Preference


def judged(
    judge: str, system: str, segment: int, value: float, kind: Kind = "system", **more: str
) -> Judgment:
    return Judgment(judge, "h", "de-en", kind, system, str(segment), value, **more)  # type: ignore[arg-type]


def campaign(judges: int = 4, noise: float = 0.0, seed: int = 1) -> list[Judgment]:
    """Judges with a bias and a spread of their own, who judge the same outputs."""
    generator = np.random.default_rng(seed)
    truth = generator.uniform(20, 80, (3, 15))
    rows = []
    for judge in range(judges):
        bias, spread = generator.uniform(-15, 15), generator.uniform(0.5, 1)
        for system in range(3):
            for segment in range(15):
                value = 50 + bias + spread * (truth[system, segment] - 50)
                value += noise * generator.normal()
                rows.append(
                    judged(f"j{judge}", f"s{system}", segment, float(np.clip(value, 0, 100)))
                )
    return rows


def test_standard_scores_are_free_of_bias() -> None:
    [scale] = agreement(campaign()).agreement
    assert scale.alpha_standardised == pytest.approx(1)
    assert scale.alpha_interval < 0.95
    assert (scale.judges, scale.judged, scale.judged_by_several, scale.cohen_pairs) == (
        4,
        45,
        45,
        None,
    )


def test_scores_are_gathered_by_output() -> None:
    rows = [
        judged("x", "A", 1, 10),
        judged("y", "A", 1, 30),
        judged("y", "A", 1, 50, "repeat"),  # the mean of both is y's value
        judged("x", "B", 1, 90),
        judged("y", "B", 1, 70),
        judged("x", "B", 2, 20),
        judged("x", "A", 1, 0, "bad"),
        judged("y", "A", 1, 99, "reference"),
    ]
    [scale] = agreement(rows, categories=2).agreement
    units = [[10, 40], [90, 70], [20]]
    assert scale.alpha_interval == pytest.approx(krippendorff_alpha(units))
    assert scale.alpha_ordinal == pytest.approx(krippendorff_alpha(units, "ordinal"))
    assert (scale.judged, scale.judged_by_several) == (3, 2)
    assert scale.cohen_kappa == cohen_kappa([0, 1], [0, 1]) == 1


def test_categories_cut_the_scale_evenly() -> None:
    rows = [judged(judge, "A", at, value) for judge in "xy" for at, value in enumerate((0, 19, 20))]
    rows += [judged(judge, "A", 9, value) for judge, value in (("x", 100), ("y", 80))]
    [scale] = agreement(rows, categories=5).agreement
    assert scale.cohen_kappa == 1  # 80 and 100 are in the last fifth, 19 and 20 are not in one
    with pytest.raises(UsageError, match="categories 1: give a number of at least 2"):
        agreement(rows, categories=1)


def test_the_bounds_of_a_file_are_those_of_the_scale(tmp_path: Path) -> None:
    rows = [
        judged(f"j{j}", "A", s, float((s + j * (s % 3 == 0)) % 7 + 1))
        for j in (0, 1)
        for s in range(30)
    ]
    path = tmp_path / "j.tsv"
    path.write_text(
        "judge\tsystem\tsegment\tvalue\n"
        + "".join(f"{each.judge}\tA\t{each.segment}\t{each.value}\n" for each in rows)
    )
    [found] = agreement(str(path), categories=7, bounds=(1, 7)).agreement
    [known] = agreement(rows, categories=7, bounds=(1, 7)).agreement
    assert found.cohen_kappa == known.cohen_kappa
    assert 0 < found.cohen_kappa < 1


def test_scales_and_pairs_are_kept_apart() -> None:
    rows = campaign()
    other = [replace(one, scale="fluency", value=100 - one.value) for one in rows]
    third = [replace(one, pair="cs-en") for one in rows]
    found = agreement([*rows, *other, *third]).agreement
    assert [(each.pair, each.scale) for each in found] == [
        ("cs-en", "adequacy"),
        ("de-en", "adequacy"),
        ("de-en", "fluency"),
    ]
    assert len({round(each.alpha_interval, 9) for each in found}) == 1


def test_order_of_rows_is_irrelevant() -> None:
    rows = campaign(noise=5)
    one, other = agreement(rows).agreement[0], agreement(rows[::-1]).agreement[0]
    for name in ("interval", "standardised", "ordinal"):
        assert getattr(one, f"alpha_{name}") == pytest.approx(getattr(other, f"alpha_{name}"))


def test_preferences() -> None:
    rows = [
        Preference("A", "B", "1", judge="x"),
        Preference("A", "B", "1", judge="y"),
        Preference("B", "A", "2", judge="x"),
        Preference("A", "B", "2", judge="y"),
        Preference("B", "A", "3", judge="x"),
        Preference("B", "A", "3", tied=True, judge="y"),
        Preference("A", "B", "3", judge="x"),  # asked again: counts for itself
        Preference("A", "C", "1", judge="x"),
    ]
    [found] = agreement(rows).agreement
    x, y = [1, -1, -1], [1, 1, 0]
    assert found.cohen_kappa == pytest.approx(cohen_kappa(x, y))
    units = [list(both) for both in zip(x, y, strict=True)]
    assert found.alpha_nominal == pytest.approx(krippendorff_alpha(units, "nominal"))
    assert math.isnan(found.alpha_interval)
    assert (found.judges, found.judged, found.judged_by_several) == (2, 4, 3)
    assert (found.intra_kappa, found.intra_units) == (pytest.approx(0.0), 1)
    with pytest.raises(InputError, match="the preferences name no judges"):
        agreement([Preference("A", "B", "1")])


def test_replication() -> None:
    first, second = campaign(noise=0), campaign(judges=7, noise=0)
    # The same truth, for the generator draws it first; other judges.
    [found] = replications(first, [replace(one, judge=f"other {one.judge}") for one in second])
    assert (found.systems, found.outputs) == (3, 45)
    assert found.r_systems == pytest.approx(1)
    assert found.r_outputs == pytest.approx(1)
    [reverse] = replications(first, [replace(one, value=100 - one.value) for one in first])
    assert reverse.r_outputs == pytest.approx(-1)
    fewer = [one for one in second if one.system != "s2" and int(one.segment) < 4]
    [part] = replications(first, fewer)
    assert (part.systems, part.outputs) == (2, 8)
    assert replications(first, [replace(one, scale="fluency") for one in first]) == []
    [one_system] = replications(first, [one for one in second if one.system == "s0"])
    assert math.isnan(one_system.r_systems)


def item(judge: str, kind: Kind, system: str, value: float, **more: str) -> Judgment:
    return Judgment(judge, "h1", "de-en", kind, system, "7", value, **more)  # type: ignore[arg-type]


def test_consistency_of_judges() -> None:
    rows = [
        item("x", "system", "A", 50, item="1"),
        item("x", "system", "B", 60, item="2"),
        item("x", "system", "C", 80, item="3"),
        item("x", "repeat", "A", 56, item="4", of="1"),
        item("x", "repeat", "B", 58, item="5"),  # found by what it shows
        item("x", "bad", "C", 10, item="6", of="3"),
        item("x", "repeat", "D", 9, item="7"),  # its original was not answered
        item("y", "system", "A", 1),
    ]
    [found] = consistency(rows)
    assert (found.judge, found.repeats, found.difference, found.distance) == ("x", 2, 2, 4)
    assert found.r == pytest.approx(1)


def test_values_by_item() -> None:
    rows = [
        item("x", "system", "A", 50),
        item("x", "repeat", "A", 60),
        item("y", "system", "A", 7),
        item("y", "reference", "A", 99),
        item("y", "bad", "A", 0),
    ]
    assert values_by_item(rows) == {("A", "7"): {"x": 55, "y": 7}}
