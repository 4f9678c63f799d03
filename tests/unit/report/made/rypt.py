"""Small results of the verbs that `weigh.report.rypt` shows, for a seed."""

from __future__ import annotations

from collections.abc import Callable

from weigh.result import Result

MADE: dict[str, Callable[[int], Result]] = {}
