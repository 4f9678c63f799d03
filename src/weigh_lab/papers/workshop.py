"""Where a paper is run again: texts in, trained and tuned translators and their outputs out.

All that takes long is kept in the directory of the work, under names that hold a digest of all
that it was made of, so that a second run finds it and a run on other texts does not.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from weigh.engine.threads import Progress
from weigh.errors import InputError, WeighError
from weigh.files import write_whole
from weigh.read.text import read_texts, shown
from weigh.read.weights import read_weights, weight_lines
from weigh.types import TestSet
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.translator.corpus import tokenised
from weigh_lab.translator.plan import DecodePlan, TranslatorPlan
from weigh_lab.translator.translator import (
    DerivationStep,
    Translation,
    Translator,
    named_weights,
    train_translator,
)

METRIC = "bleu:tokenize=none"
"""BLEU of texts that are tokenised already, as all outputs here are."""

_MULTI30K = "multi30k"
_SOURCES, _TARGET = ("de", "fr", "cs"), "en"
_TESTS = ("test_2016_flickr", "test_2018_flickr")  # those that all three languages have
TRAINING, TUNING, TEST = 1, 2, 3  # the seeds of generated texts: what they are for
_GENERATED = {TRAINING: 3000, TUNING: 600, TEST: 1000}  # sentence pairs of each
# Tuning is short: systems need not be the best that they can be. Without regularisation it would
# fit the few sentences that it sees and lose on others (bench/translator.md).
_TUNING_ROUNDS = 3
_STARTS = 6
_CANDIDATES = 50
_REGULARISED = 20.0


@dataclass(frozen=True, slots=True)
class Bitext:
    """Texts and their translations, line by line."""

    source: tuple[str, ...]
    target: tuple[str, ...]

    def first(self, size: int | None) -> Bitext:
        """The first pairs, or all."""
        return Bitext(self.source[:size], self.target[:size])

    def after(self, size: int) -> Bitext:
        """All pairs after the first ones."""
        return Bitext(self.source[size:], self.target[size:])


@dataclass(frozen=True, slots=True)
class Direction:
    """What there is of one source language: texts to train on, to tune on and to test on.

    `reserved` are texts that nothing was trained or tuned on, for what learns from outputs.
    """

    language: str
    training: Bitext
    tuning: Bitext
    test: Bitext
    reserved: Bitext = Bitext((), ())


@dataclass(frozen=True, slots=True)
class TestMaterial:
    """Several source languages with the same target texts, line by line."""

    name: str
    directions: Mapping[str, Direction]

    @property
    def references(self) -> tuple[str, ...]:
        """The translations of the test set, tokenised as outputs are."""
        parallel = next(iter(self.directions.values()))
        return tokenised_texts(parallel.test.target)


@dataclass(frozen=True, slots=True)
class NamedTranslator:
    """A translator, and a name that tells what it was made of."""

    name: str
    translator: Translator


def tokenised_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts as our translators write them: tokenised and lower-cased."""
    return tuple(" ".join(words) for words in tokenised(texts, TranslatorPlan()))


@dataclass(frozen=True, slots=True)
class Workshop:
    """Source of the data, folder of the work, and progress callback.

    `data` is a directory of public data sets, None for texts that are generated. `stage` is given
    the name of a stage of the work and returns where its progress is told.
    """

    plan: PaperPlan
    out: Path
    data: Path | None = None
    threads: int = 0
    stage: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext()

    def material(self) -> TestMaterial:
        """Return the parallel texts: multi30k of the data, or generated ones."""
        plan = self.plan
        directions = multi30k(self.data) if self.data else generated(plan=plan)
        cut = {
            language: Direction(
                language,
                bitext.training.first(plan.training),
                bitext.tuning.first(plan.tuning),
                bitext.test.first(plan.test),
                bitext.tuning.after(plan.tuning),
            )
            for language, bitext in directions.items()
        }
        return TestMaterial(_MULTI30K if self.data else "generated texts", cut)

    def folder(self, *names: str) -> Path:
        """A directory of the work, created if necessary."""
        path = self.out.joinpath(*names)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WeighError(f"{path}: cannot be created: {error.strerror}") from None
        return path

    def translator(self, direction: Direction, *, tuned: bool = True) -> NamedTranslator:
        """Return a translator trained on a direction, its weights tuned toward BLEU."""
        plan = TranslatorPlan()
        name = f"{direction.language}-{digest(direction.training, plan)}"
        folder = self.folder("models") / name
        if not folder.exists():
            with self.stage(f"training {direction.language}") as progress:
                train_translator(
                    direction.training.source,
                    direction.training.target,
                    folder,
                    plan,
                    threads=self.threads,
                    progress=progress,
                )
        translator = Translator.load(folder)
        if tuned:
            translator.weights = self._tuned(direction, translator, name)
        return NamedTranslator(name, translator)

    def _tuned(self, direction: Direction, translator: Translator, name: str) -> dict[str, float]:
        from weigh.tuning.loop import tune_decoder
        from weigh.tuning.plan import TunePlan
        from weigh_lab.translator.decoder import TranslatorDecoder

        plan = TunePlan(
            iterations=_TUNING_ROUNDS,
            size=_CANDIDATES,
            starts=_STARTS,
            directions=0,
            regularize=_REGULARISED,
            seed=self.plan.seed,
        )
        name = f"{name}-{digest(direction.tuning, plan)}"
        kept = self.folder("weights") / name
        if not kept.exists():
            source, target = direction.tuning.source, direction.tuning.target
            with self.stage(f"tuning {direction.language}") as progress:
                result = tune_decoder(
                    TranslatorDecoder(translator, source, plan.size, self.threads),
                    TestSet([tokenised_texts(target)]),
                    METRIC,
                    plan,
                    start=translator.weights,
                    folder=self.folder("tuning", name),
                    settings={"texts": digest(direction.tuning)},
                    threads=self.threads,
                    progress=progress and (lambda done: progress(done.iteration, plan.iterations)),
                )
            write_whole(kept, weight_lines(result.weights.items()))
        return named_weights(read_weights(str(kept)))

    def translations(
        self,
        trained: NamedTranslator,
        texts: Sequence[str],
        *,
        nbest: int = 1,
        weights: Mapping[str, float] | None = None,
    ) -> list[list[Translation]]:
        """The best translations of texts, read from a file of an earlier run if possible."""
        plan = DecodePlan(nbest=nbest)
        chosen = dict(weights or trained.translator.weights)
        name = f"{trained.name}-{digest(list(texts), chosen, plan)}"
        kept = self.folder("outputs") / f"{name}.jsonl.gz"
        if kept.exists():
            return read_translations(kept)
        with self.stage("translating") as progress:
            lists = trained.translator.decode(
                texts, plan, weights=chosen, threads=self.threads, progress=progress
            )
        write_whole(kept, gzip.compress("".join(map(_kept, lists)).encode(), 1, mtime=0))
        return lists

    def best_texts(
        self,
        trained: NamedTranslator,
        texts: Sequence[str],
        weights: Mapping[str, float] | None = None,
    ) -> list[str]:
        """Return the best translation of each text."""
        return [best.text for best, *_ in self.translations(trained, texts, weights=weights)]


def multi30k(data: Path) -> dict[str, Direction]:
    """Return the directions of multi30k; tests are those that all languages have."""
    folder = data / _MULTI30K
    if not folder.is_dir():
        raise InputError(
            f"{shown(str(data))}: no directory {_MULTI30K}; give one that has it, or leave out "
            "--data for generated texts"
        )

    def read(part: str, language: str) -> tuple[str, ...]:
        plain = folder / f"{part}.{language}"
        return read_texts(str(plain if plain.exists() else folder / f"{part}.{language}.gz"))

    def bitext(parts: Sequence[str], language: str) -> Bitext:
        sides = [
            tuple(text for part in parts for text in read(part, side))
            for side in (language, _TARGET)
        ]
        if len(sides[0]) != len(sides[1]):
            raise InputError(
                f"{shown(str(folder))}: {len(sides[0]):,} lines of {language} and "
                f"{len(sides[1]):,} of {_TARGET} in {' and '.join(parts)}"
            )
        return Bitext(*sides)

    return {
        language: Direction(
            language,
            bitext(["train"], language),
            bitext(["val"], language),
            bitext(_TESTS, language),
        )
        for language in _SOURCES
    }


def generated(*languages: str, plan: PaperPlan | None = None) -> dict[str, Direction]:
    """Return directions of made-up languages, some or all; all have the same English sides."""
    from weigh_lab.translator.generated import LANGUAGES, generated_corpus

    plan = plan or PaperPlan()
    sizes = {TRAINING: plan.training, TEST: plan.test}

    def bitext(language: str, seed: int) -> Bitext:
        most = _GENERATED[seed]
        source, target = generated_corpus(language, min(sizes.get(seed) or most, most), seed)
        return Bitext(tuple(source), tuple(target))

    return {
        language: Direction(language, *(bitext(language, seed) for seed in _GENERATED))
        for language in languages or LANGUAGES
    }


def digest(*parts: Any) -> str:
    """A short hash that identifies what a file was made from."""

    def plain(value: Any) -> Any:
        if hasattr(value, "__dataclass_fields__"):
            return {type(value).__name__: asdict(value)}
        return list(value) if isinstance(value, tuple) else value

    text = json.dumps([plain(part) for part in parts], sort_keys=True)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _kept(translations: Sequence[Translation]) -> str:
    """Return translations of a text as a line."""
    entries = [
        [
            translation.text,
            [[step.start, step.end, len(step.words), step.links] for step in translation.steps],
            translation.features,
            translation.total,
        ]
        for translation in translations
    ]
    return f"{json.dumps(entries, ensure_ascii=False)}\n"


def read_translations(path: Path) -> list[list[Translation]]:
    """Return translations that were kept, a list for every text."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            return [[_translation(*entry) for entry in json.loads(line)] for line in lines]
    except (OSError, EOFError, ValueError, TypeError, zlib.error):
        raise InputError(
            f"{shown(str(path))}: not a file of saved translations; delete it"
        ) from None


def _translation(
    text: str, places: list[list[Any]], features: list[float], total: float
) -> Translation:
    words = tuple(text.split(" ")) if text else ()
    steps, at = [], 0
    for start, end, size, links in places:
        steps.append(
            DerivationStep(start, end, words[at : at + size], tuple((s, t) for s, t in links))
        )
        at += size
    return Translation(words, tuple(steps), tuple(features), total)
