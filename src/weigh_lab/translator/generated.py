"""Parallel text that needs no files: three made-up languages and English, by one small grammar.

A meaning is drawn first and said in English and in a language afterwards, so that all languages
have the same English side. What makes translation hard is there: words in another order, words that
mean two things by what stands beside them, synonyms of unequal frequency, forms that are rare,
words that only one side has.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

LANGUAGES = ("verb-last", "object-first", "agglutinating")
_SHORTEST, _LONGEST = 5, 20  # words of English

# Words that mean the same are joined by /, the most frequent first; frequent words come first.
_NOUNS = {
    "person": (
        "man woman boy/lad girl child/kid friend worker teacher player farmer singer/vocalist "
        "student doctor/physician soldier painter neighbour driver guest/visitor cook sailor "
        "tourist baker hunter lawyer/attorney nurse writer/author clerk drummer gardener pilot"
    ),
    "animal": (
        "dog/hound cat horse bird cow duck goat rabbit/bunny monkey bear sheepdog donkey/mule "
        "pony fox frog swan turtle lizard camel squirrel"
    ),
    "thing": (
        "ball book car/automobile bike/bicycle table/desk bottle letter hat/cap camera "
        "box/crate picture/photo chair guitar basket lamp cup/mug rope shirt wheel newspaper "
        "ladder/steps coat umbrella suitcase mirror hammer candle blanket bucket/pail violin "
        "kettle shovel carpet trumpet"
    ),
    "place": (
        "street/road house park city/town garden/yard beach/shore field/meadow shop/store "
        "station school kitchen forest/wood river market office bridge church mountain "
        "harbour/port stage hospital museum tower island tunnel"
    ),
}
_VERBS = {
    "person": "help/assist greet/welcome follow thank visit marry invite photograph question warn",
    "animal": (
        "watch/observe chase/pursue love/adore call feed touch scare/frighten train wash comfort"
    ),
    "thing": (
        "carry/transport open use/employ paint/colour clean lift/raise push repair/fix fill "
        "collect drop pull sort move/shift print count pack polish weigh/measure borrow"
    ),
    "place": "reach leave-behind cross enter explore/discover admire",
    "": (
        "walk/stroll wait play work/toil talk/chat jump/leap dance smile/grin rest shout/yell "
        "cough travel"
    ),
}
_ADJECTIVES = {
    "person": "young happy/glad tired clever/smart friendly serious/earnest proud polite bald",
    "animal": "old/aged hungry wild loud/noisy thirsty brown/tan fast/quick lazy/idle tame",
    "thing": (
        "new red blue broken heavy/weighty yellow expensive/costly round wooden dirty/filthy "
        "plastic striped empty sharp torn"
    ),
    "place": (
        "big/large busy/crowded quiet/silent narrow snowy famous/renowned sunny dark/gloomy "
        "distant modern muddy"
    ),
}
_ADVERBS = (
    "today often/frequently yesterday sometimes slowly again quickly/rapidly "
    "carefully together alone"
)
_PLACES = {
    "in": "house park city garden kitchen forest office school shop hospital museum tunnel",
    "at": "station market harbour church bridge tower stage",
}  # on: all others
# Pairs for which languages have one word; what the word goes with tells which of the two it is.
_ONE_WORD = (
    ("young", "new"), ("old", "heavy"), ("clever", "sharp"), ("tired", "empty"), ("wild", "dirty"),
    ("loud", "busy"), ("happy", "sunny"), ("serious", "dark"), ("feed", "fill"), ("help", "repair"),
    ("greet", "open"), ("follow", "collect"), ("visit", "enter"), ("train", "polish"),
    ("watch", "count"), ("call", "print"), ("thank", "admire"), ("wash", "clean"),
)  # fmt: skip
_LINKS = ("and", "because", "while", "but")
# The orders that the parts of an English clause may have, the usual one first, and its share.
_PARTS = (
    ("subject", "verb", "place", "adverb"),
    ("adverb", "subject", "verb", "place"),
    ("place", "subject", "verb", "adverb"),
    ("subject", "verb", "adverb", "place"),
)
_USUAL = 0.6
_DETERMINERS = (("a", 0.45), ("the", 0.85), ("this", 0.9), ("every", 0.94), ("his", 1.0))


class _Word(NamedTuple):
    """What is meant (by its first English word), how English says it, and a draw for others."""

    concept: str
    english: str
    draw: float


@dataclass(frozen=True, slots=True)
class _Noun:
    word: _Word
    kind: str
    plural: bool
    determiner: str
    adjectives: tuple[_Word, ...]
    place: tuple[str, _Noun] | None
    relative: _Clause | None


@dataclass(frozen=True, slots=True)
class _Clause:
    subject: _Noun | None  # none in a relative clause
    verb: _Word
    object: _Noun | None
    past: bool
    negative: bool
    adverb: _Word | None
    place: tuple[str, _Noun] | None
    linked: tuple[str, _Clause] | None


class _Meanings:
    """Meanings, drawn one after the other."""

    def __init__(self, seed: int) -> None:
        self._draw: Callable[[], float] = random.Random(f"meaning {seed}").random

    def clause(self, depth: int = 0, with_subject: bool = True) -> _Clause:
        """Draw a sentence, or one within another."""
        acted = self._kind(
            ("thing", 0.5), ("person", 0.65), ("animal", 0.8), ("", 0.95), ("place", 1)
        )
        subject = None
        if with_subject:
            subject = self.noun(self._kind(("person", 0.8), ("animal", 1.0)), depth)
        placed = acted != "place" and self._draw() < (0.45 if acted else 0.8)
        return _Clause(
            subject,
            self._word(_VERBS[acted]),
            self.noun(acted, depth) if acted else None,
            self._draw() < 0.35,
            self._draw() < 0.1,
            self._word(_ADVERBS) if self._draw() < 0.2 else None,
            self._place(depth + 1) if placed else None,
            (_LINKS[int(4 * self._draw() ** 2)], self.clause(1))
            if self._draw() < 0.25 - depth
            else None,
        )

    def noun(self, kind: str, depth: int) -> _Noun:
        """Draw who acts, or what is acted on."""
        draw = self._draw()
        plural = self._draw() < 0.25
        determiner = next(name for name, upto in _DETERMINERS if draw < upto)
        if plural and determiner in ("a", "this", "every"):
            determiner = ""
        adjectives = [self._word(_ADJECTIVES[kind]) for _ in range(int(2.4 * self._draw() ** 2))]
        placed = kind in ("person", "thing") and depth == 0 and self._draw() < 0.12
        related = kind in ("person", "animal") and depth == 0 and self._draw() < 0.12
        return _Noun(
            self._word(_NOUNS[kind]),
            kind,
            plural,
            determiner,
            tuple(
                adjective
                for at, adjective in enumerate(adjectives)
                if adjective not in adjectives[:at]
            ),
            self._place(depth + 1) if placed else None,
            self.clause(1, with_subject=False) if related else None,
        )

    def _place(self, depth: int) -> tuple[str, _Noun]:
        noun = self.noun("place", depth)
        where = (name for name, nouns in _PLACES.items() if noun.word.concept in nouns.split())
        near = self._draw() < 0.2
        return "near" if near else next(where, "on"), noun

    def _kind(self, *chances: tuple[str, float]) -> str:
        draw = self._draw()
        return next(name for name, upto in chances if draw < upto)

    def _word(self, words: str) -> _Word:
        """Draw a word: the first ones are far more frequent, as in natural text (Zipf's law)."""
        listed = words.split()
        concept = listed[int(len(listed) ** self._draw()) - 1].split("/")
        draw = self._draw()
        english = concept[min(int(draw * 1.4), len(concept) - 1)]  # the second of two: two of seven
        return _Word(concept[0], english, self._draw())


def _ending(word: str, ending: str) -> str:
    """Return an English word with -s or -ed behind it."""
    if word.endswith("y") and word[-2] not in "aeou":
        return f"{word[:-1]}ies" if ending == "s" else f"{word[:-1]}ied"
    if ending == "s":
        return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
    return word + ("d" if word.endswith("e") else "ed")


_IRREGULAR = {
    "mans": "men", "womans": "women", "childs": "children", "stepss": "steps", "feeded": "fed",
    "leaved": "left", "droped": "dropped", "chated": "chatted", "leaped": "leapt",
    "grined": "grinned",
}  # fmt: skip


def _formed(word: str, ending: str) -> str:
    formed = _ending(word, ending)
    return _IRREGULAR.get(formed, formed)


def _english_noun(noun: _Noun) -> Iterator[str]:
    name = _formed(noun.word.english, "s") if noun.plural else noun.word.english
    words = [*(adjective.english for adjective in noun.adjectives), name]
    determiner = "an" if noun.determiner == "a" and words[0][0] in "aeiou" else noun.determiner
    yield from filter(None, (determiner, *words))
    if noun.place:
        yield noun.place[0]
        yield from _english_noun(noun.place[1])
    if noun.relative:
        yield "that" if noun.kind == "animal" else "who"
        yield from _english_clause(noun.relative, noun.plural)


def _english_parts(clause: _Clause, plural: bool = False) -> dict[str, list[str]]:
    """Return the parts of a clause that may change places, in their usual order."""
    parts: dict[str, list[str]] = {}
    if clause.subject:
        parts["subject"] = [*_english_noun(clause.subject)]
        plural = clause.subject.plural
    verb, *particles = clause.verb.english.split("-")
    if clause.negative:
        parts["verb"] = ["did" if clause.past else "do" if plural else "does", "not", verb]
    elif clause.past:
        parts["verb"] = [_formed(verb, "ed")]
    else:
        parts["verb"] = [verb if plural else _ending(verb, "s")]
    if clause.object:
        parts["verb"] += _english_noun(clause.object)
    parts["verb"] += particles
    if clause.place:
        parts["place"] = [clause.place[0], *_english_noun(clause.place[1])]
    if clause.adverb:
        parts["adverb"] = [clause.adverb.english]
    return parts


def _english_clause(clause: _Clause, plural: bool = False) -> Iterator[str]:
    """Generate a relative clause, with its parts in the usual order."""
    for words in _english_parts(clause, plural).values():
        yield from words


class _English(NamedTuple):
    """A sentence, and the places of its words in each order that says the same."""

    words: list[str]
    orders: list[tuple[int, ...]]


def _english_sentence(clause: _Clause, draws: tuple[float, float]) -> _English:
    """Generate a clause and its linked clause, each in a random order."""
    parts = [_english_parts(clause)]
    orders = [_orders(parts[0])]
    if clause.linked:
        link, other = clause.linked
        linked = _english_parts(other)
        parts.append({"link": [link], **linked})
        orders.append([("link", *order) for order in _orders(linked)])
    chosen = [
        among[_ordered_as(draw, len(among))] for among, draw in zip(orders, draws, strict=False)
    ]
    words: list[str] = []
    places: dict[tuple[int, str], range] = {}
    for number, names in enumerate(chosen):
        for name in names:
            places[number, name] = range(len(words), len(words) + len(parts[number][name]))
            words += parts[number][name]
    return _English(
        words,
        [
            tuple(
                place
                for number, names in enumerate(phrase)
                for name in names
                for place in places[number, name]
            )
            for phrase in product(*orders)
        ],
    )


def _orders(parts: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """Return the orders that parts may have, the usual one first."""
    orders = (tuple(name for name in order if name in parts) for order in _PARTS)
    return [*dict.fromkeys(orders)]


def _ordered_as(draw: float, orders: int) -> int:
    """Return the number of an order: most have the usual one."""
    others = (draw - _USUAL) / (1 - _USUAL)
    return 0 if orders == 1 or others < 0 else 1 + int(others * (orders - 1))


class _Tree(NamedTuple):
    """A constituent: a word, or constituents under it."""

    label: str
    under: str | tuple[_Tree, ...]

    def words(self) -> Iterator[str]:
        if isinstance(self.under, str):
            yield self.under
        else:
            for child in self.under:
                yield from child.words()

    def bracketed(self) -> str:
        under = (
            self.under
            if isinstance(self.under, str)
            else " ".join(child.bracketed() for child in self.under)
        )
        return f"({self.label} {under})"


@dataclass(slots=True)
class _Language:
    """A made-up language: its words, and how it orders and marks them."""

    name: str
    _stems: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        draws = random.Random(f"words of {self.name}").random
        starts, vowels, ends = {
            "verb-last": (
                "b d f g h k l m n r s sch st tr w z",
                "a e i o u ei au",
                "n r t l ch ck",
            ),
            "object-first": ("c d f l m n p r s t v gu qu", "a e i o u ou ie", "s l r x m"),
            "agglutinating": ("h j k l m n p r s t v", "a e i o u y aa uu", "k s l n t"),
        }[self.name]
        taken: set[str] = set()

        def pick(of: str) -> str:
            return of.split()[int(draws() * len(of.split()))]

        def add(key: str, syllables: int) -> None:
            while True:
                stem = "".join(pick(starts) + pick(vowels) for _ in range(syllables)) + pick(ends)
                if stem not in taken:
                    break
            taken.add(stem)
            self._stems[key] = stem

        for words in (*_NOUNS.values(), *_VERBS.values(), *_ADJECTIVES.values(), _ADVERBS):
            for concept in words.split():
                key = concept.split("/")[0]
                add(key, 2)
                if draws() < 0.3:  # a rarer word for the same
                    add(f"{key}/", 2)
        small = ("the the/ a a/ this every his in near", *_LINKS, "who not object")
        suffixes = "-s -the -object -in -near -ed -not -they"
        for key in " ".join((*small, suffixes)).split():
            add(key, 1)
        for first, other in _ONE_WORD:
            self._stems[other] = self._stems[first]
            self._stems.pop(f"{other}/", None)

    def _stem(self, word: _Word) -> str:
        rare = f"{word.concept}/"
        return self._stems[rare if word.draw < 0.25 and rare in self._stems else word.concept]

    def _leaf(self, label: str, key: str) -> _Tree:
        return _Tree(label, self._stems[key])

    def _suffixed(self, stem: str, *suffixes: str) -> str:
        """Return a word with its endings: of a syllable each."""
        return stem + "".join(self._stems[name][:-1] for name in suffixes if name)

    def sentence(self, clause: _Clause) -> _Tree:
        """Generate a clause and its linked clause."""
        if clause.linked is None:
            return self._clause(clause)
        link, other = clause.linked
        return _Tree(
            "S",
            (self._clause(clause), _Tree("SBAR", (self._leaf("CC", link), self._clause(other)))),
        )

    def _clause(self, clause: _Clause, plural: bool = False) -> _Tree:
        subject = (self._noun(clause.subject),) if clause.subject else ()
        plural = clause.subject.plural if clause.subject else plural
        acted = (self._noun(clause.object, "object"),) if clause.object else ()
        place = (self._place(clause.place),) if clause.place else ()
        adverb = (
            (_Tree("ADVP", (_Tree("RB", self._stem(clause.adverb)),)),) if clause.adverb else ()
        )
        denied = (self._leaf("RB", "not"),) if clause.negative else ()
        verb = self._stem(clause.verb)
        if self.name == "verb-last":
            verb = self._suffixed(verb, "-ed" if clause.past else "", "-they" if plural else "")
            under = (*adverb, *place, *acted, *denied, _Tree("VB", verb))
            return _Tree("S", (*subject, _Tree("VP", under)))
        if self.name == "object-first":
            verb = self._suffixed(verb, "-ed" if clause.past else "")
            phrase = _Tree("VP", (*acted, *denied, _Tree("VB", verb)))
            return _Tree("S", (*adverb, phrase, *subject, *place))
        verb = self._suffixed(
            verb,
            "-not" if clause.negative else "",
            "-ed" if clause.past else "",
            "-they" if plural else "",
        )
        under = (_Tree("VB", verb), *acted)
        if clause.verb.draw < 0.3:  # what is acted on may come first
            under = under[::-1]
        return _Tree("S", (*place, *subject, _Tree("VP", under), *adverb))

    def _noun(self, noun: _Noun, role: str = "") -> _Tree:
        """Generate a noun phrase; two of the languages mark its role."""
        determiner = self._determiner(noun)
        number = "-s" if noun.plural else ""
        behind: list[_Tree] = []
        if noun.place:
            behind.append(self._place(noun.place))
        if noun.relative:
            clause = self._clause(noun.relative, noun.plural)
            behind.append(_Tree("SBAR", (self._leaf("WP", "who"), clause)))
        if self.name == "agglutinating":
            article = "-the" if noun.determiner == "the" and role else ""
            case = f"-{role}" if role else ""
            adjectives = [_Tree("JJ", self._suffixed(self._stem(a), case)) for a in noun.adjectives]
            word = _Tree("NN", self._suffixed(self._stem(noun.word), number, article, case))
            return _Tree("NP", (*determiner, *adjectives, word, *behind))
        adjectives = [_Tree("JJ", self._stem(adjective)) for adjective in noun.adjectives]
        word = _Tree("NN", self._suffixed(self._stem(noun.word), number))
        if self.name == "object-first":
            mark = (self._leaf("PRT", "object"),) if role == "object" else ()
            return _Tree("NP", (word, *adjectives, *determiner, *behind, *mark))
        return _Tree("NP", (*determiner, *adjectives, word, *behind))

    def _determiner(self, noun: _Noun) -> tuple[_Tree, ...]:
        name = noun.determiner
        if not name or (self.name != "verb-last" and name == "a"):
            return ()
        if self.name == "agglutinating" and name == "the":
            return ()  # a suffix of what is acted on, and not said of others
        gender = name in ("a", "the") and len(self._stems[noun.word.concept]) % 2
        return (self._leaf("DT", f"{name}/" if gender else name),)

    def _place(self, place: tuple[str, _Noun]) -> _Tree:
        """Generate a place: in, on and at are one word."""
        where = "near" if place[0] == "near" else "in"
        if self.name == "agglutinating":
            return _Tree("PP", (self._noun(place[1], where),))
        around = (self._leaf("IN", where), self._noun(place[1]))
        return _Tree("PP", around if self.name == "verb-last" else around[::-1])


def _sentences(size: int, seed: int) -> Iterator[tuple[_Clause, _English]]:
    """Draw meanings and say them in English."""
    meanings = _Meanings(seed)
    draw = random.Random(f"order {seed}").random
    count = 0
    while count < size:
        clause = meanings.clause()
        english = _english_sentence(clause, (draw(), draw()))
        if _SHORTEST <= len(english.words) <= _LONGEST:
            count += 1
            yield clause, english


def _language(name: str) -> _Language:
    if name not in LANGUAGES:
        raise ValueError(f"language {name!r} is none of {', '.join(LANGUAGES)}")
    return _Language(name)


def generated_corpus(language: str, size: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Generate sentences of a language of `LANGUAGES`, and their English translations.

    A seed draws the same meanings for every language, so the English sides are the same; and a
    smaller corpus is the beginning of a larger one. English sentences have 5 to 20 words.
    """
    said_in, sources, targets = _language(language), [], []
    for clause, english in _sentences(size, seed):
        sources.append(" ".join(said_in.sentence(clause).words()))
        targets.append(" ".join(english.words))
    return sources, targets


def generated_parses(language: str, size: int, seed: int = 1) -> list[str]:
    """Return the parses, in Penn Treebank brackets, of the sentences of `generated_corpus`."""
    said_in = _language(language)
    return [said_in.sentence(clause).bracketed() for clause, _ in _sentences(size, seed)]


def generated_orders(size: int, seed: int = 1) -> list[list[tuple[int, ...]]]:
    """Return all orders in which the words of English sentences of a corpus say the same.

    English leaves it open where some parts stand, and the corpus has one of the ways.

    >>> words = generated_corpus("verb-last", 1)[1][0].split()
    >>> for order in generated_orders(1)[0]:
    ...     print(" ".join(words[place] for place in order))
    this young glad lad waited on mountains
    on mountains this young glad lad waited
    """
    return [english.orders for _, english in _sentences(size, seed)]


def generated_synonyms() -> dict[str, str]:
    """Return, for each form of an English word that has a more frequent synonym, that one's.

    >>> generated_synonyms()["bicycles"], generated_synonyms()["observed"]
    ('bikes', 'watched')
    """
    groups = (*_NOUNS.values(), *_VERBS.values(), *_ADJECTIVES.values(), _ADVERBS)
    return {
        form(word): form(first)
        for words in groups
        for first, *others in (group.split("/") for group in words.split())
        for word in others
        for form in (str, lambda word: _formed(word, "s"), lambda word: _formed(word, "ed"))
    }
