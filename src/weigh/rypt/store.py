"""The label store: every judgment that was ever given, in SQLite or PostgreSQL.

Nothing in it is changed or removed. A judgment is known by its entry, its judge and its time, so
that adding it again adds nothing, and the order in which judgments come makes no difference.

Texts are known by a digest of their own: so two stores that hold the same texts hold the same
keys, and no index has to hold a whole sentence, which PostgreSQL would refuse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    collate,
    func,
    inspect,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from weigh.errors import InputError
from weigh.read.campaign_tables import damage_errors
from weigh.read.database import Contents, Database
from weigh.rypt.labels import (
    LONGEST_NAME,
    Added,
    Entry,
    EntryJudgment,
    Key,
    Label,
    LabelBatch,
    Labels,
    by_source,
    check_rows,
    decider,
    key_of,
    without_contradictions,
)

LABELS = Contents("label", "labels", lock=0x52595054, files=(".jsonl", ".tsv"))

VERSION = 1
"""The version of these tables; stores with later versions are refused."""

_DIGEST = String(32)
_NAME = String(LONGEST_NAME)
_TIME = String(27)

metadata = MetaData()

SCHEMA = Table(
    "rypt_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)
SOURCES = Table(
    "rypt_sources",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("text", Text, nullable=False),
    sqlite_with_rowid=False,
)
SPANS = Table(
    "rypt_spans",
    metadata,
    Column("source", _DIGEST, ForeignKey(SOURCES.c.id)),
    Column("first_word", Integer),
    Column("end_word", Integer, nullable=False),
    PrimaryKeyConstraint("source", "first_word", "end_word"),
    CheckConstraint("0 <= first_word AND first_word < end_word"),
    sqlite_with_rowid=False,
)
SUBSTRINGS = Table(
    "rypt_substrings",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("source", _DIGEST, nullable=False, index=True),
    Column("first_word", Integer, nullable=False),
    Column("end_word", Integer, nullable=False),
    Column("text", Text, nullable=False),
    ForeignKeyConstraint(
        ["source", "first_word", "end_word"],
        [SPANS.c.source, SPANS.c.first_word, SPANS.c.end_word],
    ),
    sqlite_with_rowid=False,
)
JUDGMENTS = Table(
    "rypt_judgments",
    metadata,
    Column("substring", _DIGEST, ForeignKey(SUBSTRINGS.c.id)),
    Column("judge", _NAME),
    Column("at", _TIME),
    Column("label", String(8), nullable=False),
    Column("seconds", Float(53)),
    Column("origin", _NAME, nullable=False),
    Column("corrects", _TIME, nullable=False),
    PrimaryKeyConstraint("substring", "judge", "at"),
    CheckConstraint(f"label IN ({', '.join(repr(str(label)) for label in Label)})"),
    sqlite_with_rowid=False,
)


def digest(*parts: object) -> str:
    """Digest that identifies texts and numbers, none of which contains a NUL."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


_CHUNK = 900  # SQLite before 3.32 takes no more than 999 values in a statement
_SPAN = ("source", "first_word", "end_word")


class LabelStore:
    """Judgments on entries; see `open_store`."""

    def __init__(self, location: str, create: bool = False) -> None:
        """Check the version of the tables, and make them if that was asked for."""
        self._database = Database(location, LABELS)
        self.name = self._database.name
        if not create and not self._database.is_there:
            raise InputError(
                f"{self.name}: no such file; check the path, or create a store with weigh rypt "
                "labels import"
            )
        with self._database.reading() as connection:
            version, is_empty = _version(connection)
        if version is None:
            if not create:
                raise InputError(
                    f"{self.name}: this database contains no labels; check the name, or create "
                    "a store with weigh rypt labels import"
                )
            if self._database.is_sqlite and not is_empty:
                raise InputError(f"{self.name}: a database of another program; name another file")
            with self._database.writing() as connection:
                version, _ = _version(connection)  # another may have been quicker
                if version is None:
                    metadata.create_all(connection)
                    connection.execute(SCHEMA.insert().values(version=VERSION))
                    version = VERSION
            self._database.write_ahead()
        if version > VERSION:
            raise InputError(
                f"{self.name}: created by a newer version of weigh (schema {version}; this "
                f"version supports {VERSION}); update weigh"
            )

    def add(self, judgments: Iterable[EntryJudgment]) -> Added:
        """Add judgments, all or none; those that are there already are left as they are."""
        return self.add_batches([LabelBatch(self.name, list(judgments))])

    def add_batches(self, batches: Sequence[LabelBatch]) -> Added:
        """Add judgments from several files, all or none.

        A judgment that contradicts another of the same entry, judge and time is refused.
        """
        for batch in batches:
            check_rows(batch)
        judgments = [judgment for batch in batches for judgment in batch.judgments]
        digests = {entry: digest(*entry) for entry in {judgment.entry for judgment in judgments}}
        with self._database.writing() as connection:
            stored = _stored_labels(connection, digests)
            new = without_contradictions(batches, stored)
            _insert(connection, new.values(), digests)
        before = len({key_of(judgment) for judgment in judgments} & stored.keys())
        return Added(len(new), before, len(judgments) - len(new) - before)

    def judgments(self, sources: Iterable[str] | None = None) -> Iterator[EntryJudgment]:
        """Yield all judgments, or those on some sources, in an order that depends on them alone."""
        table, substring, source = JUDGMENTS.c, SUBSTRINGS.c, SOURCES.c
        plain = "BINARY" if self._database.is_sqlite else "C"
        query = (
            select(
                source.text,
                substring.first_word,
                substring.end_word,
                substring.text,
                table.label,
                table.judge,
                table.at,
                table.seconds,
                table.origin,
                table.corrects,
            )
            .select_from(JUDGMENTS.join(SUBSTRINGS).join(SOURCES, substring.source == source.id))
            .order_by(
                collate(source.text, plain),
                substring.first_word,
                substring.end_word,
                collate(substring.text, plain),
                collate(table.judge, plain),
                table.at,
            )
        )
        wanted = None if sources is None else set(sources)
        with damage_errors(self.name), self._database.reading() as connection:
            rows = connection.execution_options(yield_per=1000).execute(query)
            for text, start, end, part, label, *rest in rows:
                if wanted is None or text in wanted:
                    yield EntryJudgment(Entry(text, start, end, part), Label(label), *rest)

    def aggregate(self, sources: Iterable[str] | None = None, how: str = "majority") -> Labels:
        """Combined label of every entry from the judges' last labels, by source.

        Where two labels have the most votes it is NOT SURE. Only `sources` that have labels are
        in the result; judges' agreement is that on all entries of the store.
        """
        table, substring = JUDGMENTS.c, SUBSTRINGS.c
        query = (
            select(
                table.substring,
                substring.source,
                substring.first_word,
                substring.end_word,
                substring.text,
                table.judge,
                table.label,
            )
            .select_from(JUDGMENTS.join(SUBSTRINGS))
            .order_by(table.substring, table.judge, table.at)
        )
        with damage_errors(self.name), self._database.reading() as connection:
            if sources is None:
                rows = connection.execute(select(SOURCES.c.id, SOURCES.c.text))
                texts = {row.id: row.text for row in rows}
            else:
                texts = {digest(text): text for text in sources}
            decide = decider(how, lambda: (votes for _, votes in _votes(connection.execute(query))))
            total = connection.execute(select(func.count()).select_from(SOURCES)).scalar()
            wanted = [query.where(substring.source.in_(chunk)) for chunk in _chunks(list(texts))]
            if 2 * len(texts) >= (total or 0):  # to go through all is faster than to look up
                wanted = [query]
            return by_source(
                (Entry(texts[source], start, end, text), decide(votes))
                for query in wanted
                for (_, source, start, end, text), votes in _votes(connection.execute(query))
                if source in texts
            )


def _version(connection: Connection) -> tuple[int | None, bool]:
    """Return the version of the tables, if there are any, and whether there are no others."""
    names = inspect(connection).get_table_names()
    if SCHEMA.name not in names:
        return None, not names
    return connection.execute(select(func.max(SCHEMA.c.version))).scalar(), False


def _votes(rows: Iterable[Any]) -> Iterator[tuple[Any, dict[str, Label]]]:
    """Yield entries with the votes on them, of rows in the order of entries, judges and times."""
    names = {str(label): label for label in Label}
    for entry, group in groupby(rows, itemgetter(0, 1, 2, 3, 4)):
        # The last of a judge's labels takes the place of those before.
        yield entry, {row[5]: names[row[6]] for row in group}


def _stored_labels(connection: Connection, digests: Mapping[Entry, str]) -> dict[Key, Label]:
    """Return the labels of all judgments on some entries."""
    columns = JUDGMENTS.c
    query = select(columns.substring, columns.judge, columns.at, columns.label)
    entries = {digest: entry for entry, digest in digests.items()}
    labels: dict[Key, Label] = {}
    for chunk in _chunks(list(entries)):
        rows = connection.execute(query.where(columns.substring.in_(chunk)))
        labels |= {(entries[key], judge, at): Label(label) for key, judge, at, label in rows}
    return labels


def _chunks(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def _insert(
    connection: Connection, new: Collection[EntryJudgment], digests: Mapping[Entry, str]
) -> None:
    """Add judgments, and what they are about as far as it is not there."""
    entries = {digests[judgment.entry]: judgment.entry for judgment in new}
    sources = {text: digest(text) for text in {entry.source for entry in entries.values()}}
    spans = {(sources[entry.source], entry.start, entry.end) for entry in entries.values()}
    rows: dict[Table, list[dict[str, object]]] = {
        SOURCES: [{"id": key, "text": text} for text, key in sources.items()],
        SPANS: [dict(zip(_SPAN, span, strict=True)) for span in spans],
        SUBSTRINGS: [
            {
                "id": key,
                "source": sources[entry.source],
                "first_word": entry.start,
                "end_word": entry.end,
                "text": entry.substring,
            }
            for key, entry in entries.items()
        ],
        JUDGMENTS: [
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
    }
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    for table, missing in rows.items():
        if missing:  # no two rows with the same key hold different things
            connection.execute(insert(table).on_conflict_do_nothing(), missing)
