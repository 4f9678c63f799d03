"""Judgments of files in which no preferences are expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weigh.read.answers import Judgments
from weigh.read.judgments import read_answers


def read_judgments(paths: Sequence[str], **reading: Any) -> Judgments:
    """Return the judgments of all files."""
    answers = read_answers(paths, **reading)
    assert isinstance(answers, Judgments)
    return answers
