"""What Moses' extractor wrote, taken as a problem to be tuned."""

from __future__ import annotations

from pathlib import Path

import pytest

from weigh import Bleu
from weigh.errors import InputError, UsageError
from weigh.tuning.problem import read_problem

FEATURES = "FEATURES_TXT_BEGIN_0 0 1 1 lm_0\n1\nFEATURES_TXT_END_0\n"
SCORES = "SCORES_TXT_BEGIN_0 0 1 9 BLEU\n{} 3 2 2 1 1 0 0 3\nSCORES_TXT_END_0\n"


@pytest.mark.parametrize("number", ["1e49", "-1e49", "9223372036854775808", "1e13"])
def test_statistics_that_no_segment_has_are_refused(number: str, tmp_path: Path) -> None:
    (tmp_path / "features").write_text(FEATURES)
    (tmp_path / "scores").write_text(SCORES.format(number))
    with pytest.raises(InputError, match=r"scores: a statistic below 0 or beyond 1e\+12"):
        read_problem(str(tmp_path / "features"), str(tmp_path / "scores"), Bleu())


def test_statistics_are_counted_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "features").write_text(FEATURES)
    (tmp_path / "scores").write_text(SCORES.format(2))
    found = read_problem(str(tmp_path / "features"), str(tmp_path / "scores"), Bleu())
    assert found.rows.tolist() == [[3, 3, 2, 2, 1, 0, 3, 2, 1, 0]]


def test_options_that_count_otherwise_are_refused(tmp_path: Path) -> None:
    (tmp_path / "features").write_text(FEATURES)
    (tmp_path / "scores").write_text(SCORES.format(2))
    paths = str(tmp_path / "features"), str(tmp_path / "scores")
    for metric in (Bleu(lowercase=True), Bleu(tokenize="intl"), Bleu(max_ngram_order=2)):
        with pytest.raises(UsageError, match="says how to count"):
            read_problem(*paths, metric)
    for metric in (Bleu(tokenize="none"), Bleu(smooth_method="none"), Bleu(effective_order=True)):
        assert len(read_problem(*paths, metric).rows) == 1


def test_more_matches_than_ngrams_are_refused(tmp_path: Path) -> None:
    (tmp_path / "features").write_text(FEATURES)
    (tmp_path / "scores").write_text(SCORES.format(4))
    with pytest.raises(InputError, match="scores: more n-grams match than there are"):
        read_problem(str(tmp_path / "features"), str(tmp_path / "scores"), Bleu())
