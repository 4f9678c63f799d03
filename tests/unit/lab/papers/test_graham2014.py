"""Graham et al. 2014, run again on few generated sentences: numbers are those of the functions."""

from __future__ import annotations

import pytest

from weigh.errors import InputError
from weigh_lab import paper
from weigh_lab.papers.graham2014 import (
    published_table,
)


def test_published_accuracies_follow_from_their_counts() -> None:
    rows = published_table().rows
    assert len(rows) == 11
    for row in rows:
        for cell in row.cells:
            assert cell.ours == pytest.approx(cell.published, abs=0.0501)


def test_data_without_the_campaign(tmp_path) -> None:
    with pytest.raises(InputError, match="no directory wmt12/es-en; give one that has it"):
        paper("graham2014", data=tmp_path)
