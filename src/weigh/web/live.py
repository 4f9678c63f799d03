"""Results of a campaign, computed behind the pages: once per change, one at a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Condition, Thread
from typing import TYPE_CHECKING

from weigh.errors import WeighError
from weigh.web.campaigns import Campaign
from weigh.web.standing import CampaignMark, Standing, mark_of, standing_of

if TYPE_CHECKING:
    from weigh.human.plan import Quality
    from weigh.result import Result

_LOG = logging.getLogger("weigh")
# What the overview shows of a result: these sections of its page, all where none are named.
SECTIONS = {
    "ranking": ("Scores", "Pairs"),
    "agreement": ("Agreement",),
    "pairs": (),
    "labels": ("Labels", "Agreement"),
}
# At most this share of the time is spent on it, so that judges do not wait.
_SHARE = 0.1
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of answers so far, with their conclusions and HTML."""

    standing: Standing
    conclusion: tuple[str, ...]
    html: Mapping[str, str]


class Live:
    """Keeps what the answers of a campaign mean by a quality control; threads may share it."""

    def __init__(
        self, campaign: Campaign, share: float = _SHARE, control: Quality | None = None
    ) -> None:
        self._campaign = campaign
        self._control = control
        self._share = share
        self._changed = Condition()
        self._findings: Findings | None = None
        self._pages: dict[str, tuple[CampaignMark, str]] = {}
        self._at_work = False
        self._not_before = 0.0
        self._failure = ""

    def findings(self, patience: float = 0.5) -> tuple[Findings | None, bool]:
        """The last result, and whether a newer one is being computed.

        That begins here if there is anything new; who asks waits for it no longer than so many
        seconds.
        """
        mark = mark_of(self._campaign)
        with self._changed:
            if self._is_current(mark):
                return self._findings, False
            if not self._at_work and time.monotonic() >= self._not_before:
                self._at_work = True
                Thread(target=self._work, name="weigh-findings", daemon=True).start()
            self._changed.wait_for(
                lambda: not self._at_work or self._is_current(mark), timeout=patience
            )
            return self._findings, not self._is_current(mark)

    @property
    def is_at_work(self) -> bool:
        """Whether something is being worked out now."""
        return self._at_work

    @property
    def failure(self) -> str:
        """Why nothing could be worked out, if so."""
        return self._failure

    def _is_current(self, mark: CampaignMark) -> bool:
        return self._findings is not None and self._findings.standing.mark == mark

    def _work(self) -> None:
        findings, failure, began = None, "", 0.0
        try:
            _prepare()
            began = time.thread_time()
            findings = self._compute()
        except WeighError as error:
            failure = str(error)
        except Exception:  # such as a database that was closed or removed meanwhile
            failure = "an internal error occurred; see the server's log"
            _LOG.exception("weigh: results could not be computed")
        finally:
            took = time.thread_time() - began
            with self._changed:
                self._findings = findings or self._findings
                self._failure = failure
                pause = min(took / self._share, _LONGEST_PAUSE) if self._share < 1 else 0.0
                self._not_before = time.monotonic() + pause
                self._at_work = False
                self._changed.notify_all()

    def _compute(self) -> Findings:
        from weigh.report.page.walk import as_sections
        from weigh.report.view import view

        standing = standing_of(self._campaign, self._control)
        return Findings(
            standing,
            tuple(standing.conclusion),
            {
                name: as_sections(view(standing.results[name]), titles)
                for name, titles in SECTIONS.items()
                if name in standing.results
            },
        )

    def page(self, name: str) -> str | None:
        """A result as a page, or None."""
        findings, _ = self.findings(patience=5.0)
        result: Result | None = None if findings is None else findings.standing.results.get(name)
        if findings is None or result is None:
            return None
        cached = self._pages.get(name)
        if cached is None or cached[0] != findings.standing.mark:
            from weigh.report.view import show

            cached = self._pages[name] = findings.standing.mark, show(result, "html")
        return cached[1]


def _prepare() -> None:
    """Import what takes long, once: it is no measure of what the next results will take."""
    import scipy.special  # noqa: F401

    from weigh.human import agreement, quality, rank  # noqa: F401
    from weigh.report import human_pictures, human_rank  # noqa: F401
    from weigh.validate import forecast  # noqa: F401
