"""The cache of statistics: the same numbers with and without, whatever happens to its folder."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import weigh
from every_metric import EXAMPLES, outputs_for
from pickling import PicklingExecutor
from weigh import Bleu, Chrf, Outputs, System, Ter, TestSet
from weigh.errors import UsageError
from weigh.metrics.cache import Cache, Key, default_directory, vouched
from weigh.metrics.combine import Combine
from weigh.metrics.registry import metric_names, parse_metric
from weigh.metrics.statistics import caching, statistics

REFERENCES = ["the cat sat on the mat .", "it rained all day .", "we met on Monday ."]
OUTPUTS = {
    "A": ["the cat sat on a mat .", "it rained all day .", "we met Monday ."],
    "B": ["a cat sits on the mat", "all day it rained .", "on Monday we met ."],
    "C": ["the dog sat .", "it rained .", "we meet on Monday ."],
}
METRICS = "bleu,chrf,ter"


def compared(cache: Any = None, names: str = "ABC", **options: Any) -> str:
    given = {name: OUTPUTS[name] for name in names}
    options = {"references": REFERENCES, "metrics": METRICS, "trials": 100} | options
    with pytest.warns(UserWarning, match="only 3 segments"):
        return weigh.compare(given, cache=cache, **options).to_json()


def rows(metric: Any, cache: Cache | None, test_set: TestSet | None = None) -> list[Any]:
    systems = [System(name, Outputs(texts)) for name, texts in OUTPUTS.items()]
    with caching(cache):
        return statistics(systems, test_set or TestSet([REFERENCES]), metric)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.entry"))


def test_the_same_numbers_and_only_the_added_system_is_computed(tmp_path: Path) -> None:
    plain = compared()
    cache = Cache(tmp_path)
    compared(cache, "AB")
    assert (cache.hits, cache.misses, len(entries(tmp_path))) == (0, 6, 6)
    assert compared(cache) == plain
    assert (cache.hits, cache.misses, len(entries(tmp_path))) == (6, 9, 9)
    assert compared(cache) == plain
    assert (cache.hits, cache.misses) == (15, 9)
    assert cache.failure is None


def test_a_system_has_its_entry_whatever_its_name_and_place(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    compared(cache)
    weigh.score({"other": OUTPUTS["C"]}, references=REFERENCES, metrics=METRICS, cache=cache)
    assert (cache.hits, cache.misses) == (3, 9)


def test_nothing_is_computed_that_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = rows(Bleu(), Cache(tmp_path))
    monkeypatch.setattr(Bleu, "prepare", lambda *_: pytest.fail("it was computed"))
    again = rows(Bleu(), Cache(tmp_path))
    for before, after in zip(first, again, strict=True):
        assert before.dtype == after.dtype == np.int64
        assert not after.flags.writeable
        assert (before == after).all()


@pytest.mark.parametrize("spec", [spec for each in EXAMPLES.values() for spec in each])
def test_every_metric_has_the_same_rows(spec: str, tmp_path: Path) -> None:
    metric = parse_metric(spec)
    systems = [
        System(name, outputs_for(metric, texts, [REFERENCES])) for name, texts in OUTPUTS.items()
    ]
    references = outputs_for(metric, REFERENCES, [REFERENCES]).texts
    plain = statistics(systems, TestSet([references]), metric)
    for _ in range(2):
        with caching(Cache(tmp_path)):
            kept = statistics(systems, TestSet([references]), metric)
        for before, after in zip(plain, kept, strict=True):
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes()


def test_rows_that_are_no_counts_come_back_exactly(tmp_path: Path) -> None:
    metric = parse_metric("nist")
    plain = rows(metric, None)
    for _ in range(2):
        kept = rows(metric, Cache(tmp_path))
        assert [one.tobytes() for one in kept] == [one.tobytes() for one in plain]
        assert kept[0].dtype == plain[0].dtype


@pytest.mark.parametrize(
    "other",
    [
        Bleu(lowercase=True),
        Bleu(tokenize="intl"),
        Bleu(max_ngram_order=2),
        Chrf(),
        Chrf(word_order=2),
        Ter(),
        Ter(normalized=True),
    ],
)
def test_other_options_have_other_entries(other: Any, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    rows(Bleu(), cache)
    plain = rows(other, None)
    for before, after in zip(plain, rows(other, cache), strict=True):
        assert (before == after).all()
    assert (cache.hits, cache.misses) == (0, 6)


def test_other_texts_have_other_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    rows(Bleu(), cache)
    moved = ["the cat sat on the mat .it", " rained all day .", REFERENCES[2]]
    for test_set in (
        TestSet([[*REFERENCES[:2], "we met ."]]),
        TestSet([REFERENCES, REFERENCES]),
        TestSet([moved]),  # the same characters, divided otherwise
    ):
        before = cache.hits
        rows(Bleu(), cache, test_set)
        assert cache.hits == before
    rows(Bleu(), cache, TestSet([REFERENCES], sources=["x", "y", "z"], documents=["d"] * 3))
    assert cache.hits == 3  # which BLEU does not look at


def test_texts_that_were_changed_are_other_texts(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    texts = list(OUTPUTS["A"])
    for text in ("we met .", "we met on Monday ."):
        texts[2] = text
        with caching(cache):
            [kept] = statistics([System("A", Outputs(texts))], TestSet([REFERENCES]), Bleu())
        [plain] = statistics([System("A", Outputs(texts))], TestSet([REFERENCES]), Bleu())
        assert (kept == plain).all()
    assert cache.hits == 0


def test_references_of_its_own_belong_to_a_system(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    texts = Outputs(OUTPUTS["A"])
    test_set = TestSet([REFERENCES])
    own = [System("A", texts, (OUTPUTS["B"],)), System("B", texts, (OUTPUTS["C"],))]
    plain = statistics(own, test_set, Bleu())
    for _ in range(2):
        with caching(cache):
            kept = statistics(own, test_set, Bleu())
        assert all((one == two).all() for one, two in zip(plain, kept, strict=True))
    assert (cache.hits, cache.misses) == (2, 2)


def test_another_release_keeps_what_a_metric_vouches_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(Bleu(), Cache(tmp_path))
    monkeypatch.setattr("weigh.metrics.words.__version__", "9.0")
    assert "weigh-9.0" in Bleu().signature(1)
    cache = Cache(tmp_path)
    rows(Bleu(), cache)
    assert (cache.hits, cache.misses) == (3, 0)


def test_another_version_of_a_metric_replaces_its_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(Bleu(), Cache(tmp_path))
    monkeypatch.setattr(Bleu, "statistics_version", 2)
    cache = Cache(tmp_path)
    rows(Bleu(), cache)
    assert (cache.hits, cache.misses, len(entries(tmp_path))) == (0, 3, 3)
    rows(Bleu(), cache)
    assert cache.hits == 3


def test_another_unicode_has_other_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows(Bleu(lowercase=True), Cache(tmp_path))
    monkeypatch.setattr("unicodedata.unidata_version", "1.0")
    cache = Cache(tmp_path)
    rows(Bleu(lowercase=True), cache)
    assert cache.hits == 0


# What a folder goes through.


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:30],
        lambda content: content[:0],
        lambda content: content + b"\0",
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: b"X" + content[1:],
        lambda content: b"\x93NUMPY" + content,
    ],
)
def test_damaged_entries_are_rebuilt(damage: Any, tmp_path: Path) -> None:
    plain = compared(tmp_path)
    for path in entries(tmp_path):
        path.write_bytes(damage(path.read_bytes()))
    cache = Cache(tmp_path)
    assert compared(cache) == plain
    assert (cache.hits, cache.misses, cache.failure) == (0, 9, None)
    assert compared(cache) == plain
    assert cache.hits == 9


def test_entries_under_anothers_name_are_rebuilt(tmp_path: Path) -> None:
    plain = compared(tmp_path)
    first, *others = entries(tmp_path)
    for path in others:
        path.write_bytes(first.read_bytes())
    cache = Cache(tmp_path)
    assert compared(cache) == plain
    assert (cache.hits, cache.misses) == (1, 8)


def test_folders_that_cannot_be_used_change_nothing(tmp_path: Path) -> None:
    plain = compared()
    file = tmp_path / "file"
    file.write_text("mine")
    blocked = tmp_path / "blocked"
    compared(blocked)
    for path in entries(blocked):
        path.unlink()
        path.mkdir()
    for folder in (file, file / "within", blocked, Path("a\0b")):
        cache = Cache(folder)
        assert compared(cache) == plain
        assert cache.failure is not None
        assert str(folder).split("\0")[0] in cache.failure
        assert "\0" not in cache.failure
    assert file.read_text() == "mine"


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = compared()
    tried = []

    def write_bytes(self: Path, data: bytes) -> int:
        tried.append(self)
        with self.open("wb") as stream:
            stream.write(data[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    cache = Cache(tmp_path / "new")
    assert compared(cache) == plain
    assert cache.failure is not None
    assert "No space left on device" in cache.failure
    assert len(tried) == 1
    assert list((tmp_path / "new").iterdir()) == []


def test_many_writers_at_once(tmp_path: Path) -> None:
    plain = compared()
    given = {"references": REFERENCES, "metrics": METRICS, "cache": tmp_path}
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        scored = [pool.submit(weigh.score, OUTPUTS, **given) for _ in range(6)]
        assert len({each.result().to_json() for each in scored}) == 1
    results: list[bool] = []
    cache = Cache(tmp_path / "threads")
    payload = bytes(range(256)) * 400

    def work() -> None:
        for number in range(60):
            key = Key(f"{number % 3}", "1")
            cache.keep(key, payload)
            taken = Cache(cache.directory).take(key)
            results.append(taken is None or bytes(taken) == payload)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 240
    assert all(results)
    whole = Cache(tmp_path)
    assert compared(whole) == plain
    assert (whole.hits, whole.misses) == (9, 0)
    assert not list(tmp_path.glob("*.part"))


def test_the_oldest_give_way(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=3000)
    payload = bytes(800)
    (tmp_path / "model").write_bytes(bytes(10_000))  # not an entry
    abandoned = tmp_path / "x.entry.1.part"
    abandoned.write_bytes(payload)
    recent = tmp_path / "y.entry.2.part"
    recent.write_bytes(payload)
    os.utime(abandoned, (0, 0))
    with caching(cache):
        for number in range(3):
            cache.keep(Key(f"{number}", "1"), payload)
            os.utime(tmp_path / f"{number}.entry", (number, number))
    assert len(entries(tmp_path)) == 3
    assert cache.take(Key("0", "1")) is not None  # it is not the oldest any more
    with caching(cache):
        cache.keep(Key("3", "1"), payload)
    assert [path.stem for path in entries(tmp_path)] == ["0", "2", "3"]
    assert (tmp_path / "model").exists()
    assert recent.exists()
    assert not abandoned.exists()


# Whose rows are kept.


class Overlap:
    """A definition in two methods; `order` is no option that a signature would tell."""

    def __init__(self, order: int = 1) -> None:
        self.order = order

    def statistics(self, hypothesis: str, references: list[str]) -> list[int]:
        words = hypothesis.split()
        return [sum(word in references[0].split() for word in words) * self.order, len(words)]

    def score(self, sums: Any) -> Any:
        return 100 * sums[..., 0] / sums[..., 1]


class VersionedOverlap(Overlap):
    version: ClassVar[str] = "1"


@dataclass(frozen=True, slots=True)
class OwnBleu(Bleu):
    """A user's class, which inherits what it has not said of itself."""


@dataclass(frozen=True, slots=True)
class VersionedBleu(Bleu):
    statistics_version: ClassVar[int] = 7


def test_a_metric_of_ones_own_is_kept_if_it_has_a_version(tmp_path: Path) -> None:
    for metric in (Overlap(), OwnBleu()):
        rows(metric, Cache(tmp_path))
    assert entries(tmp_path) == []
    unsure = VersionedOverlap()
    unsure.order = np.int64(1)  # type: ignore[assignment]  # of which a text might not tell all
    rows(unsure, Cache(tmp_path))
    assert entries(tmp_path) == []
    for metric in (VersionedOverlap(), VersionedBleu()):
        cache = Cache(tmp_path)
        plain = rows(metric, None)
        for _ in range(2):
            for before, after in zip(plain, rows(metric, cache), strict=True):
                assert before.dtype == after.dtype
                assert (before == after).all()
        assert (cache.hits, cache.misses) == (3, 3)


def test_what_a_definition_was_made_with_is_told_apart(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    rows(VersionedOverlap(1), cache)
    [first, *_] = rows(VersionedOverlap(2), cache)
    assert first[0].tolist() == [12, 7]
    assert cache.hits == 0


def test_a_metric_that_may_read_all_has_keys_of_all(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    rows(VersionedBleu(), cache, TestSet([REFERENCES], documents=["a", "a", "b"]))
    rows(VersionedBleu(), cache, TestSet([REFERENCES], documents=["a", "b", "b"]))
    assert cache.hits == 0


def test_who_vouches_for_rows() -> None:
    known = {name for name in metric_names() if vouched(parse_metric(EXAMPLES[name][0]))}
    assert known == set(metric_names()) - {"segment", "rypt"}
    assert vouched(Combine((Bleu(), OwnBleu(lowercase=True)), (0.5, 0.5))) is None
    both = Combine((Bleu(), Ter()), (0.5, -0.5))
    assert vouched(both) is not None


def test_combinations_are_kept(tmp_path: Path) -> None:
    metric = parse_metric("combine:bleu=0.5:ter=-0.5")
    plain = rows(metric, None)
    cache = Cache(tmp_path)
    for _ in range(2):
        assert [one.tolist() for one in rows(metric, cache)] == [one.tolist() for one in plain]
    assert cache.hits == 3


class Uneven(Overlap):
    """Whole numbers for some systems, others for the rest."""

    version: ClassVar[str] = "1"

    def statistics(self, hypothesis: str, references: list[str]) -> list[Any]:
        del references
        return [0.5 if "dog" in hypothesis else 1, len(hypothesis.split())]


def test_what_one_system_needs_decides_for_all(tmp_path: Path) -> None:
    plain = rows(Uneven(), None)
    cache = Cache(tmp_path)
    with caching(cache):
        statistics([System("A", Outputs(OUTPUTS["A"]))], TestSet([REFERENCES]), Uneven())
    for _ in range(2):
        kept = rows(Uneven(), cache)
        assert [one.dtype for one in kept] == [one.dtype for one in plain] == [np.float64] * 3
        assert [one.tolist() for one in kept] == [one.tolist() for one in plain]
        assert not any(one.flags.writeable for one in kept)
    assert (cache.hits, cache.misses) == (1 + 3, 1 + 2)


def test_what_is_carried_beside_texts_is_told_apart(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for carried in ([1, 2, 3], [1, 2, 4], [1, 2, 4], [object()] * 3):
        system = System("A", Outputs(OUTPUTS["A"], extra={"mine": carried}))
        with caching(cache):
            statistics([system], TestSet([REFERENCES]), VersionedBleu())
    assert (cache.hits, cache.misses) == (1, 2)  # the last cannot be told at all


def test_only_the_rest_is_sent_elsewhere(tmp_path: Path) -> None:
    plain = compared()
    cache = Cache(tmp_path)
    compared(cache, "AB")
    assert compared(cache, executor=PicklingExecutor()) == plain
    assert (cache.hits, cache.misses) == (6, 9)


# Where it is.


def test_where_entries_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("WEIGH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert default_directory() == tmp_path / ".cache" / "weigh"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_directory() == tmp_path / ".cache" / "weigh"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert default_directory() == tmp_path / "caches" / "weigh"
    monkeypatch.setenv("WEIGH_CACHE", str(tmp_path / "mine"))
    compared(True)
    assert len(entries(tmp_path / "mine")) == 9
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o700


def test_what_is_no_cache_is_refused() -> None:
    with pytest.raises(UsageError, match="cache is int; give True, or the folder"):
        weigh.score(OUTPUTS, references=REFERENCES, cache=3)


def test_nothing_is_kept_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGH_CACHE", str(tmp_path / "mine"))
    compared()
    compared(False)
    assert not (tmp_path / "mine").exists()
