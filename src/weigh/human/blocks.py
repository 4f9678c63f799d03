"""HITs of single texts or pairs, in ten blocks of ten, as in direct assessment.

The controls of block i are made from items of block i ± 5, no two from the same, so a control
is 41 to 59 places from its original; the items of a block are shuffled (Graham et al. 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from weigh.human.draws import Draws
from weigh.human.hits import BLOCKS, Hit, Item, PairItem
from weigh.human.material import Material
from weigh.types import Kind

Entry = TypeVar("Entry", bound=Item | PairItem)
_Control = Callable[[Kind, Entry, Draws], Entry]


def hits(material: Material, count: int) -> list[Hit]:
    """Make HITs of shuffled blocks.

    1. Segments and systems stand in a random order. A pass goes through all segments and gives
       them the systems (or the pairs of systems) in turn, one further in each pass: after as many
       passes as there are systems, every output was taken once, and then it starts anew. Of kinds
       that mark errors, all systems' outputs of a segment come one after the other instead, so
       that a judge meets all of them.
    2. A HIT takes the next outputs, shuffled; in passes, no segment comes twice if there are
       enough.
    3. Its blocks get their controls, and each is shuffled.
    """
    size = material.layout.outputs_per_hit
    places = [range(number * size, (number + 1) * size) for number in range(count)]
    if material.kind == "pair":
        material.check_enough(len(material.segments) * len(material.pairs), size, "pairs")
        pairs = [[_pair(material, at) for at in places_of] for places_of in places]
        return [
            material.hit(number, pairs=_blocks(material, number, chosen, material.pair_control))
            for number, chosen in enumerate(pairs)
        ]
    material.check_enough(len(material.segments) * len(material.systems), size)
    output = _in_passes if material.kind == "da" else _by_segment
    outputs = [[output(material, at) for at in places_of] for places_of in places]
    return [
        material.hit(number, _blocks(material, number, chosen, material.control))
        for number, chosen in enumerate(outputs)
    ]


def _in_passes(material: Material, at: int) -> Item:
    """Output at a position of the endless sequence of passes."""
    turn, place = divmod(at, len(material.segments))
    system = material.systems[(place + turn) % len(material.systems)]
    return material.item(material.segments[place], system)


def _by_segment(material: Material, at: int) -> Item:
    """Output at a position of the sequence with all systems' outputs of a segment together."""
    place, system = divmod(at, len(material.systems))
    segment = material.segments[place % len(material.segments)]
    return material.item(segment, material.systems[(system + place) % len(material.systems)])


def _pair(material: Material, at: int) -> PairItem:
    turn, place = divmod(at, len(material.segments))
    return material.pair_item(material.segments[place], (place + turn) % len(material.pairs))


def _blocks(
    material: Material, number: int, outputs: Sequence[Entry], control: _Control[Entry]
) -> tuple[Entry, ...]:
    """Return the items of a HIT, numbered, with controls among them."""
    draws = material.draws(number)
    outputs = draws.shuffled(outputs)
    width = material.layout.outputs
    blocks = [outputs[block * width : (block + 1) * width] for block in range(BLOCKS)]
    # Items are identified by (block, position) until shuffling gives them numbers.
    placed: list[tuple[tuple[int, int] | None, tuple[int, int] | None, Entry]] = []
    for block, items in enumerate(blocks):
        far = (block + BLOCKS // 2) % BLOCKS
        kinds = material.layout.controls[block % 2]
        entries = [
            *(((block, at), None, item) for at, item in enumerate(items)),
            *(
                (None, (far, at), control(kind, blocks[far][at], draws))
                for kind, at in material.originals(kinds, blocks[far], draws)
            ),
        ]
        placed += draws.shuffled(entries)
    numbers = {key: place for place, (key, _, _) in enumerate(placed, 1) if key is not None}
    return tuple(
        replace(item, number=place, of=None if origin is None else numbers[origin])
        for place, (_, origin, item) in enumerate(placed, 1)
    )
