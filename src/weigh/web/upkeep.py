"""Screening of judges as answers come in.

It happens in a thread of its own, so that no judge waits for it. The thread ends when there is
nothing left to do, and begins with the next answer; what takes long, such as importing NumPy, is
done there too. A server that ends waits for what the last answers call for.
"""

from __future__ import annotations

import json
import logging
import time
from threading import Lock, Thread

from sqlalchemy import Connection, bindparam, text

from weigh.errors import WeighError
from weigh.human.plan import CONTROLS
from weigh.read.campaign_tables import COMPARED, SCORED, CollectedAnswer, CollectedCampaign
from weigh.types import Judgment
from weigh.web.campaigns import Campaign
from weigh.web.slots import screen_out

_SHARE, _LONGEST_PAUSE = 0.25, 2.0  # of the time, and seconds: most of it is the judges'
LEAST_CONTROLS = 5
"""Number of damaged texts a judge must have scored before being screened: with fewer, somebody who
rates every one of them lower can fail the test."""
ENOUGH_CONTROLS, DOUBT = 20, 0.2
"""With fewer controls, those of a sheet or so, a judge is screened for p-values above this alone.

In simulated campaigns 4% of honest judges fail crowd-alone on their first sheet, and 15% fail
appraise, but hardly any with such a p-value, and none on two sheets. Of those who do not look,
four in five have such a p-value at once, and the others fail on two sheets."""
# Python writes what nobody listens to on stderr.
_LOG = logging.getLogger("weigh")


class Upkeep:
    """Looks after a campaign, behind the answers."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._lock = Lock()
        self._saved: dict[tuple[int, int], None] = {}  # judges and slots, in order
        self._worker: Thread | None = None
        self._said: set[str] = set()

    def answered(self, judge: int, slot: int) -> None:
        """Take account of an answer that was saved, soon."""
        if self._campaign.plan.screen != "none":
            with self._lock:
                self._saved[judge, slot] = None
                if self._worker is None:
                    self._worker = Thread(target=self._work, name="upkeep")
                    self._worker.start()

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until all answers are taken account of; return whether they are."""
        worker = self._worker
        if worker is not None:
            worker.join(seconds)
        return worker is None or not worker.is_alive()

    def _work(self) -> None:
        while True:
            with self._lock:
                saved, self._saved = self._saved, {}
                if not saved:
                    self._worker = None
                    return
            began = time.monotonic()
            for judge, slot in saved:
                self._screen(judge, slot)
            if self._saved:
                # Answers come in so fast that they are better processed in batches.
                time.sleep(min((time.monotonic() - began) * (1 / _SHARE - 1), _LONGEST_PAUSE))

    def _screen(self, judge: int, slot: int) -> None:
        try:
            screen_judge(self._campaign, judge, slot)
        except Exception as error:  # whatever it is, people can go on judging
            self._report("judges are not screened", error)

    def _report(self, what: str, error: Exception) -> None:
        """Report each problem once on the server's console."""
        why = str(error) if isinstance(error, WeighError) else f"{type(error).__name__}: {error}"
        message = f"weigh: {what}: {why}"
        if message not in self._said:
            self._said.add(message)
            _LOG.warning(message)


def screen_judge(campaign: Campaign, judge: int, slot: int) -> None:
    """Give no more to a judge who has finished a sheet and fails quality control on all so far.

    1. It is tested as `weigh human quality` does it, never more strictly. But who has too few
       controls to be tested, whose work would not be used there, may go on.
    2. Who fails by little, on a sheet or so, has another one to show it.
    3. Whom the organiser has let in again is not screened again.
    """
    with campaign.database.reading() as connection:
        if not _is_finished_sheet(connection, slot) or _was_screened(connection, campaign, judge):
            return
        judgments = _judgments(connection, campaign, judge)
    if sum(judgment.kind == "bad" for judgment in judgments) < LEAST_CONTROLS:
        return
    from weigh.human.quality import quality

    preset = campaign.plan.screen
    (verdict,) = quality(judgments, preset).judges
    if verdict.kept or verdict.p_value is None or verdict.controls < LEAST_CONTROLS:
        return
    fails = verdict.p_value > CONTROLS[preset].alpha
    is_doubtful = verdict.controls < ENOUGH_CONTROLS and verdict.p_value <= DOUBT
    if len(verdict.reasons) == int(fails) and is_doubtful:
        return
    detail = {
        "by": preset,
        "p_value": verdict.p_value,
        "controls": verdict.controls,
        "reasons": list(verdict.reasons),
    }
    with campaign.database.writing() as connection:
        screen_out(connection, campaign.id, judge, detail)


def _is_finished_sheet(connection: Connection, slot: int) -> bool:
    row = connection.execute(
        text(
            "SELECT b.kind, s.role, s.state FROM campaign_slots s "
            "JOIN campaign_batches b ON b.id = s.batch WHERE s.id = :slot"
        ),
        {"slot": slot},
    ).one()
    kind, role, state = row
    return kind in (*SCORED, *COMPARED) and (role, state) == ("work", "done")


def _was_screened(connection: Connection, campaign: Campaign, judge: int) -> bool:
    rows = connection.execute(
        text(
            "SELECT detail FROM campaign_events "
            "WHERE campaign = :campaign AND judge = :judge AND what = 'screened'"
        ),
        {"campaign": campaign.id, "judge": judge},
    )
    return any("p_value" in json.loads(detail) for (detail,) in rows)


def _judgments(connection: Connection, campaign: Campaign, judge: int) -> list[Judgment]:
    """A judge's last answers on all texts of finished sheets."""
    from weigh.read.judgments import collected_judgments
    from weigh.read.pair_results import judge_sides

    rows = connection.execute(
        text(
            "SELECT a.slot, a.item, b.kind, b.name, i.about, a.answer, a.seconds, a.at, a.revision "
            "FROM campaign_answers a "
            "JOIN campaign_slots s ON s.id = a.slot JOIN campaign_batches b ON b.id = s.batch "
            "JOIN campaign_items i ON i.id = a.item WHERE a.judge = :judge "
            "AND s.role = 'work' AND s.state = 'done' AND b.kind IN :kinds ORDER BY a.id"
        ).bindparams(bindparam("kinds", expanding=True)),
        {"judge": judge, "kinds": [*SCORED, *COMPARED]},
    )
    last: dict[tuple[int, int], CollectedAnswer] = {}
    for slot, item, kind, batch, about, answer, seconds, at, revision in rows:
        before = last.get((slot, item))
        if before is not None:  # a correction takes the time of both
            is_timed = before.seconds is not None and seconds is not None
            seconds = before.seconds + seconds if is_timed else None
        row = json.loads(about), json.loads(answer), str(judge), at, seconds, slot, batch, revision
        last[slot, item] = CollectedAnswer(kind, *row)
    collected = CollectedCampaign(campaign.name, "", "", campaign.settings, [*last.values()], {})
    if collected.of_kind(*SCORED):
        return [taken.judgment for taken in collected_judgments(collected).answers]
    return [side for choice in collected.of_kind(*COMPARED) for side in judge_sides(choice)]
