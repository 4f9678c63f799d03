from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

import postgres

Fresh = Callable[[], str]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    reason = postgres.why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Fresh:
    """Return a function that names a new place for a store, in either kind of database."""
    numbers = count()
    if request.param == "sqlite":
        return lambda: str(tmp_path / f"labels-{next(numbers)}.db")
    url: str = request.getfixturevalue("server")

    def schema() -> str:
        """Make a schema, which is a database of its own as far as tables go."""
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            [[before]] = connection.execute("SELECT count(*) FROM pg_namespace").fetchall()
            name = f"test_{before}_{next(numbers)}"
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{url}&options=-csearch_path%3D{name}"

    return schema
