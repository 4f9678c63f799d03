"""HITs by document, and HITs whose screens hold all systems' versions of a segment.

Pieces of documents are judged in the order of their segments, so controls are whole pieces too:
copies of some pieces with damaged texts, with references, or unchanged, about half a HIT away, as
in the WMT's campaigns. Where all versions of a segment are on one screen, a damaged version is
among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice

from weigh.errors import InputError
from weigh.human.damage import is_damageable
from weigh.human.draws import Draws
from weigh.human.hits import Hit, Item, PairItem, control_quota
from weigh.human.material import Material, can_be_bad
from weigh.types import Kind, System

_Piece = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An item that is to be numbered; `key` names an output, `origin` the one a control is of."""

    item: Item | PairItem
    key: tuple[int, ...] | None = None
    origin: tuple[int, ...] | None = None


# Items that are shown together; screens that follow each other.
_Screen = list[_Placed]
_Unit = list[_Screen]


def hits(material: Material, count: int) -> list[Hit]:
    """Make HITs from pieces of documents, cycling through them in a random order."""
    material.check_enough(len(material.segments) * len(material.systems), 1)
    make = {"contrastive": _contrastive, "pair": _pair_hits}.get(material.kind, _documents)
    return [
        _numbered(material, number, [*chain.from_iterable(units)])
        for number, units in enumerate(islice(make(material), count))
    ]


def _numbered(material: Material, number: int, screens: Sequence[_Screen]) -> Hit:
    everything = list(chain.from_iterable(screens))
    places = {
        entry.key: place for place, entry in enumerate(everything, 1) if entry.key is not None
    }
    items: list[Item] = []
    pairs: list[PairItem] = []
    place = 0
    for screen, entries in enumerate(screens, 1):
        for original in entries:
            place += 1
            of = None if original.origin is None else places[original.origin]
            if isinstance(original.item, Item):
                items.append(replace(original.item, number=place, of=of, screen=screen))
            else:
                pairs.append(replace(original.item, number=place, of=of))
    return material.hit(number, tuple(items), pairs=tuple(pairs))


# Pieces of documents by one system each.


def _documents(material: Material) -> Iterator[list[_Unit]]:
    """HITs in which all systems' versions of a piece come before the piece is repeated.

    Where one piece by all systems is more than a HIT holds, several HITs share it.
    """
    quota = material.layout.outputs_per_hit
    number = 0
    for turn, group in enumerate(_groups(material, quota)):
        pieces = [
            (piece, system)
            for round_number in range(len(material.systems))
            for place, piece in enumerate(group)
            for system in [material.systems[(round_number + place + turn) % len(material.systems)]]
        ]
        for share in _shares(pieces, quota):
            yield _with_copies(material, share, number)
            number += 1


def _groups(material: Material, quota: int) -> Iterator[list[_Piece]]:
    """Groups of pieces that fill a HIT as exactly as possible if all systems are judged."""
    group: list[_Piece] = []
    total = 0
    for piece in cycle(material.pieces()):
        size = len(piece) * len(material.systems)
        if group and (piece in group or abs(total + size - quota) >= abs(total - quota)):
            yield group
            group, total = [], 0
        group.append(piece)
        total += size


_Version = tuple[_Piece, System]


def _shares(versions: Sequence[_Version], quota: int) -> list[list[_Version]]:
    """The versions of pieces for one HIT, or for several of about equal length."""
    total = sum(len(piece) for piece, _ in versions)
    count = max(1, round(total / quota))
    shares: list[list[_Version]] = [[] for _ in range(count)]
    done = 0
    for piece, system in versions:
        middle = done + len(piece) / 2
        shares[min(count - 1, int(middle * count / total))].append((piece, system))
        done += len(piece)
    return [share for share in shares if share]


def _with_copies(material: Material, versions: Sequence[_Version], number: int) -> list[_Unit]:
    """Return the screens of a HIT: one for each version of a piece, and those of its controls."""
    draws = material.draws(number)
    units = [
        [[_Placed(material.item(segment, system), key=(unit, segment)) for segment in piece]]
        for unit, (piece, system) in enumerate(versions)
    ]
    layout = material.layout
    outputs = sum(len(piece) for piece, _ in versions)
    quota = control_quota(layout, outputs)
    free = draws.shuffled(range(len(units)))
    copies: list[tuple[int, _Unit]] = []
    for kind in layout.controls[number % 2]:
        chosen = _choose_units([unit for unit in free if _allows(kind, units[unit])], units, quota)
        if kind == "bad" and not chosen:
            raise InputError(
                f"HIT {number + 1}: all texts are empty, but some have to be damaged; leave out "
                "empty outputs"
            )
        free = [unit for unit in free if unit not in chosen] or free
        copies += [(unit, _copy(material, kind, units[unit], draws)) for unit in chosen]
    return _inserted(units, copies)


def _allows(kind: Kind, unit: _Unit) -> bool:
    return kind != "bad" or any(can_be_bad(entry.item) for entry in unit[0])


def _choose_units(order: Sequence[int], units: Sequence[_Unit], quota: int) -> list[int]:
    """Random units within the quota of items, or the smallest unit."""
    chosen: list[int] = []
    total = 0
    for unit in order:
        size = len(units[unit][0])
        if total + size <= quota:
            chosen.append(unit)
            total += size
    return chosen or sorted(order, key=lambda unit: len(units[unit][0]))[:1]


def _copy(material: Material, kind: Kind, unit: _Unit, draws: Draws) -> _Unit:
    """A control copy of a piece; empty texts cannot be damaged and are repeated."""
    copied = []
    for entry in unit[0]:
        assert isinstance(entry.item, Item)
        is_bad = kind == "bad" and is_damageable(entry.item.text)
        role: Kind = "repeat" if kind == "bad" and not is_bad else kind
        copied.append(_Placed(material.control(role, entry.item, draws), origin=entry.key))
    return [copied]


def _inserted(units: Sequence[_Unit], copies: Sequence[tuple[int, _Unit]]) -> list[_Unit]:
    """Units with copies of some of them, each about half a HIT from its original."""
    after: dict[int, list[_Unit]] = {}
    for origin, unit in copies:
        after.setdefault((origin + len(units) // 2) % len(units), []).append(unit)
    return [placed for at, unit in enumerate(units) for placed in (unit, *after.get(at, ()))]


# All versions of a segment on one screen.


def _contrastive(material: Material) -> Iterator[list[_Unit]]:
    """HITs of at least one screen, with as many outputs as a HIT holds."""
    size = max(1, material.layout.outputs_per_hit // len(material.systems))
    pieces = material.pieces(size)
    needed = min(size, len(material.segments))
    number = 0
    waiting: list[_Piece] = []
    screens = 0
    for piece in cycle(pieces):
        if waiting and (piece in waiting or screens + len(piece) > needed):
            yield _screens(material, waiting, number)
            number, waiting, screens = number + 1, [], 0
        waiting.append(piece)
        screens += len(piece)


def _screens(material: Material, pieces: Sequence[_Piece], number: int) -> list[_Unit]:
    draws = material.draws(number)
    units: list[_Unit] = []
    for at, piece in enumerate(pieces):
        unit = []
        for segment in piece:
            versions = [
                _Placed(material.item(segment, system), key=(at, segment, place))
                for place, system in enumerate(material.systems)
            ]
            unit.append(draws.shuffled(versions))
        units.append(unit)
    places = [(at, screen) for at, unit in enumerate(units) for screen in range(len(unit))]
    outputs = len(places) * len(material.systems)
    quota = control_quota(material.layout, outputs)
    again = draws.shuffled(places)[: quota // len(material.systems) if len(places) > 1 else 0]
    repeats = [
        (
            at,
            [
                draws.shuffled(
                    [
                        _Placed(replace(entry.item, kind="repeat"), origin=entry.key)
                        for entry in units[at][screen]
                    ]
                )
            ],
        )
        for at, screen in again
    ]
    _add_damaged(material, units, places, quota, draws)
    return _inserted(units, repeats)


def _add_damaged(
    material: Material,
    units: Sequence[_Unit],
    places: Sequence[tuple[int, int]],
    quota: int,
    draws: Draws,
) -> None:
    """Put damaged versions among others, on as many screens as there are, of different systems."""
    originals = {
        (at, screen): [entry for entry in units[at][screen] if can_be_bad(entry.item)]
        for at, screen in places
    }
    remaining = quota
    order = draws.shuffled(places)
    if not any(originals.values()):
        raise InputError(
            "all texts of a HIT are empty, but some have to be damaged; leave out empty outputs"
        )
    while remaining and any(originals.values()):
        for at, screen in order:
            if remaining and originals[at, screen]:
                chosen = originals[at, screen].pop(draws.below(len(originals[at, screen])))
                assert isinstance(chosen.item, Item)
                bad = _Placed(material.control("bad", chosen.item, draws), origin=chosen.key)
                units[at][screen].insert(draws.below(len(units[at][screen]) + 1), bad)
                remaining -= 1


# Pieces of documents by two systems each, a segment after the other.


def _pair_hits(material: Material) -> Iterator[list[_Unit]]:
    """HITs in which every piece comes with a different pair of systems each time."""
    quota = material.layout.outputs_per_hit
    pieces = material.pieces()
    number = turn = total = 0
    waiting: list[_Unit] = []
    while True:
        for place, piece in enumerate(pieces):
            if waiting and abs(total + len(piece) - quota) >= abs(total - quota):
                yield _with_pair_controls(material, waiting, number)
                number, waiting, total = number + 1, [], 0
            pair = (place + turn) % len(material.pairs)
            key = len(waiting)
            waiting.append(
                [
                    [_Placed(material.pair_item(segment, pair), key=(key, segment))]
                    for segment in piece
                ]
            )
            total += len(piece)
        turn += 1


def _with_pair_controls(material: Material, units: Sequence[_Unit], number: int) -> list[_Unit]:
    draws = material.draws(number)
    places = [(at, screen) for at, unit in enumerate(units) for [screen] in unit]
    entries = [screen.item for _, screen in places]
    quota = control_quota(material.layout, len(places))
    kinds: list[Kind] = ["bad", "repeat"] * min(quota, len(places) // 2)
    copies = []
    for kind, at in material.originals(kinds, entries, draws):
        unit, placed = places[at]
        assert isinstance(placed.item, PairItem)
        control = material.pair_control(kind, placed.item, draws)
        copies.append((unit, [[_Placed(control, origin=placed.key)]]))
    return _inserted(units, copies)
