"""Synonyms: words that share a synset of WordNet (Fellbaum 1998).

Two kinds of folders are read: WordNet's own database, and METEOR's extract of it, whose synsets
are blind to the part of speech.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from weigh.errors import InputError, MissingExtraError
from weigh.metrics.meteor.resources import file_in, fingerprint, read_lines
from weigh.read.text import quoted, shown

_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")

# Where WordNet's own programs and Debian's package keep the database.
_PLACES = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict")

# WordNet's rules of detachment (its manual page morphy(7)), tried in this order.
_DETACHMENTS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


def find_folder(location: str | None) -> str:
    """Return the folder that is given, or else that of an installed WordNet."""
    if location is not None:
        path = Path(location)
        if not path.exists():
            raise InputError(
                f"{shown(location)}: no such folder; give the folder with WordNet's files"
            )
        return location if path.is_dir() else str(path.parent)
    for folder in (os.environ.get("WNSEARCHDIR"), *_PLACES):
        if folder and Path(folder, "index.noun").is_file():
            return folder
    raise MissingExtraError(
        "METEOR's synonyms need WordNet 3.0, which was not found; apt-get install wordnet-base, "
        "give its folder as meteor:synonyms=PATH, or use meteor:stages=exact+stem"
    )


def files_of(folder: str, language: str) -> list[str]:
    """Return the files that synonyms are read from: METEOR's two, or WordNet's eight."""
    extract = [file_in(folder, f"{language}.{kind}") for kind in ("synsets", "exceptions")]
    wordnet = [Path(folder, f"index.{part}") for part in _PARTS_OF_SPEECH]
    wordnet += [Path(folder, f"{part}.exc") for part in _PARTS_OF_SPEECH]
    if all(path is not None for path in extract):
        return [str(path) for path in extract]
    if all(path.is_file() for path in wordnet):
        return [str(path) for path in wordnet]
    raise InputError(
        f"{shown(folder)}: found neither WordNet's index and exc files nor {language}.synsets and "
        f"{language}.exceptions; give the folder that contains them"
    )


def signature(folder: str, language: str) -> str:
    """Signature of the synonyms of a folder."""
    files = files_of(folder, language)
    return f"{'meteor' if len(files) == 2 else 'wordnet'}-{fingerprint(*files)}"


def synsets_of(folder: str, language: str) -> Callable[[str], set[int]]:
    """Return the function that gives the synsets of a word and of its base forms."""
    files = files_of(folder, language)
    if len(files) == 2:
        return _extract(*files)
    return _wordnet(files[:4], files[4:])


def _extract(synset_file: str, exception_file: str) -> Callable[[str], set[int]]:
    """Read METEOR's extract: a line of a word, a line of its synsets or exceptional forms.

    All parts of speech are thrown together, so that a word has one list of base forms.
    """
    synsets = _pairs_of_lines(synset_file)
    bases: dict[str, list[str]] = {}
    for base, forms in _pairs_of_lines(exception_file).items():
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    rules = tuple(dict.fromkeys(rule for rules in _DETACHMENTS.values() for rule in rules))

    def synsets_of_word(word: str) -> set[int]:
        lines = [synsets.get(word, "")]
        lines += [synsets.get(base, "") for base in _base_forms(word, bases, rules, synsets)]
        return {_synset(number, synset_file) for line in lines for number in line.split()}

    return synsets_of_word


def _synset(number: str, path: str) -> int:
    if number.isascii() and number.isdigit() and len(number) <= 9:
        return int(number)
    raise InputError(f"{shown(path)}: {quoted(number)} is not a synset number")


def _pairs_of_lines(path: str) -> dict[str, str]:
    lines = read_lines(path)
    if len(lines) % 2 == 1:
        raise InputError(
            f"{shown(path)}: {len(lines):,} lines, but two lines per word were expected; look "
            "for a missing line"
        )
    return dict(zip(lines[::2], lines[1::2], strict=True))


def _wordnet(indexes: list[str], exceptions: list[str]) -> Callable[[str], set[int]]:
    """Read WordNet's database; offsets of different parts of speech are different synsets."""
    index: list[dict[str, str]] = []
    bases: list[dict[str, list[str]]] = []
    for path in indexes:
        # A licence stands first, indented; the words of a phrase are joined by underscores.
        words = (line.partition(" ") for line in read_lines(path) if not line.startswith(" "))
        index.append({word: rest for word, _, rest in words if "_" not in word})
    for path in exceptions:
        forms = (line.split() for line in read_lines(path))
        bases.append({words[0]: words[1:] for words in forms if words})

    def synsets_of_word(word: str) -> set[int]:
        synsets: set[int] = set()
        for number, part in enumerate(_PARTS_OF_SPEECH):
            positions = index[number]
            for form in (word, *_base_forms(word, bases[number], _DETACHMENTS[part], positions)):
                if form in positions:
                    offsets = _offsets(positions[form], indexes[number])
                    synsets.update(len(_PARTS_OF_SPEECH) * offset + number for offset in offsets)
        return synsets

    return synsets_of_word


def _base_forms(
    word: str,
    bases: dict[str, list[str]],
    rules: tuple[tuple[str, str], ...],
    words: dict[str, str],
) -> list[str]:
    """Return exceptional base forms, or else the first that detaching an ending makes."""
    if word in bases:
        return bases[word]
    if len(word) > 2 and not word.endswith("ss"):
        for ending, replacement in rules:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in words:
                    return [base]
    return []


def _offsets(entry: str, path: str) -> list[int]:
    """Return the synsets of an entry of WordNet's index, which end it (manual page wndb(5))."""
    fields = entry.split()
    count = fields[1] if len(fields) > 1 else ""
    if not count.isdigit() or not 0 < int(count) < len(fields):
        raise InputError(f"{shown(path)}: {quoted(entry)} is not an entry of WordNet's index")
    return [_synset(field, path) for field in fields[-int(count) :]]
