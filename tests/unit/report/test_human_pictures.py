from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared_data import SHARED
from unit.human.judgments import one as judgment
from unit.report.pictures.drawings import drawn, is_straight, of_class, texts, title
from weigh.human.plan import PRESETS
from weigh.human.rank import rank
from weigh.human.scores import HumanScore
from weigh.report.grid import visible
from weigh.report.human_pictures import (
    ranking_maps,
    ranking_plots,
    win_rate_maps,
)
from weigh.report.pictures.picture import Picture
from weigh.types import Judgment, Preference
from weigh.wording import fixed

DE_EN = SHARED / "data" / "wmt21" / "de-en" / "human-da.tsv.gz"
SHADES = ((0.001, "cell good3"), (0.01, "cell good2"), (0.05, "cell good1"))


def campaign(names: list[str], scale: str = "adequacy") -> list[Judgment]:
    """Systems that are the better the earlier they are named, some by very little."""
    return [
        judgment(name, n, 70 - 2 * at - 9 * (at > 2) + (7 * n + 3 * at) % 13, scale=scale)
        for at, name in enumerate(names)
        for n in range(40)
    ]


def titles(picture: Picture) -> list[str]:
    return [title(cell) for cell in of_class(drawn(picture), "cell")]


@pytest.mark.parametrize("preset", ["weigh", "wmt21", "graham2014"])
def test_a_map_has_a_cell_for_every_pair_and_names_its_test(preset: str) -> None:
    result = rank(campaign(list("ABCDE")), PRESETS[preset])
    [picture] = ranking_maps(result)
    assert len(titles(picture)) == 25
    assert any("better than" in text for text in titles(picture))
    assert any(text.startswith("no evidence") for text in titles(picture)) == (preset == "weigh")
    test = "Signed-rank" if preset == "weigh" else "Rank-sum"
    assert picture.title.startswith(f"de-en, adequacy: {test} test, ")


def test_raw_scores_and_preferences() -> None:
    report = rank(campaign(list("ABCD"), "esa"))
    told = titles(next(ranking_maps(report)))
    assert any(" points, p" in each for each in told)
    votes = [Preference(*pair, f"{n}") for n in range(9) for pair in (("A", "B"), ("B", "C"))]
    preferred = rank([*votes, Preference("B", "A", "10")])
    told = titles(next(ranking_maps(preferred)))
    assert any(" expected wins, p" in each for each in told)
    [plot] = ranking_plots(preferred)
    assert len(of_class(drawn(plot), "point")) == 3
    assert of_class(drawn(plot), "interval") == []
    assert [*win_rate_maps(preferred)] == []


def test_strengths_and_win_rates() -> None:
    won = [("A", "B")] * 7 + [("B", "A")] * 2 + [("B", "C")] * 9 + [("C", "B")] * 3
    won += [("C", "D")] * 3 + [("D", "C")] * 2
    votes = [
        Preference(*pair, f"{n}", judge=f"u{n % 4}", first=pair[n % 2])
        for n, pair in enumerate(won)
    ]
    votes.append(Preference("A", "B", "40", tied=True, judge="u1", first="B"))
    result = rank(votes)
    [ranking] = result.rankings
    assert [score.system for score in ranking.scores] == ["A", "B", "C", "D"]
    told = titles(next(ranking_maps(result)))
    assert any(" of log strength, p" in each for each in told)
    assert len(of_class(drawn(next(ranking_plots(result))), "interval")) == 4
    [picture] = win_rate_maps(result)
    cells = of_class(drawn(picture), "cell")
    shades = [cell.attrib["class"].removeprefix("cell").strip() for cell in cells]
    assert shades == [
        *("self", "good3", "", ""),
        *("bad3", "self", "good3", ""),
        *("", "bad3", "self", "good1"),
        *("", "", "bad1", "self"),
    ]
    said = [title(cell) for cell in cells]
    assert said[1] == "A against B: preferred in 75.0% of answers (won 7, lost 2, tied 1)"
    assert said[4] == "B against A: preferred in 25.0% of answers (won 2, lost 7, tied 1)"
    assert said[3] == "A against D: not compared"
    numbers = [text for text in texts(drawn(picture)) if text in ("75", "25", "60", "40")]
    assert numbers == ["75", "25", "75", "25", "60", "40"]


def test_points_intervals_and_clusters_stand_where_they_belong() -> None:
    report = rank(campaign(list("ABCDE")))
    [ranking] = report.rankings
    [picture] = ranking_plots(report)
    root = drawn(picture)
    places = []
    for one, point, bar in zip(
        ranking.scores, of_class(root, "point"), of_class(root, "interval"), strict=True
    ):
        assert isinstance(one, HumanScore)
        assert one.interval is not None
        low, high = (fixed(end, 3) for end in one.interval)
        best, worst = one.rank
        ends = f"{best}" if best == worst else f"{best}–{worst}"
        told = f"{one.system}: {fixed(one.score, 3)}, rank {ends}, 95% interval {low} to {high}"
        assert title(point) == told
        assert ends in texts(root)
        first, last = (end.split() for end in bar.attrib["d"][1:].split("L"))
        places += [(one.score, float(point.attrib["cx"])), (one.interval[0], float(first[0]))]
        places.append((one.interval[1], float(last[0])))
    assert is_straight(places)
    assert texts(root)[-1] == "z, standardised for each judge (higher is better)"
    rules = [rule.attrib["d"][1:].split("L") for rule in of_class(root, "rule")]
    flat = [start for start, end in rules if start.split()[1] == end.split()[1]]
    assert len(flat) == len(ranking.clusters) - 1 > 0


# XML cannot hold the last two, which pictures write as escapes.
CHARACTERS = st.characters(exclude_characters="\ufffe\uffff")


@given(st.lists(st.text(CHARACTERS, min_size=1, max_size=12), min_size=3, max_size=3, unique=True))
@settings(deadline=None, max_examples=30)
def test_hostile_names(names: list[str]) -> None:
    names = [f"{name}<b>&" for name in names]
    report = rank(campaign(names))
    titles(next(ranking_maps(report)))
    [plot] = ranking_plots(report)
    told = {title(point).rpartition(": ")[0] for point in of_class(drawn(plot), "point")}
    assert told == set(map(visible, names))
