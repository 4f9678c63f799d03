"""METEOR's paraphrases: found in a compiled table as in the table itself, and kept."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest

from weigh.metrics.meteor import cache, paraphrases
from weigh.metrics.meteor.paraphrases import Paraphrases, ParaphraseTable
from weigh.read import text

WORDS = ["a", "b", "c", "d", "é", "𝔞"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep tables of any size in a folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(paraphrases, "LARGE", 0)
    return tmp_path / "cache" / "weigh"


def made_up(entries: int, seed: int) -> list[tuple[str, str]]:
    """Return entries in no order, some of them more than once."""
    draw = random.Random(seed)

    def phrase() -> str:
        return " ".join(draw.choices(WORDS, k=draw.choice([1, 1, 2, 3, 8])))

    return [(phrase(), phrase()) for _ in range(entries)]


def write(path: Path, entries: list[tuple[str, str]]) -> Path:
    content = "".join(f"0.5\n{first}\n{second}\n" for first, second in entries)
    path.write_bytes(gzip.compress(content.encode()))
    return path


def seconds_of(entries: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first, second in entries:
        found.setdefault(first, []).append(second)
    return found


@pytest.mark.parametrize("room", [0.001, 0.1, 8])
def test_every_phrase_has_its_paraphrases_in_order(
    room: float, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paraphrases, "_ROOM", room)  # with little, phrases share their places
    monkeypatch.setattr(text, "_BLOCK", 1000)  # a phrase's entries lie in several blocks
    entries = made_up(600, seed=1)
    path = str(write(tmp_path / "table.gz", [*entries, *sorted(entries)]))
    known = seconds_of([*entries, *sorted(entries)])
    tables = [ParaphraseTable.compile(path), ParaphraseTable.load(path)]
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(ParaphraseTable, "compile", None)
    tables.append(ParaphraseTable.load(path))
    for table in tables:
        for first, seconds in known.items():
            assert [each.decode() for each in table.seconds(first.encode())] == seconds
        assert table.seconds(b"x") == table.seconds(b"a b c d a b c d a") == []


def matched(entries: list[tuple[str, str]], ours: list[str], theirs: list[str]) -> list[Any]:
    """Return the matches as they are defined, in METEOR's order."""

    def places(words: list[str]) -> list[tuple[int, int]]:
        return [
            (start, length)
            for start in range(len(words))
            for length in range(1, 8)
            if start + length <= len(words)
        ]

    def phrase(words: list[str], place: tuple[int, int]) -> str:
        return " ".join(words[place[0] : sum(place)])

    known = {first: list(dict.fromkeys(each)) for first, each in seconds_of(entries).items()}

    def partners(one: list[str], other: list[str]) -> list[Any]:
        return [
            (*place, *across)
            for place in places(one)
            for second in known.get(phrase(one, place), [])
            for across in places(other)
            if phrase(other, across) == second
        ]

    return [(j, m, i, n) for i, n, j, m in partners(theirs, ours)] + partners(ours, theirs)


def test_matches_are_those_of_the_definition(tmp_path: Path) -> None:
    entries = made_up(300, seed=5)
    path = str(write(tmp_path / "table.gz", entries))
    draw = random.Random(1)
    references = [draw.choices(WORDS, k=6) for _ in range(8)]
    found = Paraphrases(path, references)
    count = 0
    for number, reference in enumerate(references):
        for _ in range(4):
            hypothesis = draw.choices(WORDS, k=6)
            matches = found.matches(hypothesis, number)
            assert matches == matched(entries, hypothesis, reference)
            count += len(matches)
    assert count > 100


def test_a_damaged_table_is_compiled_again(tmp_path: Path, folder: Path) -> None:
    entries = made_up(50, seed=4)
    path = str(write(tmp_path / "table.gz", entries))
    ParaphraseTable.load(path)
    [entry] = folder.iterdir()
    content = entry.read_bytes()
    for damaged in (content[:-5], content[: len(content) // 2] + b"\1" + content[1:], b""):
        entry.write_bytes(damaged)
        table = ParaphraseTable.load(path)
        for first, seconds in seconds_of(entries).items():
            assert [each.decode() for each in table.seconds(first.encode())] == seconds
        assert entry.read_bytes() == content


def test_another_content_is_another_table(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    for second in ("b", "c"):
        write(path, [("a", second)])
        os.utime(path, ns=(1, 1 + ord(second)))
        assert ParaphraseTable.load(str(path)).seconds(b"a") == [second.encode()]


def test_a_folder_that_cannot_be_used_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file")
    cache.store("key", b"content")
    assert cache.load("key") is None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("none")))
    cache.store("key", b"content")
    assert cache.load("key") is None


def test_what_was_not_used_for_long_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LIMIT", 300)
    for key in "ab":
        cache.store(key, b"x" * 60)
    for at, entry in enumerate(sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime_ns)):
        os.utime(entry, ns=(at, at))
    other = folder / "model"
    other.write_bytes(b"x" * 1000)
    assert cache.load("a") is not None  # and so b is the oldest
    cache.store("c", b"x" * 60)
    assert [cache.load(key) is not None for key in "abc"] == [True, False, True]
    assert other.exists()
