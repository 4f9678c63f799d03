"""Which of several systems differ: texts or scores in, tested pairs out."""

from __future__ import annotations

from weigh.comparing.plan import Plan
from weigh.comparing.procedure import compare
from weigh.comparing.result import Gate, Result

__all__ = ["Gate", "Plan", "Result", "compare"]
