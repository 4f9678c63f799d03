"""The translator: trained from parallel text, asked for translations and n-best lists."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weigh.engine.threads import Progress, progress_from, run_in_parts
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.read.alignment import link_line
from weigh.read.nbest import moses_labels
from weigh.read.text import public_path, quoted, shown
from weigh.read.weights import WeightsFile, read_weights
from weigh_lab import _translator
from weigh_lab.translator.aligner import align_words, read_alignment
from weigh_lab.translator.corpus import parallel, read_parallel, tokenised
from weigh_lab.translator.directory import (
    WEIGHTS,
    Model,
    check_place,
    new_directory,
    read_model,
    write_compiled,
    write_model,
)
from weigh_lab.translator.ngrams import train_language_model
from weigh_lab.translator.phrases import extract_phrases, inner_links
from weigh_lab.translator.plan import LONGEST, DecodePlan, TranslatorPlan

# What every feature is called, in the order of the decoder, with the weight it has before tuning.
WEIGHTS_AT_FIRST = {
    "d_0": 0.3,
    **{f"d_{number}": 0.3 for number in range(1, 7)},
    "lm_0": 0.5,
    **{f"tm_{number}": 0.2 for number in range(5)},
    "w_0": -1.0,
}
FEATURES = tuple(WEIGHTS_AT_FIRST)
_PART = 4  # sentences that a thread takes at a time
_BATCH = 256  # sentences whose translations are in memory at a time


class DerivationStep(NamedTuple):
    """A part of a translation: source words [start, end), its own words, and links between them."""

    start: int
    end: int
    words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Translation:
    """A translation, how it was made, and what the model says of it."""

    words: tuple[str, ...]
    steps: tuple[DerivationStep, ...]
    features: tuple[float, ...]
    total: float

    @property
    def text(self) -> str:
        """The translation."""
        return " ".join(self.words)

    @property
    def alignment(self) -> str:
        """Links of source and target words, as 0-0 1-2."""
        links, place = [], 0
        for step in self.steps:
            links += [(step.start + source, place + target) for source, target in step.links]
            place += len(step.words)
        return link_line(sorted(links))

    def derivation(self, size: int) -> str:
        """The tree of its parts over the words of the source, in Joshua's format."""
        parts = " ".join(
            f"(X{{{step.start}-{step.end}}} {' '.join(map(_unlike_brackets, step.words))})"
            for step in self.steps
        )
        return f"(ROOT{{0-{size + 1}}} (S{{0-{size}}} {parts}))" if parts else ""


def _unlike_brackets(word: str) -> str:
    """Escape a word so that it neither ends nor begins a part of a derivation."""
    if len(word) > 1 and (word.endswith(")") or (word.startswith("(") and "{" in word)):
        return word.replace("(", "-lrb-").replace(")", "-rrb-")
    return word


class Trained(NamedTuple):
    """The result of training: the directory, sizes, and what was left out."""

    directory: str
    sentences: int
    phrases: int
    ngrams: int
    remarks: tuple[str, ...]

    @property
    def summary(self) -> str:
        """What was trained, in a sentence."""
        return (
            f"{self.directory}: {plural(self.sentences, 'sentence pair')}, "
            f"{plural(self.phrases, 'phrase pair')}, {plural(self.ngrams, 'n-gram')}"
        )


class Translator:
    """A model that translates; `weights` are by name."""

    def __init__(self, model: Model, weights: Mapping[str, float] | None = None) -> None:
        self.plan = model.plan
        self.weights = completed(weights or {}, WEIGHTS_AT_FIRST)
        self._sources = model.sources
        self._targets = model.targets
        self._language = model.language.compiled(model.targets)
        self._table = model.phrases.compiled()
        # What is needed of the phrases to tell how a translation was made.
        self._pairs = model.phrases.pairs
        self._sizes = np.diff(model.phrases.targets.offsets)
        self._links = model.phrases.links

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Translator:
        """Return the translator of a directory."""
        folder = Path(directory)
        model, is_compiled = read_model(folder)
        weights = named_weights(read_weights(str(folder / WEIGHTS)))
        try:
            translator = cls(model, weights)
        except ValueError as error:  # links or n-grams that the readers take by themselves
            raise InputError(
                f"{shown(str(folder))}: the tables do not match: {error}; train the model again"
            ) from None
        if not is_compiled:
            write_compiled(folder, model)
        return translator

    def nbest(
        self,
        text: str,
        size: int = 1,
        *,
        weights: Mapping[str, float] | None = None,
        **options: Any,
    ) -> list[Translation]:
        """Return the best translations of a text, the best first; options are `DecodePlan`'s."""
        (words,) = tokenised([text], self.plan)
        _check_length(words, "")
        return self._decoded(words, DecodePlan(nbest=size, **options), self._point(weights))

    def decode(
        self,
        texts: Sequence[str],
        plan: DecodePlan | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> list[list[Translation]]:
        """Return the best translations of each of many texts."""
        return [*self.nbest_lists(texts, plan, weights=weights, threads=threads, progress=progress)]

    def nbest_lists(
        self,
        texts: Sequence[str],
        plan: DecodePlan | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        label: str = "",
        threads: int = 0,
        progress: Progress | None = None,
    ) -> Iterator[list[Translation]]:
        """Yield the lists of `decode` with only some sentences in memory at a time.

        `label` names the texts in messages.
        """
        plan, point = plan or DecodePlan(), self._point(weights)
        sentences = tokenised(texts, self.plan)
        for line, words in enumerate(sentences, 1):
            _check_length(words, f"{label}: line {line:,}: " if label else f"line {line:,}: ")
        for first in range(0, len(sentences), _BATCH):
            batch = sentences[first : first + _BATCH]
            tell = progress_from(first, progress, len(sentences))
            yield from self._decoded_batch(batch, plan, point, threads, tell)

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """Number of words of each text."""
        return [len(words) for words in tokenised(texts, self.plan)]

    def _point(self, weights: Mapping[str, float] | None) -> np.ndarray[Any, np.dtype[np.float64]]:
        chosen = completed(weights or {}, self.weights)
        return np.array([chosen[name] for name in FEATURES])

    def _decoded_batch(
        self,
        sentences: Sequence[Sequence[str]],
        plan: DecodePlan,
        point: Any,
        threads: int,
        progress: Progress | None,
    ) -> list[list[Translation]]:
        translations: list[list[Translation]] = [[] for _ in sentences]

        def work(start: int, end: int) -> None:
            for at in range(start, end):
                translations[at] = self._decoded(sentences[at], plan, point)

        run_in_parts(work, len(sentences), _PART, threads=threads, progress=progress)
        return translations

    def _decoded(self, words: Sequence[str], plan: DecodePlan, point: Any) -> list[Translation]:
        # Unknown words are below 0, the same where they are the same word.
        numbers = np.array(
            [self._sources.number(word) or -1 - words.index(word) for word in words],
            dtype=np.int32,
        )
        target_words, offsets, totals, features, steps, step_offsets = _translator.decode(
            self._table,
            self._language,
            numbers,
            point,
            plan.nbest,
            plan.distinct,
            plan.options,
            plan.pops,
            plan.stack,
            plan.distortion,
            self.plan.phrase,
        )
        texts = [
            self._targets.words[number] if number > 0 else words[-1 - number]
            for number in target_words.tolist()
        ]
        places, ends = steps.reshape(-1, 3).tolist(), step_offsets.tolist()
        rows, bounds = features.reshape(-1, len(FEATURES)).tolist(), offsets.tolist()
        return [
            Translation(
                tuple(texts[bounds[at] : bounds[at + 1]]),
                tuple(self._steps(texts, bounds[at], places[ends[at] : ends[at + 1]])),
                tuple(rows[at]),
                total,
            )
            for at, total in enumerate(totals.tolist())
        ]

    def _steps(
        self, texts: Sequence[str], place: int, places: Iterable[list[int]]
    ) -> Iterator[DerivationStep]:
        for start, end, pair in places:
            size = 1
            links: tuple[tuple[int, int], ...] = ((0, 0),)
            if pair >= 0:
                _, target, inner = self._pairs[pair].tolist()
                size = int(self._sizes[target])
                links = inner_links(self._links, inner)
            yield DerivationStep(start, end, tuple(texts[place : place + size]), links)
            place += size


def _check_length(words: Sequence[str], where: str) -> None:
    if len(words) > LONGEST:
        raise InputError(
            f"{where}{len(words):,} words, but no more than {LONGEST} can be translated; split it"
        )


def completed(
    weights: Mapping[str, float], others: Mapping[str, float], where: str = "weights"
) -> dict[str, float]:
    """Weights of all features by name; missing ones are taken from `others`."""
    for name, value in weights.items():
        if name not in WEIGHTS_AT_FIRST:
            raise InputError(
                f"{where}: the translator has no feature {quoted(name)}; "
                f"{did_you_mean(name, FEATURES)}"
            )
        if not math.isfinite(value):
            raise InputError(f"{where}: the weight of {name} is {value}; give a number")
    return {**others, **weights}


def named_weights(weights: WeightsFile) -> dict[str, float]:
    """Return the weights of a file by name."""
    if weights.named is None:
        if len(weights.rows[0]) != len(FEATURES):
            raise InputError(
                f"{weights.label}: {len(weights.rows[0])} weights, but the translator has "
                f"{len(FEATURES)} features; give 'name value' lines"
            )
        return dict(zip(FEATURES, weights.rows[0], strict=True))
    return completed(weights.named, {}, weights.label)


def nbest_line(number: int, translation: Translation) -> str:
    """Return a line of an n-best list as Moses writes it, with word alignment."""
    labels = moses_labels(list(FEATURES))
    values = [
        f"{label}{value!r}" for label, value in zip(labels, translation.features, strict=True)
    ]
    return (
        f"{number} ||| {translation.text} ||| {' '.join(values)} ||| {translation.total!r} ||| "
        f"{translation.alignment}"
    )


def derivation_line(number: int, translation: Translation, size: int) -> str:
    """Return a line of an n-best list with the derivation in place of the text."""
    values = " ".join(map(repr, translation.features))
    return f"{number} ||| {translation.derivation(size)} ||| {values} ||| {translation.total!r}"


def json_line(number: int, translation: Translation) -> str:
    """A translation with all its details as a line of JSON."""
    fields = {
        "id": str(number),
        "text": translation.text,
        "features": dict(zip(FEATURES, translation.features, strict=True)),
        "total": translation.total,
        "alignment": translation.alignment,
        "steps": [[step.start, step.end, len(step.words)] for step in translation.steps],
    }
    return json.dumps(fields, ensure_ascii=False)


def train_translator(
    source: str | os.PathLike[str] | Sequence[str],
    target: str | os.PathLike[str] | Sequence[str],
    output: str | os.PathLike[str],
    plan: TranslatorPlan | None = None,
    *,
    alignment: str | os.PathLike[str] | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Trained:
    """Train a translator and write it to a directory, whole or not at all.

    Source and target are files, or the texts themselves. `alignment` is a file of word links from
    elsewhere, in the form of Pharaoh, that takes the place of our own. `force` replaces a
    translator that is there.
    """
    plan = plan or TranslatorPlan()
    folder = Path(output)
    check_place(folder, force=force)
    if isinstance(source, str | os.PathLike) and isinstance(target, str | os.PathLike):
        corpus = read_parallel(os.fspath(source), os.fspath(target), plan)
    elif isinstance(source, str | os.PathLike) or isinstance(target, str | os.PathLike):
        raise UsageError("give two files, or the texts of both sides")
    else:
        corpus = parallel(source, target, plan)
    with new_directory(folder, force=force) as unfinished:
        links = (
            align_words(corpus, plan, threads=threads, progress=progress)
            if alignment is None
            else read_alignment(os.fspath(alignment), corpus)
        )
        phrases = extract_phrases(corpus, links, plan.phrase)
        if not len(phrases.pairs):
            raise InputError("no phrases can be learned, since no words are linked; give more text")
        language = train_language_model(corpus.target, corpus.targets, plan.order)
        model = Model(plan, phrases, language, corpus.sources, corpus.targets)
        write_model(unfinished, model, WEIGHTS_AT_FIRST, len(corpus.source))
    return Trained(
        public_path(str(folder)),
        len(corpus.source),
        len(phrases.pairs),
        len(language.ngrams),
        corpus.remarks,
    )
