"""Stems by Snowball as of 2010, which METEOR 1.5 uses, and Porter's of 1980 for METEOR of 2005."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from weigh.errors import MissingExtraError

Stem = Callable[[str], str]

_REMEDY = "pip install 'weigh[meteor]', or use meteor:stages=exact"


def stemmer(language: str) -> Stem:
    """Return the stemmer of a language by its English name, or `porter`.

    Later versions of snowballstemmer, and PyStemmer, stem some English words otherwise. The
    module of the language is imported itself, since `snowballstemmer.stemmer` prefers PyStemmer
    where that is installed.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("snowballstemmer")
        module = import_module(f"snowballstemmer.{language}_stemmer")
    except (PackageNotFoundError, ImportError):
        raise MissingExtraError(f"METEOR's stems need snowballstemmer below 3; {_REMEDY}") from None
    if int(installed.partition(".")[0]) >= 3:
        raise MissingExtraError(
            f"METEOR's stems need snowballstemmer below 3, but {installed} is installed, which "
            f"stems some words otherwise; {_REMEDY}"
        )
    stem: Stem = getattr(module, f"{language.capitalize()}Stemmer")().stemWord
    return stem
