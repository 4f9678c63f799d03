"""The experiment of Zaidan & Callison-Burch (2009) from start to end, with simulated people.

1. What to ask is found out of an n-best list, and simulated judges answer it in the real page.
2. RYPT by their labels and BLEU each choose a candidate of every sentence; other judges say in
   the real page which of the two they prefer, three of each pair.
3. Tables I and II are counted from the database.

In a made world it is known of every word whether it is right. Judges tell it, and err at times;
they never look at the reference. Nothing of this says what real people would do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

from rypt_world import Sentence, World
from visitors import Asked, Page, Visit, judged
from weigh.read.alignment import link_line

Run = Callable[..., str]
"""What runs weigh with some arguments in the experiment's directory, and returns its output."""

# BLEU can follow the reference only so far: every other of its words is any translation.
_WORLD = World(faithful=0.5, shortest=8, longest=24)
_CONSENT = "I am a program and take part of my own free will."
_TASKS = ("consent.txt", "instructions.txt")


class Outcome(NamedTuple):
    """What came of an experiment: of the visits to both pages, and what the commands printed."""

    labelling: Mapping[str, Visit]
    choosing: Mapping[str, Visit]
    queries: str
    scores: str
    made: str
    tables: str


def experiment(
    people: MadeWorld, directory: Path, judges: int, run: Run, form: str = "table"
) -> Outcome:
    """Do all of it in a directory; `form` is that of the output of commands."""
    people.write(directory)
    shown = ("--format", form)
    inputs = ("-s", "source", "--parses", "parses")
    told = ("-r", "reference", "--ref-align", "reference.align")
    queries = run("rypt", "queries", *inputs, "--nbest", "nbest", *told, "-o", "queries", *shown)
    _tell(directory / "queries")

    def say_labels(judge: str, page: Page) -> Mapping[str, str]:
        source = page.shared[0]
        span = source.marked[0], source.marked[-1] + 1
        return {
            name: people.label(judge, source.text, span, asked)
            for name, asked in page.questions.items()
        }

    labelling = judged(directory / "queries", judges, say_labels)
    labels = "queries/campaign.db"
    systems = sorted(path.name for path in directory.glob("*.out"))
    aligned = ("--labels", labels, "--alignments", "{system}.align")
    scores = run("rypt", "score", *inputs, *aligned, *systems, *shown)
    metrics = ("-m", f"rypt:labels={labels}:parses=parses", "-m", "bleu")
    made = run(
        *("validate", "preference", "--nbest", "nbest", "-r", "reference", "-s", "source"),
        *(*metrics, "-o", "pairs", *shown),
    )
    _tell(directory / "pairs")

    def say_choice(judge: str, page: Page) -> Mapping[str, str]:
        (asked,) = page.questions.values()
        left, right = (each.text for each in asked.texts)
        return {asked.name: people.prefer(judge, page.shared[0].text, left, right)}

    choosing = judged(directory / "pairs", max(judges, 3), say_choice)
    tables = run("validate", "preference", "--answers", "pairs/campaign.db", *shown)
    return Outcome(labelling, choosing, queries, scores, made, tables)


def _tell(tasks: Path) -> None:
    """Add what judges are told before they begin."""
    for name in _TASKS:
        (tasks / name).write_text(f"{_CONSENT}\n", encoding="utf-8")


@dataclass(frozen=True)
class MadeWorld:
    """Sentences of a made world, whose truth is known, and people who tell it but for errors.

    A label is wrong, or NOT SURE, by chance. Of two texts that with fewer wrong words is
    preferred, but by as many as the difference seems to be: a normal deviate is added to it.
    """

    sentences: int = 250
    candidates: int = 52
    world: World = _WORLD
    wrong: float = 0.1
    unsure: float = 0.05
    noise: float = 1.5
    seed: int = 12345

    @cached_property
    def _made(self) -> dict[str, tuple[Sentence, dict[str, int]]]:
        """Sentences by their sources, and the numbers of their candidates by text."""
        made = {}
        for number in range(self.sentences):
            sentence = self.world.sentence(number, self.candidates)
            # Whose words are its own, as labels belong to sources.
            words = tuple(f"n{number}{word}" for word in sentence.tree.words)
            sentence = replace(sentence, tree=replace(sentence.tree, words=words))
            texts = {text: at for at, text in enumerate(sentence.texts())}
            made[" ".join(words)] = sentence, texts
        return made

    def write(self, directory: Path) -> None:
        """Write all files; two systems are the model's favourites, and any candidates."""
        lines: dict[str, list[str]] = {}
        for number, (source, (sentence, texts)) in enumerate(self._made.items()):
            places = range(len(sentence.tree.words))
            links = link_line([(place, place) for place in places])
            scores = dict(self._scored(sentence, texts))
            favourite, anything = max(scores, key=lambda text: scores[text]), next(iter(texts))
            for name, line in (
                ("source", source),
                ("parses", sentence.tree.brackets()),
                ("reference", sentence.reference_text()),
                ("reference.align", links),
                ("favourite.out", favourite),
                ("any.out", anything),
                ("favourite.out.align", links),
                ("any.out.align", links),
            ):
                lines.setdefault(name, []).append(line)
            lines.setdefault("nbest", []).extend(
                f"{number} ||| {text} ||| tm= {score:.3f} ||| {score:.3f} ||| {links}"
                for text, score in scores.items()
            )
        for name, own in lines.items():
            text = "".join(f"{line}\n" for line in own)
            (directory / name).write_text(text, encoding="utf-8")

    def _scored(self, sentence: Sentence, texts: Mapping[str, int]) -> Iterator[tuple[str, float]]:
        """Yield candidates with a model's score, which knows something of the truth."""
        for text, at in texts.items():
            chance = Random(f"{self.seed} model {sentence.number} {at}")
            yield text, -self._wrong_words(sentence, at) + chance.gauss(0, 3)

    def _wrong_words(self, sentence: Sentence, candidate: int) -> int:
        return int((sentence.choices[candidate] != sentence.right).sum())

    def is_acceptable(self, source: str, span: tuple[int, int], words: str) -> bool:
        """Return whether some words are an acceptable translation of a span."""
        sentence, texts = self._made[source]
        node = sentence.tree.nodes_by_span()[span]
        [truth] = {
            bool(sentence.truth[at, node])
            for text, at in texts.items()
            if " ".join(text.split(" ")[slice(*span)]) == words
        }
        return truth

    def label(self, judge: str, source: str, span: tuple[int, int], asked: Asked) -> str:
        """Tell whether the marked words are acceptable, or err."""
        sentence, texts = self._made[source]
        (candidate,) = asked.texts
        assert candidate.marked == tuple(range(*span))
        node = sentence.tree.nodes_by_span()[span]
        truth = bool(sentence.truth[texts[candidate.text], node])
        words = candidate.words[slice(*span)]
        chance = Random(f"{self.seed} {judge} {source} {span} {words}").random()
        if chance < self.unsure:
            return "NOT SURE"
        return "YES" if truth != (chance > 1 - self.wrong) else "NO"

    def errors(self, source: str, text: str) -> int:
        """Return how many words of a candidate are wrong."""
        sentence, texts = self._made[source]
        return self._wrong_words(sentence, texts[text])

    def prefer(self, judge: str, source: str, left: str, right: str) -> str:
        """Prefer the text with fewer wrong words, as far as that is noticed."""
        chance = Random(f"{self.seed} {judge} {source} {left}")
        difference = self.errors(source, right) - self.errors(source, left)
        felt = difference + chance.gauss(0, self.noise)
        return "neither" if abs(felt) <= self.noise / 2 else "left" if felt > 0 else "right"

    def truth(self, directory: Path) -> dict[str, int]:
        """Return of how many pairs each metric's choice has fewer wrong words, and of how many not.

        Nobody is asked: this is what judges who never err would say.
        """
        key = json.loads((directory / "pairs" / "key.json").read_text(encoding="utf-8"))
        pairs = [
            json.loads(line)
            for line in (directory / "pairs" / "pairs.jsonl").read_text("utf-8").split("\n")[:-1]
        ]
        counts = {key["a"]: 0, key["b"]: 0, "neither": 0}
        for pair, told in zip(pairs, key["pairs"], strict=True):
            assert pair["pair"] == told["pair"]
            left, right = (self.errors(pair["source"], pair[side]) for side in ("left", "right"))
            if left == right:
                counts["neither"] += 1
            else:
                is_a = (left < right) == (told["left"] == "a")
                counts[key["a" if is_a else "b"]] += 1
        return counts
