"""The translator: trained from parallel text, kept in a directory, asked for n-best lists.

The directory holds `model.json` (version, settings, how much it was trained on), `phrases.gz` and
`language.arpa.gz`, which people and other programs can read, `weights`, and `compiled.npz`, which
is the same in numbers and is made again where it does not fit the others.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weigh import __version__, _translator
from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import InputError, UsageError, WeighError, did_you_mean, plural
from weigh.read.nbest import moses_labels
from weigh.read.text import shown
from weigh.read.weights import WeightsFile, read_weights
from weigh.result import decode
from weigh.translator.aligner import align_words, read_alignment
from weigh.translator.corpus import Rows, Vocabulary, parallel, read_parallel, tokenised
from weigh.translator.ngrams import LanguageModel, read_arpa, train_language_model, write_arpa
from weigh.translator.phrases import PhraseTable, extract_phrases, read_table, write_table
from weigh.translator.plan import LONGEST, DecodePlan, TranslatorPlan

FORMAT = "weigh-translator/1"
MODEL, PHRASES, LANGUAGE = "model.json", "phrases.gz", "language.arpa.gz"
WEIGHTS, COMPILED = "weights", "compiled.npz"
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


class Step(NamedTuple):
    """A part of a translation: source words [start, end), its own words, and links between them."""

    start: int
    end: int
    words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Translation:
    """A translation, how it was made, and what the model says of it."""

    words: tuple[str, ...]
    steps: tuple[Step, ...]
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
        return " ".join(f"{source}-{target}" for source, target in sorted(links))

    def derivation(self, size: int) -> str:
        """The tree of its parts over a source of so many words, as Joshua writes it."""
        parts = " ".join(
            f"(X{{{step.start}-{step.end}}} {' '.join(step.words)})" for step in self.steps
        )
        return f"(ROOT{{0-{size + 1}}} (S{{0-{size}}} {parts}))" if parts else ""


class Trained(NamedTuple):
    """What came of training: where it is, how much there was, and what was left out."""

    directory: str
    sentences: int
    phrases: int
    ngrams: int
    remarks: tuple[str, ...]


class Translator:
    """A model that translates; `weights` are by name."""

    def __init__(
        self,
        plan: TranslatorPlan,
        phrases: PhraseTable,
        language: LanguageModel,
        sources: Vocabulary,
        targets: Vocabulary,
        weights: Mapping[str, float],
    ) -> None:
        self.plan = plan
        self.weights = dict(weights)
        self._phrases = phrases
        self._sources = sources
        self._targets = targets
        self._language = language.compiled(targets)
        self._table = phrases.compiled()

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Translator:
        """Return the translator of a directory."""
        folder = Path(directory)
        about = _about(folder)
        plan = decode(TranslatorPlan, about["plan"], f"{shown(str(folder / MODEL))}: plan")
        weights = read_weights(str(folder / WEIGHTS))
        digest = _digest(folder)
        tables = _compiled(folder, digest)
        if tables is None:
            language = read_arpa(folder / LANGUAGE)
            targets = Vocabulary()
            phrases, sources = read_table(folder / PHRASES, targets)
            _compile(folder, digest, phrases, language, sources, targets)
        else:
            phrases, language, sources, targets = tables
        chosen = named_weights(weights)
        try:
            return cls(plan, phrases, language, sources, targets, chosen)
        except ValueError as error:  # links or n-grams that the readers take by themselves
            raise InputError(
                f"{shown(str(folder))}: the tables do not fit: {error}; train the model again"
            ) from None

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
        plan, point = plan or DecodePlan(), self._point(weights)
        sentences = tokenised(texts, self.plan)
        for line, words in enumerate(sentences, 1):
            if len(words) > LONGEST:
                raise InputError(
                    f"line {line:,}: {len(words):,} words, but no more than {LONGEST} can be "
                    "translated; split it"
                )
        found: list[list[Translation]] = [[] for _ in sentences]

        def work(first: int, last: int) -> None:
            for at in range(first, last):
                found[at] = self._decoded(sentences[at], plan, point)

        run_in_parts(work, len(sentences), _PART, threads=threads, progress=progress)
        return found

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """Return how many words each of some texts has."""
        return [len(words) for words in tokenised(texts, self.plan)]

    def _point(self, weights: Mapping[str, float] | None) -> np.ndarray[Any, np.dtype[np.float64]]:
        chosen = self.weights if weights is None else checked_weights(weights)
        return np.array([chosen[name] for name in FEATURES])

    def _decoded(self, words: Sequence[str], plan: DecodePlan, point: Any) -> list[Translation]:
        if len(words) > LONGEST:
            raise InputError(
                f"{len(words):,} words, but no more than {LONGEST} can be translated; split it"
            )
        # Unknown words are below 0, the same where they are the same word.
        numbers = np.array(
            [self._sources.number(word) or -1 - words.index(word) for word in words],
            dtype=np.int32,
        )
        made, offsets, totals, features, steps, step_offsets = _translator.decode(
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
            for number in made.tolist()
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
    ) -> Iterator[Step]:
        for start, end, pair in places:
            size = 1
            links: tuple[tuple[int, int], ...] = ((0, 0),)
            if pair >= 0:
                _, target, inner = self._phrases.pairs[pair].tolist()
                size = int(
                    self._phrases.targets.offsets[target + 1]
                    - self._phrases.targets.offsets[target]
                )
                row = self._phrases.links
                numbers = row.values[row.offsets[inner] : row.offsets[inner + 1]].tolist()
                links = tuple((number // 256, number % 256) for number in numbers)
            yield Step(start, end, tuple(texts[place : place + size]), links)
            place += size


def checked_weights(weights: Mapping[str, float], where: str = "weights") -> dict[str, float]:
    """Return weights by name; those that are not named stay as they are before tuning."""
    for name in weights:
        if name not in WEIGHTS_AT_FIRST:
            raise InputError(
                f"{where}: the translator has no feature {name!r}; {did_you_mean(name, FEATURES)}"
            )
    return {**WEIGHTS_AT_FIRST, **weights}


def named_weights(weights: WeightsFile) -> dict[str, float]:
    """Return the weights of a file by name."""
    if weights.named is None:
        if len(weights.rows[0]) != len(FEATURES):
            raise InputError(
                f"{weights.label}: {len(weights.rows[0])} weights, but the translator has "
                f"{len(FEATURES)} features; give 'name value' lines"
            )
        return dict(zip(FEATURES, weights.rows[0], strict=True))
    return checked_weights(weights.named, weights.label)


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
    """Return a line of JSON with all that is known of a translation."""
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
    source: str | Sequence[str],
    target: str | Sequence[str],
    output: str | os.PathLike[str],
    plan: TranslatorPlan | None = None,
    *,
    alignment: str | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Trained:
    """Train a translator and write it to a directory, whole or not at all.

    Source and target are files, or the texts themselves. `alignment` is a file of word links from
    elsewhere, in the form of Pharaoh, that takes the place of our own.
    """
    plan = plan or TranslatorPlan()
    folder = Path(output)
    if folder.exists() and not force:
        raise InputError(
            f"{shown(str(folder))}: exists; add --force to replace it, or name another"
        )
    if isinstance(source, str) and isinstance(target, str):
        corpus = read_parallel(source, target, plan)
    elif not isinstance(source, str) and not isinstance(target, str):
        if len(source) != len(target):
            raise InputError(f"{len(source):,} source texts and {len(target):,} target texts")
        corpus = parallel(source, target, plan)
    else:
        raise UsageError("give two files, or the texts of both sides")
    links = (
        align_words(corpus, plan, threads=threads, progress=progress)
        if alignment is None
        else read_alignment(alignment, corpus)
    )
    phrases = extract_phrases(corpus, links, plan.phrase)
    language = train_language_model(corpus.target, corpus.targets, plan.order)
    trained = Trained(
        str(folder), len(corpus.source), len(phrases.pairs), len(language.ngrams), corpus.remarks
    )
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    try:
        unfinished.mkdir(parents=True)
        write_table(unfinished / PHRASES, phrases, corpus.sources, corpus.targets)
        write_arpa(unfinished / LANGUAGE, language)
        write_weights(unfinished / WEIGHTS, WEIGHTS_AT_FIRST)
        about = {
            "format": FORMAT,
            "weigh": __version__,
            "plan": asdict(plan),
            "sentences": trained.sentences,
            "phrases": trained.phrases,
            "ngrams": trained.ngrams,
        }
        (unfinished / MODEL).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        _compile(unfinished, _digest(unfinished), phrases, language, corpus.sources, corpus.targets)
        if force and folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    except OSError as error:
        raise WeighError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return trained


def write_weights(path: Path, weights: Mapping[str, float]) -> None:
    """Write weights as `name value` lines."""
    path.write_text(
        "".join(f"{name} {value!r}\n" for name, value in weights.items()), encoding="utf-8"
    )


def _about(folder: Path) -> dict[str, Any]:
    name = shown(str(folder / MODEL))
    try:
        about = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{shown(str(folder))}: no translator; give the directory that weigh translate train "
            "has written"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{name}: cannot be read; train the model again") from None
    known = about.get("format") if isinstance(about, dict) else None
    if known != FORMAT or not isinstance(about.get("plan"), dict):
        raise InputError(
            f"{name}: a model of the form {known!r}, but this weigh knows {FORMAT!r}; train it "
            "again"
        )
    return dict(about)


def _digest(folder: Path) -> str:
    """Return what tells whether the readable files have changed."""
    digest = blake2b(digest_size=16)
    for name in (PHRASES, LANGUAGE):
        try:
            digest.update((folder / name).read_bytes())
        except OSError as error:
            raise InputError(f"{shown(str(folder / name))}: {error.strerror}") from None
    return digest.hexdigest()


_ROWS = ("sources", "targets", "links")


def _compile(
    folder: Path,
    digest: str,
    phrases: PhraseTable,
    language: LanguageModel,
    sources: Vocabulary,
    targets: Vocabulary,
) -> None:
    """Keep a model in numbers, for the next time; where that cannot be done it is read again."""
    rows = {name: getattr(phrases, name) for name in _ROWS}
    arrays: dict[str, Any] = {f"{name}_values": rows[name].values for name in _ROWS}
    arrays |= {f"{name}_offsets": rows[name].offsets for name in _ROWS}
    unfinished = folder / f"{COMPILED}.{os.getpid()}.npz"
    try:
        np.savez(
            unfinished,
            digest=digest,
            source_words="\n".join(sources.words[1:]),
            target_words="\n".join(targets.words[1:]),
            ngrams="\n".join(map(" ".join, language.ngrams)),
            chances=language.chances,
            backoffs=language.backoffs,
            order=language.order,
            pairs=phrases.pairs,
            scores=phrases.chances,
            counts=phrases.counts,
            **arrays,
        )
        unfinished.replace(folder / COMPILED)
    except OSError:
        unfinished.unlink(missing_ok=True)


def _compiled(
    folder: Path, digest: str
) -> tuple[PhraseTable, LanguageModel, Vocabulary, Vocabulary] | None:
    """Return a model from its numbers; None where there are none, or of other files."""
    try:
        with np.load(folder / COMPILED, allow_pickle=False) as kept:
            if str(kept["digest"]) != digest:
                return None
            sources, targets, links = (
                Rows(kept[f"{name}_values"], kept[f"{name}_offsets"]) for name in _ROWS
            )
            numbers = kept["pairs"], kept["scores"], kept["counts"]
            phrases = PhraseTable(sources, targets, links, *numbers)
            ngrams = tuple(tuple(line.split(" ")) for line in str(kept["ngrams"]).split("\n"))
            language = LanguageModel(int(kept["order"]), ngrams, kept["chances"], kept["backoffs"])
            words = [
                Vocabulary(str(kept[f"{side}_words"]).split("\n")) for side in ("source", "target")
            ]
            return phrases, language, words[0], words[1]
    except (OSError, ValueError, KeyError):
        return None


def said_of(trained: Trained) -> str:
    """Return a sentence on what was trained."""
    return (
        f"{trained.directory}: {plural(trained.sentences, 'sentence pair')}, "
        f"{plural(trained.phrases, 'phrase pair')}, {plural(trained.ngrams, 'n-gram')}"
    )
