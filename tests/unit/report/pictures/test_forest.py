from __future__ import annotations

import math
from dataclasses import replace

from unit.report.pictures.samples import (
    NAMES,
    drawn,
    is_straight,
    made_report,
    made_result,
    of_class,
    texts,
    title,
    with_score,
)
from weigh.comparing.result import Ranking
from weigh.report.pictures import forest_plots
from weigh.report.scores import CompareReport
from weigh.wording import fixed


def place(element: object, name: str) -> float:
    return float(element.get(name))  # type: ignore[attr-defined]


def test_points_and_intervals_stand_where_the_scores_are() -> None:
    report = made_report()
    for picture, metric in zip(forest_plots(report), ("bleu", "ter"), strict=True):
        root = drawn(picture)
        entries = {e.system: e for e in report.result.scores if e.metric == metric}
        points = of_class(root, "point")
        places = []
        for point, bar in zip(points, of_class(root, "interval"), strict=True):
            entry = entries[title(point).partition(":")[0]]
            assert entry.interval is not None
            places.append((entry.score, place(point, "cx")))
            first, last = (end.split() for end in bar.attrib["d"][1:].split("L"))
            places += [(entry.interval[0], float(first[0])), (entry.interval[1], float(last[0]))]
            assert float(first[1]) == float(last[1]) == place(point, "cy")
        assert len(places) == 3 * len(NAMES)
        assert is_straight(places)
        assert all(0 < x < picture.width for _, x in places)


def test_the_best_is_on_top_and_scores_stand_at_the_right() -> None:
    report = made_report()
    for picture, metric, sign in zip(forest_plots(report), ("bleu", "ter"), (-1, 1), strict=True):
        root = drawn(picture)
        points = sorted(of_class(root, "point"), key=lambda each: place(each, "cy"))
        best_first = sorted(
            (e for e in report.result.scores if e.metric == metric), key=lambda e: sign * e.score
        )
        assert [title(each).partition(":")[0] for each in points] == [e.system for e in best_first]
        words = texts(root)
        for entry in best_first:
            at = words.index(entry.system)
            assert words[at + 1] == fixed(entry.score, 2)
        assert best_first[0].system in picture.description
        assert fixed(best_first[0].score, 2) in picture.description


def test_lines_part_clusters() -> None:
    result = made_result()
    names = [e.system for e in sorted(result.scores, key=lambda e: -e.score) if e.metric == "bleu"]
    clusters = (tuple(names[:2]), tuple(names[2:3]), tuple(names[3:]))
    ranks = {name: (at, min(at + 1, 5)) for at, name in enumerate(names, 1)}
    split = replace(result, rankings=(Ranking("bleu", "randomization", clusters, ranks),))
    picture = forest_plots(CompareReport(split))[0]
    points = {title(p).partition(":")[0]: place(p, "cy") for p in of_class(drawn(picture), "point")}
    rules = []
    for rule in of_class(drawn(picture), "rule"):
        first, last = (end.split() for end in rule.attrib["d"][1:].split("L"))
        if first[1] == last[1]:
            rules.append(float(first[1]))
    assert rules == [
        (points[names[1]] + points[names[2]]) / 2,
        (points[names[2]] + points[names[3]]) / 2,
    ]
    assert "3 clusters" in picture.description
    assert ", rank 1–2, " in title(of_class(drawn(picture), "point")[0])


def test_slices_have_plots_of_their_own() -> None:
    report = made_report(slices=["x", "y"] * 30)
    titles = [picture.title for picture in forest_plots(report)]
    assert "Scores by bleu, x" in titles
    assert len(set(titles)) == len(titles) == 2 * len({e.slice for e in report.result.scores})
    whole, sliced = (forest_plots(report, sliced=which) for which in (False, True))
    assert [picture.title for picture in whole] == ["Scores by bleu", "Scores by ter"]
    names = [picture.name for picture in forest_plots(report)]
    assert sorted(each.name for each in (*whole, *sliced)) == sorted(names)


def test_systems_without_a_number_are_left_out() -> None:
    result = with_score(made_result(), "east", math.inf)
    picture = forest_plots(CompareReport(result))[0]
    assert len(of_class(drawn(picture), "point")) == len(NAMES) - 1
    assert "east" not in texts(drawn(picture))
    nothing = replace(result, scores=tuple(replace(e, score=math.nan) for e in result.scores))
    assert forest_plots(CompareReport(nothing)) == []


def test_scores_without_intervals_are_points() -> None:
    result = made_result()
    bare = replace(result, scores=tuple(replace(e, interval=None) for e in result.scores))
    root = drawn(forest_plots(CompareReport(bare))[0])
    assert len(of_class(root, "point")) == len(NAMES)
    assert of_class(root, "interval") == []
