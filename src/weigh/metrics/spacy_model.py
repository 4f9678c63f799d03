"""A spaCy model as a parser of texts (the extra `spacy`)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from weigh.errors import InputError, MissingExtraError
from weigh.metrics.supply import path_label
from weigh.types import ParsedWord


class SpacyModel:
    """A loaded model; it parses for one thread at a time."""

    def __init__(self, name: str) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingExtraError(
                f"dependency:model={name} needs spaCy; install it with pip install 'weigh[spacy]'"
            ) from None
        try:
            self._pipeline = spacy.load(name, exclude=["ner"])
        except OSError:
            raise MissingExtraError(
                f"dependency:model={name}: spaCy has no such model; install it with "
                f"python -m spacy download {name}, or give the folder that holds it"
            ) from None
        except (ImportError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(
                f"dependency:model={name}: spaCy cannot load it ({reason}); choose another model"
            ) from None
        self._name = name
        self._lock = threading.Lock()

    def parses(self, texts: Sequence[str]) -> list[tuple[ParsedWord, ...]]:
        """Return the words of each text; equal texts are parsed once."""
        distinct = list(dict.fromkeys(map(str, texts)))
        with self._lock:
            words = [self._words(document) for document in self._pipeline.pipe(distinct)]
        known = dict(zip(distinct, words, strict=True))
        return [known[text] for text in texts]

    def _words(self, document: Any) -> tuple[ParsedWord, ...]:
        if len(document) and not document.has_annotation("DEP"):
            raise InputError(
                f"dependency:model={self._name}: the model does not parse; "
                "choose one that has a dependency parser"
            )
        # White space is a token to spaCy, though no word.
        kept = [token for token in document if not token.is_space]
        places = {token.i: place for place, token in enumerate(kept, 1)}
        return tuple(
            ParsedWord(token.text, token.lemma_ or "_", _head(token, places), token.dep_)
            for token in kept
        )


def _head(token: Any, places: Mapping[int, int]) -> int:
    """Return the place of the nearest word above; to spaCy a root is its own head."""
    head = token.head
    if head.i == token.i:
        return 0
    while head.i not in places and head.head.i != head.i:
        head = head.head
    return places.get(head.i, 0)


def version_of(package: str) -> str:
    """Return an installed package and its version; a model that is a folder has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{package}-{version(package)}"
    except (PackageNotFoundError, ValueError):
        return path_label(package)
