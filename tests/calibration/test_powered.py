"""Estimates with a metric's help hold the truth of the question that they answer."""

from __future__ import annotations

import pytest

from calibration.powered import SIZES, covered, covered_by_document

QUESTIONS = pytest.mark.parametrize("finite", [True, False], ids=["test set", "like these"])


@QUESTIONS
@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize(("judged", "segments"), [(20, 40), (20, 400), (50, 100)])
def test_segments(judged: int, segments: int, correlation: float, finite: bool) -> None:
    found = covered("normal", correlation, judged, segments - judged, 2000, finite=finite)
    assert 0.93 <= found.powered <= 0.97
    assert 0.93 <= found.classical <= 0.97


@QUESTIONS
@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize(
    ("judged", "documents", "sizes"),
    [(10, 40, "2 to 8"), (20, 40, "5")],
)
def test_documents(
    judged: int, documents: int, correlation: float, sizes: str, finite: bool
) -> None:
    found = covered_by_document(
        correlation, judged, documents, 800, finite=finite, sizes=SIZES[sizes]
    )
    # Three standard errors beyond .93 and .97.
    assert 0.903 <= found.powered <= 0.988
    assert 0.903 <= found.classical <= 0.988
    if correlation:
        assert found.ratio < (0.3 if finite else 0.9)


def test_documents_that_are_judged_in_part() -> None:
    """Judged and other segments of one document are alike, which narrows nothing."""
    found = covered_by_document(0.9, 50, 100, 800, finite=False, drawn="segments")
    assert 0.92 <= found.powered <= 0.98
    # How segments were drawn within documents is not known: wide rather than narrow.
    assert covered_by_document(0.9, 20, 40, 300, finite=True, drawn="segments").powered > 0.95
