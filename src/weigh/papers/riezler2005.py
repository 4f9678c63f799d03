"""Riezler & Maxwell 2005, run again: a reranker against its baseline, and equal systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weigh.papers.paper_result import PaperResult

PAPER = "Riezler & Maxwell 2005"


@dataclass(frozen=True, slots=True)
class RiezlerResult(PaperResult):
    """Riezler & Maxwell 2005, run again."""

    command: ClassVar[str] = "paper riezler2005"
