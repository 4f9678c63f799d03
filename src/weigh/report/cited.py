"""What the results of every verb used, so that it can be cited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weigh.report.citations import METRICS, used
from weigh.report.restored import Saved
from weigh.report.view import Used as Methods

_OPTIMIZERS = {"mert": "minimum error rate training", "pro": "PRO", "mira": "batch MIRA"}
_DIRECT = "direct assessment"
_EXACT = "exact binomial intervals"

Document = Mapping[str, Any]


def methods_of(saved: Saved[Any]) -> Methods:
    """Return what has been used for a result of any verb."""
    if saved.command in ("score", "compare"):
        return used(saved.report)
    import json

    document: Document = json.loads(saved.formats["json"](saved.report))
    return _VERBS[saved.command](document)


def _validate_accuracy(document: Document) -> Methods:
    works = ["accuracy of tests", _EXACT, "Cochran's Q and McNemar's test"]
    return Methods(list(document["signatures"]), document["plan"]["tests"], works=works)


def _validate_samples(document: Document) -> Methods:
    works = ["samples of a test set", _EXACT]
    return Methods(list(document["signatures"]), ["paired-bootstrap"], works=works)


def _validate_power(document: Document) -> Methods:
    tests = list(dict.fromkeys(one["test"] for one in document["powers"]))
    works = [_EXACT]
    if "rank-sum" in tests:
        tests.remove("rank-sum")
        works += [_DIRECT, "rank-sum test", "number of judgments"]
    return Methods(list(document["signatures"]), tests, works=works, draws=True)


def _validate_preference(document: Document) -> Methods:
    names = [name for name in document["signatures"] if name != "pairs"]
    return Methods([_key(name) for name in names], works=["choices of two metrics"])


def _key(name: str) -> str:
    """Return the key of a metric by the name that it is printed with, such as chrF2."""
    return next((key for key in METRICS if name.lower().startswith(key)), name)


def _tune(document: Document) -> Methods:
    works = [_OPTIMIZERS[document["optimizer"]]]
    works += ["several runs of tuning"] if len(document["runs"]) > 1 else []
    return Methods([document["metric"]], works=works, draws=True)


def _rerank(document: Document) -> Methods:
    if "gamma" in document:
        return Methods([document["metric"]], works=["log-linear reranking"])
    return Methods(list(dict.fromkeys(one["metric"] for one in document.get("scores", ()))))


def _rypt(document: Document) -> Methods:
    del document
    return Methods([], works=["RYPT"])


def _rypt_infer(document: Document) -> Methods:
    del document
    return Methods([], works=["RYPT", "inference of labels"])


_VERBS: Mapping[str, Callable[[Document], Methods]] = {
    "tune": _tune,
    "rerank": _rerank,
    "validate accuracy": _validate_accuracy,
    "validate samples": _validate_samples,
    "validate power": _validate_power,
    "validate preference": _validate_preference,
    "rypt score": _rypt,
    "rypt explain": _rypt,
    "rypt infer": _rypt_infer,
    "rypt queries": _rypt,
    "rypt labels": _rypt,
    "rypt diversity": _rypt,
}
