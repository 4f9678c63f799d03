"""What a campaign does by itself as answers come in: how useful labels still are, who looks.

All of it happens in a thread of its own, so that no judge waits for it and no two of these tasks
meet. The thread ends when there is nothing left to do, and begins with the next answer; what
takes long, such as importing NumPy, is done there too. A server that ends waits for what the last
answers call for.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from threading import Lock, Thread, main_thread
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, bindparam, text

from weigh.errors import WeighError
from weigh.human.plan import CONTROLS
from weigh.read.campaign_tables import COMPARED, SCORED, CollectedAnswer, CollectedCampaign
from weigh.types import Judgment
from weigh.web.campaigns import Campaign
from weigh.web.slots import screen_out

if TYPE_CHECKING:
    from weigh.rypt.labels import Entry, Label

_SOURCES = 16  # reckoned anew at a time, so that judges never wait long for the database
_GROWTH = 1.25  # all are reckoned anew when there are so many times as many labels as before
_PRIOR = 20  # labels that the paper's shares count as, for which reason a few more matter little
_SHARE, _LONGEST_PAUSE = 0.25, 2.0  # of the time, and seconds: most of it is the judges'
LEAST_CONTROLS = 5
"""So many damaged texts a judge must have scored before being screened: with fewer, somebody who
rates every one of them lower can fail the test."""
ENOUGH_CONTROLS, DOUBT = 20, 0.2
"""With fewer controls, those of a sheet or so, a judge is screened for p-values above this alone.

In simulated campaigns 4% of honest judges fail crowd-alone on their first sheet, and 15% fail
appraise, but hardly any with such a p-value, and none on two sheets. Of those who do not look,
four in five have such a p-value at once, and the others fail on two sheets."""
# Python writes what nobody listens to on stderr.
_LOG = logging.getLogger("weigh")


class Saved(NamedTuple):
    """An answer that was saved: whose, and where it stands."""

    judge: int
    slot: int
    item: int


class Upkeep:
    """Looks after a campaign, behind the answers."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._lock = Lock()
        self._saved: list[Saved] = []
        self._worker: Thread | None = None
        self._order: QueryOrder | None = None
        self._orders = campaign.sentences is not None
        self._said: set[str] = set()

    def answered(self, judge: int, slot: int, item: int) -> None:
        """Take account of an answer that was saved, soon."""
        if self._orders or self._campaign.plan.screen != "none":
            with self._lock:
                self._saved.append(Saved(judge, slot, item))
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
                saved, self._saved = self._saved, []
                if not saved and not self._is_behind:
                    self._worker = None
                    return
            began = time.monotonic()
            for judge, slot in dict.fromkeys((each.judge, each.slot) for each in saved):
                self._screen(judge, slot)
            self._prioritise(saved)
            if self._saved or self._is_behind:
                # So many answers are coming in that those of a while are better taken together.
                time.sleep(min((time.monotonic() - began) * (1 / _SHARE - 1), _LONGEST_PAUSE))

    @property
    def _is_behind(self) -> bool:
        """Whether there is more to do, which a server that ends leaves to the next one."""
        return self._order is not None and self._order.is_behind and main_thread().is_alive()

    def _screen(self, judge: int, slot: int) -> None:
        if self._campaign.plan.screen != "none":
            try:
                screen_judge(self._campaign, judge, slot)
            except Exception as error:  # whatever it is, people can go on judging
                self._say("judges are not screened", error)

    def _prioritise(self, saved: Iterable[Saved]) -> None:
        try:
            if self._orders and self._order is None:
                self._order = QueryOrder(self._campaign)
            if self._order is not None:
                self._order.update(each.item for each in saved)
        except Exception as error:
            self._say("queries stay in the order that they have", error)
            if self._order is None:  # nor would the next attempt be any better
                self._orders = False
            else:
                self._order.give_up()

    def _say(self, what: str, error: Exception) -> None:
        """Tell whoever runs the server what goes wrong, each thing once."""
        why = str(error) if isinstance(error, WeighError) else f"{type(error).__name__}: {error}"
        said = f"weigh: {what}: {why}"
        if said not in self._said:
            self._said.add(said)
            _LOG.warning(said)


class _Query(NamedTuple):
    """A HIT of RYPT: its batch, the sentence, and the entry that each question is about."""

    batch: int
    source: str
    entries: Mapping[str, Entry]


class QueryOrder:
    """The order in which RYPT queries are dealt: by what they would decide now.

    Labels are what judges whose work counts said last, by majority. An answer changes the
    usefulness of the queries about its sentence; a little, by the shares of YES and NO, it changes
    that of all, which are reckoned anew when labels have grown by a quarter.
    """

    def __init__(self, campaign: Campaign) -> None:
        """Read what is asked, and what is known; all of it has to be reckoned then."""
        from weigh.rypt.labels import Entry
        from weigh.rypt.usefulness import Usefulness

        self._campaign = campaign
        self._usefulness = Usefulness.read(str(campaign.sentences))
        self._queries: dict[int, _Query] = {}  # by item
        self._by_source: dict[str, list[_Query]] = {}
        with campaign.database.reading() as connection:
            for item, batch, about in _queries(connection, campaign.id):
                source, start, end = about["source"], about["start"], about["end"]
                entries = {
                    name: Entry(source, start, end, substring)
                    for name, substring in about["substrings"].items()
                }
                query = _Query(batch, source, entries)
                self._queries[item] = query
                self._by_source.setdefault(source, []).append(query)
        self._labels: dict[str, dict[tuple[int, int, str], Label]] = {}
        self._uncounted: frozenset[int] | None = None
        self._behind: dict[str, None] = {}  # sources, in order
        self._asked: dict[str, set[Entry]] = {}  # what could be asked to begin with
        self._count = 0

    @property
    def is_behind(self) -> bool:
        """Whether there is something to be reckoned anew."""
        return bool(self._behind)

    def give_up(self) -> None:
        """Leave things as they are until there is another answer."""
        self._behind.clear()
        self._uncounted = None

    def update(self, items: Iterable[int]) -> None:
        """Take account of answers to items, and go on with what is left from before."""
        changed = dict.fromkeys(
            self._queries[item].source for item in items if item in self._queries
        )
        with self._campaign.database.reading() as connection:
            uncounted = _uncounted(connection, self._campaign.id)
            everything = uncounted != self._uncounted
            self._read(connection, self._by_source if everything else changed)
        self._uncounted = uncounted
        count = sum(map(len, self._labels.values()))
        has_grown = bool(changed) and count + _PRIOR >= _GROWTH * (self._count + _PRIOR)
        if everything or has_grown:
            self._count = count
            self._behind = dict.fromkeys(self._by_source)
        due = [*changed, *(source for source in self._behind if source not in changed)]
        due = due[: max(len(changed), _SOURCES)]
        gains = self._gains(due)
        if gains:
            self._campaign.assignment.prioritise(gains)
        for source in due:
            self._behind.pop(source, None)

    def _read(self, connection: Connection, sources: Collection[str]) -> None:
        """Read what people have said of some sentences."""
        from weigh.rypt.labels import Label, aggregated

        batches = [query.batch for source in sources for query in self._by_source[source]]
        votes: dict[Entry, dict[str, Label]] = {}
        for item, judge, answer in _answers(connection, batches):
            for name, entry in self._queries[item].entries.items():
                if name in answer:
                    votes.setdefault(entry, {})[judge] = Label(answer[name])
        labels = aggregated(votes)
        for source in sources:
            self._labels[source] = labels.get(source, {})

    def _gains(self, sources: Collection[str]) -> dict[int, float]:
        """Return what HITs about some sentences that nobody has begun would decide, by batch."""
        batches = [query.batch for source in sources for query in self._by_source[source]]
        with self._campaign.database.reading() as connection:
            left = {batch for (batch,) in _of_batches(connection, _UNBEGUN, batches)}
        by_source = {
            source: queries
            for source in sources
            if (queries := [each for each in self._by_source[source] if each.batch in left])
        }
        for source in by_source:
            if source not in self._asked:
                self._asked[source] = {*self._usefulness.gains({}, [source])}
        gains = self._usefulness.gains(self._labels, by_source)
        return {
            query.batch: sum(gains.get(entry, 0.0) for entry in query.entries.values())
            for source, queries in by_source.items()
            for query in queries
            # What the sentences do not tell of is asked as it was meant to be.
            if self._asked[source].issuperset(query.entries.values())
        }


def _queries(connection: Connection, campaign: int) -> list[tuple[int, int, dict[str, Any]]]:
    rows = connection.execute(
        text(
            "SELECT i.id, i.batch, i.about FROM campaign_items i "
            "JOIN campaign_batches b ON b.id = i.batch "
            "WHERE b.campaign = :campaign AND b.role = 'work' AND b.kind = 'rypt' ORDER BY i.id"
        ),
        {"campaign": campaign},
    )
    return [(item, batch, json.loads(about)) for item, batch, about in rows]


def _uncounted(connection: Connection, campaign: int) -> frozenset[int]:
    """Return the judges whose answers do not count."""
    rows = connection.execute(
        text(
            "SELECT id FROM campaign_judges "
            "WHERE campaign = :campaign AND state IN ('void', 'erased')"
        ),
        {"campaign": campaign},
    )
    return frozenset(judge for (judge,) in rows)


_MOST_PARAMETERS = 500  # in one statement
_UNBEGUN = (
    "SELECT DISTINCT s.batch FROM campaign_slots s WHERE s.batch IN :batches "
    "AND s.state IN ('open', 'needless') "
    "AND NOT EXISTS (SELECT 1 FROM campaign_holdings h WHERE h.batch = s.batch)"
)
_GIVEN = (
    "SELECT a.slot, a.item, a.judge, a.answer FROM campaign_slots s "
    "JOIN campaign_answers a ON a.slot = s.id JOIN campaign_judges j ON j.id = a.judge "
    "WHERE s.batch IN :batches AND j.state NOT IN ('void', 'erased') ORDER BY a.id"
)


def _of_batches(connection: Connection, statement: str, batches: Collection[int]) -> Iterator[Any]:
    """Yield the rows of a statement on some batches, of which there may be many."""
    prepared = text(statement).bindparams(bindparam("batches", expanding=True))
    wanted = [*batches]
    for first in range(0, len(wanted), _MOST_PARAMETERS):
        some = {"batches": wanted[first : first + _MOST_PARAMETERS]}
        yield from connection.execute(prepared, some)


def _answers(
    connection: Connection, batches: Collection[int]
) -> list[tuple[int, str, dict[str, Any]]]:
    """Return the last answers that count to items of some batches: item, judge and answer."""
    last: dict[tuple[int, int], tuple[int, str]] = {}
    for slot, item, judge, answer in _of_batches(connection, _GIVEN, batches):
        last[slot, item] = judge, answer
    return [(item, str(judge), json.loads(answer)) for (_, item), (judge, answer) in last.items()]


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
    if sum(each.kind == "bad" for each in judgments) < LEAST_CONTROLS:
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
    """Return what a judge said last of all texts of sheets that are finished."""
    from weigh.read.judgments import collected_judgments
    from weigh.read.pair_results import judged_sides

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
            known = before.seconds is not None and seconds is not None
            seconds = before.seconds + seconds if known else None
        said = json.loads(about), json.loads(answer), str(judge), at, seconds, slot, batch, revision
        last[slot, item] = CollectedAnswer(kind, *said)
    collected = CollectedCampaign(campaign.name, "", "", campaign.settings, [*last.values()], {})
    if collected.of_kind(*SCORED):
        return [taken.judgment for taken in collected_judgments(collected).answers]
    return [side for each in collected.of_kind(*COMPARED) for side in judged_sides(each)]
