"""What the results of every verb used, so that it can be cited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weigh.report.restored import Saved
from weigh.report.view import Used as Methods

_DIRECT = "direct assessment"

Document = Mapping[str, Any]


def methods_of(saved: Saved[Any]) -> Methods:
    """Return what has been used for a result of any verb."""
    import json

    document: Document = json.loads(saved.formats["json"](saved.report))
    return _VERBS[saved.command](document)


def _rypt(document: Document) -> Methods:
    del document
    return Methods([], works=["RYPT"])


def _rypt_infer(document: Document) -> Methods:
    del document
    return Methods([], works=["RYPT", "inference of labels"])


_VERBS: Mapping[str, Callable[[Document], Methods]] = {
    "rypt score": _rypt,
    "rypt explain": _rypt,
    "rypt infer": _rypt_infer,
    "rypt queries": _rypt,
    "rypt labels": _rypt,
    "rypt diversity": _rypt,
}
