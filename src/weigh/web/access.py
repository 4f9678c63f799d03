"""Who may come in: links with random tokens, of which only digests are kept, and the judges.

A link is exchanged for a cookie with a token of its own, so that the link's does not stay in the
address of the browser. Nobody can read a token out of the database: whoever has lost a link gets
a new one.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, text

from weigh.errors import InputError
from weigh.read.database import Database
from weigh.read.text import quoted
from weigh.web.slots import recount, release
from weigh.web.tables import JUDGES, LONGEST_NAME, MOST_ROWS, TOKENS, inserted, log, now

Role = Literal["judge", "organiser", "open"]
TOKEN_BYTES = 32
# Without letters and digits that look alike.
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODE_LENGTH = 10


class Judge(NamedTuple):
    """A judge as the campaign knows him or her."""

    id: int
    name: str
    state: str
    code: str
    consented: str | None
    begun: str | None
    external: str | None = None


class Visitor(NamedTuple):
    """Who a token belongs to; `judge` is None of the organiser and of an open link.

    `person` is the judge whose session it is.
    """

    role: Role
    judge: int | None
    person: Judge | None = None


_VISITOR = text(
    "SELECT t.role, t.judge, j.id, j.name, j.state, j.code, j.consented, j.begun, j.external "
    "FROM campaign_tokens t LEFT JOIN campaign_judges j ON j.id = t.judge "
    "WHERE t.hash = :hash AND t.campaign = :campaign AND t.session = :session"
)


_JUDGES = "SELECT id, name, state, code, consented, begun, external FROM campaign_judges"


def digest_of(token: str) -> str:
    """Digest of a token, as stored."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Access:
    """The judges of one campaign, its links and its sessions."""

    def __init__(self, database: Database, campaign: int) -> None:
        self._database = database
        self._campaign = campaign

    def link(self, role: Role, judge: int | None = None) -> str:
        """Return a new token for a link."""
        with self._database.writing() as connection:
            return self._token(connection, role, judge, session=False)

    def links(self, judges: Iterable[int]) -> dict[int, str]:
        """Return a new token for each of some judges."""
        with self._database.writing() as connection:
            return {
                judge: self._token(connection, "judge", judge, session=False) for judge in judges
            }

    def revoke(self, judge: int | None = None) -> None:
        """Make all links and sessions worthless, or those of one judge."""
        of_judge = " AND judge = :judge" if judge is not None else ""
        with self._database.writing() as connection:
            connection.execute(
                text(f"DELETE FROM campaign_tokens WHERE campaign = :campaign{of_judge}"),
                {"campaign": self._campaign, "judge": judge}
                if judge is not None
                else {"campaign": self._campaign},
            )

    def _token(
        self, connection: Connection, role: Role, judge: int | None, *, session: bool
    ) -> str:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        row = {"hash": digest_of(token), "campaign": self._campaign, "role": role, "judge": judge}
        connection.execute(TOKENS.insert().values(**row, session=session, created=now()))
        return token

    def visitor(self, token: str, *, session: bool) -> Visitor | None:
        """Owner of a token of a link or session; None if it is invalid."""
        if not token:
            return None
        with self._database.reading(snapshot=False) as connection:
            values = {"hash": digest_of(token), "campaign": self._campaign, "session": session}
            row = connection.execute(_VISITOR, values).one_or_none()
        if row is None:
            return None
        role, judge, *person = row
        return Visitor(role, judge, Judge(*person) if judge is not None else None)

    def enter(self, visitor: Visitor) -> str:
        """Return the token of a new session."""
        return self._database.write_together(
            lambda connection: self._token(connection, visitor.role, visitor.judge, session=True)
        )

    def leave(self, token: str) -> None:
        """End a session."""
        with self._database.writing() as connection:
            connection.execute(
                text("DELETE FROM campaign_tokens WHERE hash = :hash"), {"hash": digest_of(token)}
            )

    def add(self, names: Sequence[str], external: str | None = None) -> list[Judge]:
        """Add judges by their names; those that are there stay as they are."""
        for name in names:
            check_name(name)
        with self._database.writing() as connection:
            return [self._find_or_add(connection, name, external) for name in names]

    def _find_or_add(
        self, connection: Connection, name: str, external: str | None, *, is_invited: bool = True
    ) -> Judge:
        existing = self._find(connection, "name", name)
        if existing is not None:
            return existing
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        number = inserted(
            connection,
            JUDGES,
            campaign=self._campaign,
            name=name,
            external=external,
            state="active",
            code=code,
            created=now(),
            uninvited=not is_invited,
        )
        return Judge(number, name, "active", code, None, None, external)

    def deal_out(self, external: str | None = None, *, is_invited: bool = True) -> Judge:
        """A judge with a new number for a name.

        Whoever comes with the same id of another site is the same judge again. Those who came by
        the open link are not invited: `Assignment` lends them less until they have answered.
        """
        if external is not None:
            check_name(external)
        with self._database.writing() as connection:
            if external is not None:
                existing = self._find(connection, "external", external)
                if existing is not None:
                    return existing
            count = connection.execute(
                text("SELECT COUNT(*) FROM campaign_judges WHERE campaign = :campaign"),
                {"campaign": self._campaign},
            ).scalar()
            number = (count or 0) + 1
            while self._find(connection, "name", f"judge {number}") is not None:
                number += 1
            return self._find_or_add(connection, f"judge {number}", external, is_invited=is_invited)

    def _find(self, connection: Connection, column: str, value: Any) -> Judge | None:
        row = connection.execute(
            text(f"{_JUDGES} WHERE campaign = :campaign AND {column} = :value"),
            {"campaign": self._campaign, "value": value},
        ).one_or_none()
        return None if row is None else Judge(*row)

    def judge(self, number: int) -> Judge:
        """Return a judge by number."""
        row = None
        if number < MOST_ROWS:
            with self._database.reading() as connection:
                row = self._find(connection, "id", number)
        if row is None:
            raise InputError(f"no judge with the number {number}")
        return row

    def judges(self) -> list[Judge]:
        """Return all judges, in the order in which they were added."""
        with self._database.reading() as connection:
            rows = connection.execute(
                text(f"{_JUDGES} WHERE campaign = :campaign ORDER BY id"),
                {"campaign": self._campaign},
            )
            return [Judge(*row) for row in rows]

    def note(self, judge: int, what: Literal["consented", "begun"]) -> None:
        """Note that a judge has consented, or has read the instructions."""
        with self._database.writing() as connection:
            if self._find(connection, "id", judge) is None:
                raise InputError("no such judge; open your link again")
            connection.execute(
                text(
                    f"UPDATE campaign_judges SET {what} = :at WHERE id = :judge AND {what} IS NULL"
                ),
                {"at": now(), "judge": judge},
            )

    def set_state(self, judge: int, state: Literal["active", "paused", "void"]) -> None:
        """Pause a judge, let one go on, or set all answers of one aside; nothing is lost.

        What the judge holds is given to others; where answers are set aside, others are asked for
        them again.
        """
        with self._database.writing() as connection:
            before = self._find(connection, "id", judge)
            if before is None or before.state == "erased":
                raise InputError("no such judge; reload the page")
            connection.execute(
                text("UPDATE campaign_judges SET state = :state WHERE id = :judge"),
                {"state": state, "judge": judge},
            )
            if state != "active":
                release(connection, judge)
            if "void" in (state, before.state):
                recount(connection, _slots_of(connection, judge))
            log(connection, self._campaign, state, judge, {"before": before.state})

    def release(self, judge: int) -> int:
        """Release what a judge holds to others; returns the number of slots."""
        with self._database.writing() as connection:
            if self._find(connection, "id", judge) is None:
                raise InputError("no such judge; reload the page")
            count = release(connection, judge)
            log(connection, self._campaign, "released", judge, {"slots": count})
        return count

    def tally(self, judge: int) -> Mapping[str, int]:
        """Number of a judge's answers by kind."""
        with self._database.reading() as connection:
            return _tally(connection, judge)

    def erase(self, judge: int) -> Mapping[str, int]:
        """Erase a judge's answers and identity; return the number of answers by kind.

        Others are asked for the answers again. The tally of what was erased stays.
        """
        with self._database.writing() as connection:
            if self._find(connection, "id", judge) is None:
                raise InputError("no such judge; reload the page")
            slots = _slots_of(connection, judge)
            tally = _tally(connection, judge)
            release(connection, judge)
            for statement in (
                "DELETE FROM campaign_answers WHERE judge = :judge",
                "DELETE FROM campaign_tokens WHERE judge = :judge",
                "UPDATE campaign_events SET detail = '{}' WHERE judge = :judge",
            ):
                connection.execute(text(statement), {"judge": judge})
            connection.execute(
                text(
                    "UPDATE campaign_judges SET state = 'erased', name = :name, external = NULL, "
                    "code = '', consented = NULL, begun = NULL WHERE id = :judge"
                ),
                {"name": f"erased {judge}", "judge": judge},
            )
            recount(connection, slots)
            log(connection, self._campaign, "erased", judge, tally)
        self._database.checkpoint()  # which leaves nothing of it in the files
        return tally


def _tally(connection: Connection, judge: int) -> dict[str, int]:
    rows = connection.execute(
        text(
            "SELECT b.kind, COUNT(*) FROM campaign_answers a "
            "JOIN campaign_slots s ON s.id = a.slot JOIN campaign_batches b ON b.id = s.batch "
            "WHERE a.judge = :judge GROUP BY b.kind ORDER BY b.kind"
        ),
        {"judge": judge},
    )
    return {kind: int(count) for kind, count in rows}


def _slots_of(connection: Connection, judge: int) -> list[int]:
    rows = connection.execute(
        text(
            "SELECT DISTINCT a.slot FROM campaign_answers a JOIN campaign_slots s ON s.id = a.slot "
            "WHERE a.judge = :judge AND s.role = 'work'"
        ),
        {"judge": judge},
    )
    return [slot for (slot,) in rows]


_RESERVED = ("organiser", "open")  # what the other links are called


def check_name(name: str) -> None:
    """Refuse what is no name of a judge."""
    if name in _RESERVED:
        raise InputError(
            f"a judge cannot be called {name!r}, the name of another link; give another name"
        )
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InputError(
            f"{quoted(name[:60])} is not a valid judge name; give 1 to {LONGEST_NAME} "
            "characters without tabs and line ends"
        )
