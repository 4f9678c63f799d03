from __future__ import annotations

from unit.report.made.tune import HOSTILE, made_tuning
from unit.report.pictures.drawings import drawn
from weigh.report.view import view


def test_features_with_any_name_are_drawn():
    for names in (HOSTILE, ("\x00" * 50, "y")):
        pictures = view(made_tuning(names)).pictures()
        assert len(pictures) == 1
        for picture in pictures:
            drawn(picture)
