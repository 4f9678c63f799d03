"""Candidates into the store: reading files, merging iterations, removing duplicates.

Lists larger than memory are read in parts of whole segments.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from weigh.errors import InputError
from weigh.read.nbest import PLACE, Candidate, FeatureNames, read_candidates
from weigh.read.text import quoted, shown
from weigh.tuning.nbest import (
    NBest,
    SparseFeatures,
    empty_table,
    segment_numbers,
    starts_of,
    unknown_sentence,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.tuning.nbest import Integers, Reals
    from weigh.types import TestSet

# A list with so few features keeps all of them dense; in others a feature is dense if at least
# this share of the candidates have it, for then that takes less memory.
_FEW = 64
_DENSE = 0.5
_SHOWN_MISSING = 5
# Number of feature values read at a time.
_VALUES = 1 << 20

# A list that was read, or the file or files that make one.
Lists = NBest | str | PathLike[str] | Sequence[str | PathLike[str]]

# Candidates in memory at once, or so many that their texts have this number of characters. A list
# that is no longer than that may be in any order.
PART = 1 << 16
_CHARACTERS = 1 << 24


def read_nbest(paths: Sequence[str], test_set: TestSet | None = None) -> NBest:
    """Read one list from one file or several, duplicates removed.

    Candidates must be of the test set's segments, if one is given.
    """
    return gather(candidates_for(paths, test_set))


def as_nbest(lists: Lists, test_set: TestSet | None = None) -> NBest:
    """One n-best list, from files or read before."""
    return lists if isinstance(lists, NBest) else read_nbest(paths_of(lists), test_set)


def paths_of(lists: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[str]:
    """The files of an n-best list."""
    return [fspath(path) for path in ([lists] if isinstance(lists, str | PathLike) else lists)]


def missing_remarks(missing: Sequence[int], total: int) -> tuple[str, ...]:
    """Remark on sentences without candidates, if there are any."""
    if not missing:
        return ()
    ids = ", ".join(map(str, missing[:_SHOWN_MISSING]))
    more = ", …" if len(missing) > _SHOWN_MISSING else ""
    return (
        f"{len(missing):,} of {total:,} sentences have no candidates and are left out: "
        f"{ids}{more} (from 0)",
    )


def candidates_for(paths: Sequence[str], test_set: TestSet | None) -> Iterator[Candidate]:
    """Yield the candidates of files that form one list, optionally for a test set.

    The first of a sentence has the file's name as PLACE among what is extra, and the others stand
    in the same file: so it costs next to nothing to say later where a candidate stood.
    """
    numbers = None if test_set is None else segment_numbers(test_set)
    feature_names = FeatureNames()
    for path in paths:
        before, file = None, shown(path)
        for candidate in read_candidates(path, feature_names):
            if candidate.id != before:
                before = candidate.id
                if numbers is not None and test_set is not None and before not in numbers:
                    where = f"{file}: line {candidate.line:,}"
                    raise unknown_sentence(before, test_set, where)
                candidate = candidate._replace(extra={**candidate.extra, PLACE: file})
            yield candidate


def gather(candidates: Iterable[Candidate]) -> NBest:
    """Return a store of candidates, segments in the order of their first appearance."""
    pool = _Pool.empty()
    hypotheses, sizes, indices = array("i"), array("i"), array("i")
    values = [array("d")]  # in parts, which are given back one by one
    seen: tuple[str, ...] | None = None
    numbers = common = array("i")  # of features; while all candidates have the same, `common`
    file: str | None = None
    for candidate in candidates:
        segment, extra = pool.segment(candidate.id), candidate.extra
        if PLACE in extra:
            file = extra[PLACE]
            extra = {name: value for name, value in extra.items() if name != PLACE}
        hypotheses.append(pool.text(segment, candidate.text, extra, file, candidate.line))
        if candidate.names is not seen:
            seen = candidate.names
            numbers = array("i", map(pool.feature, seen))
            if not sizes:
                common = numbers
            elif common and numbers != common:
                indices, common = common * len(sizes), array("i")
        sizes.append(len(numbers))
        if not common:
            indices.extend(numbers)
        if len(values[-1]) >= _VALUES:
            values.append(array("d"))
        values[-1].extend(candidate.values)
    if not hypotheses:
        raise InputError("no candidates; give an n-best list")
    texts = np.frombuffer(hypotheses, dtype=np.int32)
    if common and len(common) == len(pool.features):
        return _store(pool, texts, _Table(tuple(pool.features), values))
    if common:
        indices = common * len(sizes)
    rows = SparseFeatures(
        tuple(pool.features),
        starts_of(np.frombuffer(sizes, dtype=np.int32)),
        np.frombuffer(indices, dtype=np.int32),
        np.concatenate([np.frombuffer(part) for part in values]),
    )
    np.add(rows.values, 0.0, out=rows.values)  # which makes −0 plain 0
    return _store(pool, texts, rows)


def merge(stores: Sequence[NBest]) -> NBest:
    """Merge several stores, such as those of a decoder's iterations.

    Earlier candidates come first, and a candidate that an earlier store has is dropped.
    """
    pool = _Pool.empty()
    hypotheses, sizes, indices, values = [], [], [], []
    names = stores[0].names
    is_table = bool(names) and all(s.feature_names == s.names == names for s in stores)
    for store in stores:
        segments = [pool.segment(key) for key in store.ids]
        extra = dict(store.extra)
        places = extra.pop(PLACE, [_NOWHERE] * len(store.texts))
        texts = [
            pool.text(
                segments[segment],
                text,
                {name: column[at] for name, column in extra.items() if column[at] is not None},
                *places[at],
            )
            for at, (segment, text) in enumerate(
                zip(store.text_segments.tolist(), store.texts, strict=True)
            )
        ]
        hypotheses.append(np.array(texts, dtype=np.int32)[store.hypotheses])
        if is_table:
            values.append(store.features.ravel())
            continue
        rows = _all_features(store)
        numbers = np.array([pool.feature(name) for name in rows.names], dtype=np.int32)
        sizes.append(np.diff(rows.indptr))
        indices.append(numbers[rows.indices])
        values.append(rows.values)
    if is_table:
        return _store(pool, np.concatenate(hypotheses), _Table(names, values))
    rows = SparseFeatures(
        tuple(pool.features),
        starts_of(np.concatenate(sizes)),
        np.concatenate(indices),
        np.concatenate(values),
    )
    return _store(pool, np.concatenate(hypotheses), rows)


class Place(NamedTuple):
    """Where a candidate stood, as messages name it; without a file, nobody knows."""

    file: str | None
    line: int

    def __str__(self) -> str:
        return f"{self.file}: line {self.line:,}"


_NOWHERE = Place(None, 0)


@dataclass(frozen=True, slots=True)
class Places(Sequence[Place]):
    """The places of texts, in little memory."""

    files: Sequence[str | None]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.files)

    @overload
    def __getitem__(self, at: int) -> Place: ...
    @overload
    def __getitem__(self, at: slice) -> Places: ...
    def __getitem__(self, at: int | slice) -> Place | Places:
        if isinstance(at, slice):
            return Places(self.files[at], self.lines[at])
        return Place(self.files[at], self.lines[at])


@dataclass(frozen=True, slots=True)
class _Pool:
    """Segments, texts and features by number, in the order of their first appearance."""

    segments: dict[str, int]
    texts: dict[tuple[Any, ...], int]
    features: dict[str, int]
    extras: list[Mapping[str, Any]]
    files: list[str | None]
    lines: array[int]

    @classmethod
    def empty(cls) -> _Pool:
        return cls({}, {}, {}, [], [], array("q"))

    def segment(self, key: str) -> int:
        return self.segments.setdefault(key, len(self.segments))

    def text(
        self, segment: int, text: str, extra: Mapping[str, Any], file: str | None, line: int
    ) -> int:
        key = (segment, text, *extra.items()) if extra else (segment, text)
        number = self.texts.setdefault(key, len(self.texts))
        if number == len(self.extras):
            self.extras.append(extra)
            self.files.append(file)
            self.lines.append(line)
        return number

    def feature(self, name: str) -> int:
        return self.features.setdefault(name, len(self.features))

    def extra(self) -> dict[str, Sequence[Any]]:
        names = dict.fromkeys(name for extra in self.extras for name in extra)
        columns: dict[str, Sequence[Any]] = {
            name: [extra.get(name) for extra in self.extras] for name in names
        }
        if any(file is not None for file in self.files):
            columns[PLACE] = Places(self.files, self.lines)
        return columns


def _all_features(store: NBest) -> SparseFeatures:
    """Return dense and sparse features in one, row by row."""
    dense = len(store.names)
    sparse = store.sparse
    sizes = np.diff(sparse.indptr)
    indptr = starts_of(sizes + dense)
    indices = np.empty(indptr[-1], dtype=np.int32)
    values = np.empty(indptr[-1])
    columns = indptr[:-1, None] + np.arange(dense)
    indices[columns] = np.arange(dense, dtype=np.int32)
    values[columns] = store.features
    rest = np.ones(len(values), dtype=bool)
    rest[columns] = False
    indices[rest] = sparse.indices + dense
    values[rest] = sparse.values
    return SparseFeatures(store.feature_names, indptr, indices, values)


@dataclass(frozen=True, slots=True)
class _Table:
    """Values of features that all candidates have, in parts of whole candidates."""

    names: tuple[str, ...]
    parts: list[Any]  # of numbers, in arrays of any kind

    def taken(self, order: Integers) -> Reals:
        """The values in a new order; each part is freed, so that none is held twice."""
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        features = empty_table(len(order), len(self.names))
        start = 0
        self.parts.reverse()
        while self.parts:
            part = np.frombuffer(self.parts.pop()).reshape(-1, len(self.names))
            features[places[start : start + len(part)]] = part
            start += len(part)
        return np.add(features, 0.0, out=features)  # which makes −0 plain 0


def _store(pool: _Pool, hypotheses: NDArray[np.int32], rows: SparseFeatures | _Table) -> NBest:
    """Sort candidates by segment, divide features in dense and sparse, drop duplicates."""
    text_segments = np.fromiter((key[0] for key in pool.texts), np.int64, len(pool.texts))
    order = np.argsort(text_segments[hypotheses], kind="stable")
    hypotheses = hypotheses[order]
    if isinstance(rows, _Table):
        names, features = rows.names, rows.taken(order)
        empty = np.zeros(0, dtype=np.int32)
        starts = np.zeros(len(order) + 1, dtype=np.int64)
        sparse = SparseFeatures((), starts, empty, np.zeros(0))
    else:
        counts = np.bincount(rows.indices, minlength=len(rows.names))
        is_dense = (counts >= _DENSE * len(order)) | (len(rows.names) <= _FEW)
        names = tuple(name for name, dense in zip(rows.names, is_dense, strict=True) if dense)
        features, sparse = _divided(rows, order, is_dense)
    store = NBest(
        ids=tuple(pool.segments),
        offsets=starts_of(np.bincount(text_segments[hypotheses], minlength=len(pool.segments))),
        texts=tuple(key[1] for key in pool.texts),
        text_segments=text_segments,
        hypotheses=hypotheses,
        names=names,
        features=features,
        sparse=sparse,
        extra=pool.extra(),
    )
    repeated = _repeated(store)
    if not repeated.any():
        return store
    bare = replace(store, names=(), features=features[:, :0]).of(~repeated)
    kept = _of_rows(features, np.flatnonzero(~repeated))
    return replace(bare, names=names, features=kept)


def _of_rows(features: Reals, rows: Integers) -> Reals:
    """Return some rows, in ascending order, in the memory of all of them."""
    size, width = len(rows), features.shape[1]
    memory = features.reshape(-1, order="F")
    for column in range(width):  # none of which moves beyond where the next begins
        memory[column * size : (column + 1) * size] = features[rows, column]
    return memory[: size * width].reshape((size, width), order="F")


def _divided(
    rows: SparseFeatures, order: Integers, is_dense: NDArray[np.bool_]
) -> tuple[Reals, SparseFeatures]:
    """Return the dense features and the sparse ones of candidates, in a new order."""
    size = len(order)
    sparse_names = tuple(
        name for name, dense in zip(rows.names, is_dense, strict=True) if not dense
    )
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    owners = place[rows.owners()]
    columns = np.where(is_dense, np.cumsum(is_dense), np.cumsum(~is_dense)).astype(np.int32) - 1
    features = np.zeros((size, int(is_dense.sum())), order="F")
    chosen = is_dense[rows.indices]
    features[owners[chosen], columns[rows.indices[chosen]]] = rows.values[chosen]
    by_row = np.flatnonzero(~chosen & (rows.values != 0.0))
    by_row = by_row[np.lexsort((rows.indices[by_row], owners[by_row]))]
    return features, SparseFeatures(
        sparse_names,
        starts_of(np.bincount(owners[by_row], minlength=size)),
        columns[rows.indices[by_row]],
        rows.values[by_row],
    )


def _repeated(store: NBest) -> NDArray[np.bool_]:
    """For each candidate, whether it repeats an earlier one in text and features.

    Equal candidates have equal fingerprints; those that have are then compared in full.
    """
    prints = store.hypotheses.astype(np.float64)
    for column in range(len(store.names)):
        prints = prints * 0.7390851332151607 + store.features[:, column]
    for part in (store.sparse.values, store.sparse.indices * 0.1234567):
        prints += np.bincount(store.sparse.owners(), weights=part, minlength=len(store))
    order = np.lexsort((prints, store.hypotheses))  # stable: the first of equals comes first
    later, earlier = order[1:], order[:-1]
    same = (prints[later] == prints[earlier]) & (
        store.hypotheses[later] == store.hypotheses[earlier]
    )
    same[same] = (store.features[later[same]] == store.features[earlier[same]]).all(axis=1)
    indptr, indices, values = store.sparse.indptr, store.sparse.indices, store.sparse.values
    for at in np.flatnonzero(same) if store.sparse.names else ():
        a, b = (slice(*indptr[row : row + 2]) for row in (later[at], earlier[at]))
        same[at] = np.array_equal(indices[a], indices[b]) and np.array_equal(values[a], values[b])
    repeated = np.zeros(len(store), dtype=bool)
    repeated[later[same]] = True
    return repeated


def read_parts(
    paths: Sequence[str], test_set: TestSet | None = None, part: int = PART
) -> Iterator[NBest]:
    """Yield the stores of consecutive segments, at least `part` candidates in each but the last.

    Fewer if their texts are long. Several files are one list, merged in memory; one file is read
    as it is used.
    """
    if len(paths) > 1:
        yield read_nbest(paths, test_set)
        return
    rest = _Rest(paths[0], candidates_for(paths, test_set), part)
    while rest.next is not None:
        yield gather(rest.taken())


class _Rest:
    """The unread part of a list; `next` is its first candidate, if any."""

    def __init__(self, path: str, candidates: Iterator[Candidate], part: int) -> None:
        self._path, self._candidates, self._part = path, candidates, part
        self._done: set[str] = set()
        self.next = next(candidates, None)

    def taken(self) -> Iterator[Candidate]:
        """Yield the candidates of the next part without keeping them."""
        current: set[str] = set()
        last, size, characters = "", 0, 0
        while self.next is not None and (
            (size < self._part and characters < _CHARACTERS) or self.next.id == last
        ):
            candidate = self.next
            if candidate.id in self._done:
                raise InputError(
                    f"{shown(self._path)}: line {candidate.line:,} is of sentence "
                    f"{quoted(candidate.id)}, whose other candidates are far above; sort this "
                    "list by sentence"
                )
            yield candidate
            last, size, characters = candidate.id, size + 1, characters + len(candidate.text)
            current.add(last)
            self.next = next(self._candidates, None)
        self._done |= current
