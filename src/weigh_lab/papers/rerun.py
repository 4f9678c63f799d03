"""A paper, run again by one call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from weigh.engine.executors import accepts_executor
from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.result import warns
from weigh_lab.papers.paper_result import PaperResult
from weigh_lab.papers.plan import PAPERS, PaperPlan
from weigh_lab.papers.workshop import Workshop


@warns
@accepts_executor
def paper(
    name: str,
    plan: PaperPlan | None = None,
    *,
    data: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
    threads: int = 0,
    stage: Callable[[str], AbstractContextManager[Progress | None]] | None = None,
    **options: Any,
) -> PaperResult:
    """Run a paper's experiments again, on public data or on generated texts.

    `data` is a directory with a directory for each data set, such as multi30k. Translators and
    their outputs are kept in `out`, so that a second run is quick; without it they are not kept.
    `options` are choices of the plan by name.
    """
    if name not in PAPERS:
        raise UsageError(f"unknown paper {name!r}; {did_you_mean(name, PAPERS)}")
    if data is not None and not Path(data).is_dir():
        raise InputError(f"{data}: not a directory; give the directory of the data sets")
    module, _, function = PAPERS[name][1].partition(":")
    run: Callable[[Workshop], PaperResult] = getattr(import_module(module), function)
    with TemporaryDirectory(prefix="weigh-paper-") if out is None else nullcontext(out) as folder:
        workshop = Workshop(
            replace(plan or PaperPlan(), **options),
            Path(folder),
            None if data is None else Path(data),
            threads,
            stage or (lambda _: nullcontext()),
        )
        return run(workshop)
