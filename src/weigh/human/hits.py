"""HITs: sheets of a hundred items, most of them outputs, some of them controls of the judge.

A HIT has ten blocks of ten items. The controls of block i are made from items of block i ± 5, no
two from the same, so a control stands 41 to 59 places from its original; the items of a block are
shuffled (Graham et al. 2015).

Bad references are damaged outputs, which show whether a judge looks at what is judged. Two ways to
damage a text are in use: `crowd-alone` deletes a span (Graham et al. 2015), `appraise` puts a span
of another reference in its place (the WMT campaigns). How long the span is depends on the number
of words; a text without spaces is counted in characters, and the span is twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.draws import Draws
from weigh.human.plan import SCALES, Unit
from weigh.types import Kind, System, TestSet

_BLOCKS = 10


@dataclass(frozen=True, slots=True)
class Layout:
    """How many outputs stand in a block, and which controls, in blocks of even and odd number."""

    outputs: int
    controls: tuple[tuple[Kind, ...], tuple[Kind, ...]]

    @property
    def outputs_per_hit(self) -> int:
        """The number of outputs in a HIT, controls not counted."""
        return _BLOCKS * self.outputs

    @property
    def items_per_hit(self) -> int:
        """The number of items in a HIT."""
        even, odd = self.controls
        return self.outputs_per_hit + _BLOCKS // 2 * (len(even) + len(odd))


LAYOUTS = {
    "crowd-alone": Layout(7, (("bad", "reference", "repeat"),) * 2),
    "appraise": Layout(8, (("bad", "reference"), ("bad", "repeat"))),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One text to be judged; `number` is its place in the HIT, from 1.

    A control carries the system and segment of the item that it was made from, whose number is
    `of`. `reference` is None where the judge is not to see it.
    """

    number: int
    kind: Kind
    system: str
    segment: str
    text: str
    reference: str | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A sheet of items that one person judges in one go."""

    name: str
    scale: str
    items: tuple[Item, ...]


def layout_named(name: str) -> Layout:
    """Return a preset by its name."""
    if name not in LAYOUTS:
        raise UsageError(f"unknown preset {name!r}; {did_you_mean(name, LAYOUTS)}")
    return LAYOUTS[name]


def make_hits(
    test_set: TestSet,
    systems: Sequence[System],
    count: int,
    *,
    preset: str = "crowd-alone",
    scale: str = "adequacy",
    unit: Unit = "words",
    seed: int = 12345,
) -> list[Hit]:
    """Make so many HITs; with the same seed, more HITs begin with the same ones.

    1. Shuffle the segments and the systems. A pass goes through all segments and gives them the
       systems in turn, one further in each pass: after as many passes as there are systems,
       every output was taken once, and then it starts anew.
    2. A HIT takes the next outputs, shuffled; no segment comes twice if there are enough.
    3. Its blocks get their controls, and each is shuffled.

    Adequacy shows the first reference beside the output, fluency shows the output alone.
    """
    layout = layout_named(preset)
    if scale not in SCALES:
        raise UsageError(f"unknown scale {scale!r}; {did_you_mean(scale, SCALES)}")
    maker = _Maker(test_set, systems, layout, preset, scale, unit, seed)
    return [maker.hit(number) for number in range(count)]


class _Maker:
    """Makes the HITs of one scale."""

    def __init__(
        self,
        test_set: TestSet,
        systems: Sequence[System],
        layout: Layout,
        preset: str,
        scale: str,
        unit: Unit,
        seed: int,
    ) -> None:
        if not test_set.references:
            raise UsageError("HITs need a reference, for controls too; add one with --ref FILE")
        self._references = test_set.references[0]
        self._ids = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
        self._number = {key: number for number, key in enumerate(self._ids)}
        self._layout = layout
        self._damage = DAMAGES[preset]
        self._scale = scale
        self._unit = unit
        self._seed = seed
        outputs = len(test_set) * len(systems)
        if outputs < layout.outputs_per_hit:
            raise InputError(
                f"{len(systems):,} systems with {len(test_set):,} segments: {outputs:,} outputs, "
                f"but a HIT needs {layout.outputs_per_hit}; give more segments or systems"
            )
        # Scales differ in their streams: who judges both should not meet the same sheets.
        self._first_stream = SCALES.index(scale) << 32
        draws = Draws(seed, self._first_stream)
        self._segments = draws.shuffled(range(len(test_set)))
        self._systems = draws.shuffled(systems)

    def hit(self, number: int) -> Hit:
        draws = Draws(self._seed, self._first_stream + 1 + number)
        size = self._layout.outputs_per_hit
        outputs = draws.shuffled([self._output(number * size + at) for at in range(size)])
        width = self._layout.outputs
        blocks = [outputs[block * width : (block + 1) * width] for block in range(_BLOCKS)]
        # Items are told apart by (block, position) until shuffling has given them numbers.
        placed: list[tuple[tuple[int, int] | None, tuple[int, int] | None, Item]] = []
        for block, items in enumerate(blocks):
            far = (block + _BLOCKS // 2) % _BLOCKS
            entries = [
                *(((block, at), None, item) for at, item in enumerate(items)),
                *(
                    (None, (far, at), control)
                    for at, control in self._controls(block, blocks[far], draws)
                ),
            ]
            placed += draws.shuffled(entries)
        numbers = {key: place for place, (key, _, _) in enumerate(placed, 1) if key is not None}
        return Hit(
            f"{self._scale}-{number + 1:04d}",
            self._scale,
            tuple(
                replace(item, number=place, of=None if origin is None else numbers[origin])
                for place, (_, origin, item) in enumerate(placed, 1)
            ),
        )

    def _output(self, at: int) -> Item:
        """Return the output that stands at a place of the endless sequence of passes."""
        turn, place = divmod(at, len(self._segments))
        segment = self._segments[place]
        system = self._systems[(place + turn) % len(self._systems)]
        return Item(
            0,
            "system",
            system.name,
            self._ids[segment],
            system.outputs.texts[segment],
            self._references[segment] if self._scale == "adequacy" else None,
        )

    def _controls(
        self, block: int, originals: Sequence[Item], draws: Draws
    ) -> list[tuple[int, Item]]:
        """Return the controls that a block gets, each with the position of its original."""
        order = draws.shuffled(range(len(originals)))
        made = []
        for kind in self._layout.controls[block % 2]:
            if kind == "bad":
                at = next((at for at in order if is_damageable(originals[at].text)), None)
                if at is None:
                    raise InputError(
                        f"{originals[0].system}: segment {originals[0].segment} and all others of "
                        "a block are empty, but one has to be damaged; leave out empty outputs"
                    )
            else:
                at = order[0]
            order.remove(at)
            made.append((at, self._control(kind, originals[at], draws)))
        return made

    def _control(self, kind: Kind, original: Item, draws: Draws) -> Item:
        segment = self._number[original.segment]
        if kind == "reference":
            return replace(original, kind=kind, text=self._references[segment])
        if kind == "bad":
            text = self._damage(original.text, self._references, segment, self._unit, draws)
            return replace(original, kind=kind, text=text)
        return replace(original, kind=kind)


# Text, references, number of the text's own reference, unit, draws.
Damage = Callable[[str, Sequence[str], int, Unit, Draws], str]

# Scripts that set no spaces between words: Thai and Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_ENDS_STAY_ABOVE = 3


def unit_of(texts: Iterable[str]) -> Unit:
    """Return what texts are counted in: characters if most letters are of unspaced scripts.

    >>> unit_of(["It is raining."]), unit_of(["雨が降っている。"])
    ('words', 'characters')
    """
    letters = unspaced = 0
    for text in texts:
        for character in text:
            if character.isalpha():
                letters += 1
                unspaced += any(low <= ord(character) <= high for low, high in _UNSPACED)
    return "characters" if 2 * unspaced > letters else "words"


def deleted_length(size: int, unit: Unit = "words") -> int:
    """Return how much `crowd-alone` deletes of a text of so many words or characters, N > 1.

    2–3: 1; 4–5: 2; 6–8: 3; 9–15: 4; 16–20: 5; more: N/5, rounded up. Twice that for characters,
    of which the first and the last stay as words do.

    >>> [deleted_length(size) for size in (2, 4, 8, 15, 20, 21)]
    [1, 2, 3, 4, 5, 5]
    """
    length = _stepped(size, ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5))) or -(-size // 5)
    if unit == "words":
        return length
    return min(2 * length, size - 2 if size > _ENDS_STAY_ABOVE else size - 1)


def replaced_length(size: int, unit: Unit = "words") -> int:
    """Return how much `appraise` replaces in a text of so many words or characters.

    1: 1; 2–5: 2; 6–8: 3; 9–15: 4; 16–20: 5; more: 6. Twice that for characters, all at most.

    >>> [replaced_length(size) for size in (1, 5, 8, 15, 20, 21)]
    [1, 2, 3, 4, 5, 6]
    """
    length = _stepped(size, ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))) or 6
    return length if unit == "words" else min(2 * length, size)


def _stepped(size: int, steps: Sequence[tuple[int, int]]) -> int:
    return next((length for most, length in steps if size <= most), 0)


def with_deletion(text: str, references: Sequence[str], own: int, unit: Unit, draws: Draws) -> str:
    """Return a text without one span, as preset `crowd-alone` damages it.

    The first and the last word stay if there are more than three; a text of one word becomes
    another word, from one of the references.
    """
    parts = _parts(text, unit)
    if len(parts) == 1:
        return _with_replacement(parts, 1, references, own, unit, draws)
    length = deleted_length(len(parts), unit)
    inner = 1 if len(parts) > _ENDS_STAY_ABOVE else 0
    start = inner + draws.below(len(parts) - length - 2 * inner + 1)
    return _joined([*parts[:start], *parts[start + length :]], unit)


def with_replacement(
    text: str, references: Sequence[str], own: int, unit: Unit, draws: Draws
) -> str:
    """Return a text with one span replaced by one of a reference, as `appraise` damages it."""
    parts = _parts(text, unit)
    length = replaced_length(len(parts), unit)
    return _with_replacement(parts, length, references, own, unit, draws)


def _with_replacement(
    parts: Sequence[str],
    length: int,
    references: Sequence[str],
    own: int,
    unit: Unit,
    draws: Draws,
) -> str:
    """Replace a span by an equally long one of another reference, which is not the same."""
    start = draws.below(len(parts) - length + 1)
    before, span, after = parts[:start], parts[start : start + length], parts[start + length :]
    for number in draws.order(len(references)):
        other = [] if number == own else _parts(references[number], unit)
        spans = [other[at : at + length] for at in range(len(other) - length + 1)]
        different = [each for each in spans if each != span]
        if different:
            return _joined([*before, *draws.choice(different), *after], unit)
    raise InputError(
        f"bad references: no other reference with {length:,} {unit} in a row to replace some of "
        f"{_joined(parts, unit)[:60]!r}; give a larger test set"
    )


def is_damageable(text: str) -> bool:
    """Return whether there is anything in a text to damage."""
    return bool(text.strip())


def _parts(text: str, unit: Unit) -> list[str]:
    return text.split() if unit == "words" else list(text.strip())


def _joined(parts: Sequence[str], unit: Unit) -> str:
    return (" " if unit == "words" else "").join(parts)


DAMAGES: dict[str, Damage] = {"crowd-alone": with_deletion, "appraise": with_replacement}
"""How each preset damages a text."""
