"""What HITs are made of: outputs, what is shown beside them, and controls made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from weigh.errors import InputError, UsageError
from weigh.human.damage import DAMAGES, is_damageable, place_of_damage
from weigh.human.draws import Draws
from weigh.human.hits import (
    WITHOUT_REFERENCES,
    Hit,
    Item,
    PairItem,
    check_shown,
    layout_named,
    name_of,
)
from weigh.human.plan import SCALES, Unit
from weigh.types import Kind, System, TestSet, grouped

Side = Literal["left", "right"]
# Kinds and scales use different random streams, so that nobody gets the same sheet twice.
_STREAMS = (*SCALES, "esa", "mqm", "pair", *(f"contrastive-{scale}" for scale in SCALES))


class Material:
    """Outputs of systems as items that are not numbered yet, in a random order of segments."""

    def __init__(
        self,
        test_set: TestSet,
        systems: Sequence[System],
        *,
        kind: str,
        scale: str,
        preset: str,
        unit: Unit,
        seed: int,
        split: int | None,
        source_based: bool,
    ) -> None:
        self.kind = kind
        self.scale = scale
        self.name = name_of(kind, scale)
        self.preset = preset
        self._references = test_set.references[0] if test_set.references else None
        self._sources = test_set.sources if source_based or kind != "da" else None
        if source_based and test_set.sources is None:
            raise UsageError("judges need source texts; add them with --src FILE")
        check_shown(
            kind,
            references=self._references is not None,
            sources=self._sources is not None,
        )
        has_references = self._references is not None and kind not in WITHOUT_REFERENCES
        self.layout = layout_named(preset, references=has_references)
        self._ids = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
        self._number = {key: number for number, key in enumerate(self._ids)}
        self._damage = DAMAGES[preset]
        self._unit = unit
        self._seed = seed
        self._texts = {system.name: system.outputs.texts for system in systems}
        self._first_stream = _STREAMS.index(self.name) << 32
        draws = Draws(seed, self._first_stream)
        self.segments = draws.shuffled(range(len(test_set)))
        self.systems = draws.shuffled(systems)
        self.pairs = draws.shuffled([*combinations(self.systems, 2)]) if kind == "pair" else []
        self._first_is_left = [bool(draws.below(2)) for _ in self.pairs]
        self._documents: Sequence[str] | None = None
        self._pieces: list[tuple[int, ...]] = []
        if split is not None:
            if test_set.documents is None:
                raise UsageError("no segment has a document; add --documents FILE")
            self._documents = test_set.documents
            self._pieces = draws.shuffled(_pieces(test_set.documents, split))

    @property
    def by_document(self) -> bool:
        """Whether the segments of a document stay together."""
        return self._documents is not None

    def pieces(self, most: int | None = None) -> list[tuple[int, ...]]:
        """Runs of segments that stay together, in random order; single segments if none do."""
        if not self.by_document:
            return [(segment,) for segment in self.segments]
        if most is None:
            return self._pieces
        return [part for piece in self._pieces for part in split_evenly(piece, most)]

    def draws(self, hit: int) -> Draws:
        """Random draws of a HIT, independent of those of other HITs."""
        return Draws(self._seed, self._first_stream + 1 + hit)

    def hit(
        self, number: int, items: tuple[Item, ...] = (), *, pairs: tuple[PairItem, ...] = ()
    ) -> Hit:
        """A HIT by its number, from 0."""
        return Hit(f"{self.name}-{number + 1:04d}", self.scale, items, self.kind, pairs)

    def item(self, segment: int, system: System) -> Item:
        """Return a system's output for a segment."""
        source, reference = self._beside(segment)
        return Item(
            0,
            "system",
            system.name,
            self._ids[segment],
            system.outputs.texts[segment],
            reference,
            source=source,
            document=self._document(segment),
        )

    def pair_item(self, segment: int, pair: int) -> PairItem:
        """The outputs of a pair of systems for a segment; the sides alternate between calls."""
        first, second = self.pairs[pair]
        left, right = (first, second) if self._first_is_left[pair] else (second, first)
        self._first_is_left[pair] = not self._first_is_left[pair]
        source, reference = self._beside(segment)
        return PairItem(
            0,
            "system",
            self._ids[segment],
            left.outputs.texts[segment],
            right.outputs.texts[segment],
            left.name,
            right.name,
            source,
            reference,
            self._document(segment),
        )

    def control(self, kind: Kind, original: Item, draws: Draws) -> Item:
        """A control item made from an output."""
        segment = self._number[original.segment]
        if kind == "reference":
            assert self._references is not None
            return replace(original, kind=kind, text=self._references[segment])
        if kind == "bad":
            text = self._damaged(original.text, original.system, segment, draws)
            place = place_of_damage(original.text, text, self._unit)
            return replace(original, kind=kind, text=text, damage=place)
        return replace(original, kind=kind)

    def pair_control(self, kind: Kind, original: PairItem, draws: Draws) -> PairItem:
        """A control made from a pair: one side against its damaged copy, or the sides swapped.

        Which side is damaged, and on which side it stands then, is drawn.
        """
        if kind == "repeat":
            return replace(
                original,
                kind=kind,
                left=original.right,
                right=original.left,
                left_system=original.right_system,
                right_system=original.left_system,
            )
        sides = [(original.left, original.left_system), (original.right, original.right_system)]
        text, system = draws.choice([side for side in sides if is_damageable(side[0])])
        damaged = self._damaged(text, system, self._number[original.segment], draws)
        sides_of: tuple[Side, Side] = ("left", "right")
        better = draws.choice(sides_of)
        return replace(
            original,
            kind=kind,
            left=text if better == "left" else damaged,
            right=damaged if better == "left" else text,
            left_system=system,
            right_system=system,
            better=better,
        )

    def _damaged(self, text: str, system: str, segment: int, draws: Draws) -> str:
        others = self._references if self._references is not None else self._texts[system]
        return self._damage(text, others, segment, self._unit, draws)

    def _beside(self, segment: int) -> tuple[str | None, str | None]:
        """The source and the reference of a segment, None for one that is not shown."""
        if self.scale == "fluency":
            return None, None
        if self._sources is not None:
            return self._sources[segment], None
        return None, None if self._references is None else self._references[segment]

    def _document(self, segment: int) -> str | None:
        return None if self._documents is None else self._documents[segment]

    def originals(
        self, kinds: Iterable[Kind], entries: Sequence[Item | PairItem], draws: Draws
    ) -> Iterator[tuple[Kind, int]]:
        """Control items to make, each with the place of a different output."""
        order = draws.shuffled(range(len(entries)))
        for kind in kinds:
            at = order[0]
            if kind == "bad":
                at = next((place for place in order if can_be_bad(entries[place])), -1)
                if at < 0:
                    raise InputError(_nothing_to_damage(entries[0]))
            order.remove(at)
            yield kind, at

    def check_enough(self, outputs: int, needed: int, what: str = "outputs") -> None:
        """Refuse to make HITs of so little that items would come twice in one."""
        if outputs < needed:
            raise InputError(
                f"{len(self.systems):,} systems with {len(self.segments):,} segments: {outputs:,} "
                f"{what}, but a HIT needs {needed}; give more segments or systems"
            )


def can_be_bad(entry: Item | PairItem) -> bool:
    """Whether an item has a text that can be damaged."""
    texts = (entry.text,) if isinstance(entry, Item) else (entry.left, entry.right)
    return any(map(is_damageable, texts))


def _nothing_to_damage(entry: Item | PairItem) -> str:
    system = entry.system if isinstance(entry, Item) else entry.left_system
    return (
        f"{system}: segment {entry.segment} and all others of a block are empty, but one has to be "
        "damaged; leave out empty outputs"
    )


def _pieces(documents: Sequence[str], most: int) -> list[tuple[int, ...]]:
    """Segments of each document, in pieces of limited size."""
    by_document = grouped(range(len(documents)), lambda segment: documents[segment])
    return [piece for segments in by_document.values() for piece in split_evenly(segments, most)]


def split_evenly(segments: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Split into runs of limited length that differ by at most one.

    >>> split_evenly(range(7), 3)
    [(0, 1, 2), (3, 4), (5, 6)]
    """
    count = -(-len(segments) // most)
    width, longer = divmod(len(segments), count)
    starts = [at * width + min(at, longer) for at in range(count + 1)]
    return [tuple(segments[starts[at] : starts[at + 1]]) for at in range(count)]
