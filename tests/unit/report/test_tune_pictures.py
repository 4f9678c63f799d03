from __future__ import annotations

from unit.report.made.tune import HOSTILE, made_tuning
from unit.report.pictures.drawings import drawn, of_class, texts, title
from weigh.report.view import view


def test_iterations_show_the_best_and_leave_out_what_was_not_tuned():
    [picture] = [each for each in view(made_tuning()).pictures() if each.name == "iterations"]
    root = drawn(picture)
    points = [point for point in of_class(root, "point") if len(point)]
    assert [title(point) for point in points] == [
        "iteration 1, tuned: 34.00",
        "iteration 2, tuned: 34.00",
        "iteration 1, decoded: 40.00",
        "iteration 2, decoded: 35.50",
        "iteration 3, decoded: 36.00",
    ]
    largest = max(points, key=lambda point: float(point.get("r") or 0))
    assert title(largest) == "iteration 2, decoded: 35.50"
    assert {"1", "2", "3"} <= set(texts(root))
    alone = view(made_tuning(iterations=[40])).pictures()
    assert not any(each.name == "iterations" for each in alone)


def test_features_with_any_name_are_drawn():
    for names in (HOSTILE, ("\x00" * 50, "y")):
        pictures = view(made_tuning(names)).pictures()
        assert len(pictures) == 1
        for picture in pictures:
            drawn(picture)
