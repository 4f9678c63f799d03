"""The label store: every judgment that was ever given, in SQLite or PostgreSQL.

Nothing in it is changed or removed. A judgment is known by its entry, its judge and its time, so
that adding it again adds nothing, and the order in which judgments come makes no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from weigh.errors import InputError, MissingExtraError
from weigh.read.text import shown
from weigh.rypt.labels import (
    Batch,
    Entry,
    EntryJudgment,
    Key,
    Label,
    Labels,
    check_rows,
    decider,
    key_of,
    without_contradictions,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from weigh.rypt.database import Database

_CHUNK = 900  # SQLite before 3.32 takes no more than 999 values in a statement
_SPAN = ("source", "first_word", "end_word")


@dataclass(frozen=True, slots=True)
class Added:
    """How many judgments were new, were in the store before, or came more than once together."""

    new: int
    known: int
    repeated: int = 0


def open_store(location: str | PathLike[str], create: bool = False) -> LabelStore:
    """Return the store in a SQLite file or at the URL of a PostgreSQL database.

    `create` makes one where there is none.
    """
    place = fspath(location)
    try:
        from weigh.rypt.database import Database
    except ImportError as error:  # it is not there, or older than 2
        if error.name != "sqlalchemy":
            raise
        shown_place = "postgresql://…" if "://" in place else shown(place)
        raise MissingExtraError(
            f"{shown_place}: a label store needs SQLAlchemy 2; install it with "
            "pip install 'weigh[labels]', or give labels as .jsonl or .tsv"
        ) from None
    database = Database(place)
    if not create and not database.is_there:
        raise InputError(
            f"{database.name}: no such file; check the path, or make a store with "
            "weigh rypt labels import"
        )
    store = LabelStore(database)
    store._open(create)
    return store


class LabelStore:
    """Judgments on entries; see `open_store`."""

    def __init__(self, database: Database) -> None:
        self.name = database.name
        self._database = database

    def _open(self, create: bool) -> None:
        """Check the version of the tables, and make them if that was asked for."""
        from sqlalchemy import insert

        from weigh.rypt import database

        with self._database.reading() as connection:
            version, is_empty = self._version(connection)
        if version is None:
            if not create:
                raise InputError(
                    f"{self.name}: a database without labels; check the name, or make a store "
                    "with weigh rypt labels import"
                )
            if self._database.is_sqlite and not is_empty:
                raise InputError(
                    f"{self.name}: a database of another program; name a file of its own"
                )
            with self._database.writing() as connection:
                version, _ = self._version(connection)  # another may have been quicker
                if version is None:
                    database.metadata.create_all(connection)
                    connection.execute(insert(database.schema).values(version=database.VERSION))
                    version = database.VERSION
            self._database.write_ahead()
        if version > database.VERSION:
            raise InputError(
                f"{self.name}: made by a later weigh (version {version} of its tables; this one "
                f"knows {database.VERSION}); update weigh"
            )

    def _version(self, connection: Connection) -> tuple[int | None, bool]:
        """Return the version of the tables, if there are any, and whether there are no others."""
        from sqlalchemy import func, inspect, select

        from weigh.rypt import database

        names = inspect(connection).get_table_names()
        if database.schema.name not in names:
            return None, not names
        return connection.execute(select(func.max(database.schema.c.version))).scalar(), False

    def add(self, judgments: Iterable[EntryJudgment]) -> Added:
        """Add judgments, all or none; those that are there already are left as they are."""
        return self.add_batches([Batch(self.name, list(judgments))])

    def add_batches(self, batches: Sequence[Batch]) -> Added:
        """Add judgments from several files, all or none.

        A judgment that contradicts another of the same entry, judge and time is refused.
        """
        from weigh.rypt.database import entry_digest

        for batch in batches:
            check_rows(batch)
        judgments = [judgment for batch in batches for judgment in batch.judgments]
        digests = {
            entry: entry_digest(entry) for entry in {judgment.entry for judgment in judgments}
        }
        with self._database.writing() as connection:
            known = _known(connection, digests)
            new = without_contradictions(batches, known)
            _insert(connection, new.values(), digests)
        before = len({key_of(judgment) for judgment in judgments} & known.keys())
        return Added(len(new), before, len(judgments) - len(new) - before)

    def judgments(self, sources: Iterable[str] | None = None) -> Iterator[EntryJudgment]:
        """Yield all judgments, or those on some sources, in an order that depends on them alone."""
        from sqlalchemy import collate, select

        from weigh.rypt import database

        table, substring, source = database.judgments.c, database.substrings.c, database.sources.c
        plain = "BINARY" if self._database.is_sqlite else "C"
        query = (
            select(source.text, substring.first_word, substring.end_word, substring.text)
            .add_columns(
                *(table.label, table.judge, table.at, table.seconds, table.origin, table.corrects)
            )
            .select_from(database.judgments.join(database.substrings).join(
                database.sources, substring.source == source.id
            ))
            .order_by(
                collate(source.text, plain),
                substring.first_word,
                substring.end_word,
                collate(substring.text, plain),
                collate(table.judge, plain),
                table.at,
            )
        )  # fmt: skip
        wanted = None if sources is None else set(sources)
        with self._database.reading() as connection:
            rows = connection.execution_options(yield_per=1000).execute(query)
            for text, start, end, part, label, *rest in rows:
                if wanted is None or text in wanted:
                    yield EntryJudgment(Entry(text, start, end, part), Label(label), *rest)

    def aggregate(self, sources: Iterable[str] | None = None, how: str = "majority") -> Labels:
        """Return what the judges' last labels on every entry say together, by source.

        Where two labels have the most votes it is NOT SURE. Only `sources` that have labels are
        in the result; judges' agreement is that on all entries of the store.
        """
        from sqlalchemy import func, select

        from weigh.rypt import database

        table, substring = database.judgments.c, database.substrings.c
        query = (
            select(table.substring, substring.source, substring.first_word, substring.end_word)
            .add_columns(substring.text, table.judge, table.label)
            .select_from(database.judgments.join(database.substrings))
            .order_by(table.substring, table.judge, table.at)
        )
        with self._database.reading() as connection:
            if sources is None:
                rows = connection.execute(select(database.sources.c.id, database.sources.c.text))
                texts = {row.id: row.text for row in rows}
            else:
                texts = {database.digest(text): text for text in sources}
            decide = decider(how, lambda: (votes for _, votes in _votes(connection.execute(query))))
            total = connection.execute(select(func.count()).select_from(database.sources)).scalar()
            wanted = [query.where(substring.source.in_(some)) for some in _chunks(list(texts))]
            if 2 * len(texts) >= (total or 0):  # to go through all is faster than to look up
                wanted = [query]
            labels: Labels = {}
            for one in wanted:
                for (_, source, start, end, text), votes in _votes(connection.execute(one)):
                    if source in texts:
                        labels.setdefault(texts[source], {})[start, end, text] = decide(votes)
            return labels


def _votes(rows: Iterable[Any]) -> Iterator[tuple[Any, dict[str, Label]]]:
    """Yield entries with the votes on them, of rows in the order of entries, judges and times."""
    known = {str(label): label for label in Label}
    for entry, group in groupby(rows, itemgetter(0, 1, 2, 3, 4)):
        # The last of a judge's labels takes the place of those before.
        yield entry, {row[5]: known[row[6]] for row in group}


def _known(connection: Connection, digests: Mapping[Entry, str]) -> dict[Key, Label]:
    """Return the labels of all judgments on some entries."""
    from sqlalchemy import select

    from weigh.rypt.database import judgments

    columns = judgments.c
    query = select(columns.substring, columns.judge, columns.at, columns.label)
    entries = {digest: entry for entry, digest in digests.items()}
    known: dict[Key, Label] = {}
    for chunk in _chunks(list(entries)):
        rows = connection.execute(query.where(columns.substring.in_(chunk)))
        known |= {(entries[key], judge, at): Label(label) for key, judge, at, label in rows}
    return known


def _chunks(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def _insert(
    connection: Connection, new: Collection[EntryJudgment], digests: Mapping[Entry, str]
) -> None:
    """Add judgments, and what they are about as far as it is not there."""
    from sqlalchemy import insert

    from weigh.rypt import database

    entries = {digests[judgment.entry]: judgment.entry for judgment in new}
    sources = {text: database.digest(text) for text in {entry.source for entry in entries.values()}}
    spans = {(sources[entry.source], entry.start, entry.end) for entry in entries.values()}
    for table, rows in (
        (database.sources, [{"id": key, "text": text} for text, key in sources.items()]),
        (database.spans, [dict(zip(_SPAN, span, strict=True)) for span in spans]),
        (
            database.substrings,
            [
                {
                    "id": key,
                    "source": sources[entry.source],
                    "first_word": entry.start,
                    "end_word": entry.end,
                    "text": entry.substring,
                }
                for key, entry in entries.items()
            ],
        ),
    ):
        _insert_missing(connection, table, rows)
    if new:
        connection.execute(
            insert(database.judgments),
            [
                {
                    "substring": digests[judgment.entry],
                    "judge": judgment.judge,
                    "at": judgment.at,
                    "label": str(judgment.label),
                    "seconds": judgment.seconds,
                    "origin": judgment.origin,
                    "corrects": judgment.corrects,
                }
                for judgment in new
            ],
        )


def _insert_missing(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]
) -> None:
    """Add the rows that are not there: no two with the same key hold different things."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    if rows:
        connection.execute(insert(table).on_conflict_do_nothing(), rows)
