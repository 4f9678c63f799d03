"""Shared types: parses, test sets, outputs, systems, judgments and metrics."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeVar

from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weigh.tokenize.writing import Writing

    Rows = NDArray[Any]  # int64, summed exactly, or float64
    Scores = NDArray[np.float64]


Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return items by a key, in the order in which they come.

    >>> grouped(["ash", "oak", "birch"], len)
    {3: ['ash', 'oak'], 5: ['birch']}
    """
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _check_length(what: str, count: int, expected: int) -> None:
    if count != expected:
        raise InputError(
            f"{what}: {count:,} entries, but the test set has {expected:,} segments; "
            "give one entry for every segment"
        )


class ParsedWord(NamedTuple):
    """A word in a dependency tree: `head` is the place of its head from 1, and 0 at the root."""

    form: str
    lemma: str
    head: int
    relation: str


class ParsedText(str):
    """A text that carries its dependency tree; to whatever needs none it is a plain text.

    So a reference and an output carry their parses in the same way, wherever texts may stand.
    """

    __slots__ = ("words",)
    words: tuple[ParsedWord, ...]

    def __new__(cls, text: str, words: Sequence[ParsedWord]) -> Self:
        """Join a text and its words, whose heads must be among them."""
        parsed = super().__new__(cls, text)
        parsed.words = tuple(words)
        for word in parsed.words:
            if not 0 <= word.head <= len(parsed.words):
                raise InputError(
                    f"{word.form!r}: its head is word {word.head}, but there are "
                    f"{len(parsed.words):,} words; give 0 for the root or the place of a word"
                )
        return parsed

    def __getnewargs__(self) -> tuple[str, tuple[ParsedWord, ...]]:  # type: ignore[override]
        return str(self), self.words


@dataclass(frozen=True, slots=True)
class TestSet:
    """What every system is scored on: references, and optionally sources and structure.

    `references` holds one sequence of texts per reference set, all equally long.
    `documents` and `slices` hold one label per segment; `ids` one identifier. `numbers` are the
    places, from 1, that the segments had before some were left out.
    """

    __test__ = False  # not a test class, whatever its name suggests to pytest

    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    ids: Sequence[str] | None = None
    slices: Sequence[str] | None = None
    numbers: Sequence[int] | None = None

    def __post_init__(self) -> None:
        columns = [*self.references, self.sources, self.documents, self.ids, self.slices]
        if all(column is None for column in columns):
            raise InputError("a test set needs at least one reference, source or id per segment")
        size = len(self)
        for number, texts in enumerate(self.references, 1):
            _check_length(f"reference {number}", len(texts), size)
        for name in ("sources", "documents", "ids", "slices", "numbers"):
            column = getattr(self, name)
            if column is not None:
                _check_length(name, len(column), size)

    def __len__(self) -> int:
        """Return the number of segments."""
        for column in (*self.references, self.sources, self.ids, self.documents, self.slices):
            if column is not None:
                return len(column)
        return 0

    def number_of(self, segment: int) -> int:
        """The segment's number for readers, counted from 1."""
        return segment + 1 if self.numbers is None else self.numbers[segment]

    def part(self, segments: Sequence[int] | NDArray[np.int64]) -> TestSet:
        """Return the test set with only some of its segments, in order; they keep their numbers."""
        if len(segments) == len(self):
            return self

        def chosen(column: Sequence[str] | None) -> tuple[str, ...] | None:
            return None if column is None else tuple(column[segment] for segment in segments)

        return TestSet(
            tuple(tuple(texts[segment] for segment in segments) for texts in self.references),
            chosen(self.sources),
            chosen(self.documents),
            chosen(self.ids),
            chosen(self.slices),
            [self.number_of(int(segment)) for segment in segments],
        )


@dataclass(frozen=True, slots=True)
class Outputs:
    """Hypotheses, and the segment that each belongs to.

    `segments` is None when there is exactly one hypothesis per segment, in order; an n-best
    list, or a part of a system's output, gives each hypothesis' segment (from 0).
    `extra` carries what some metrics need beside text, one entry per hypothesis.
    """

    texts: Sequence[str]
    segments: Sequence[int] | NDArray[np.int64] | None = None
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = {"segments": self.segments, **self.extra}
        for name, column in columns.items():
            if column is not None and len(column) != len(self.texts):
                raise InputError(
                    f"{name}: {len(column):,} entries, but there are {len(self.texts):,} texts; "
                    "give one entry for every text"
                )

    def __len__(self) -> int:
        """Return the number of hypotheses."""
        return len(self.texts)

    @property
    def owners(self) -> Sequence[int] | NDArray[np.int64]:
        """The segment that each hypothesis belongs to, from 0."""
        return range(len(self.texts)) if self.segments is None else self.segments

    def part(self, start: int, stop: int) -> Outputs:
        """Return the hypotheses from `start` up to `stop`, which keep their segments."""
        extra = {name: column[start:stop] for name, column in self.extra.items()}
        return Outputs(self.texts[start:stop], self.owners[start:stop], extra)


def run_label(system: str, run: str | None) -> str:
    """The name of a system, with the run where there are several.

    >>> run_label("mine", None), run_label("mine", "2")
    ('mine', 'mine@2')
    """
    return system if run is None else f"{system}@{run}"


@dataclass(frozen=True, slots=True)
class System:
    """A named output; `run` names one of several replications of the same system.

    `references` are for this system alone, beside those of the test set (post-editions, say).
    `file_name` is that of the file it was read from, which may have an ending that the name lacks.
    """

    name: str
    outputs: Outputs
    run: str | None = None
    references: Sequence[Sequence[str]] = ()
    file_name: str = ""

    @property
    def label(self) -> str:
        """The name, and the run where there are several."""
        return run_label(self.name, self.run)

    def part(self, segments: Sequence[int]) -> System:
        """The system on some segments of its test set, one hypothesis for each."""

        def some(column: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(column[at] for at in segments)

        outputs = Outputs(
            some(self.outputs.texts),
            extra={name: some(column) for name, column in self.outputs.extra.items()},
        )
        return replace(self, outputs=outputs, references=tuple(map(some, self.references)))


Kind = Literal["system", "repeat", "reference", "bad"]


@dataclass(frozen=True, slots=True)
class Span:
    """An error that somebody marked: characters of the output from `start` up to `end`.

    Both are None where something is missing from the output, which has no place in it. Where a
    program counted as JavaScript does and its file lacks the text, the unit is `utf-16`
    (`weigh.read.spans.place_span`).
    """

    start: int | None
    end: int | None
    severity: str
    category: str = ""
    unit: Literal["character", "utf-16"] = "character"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One person's answer to one question about one output.

    `kind` is what was judged: `system`, `repeat` (the same item again), `reference`, or `bad` (a
    damaged output, to see whether the judge looks); `of` names the item of the same hit that a
    repeat, reference or bad item was made from, where that is known. `scale` says what was asked,
    such as `adequacy` or `fluency`; `segment` names the segment within the language pair.
    `seconds` is the time spent on this item: where only the time of the whole hit is known, its
    items share it equally. `at` is when the answer was given, in ISO 8601; `item` is the place in
    the hit. `rejected` says that the hit was refused when it was handed in. `assignment` names
    this judge's work on the hit, where that has a name: no two pieces of work share it. Where a
    file names no hits, the judge's name stands for one. `document` and `slice` (a domain, say) are
    those of the segment, where the file tells them. `spans` are the errors that were marked: none,
    (), is another thing than None, where nobody was asked to mark any.
    """

    judge: str
    hit: str
    pair: str
    kind: Kind
    system: str
    segment: str
    value: float
    scale: str = "adequacy"
    seconds: float | None = None
    at: str | None = None
    item: str | None = None
    of: str | None = None
    rejected: bool = False
    assignment: str | None = None
    document: str | None = None
    slice: str | None = None
    spans: tuple[Span, ...] | None = None


@dataclass(frozen=True, slots=True)
class Preference:
    """One person's choice between two outputs for a segment; where `tied`, neither was better.

    `first` is the system whose output was shown first, or on the left, where that is known.
    """

    winner: str
    loser: str
    segment: str
    tied: bool = False
    judge: str | None = None
    first: str | None = None


class Extractor(Protocol):
    """A metric that has been prepared for one test set."""

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""


class Metric:
    """Two things: a row of additive statistics per segment, and a score of any sum of rows.

    A metric has `name` (as it is printed, such as `BLEU`) and `higher_is_better`, and the methods
    `signature`, `prepare`, `score` and `segment_scores`. All else has a default here.
    """

    __slots__ = ()

    # Properties to whoever overrides them; plain attributes to whoever sets them.
    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """The metric's name as it is printed, such as `BLEU`."""

        @property
        def higher_is_better(self) -> bool:
            """Whether larger scores are better; false for error rates."""

        @property
        def mean_of_segments(self) -> bool:
            """Whether the corpus score is the plain mean of the segments' scores."""

        @property
        def perfect(self) -> float | None:
            """The score of an output that equals the reference, or None where there is none."""

        @property
        def scale(self) -> float | None:
            """The largest possible change of a segment's score, if known."""

        @property
        def decimals(self) -> int | None:
            """With how many decimals scores are shown; None for two on a scale of 0 to 100."""

        @property
        def citations(self) -> tuple[str, ...]:
            """The keys, in report/references.bib, of the works that are cited for the metric."""

        @property
        def key(self) -> str | None:
            """The specification that names the metric, where its class and options do not."""

        @property
        def width(self) -> int | None:
            """The number of statistics per row, if known without texts."""

        @property
        def metrics(self) -> Sequence[Metric]:
            """The metrics that a combination is made of."""

        @property
        def needs_references(self) -> bool:
            """Whether texts are compared with references; given scores are not."""

        @property
        def needs_sources(self) -> bool:
            """Whether the metric cannot do without source texts."""

        @property
        def reads_texts(self) -> bool:
            """Whether the metric looks at the outputs' texts, and not at given scores alone."""

        @property
        def column(self) -> str | None:
            """Where outputs carry in `extra` what the metric reads beside texts, if it does."""

    else:
        mean_of_segments = False
        perfect = None
        scale = None
        decimals = None
        citations = ()
        key = None
        width = None
        metrics = ()
        needs_references = True
        needs_sources = False
        reads_texts = True
        column = None

    @property
    def has_open_tokenizer(self) -> bool:
        """Whether it is still to be decided how words are found, by the references."""
        return any(metric.has_open_tokenizer for metric in self.metrics)

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar, for so many references."""
        del references
        raise _lacks(self, "signature")

    def for_writing(self, writing: Writing) -> Self:
        """Return the metric with a tokeniser for references that are written so."""
        del writing
        return self

    def prepare(self, test_set: TestSet) -> Extractor:
        """Do once what depends only on the test set."""
        del test_set
        raise _lacks(self, "prepare")

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: shape (..., width) in, shape (...) out."""
        del sums
        raise _lacks(self, "score")

    def segment_scores(self, rows: Rows) -> Scores:
        """Score every row for itself, with what the metric does for single segments."""
        return self.score(rows)

    def details(self, sums: Rows) -> Mapping[str, float]:
        """The components of a score, by name."""
        del sums
        return {}

    def remarks(self, name: str, rows: Rows, outputs: Outputs) -> Sequence[str]:
        """Remarks on the score of outputs of this name."""
        del name, rows, outputs
        return ()

    def check_defined(self, what: str, sums: Rows) -> None:
        """Raise InputError if there is no score for these sums; `what` they are of."""

    def check_comparable(self, names: Sequence[str], sums: Sequence[Rows]) -> None:
        """Raise InputError if systems of these sums cannot be compared."""

    def supply(
        self, systems: Sequence[System], test_set: TestSet, *, allow_missing: bool = False
    ) -> Sequence[Sequence[Any]]:
        """The metric's own inputs: one entry per segment and system, None if missing."""
        del systems, test_set, allow_missing
        raise _lacks(self, "supply")


def _lacks(metric: Metric, method: str) -> UsageError:
    return UsageError(
        f"{type(metric).__name__}: no method {method}; a metric needs name, higher_is_better, "
        "signature, prepare and score"
    )


METRIC_MEMBERS = (
    "name",
    "higher_is_better",
    "mean_of_segments",
    "perfect",
    "signature",
    "prepare",
    "score",
    "segment_scores",
)
"""The members that make an object a metric, whatever its class."""


def has_members(candidate: object, names: Iterable[str]) -> bool:
    """Whether an object has all of these members, directly or by `__getattr__`."""
    return all(hasattr(candidate, name) for name in names)
