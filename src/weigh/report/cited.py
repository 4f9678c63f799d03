"""What the results of every verb used, so that it can be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from weigh.human.rank import COMBINED
from weigh.report.citations import METRICS, used
from weigh.report.restored import Saved
from weigh.report.view import Used as Methods

_OPTIMIZERS = {"mert": "minimum error rate training", "pro": "PRO", "mira": "batch MIRA"}
_SCALES = {"esa": "error span annotation", "mqm": "MQM", COMBINED: "adequacy before fluency"}
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


def _quality_control(name: str) -> list[str]:
    return [] if name == "none" else [f"quality control by {name}"]


def _scales(scales: Iterable[str]) -> list[str]:
    """Return what was asked of people, who saw all but error spans as direct assessment."""
    found = [_SCALES.get(scale, _DIRECT) for scale in scales if scale != "preference"]
    return list(dict.fromkeys(found))


def _corrections(entries: Sequence[Document]) -> list[str]:
    return list(dict.fromkeys(one["adjust"] for one in entries if one["family_size"] > 1))


def _human_plan(document: Document) -> Methods:
    plan = document["plan"]
    works = [_DIRECT, "number of judgments", *_quality_control(plan["preset"])]
    return Methods([], adjustments=[plan["adjust"]] if plan["systems"] > 2 else [], works=works)


def _human_quality(document: Document) -> Methods:
    return Methods([], works=[_DIRECT, *_quality_control(document["preset"])])


def _human_rank(document: Document) -> Methods:
    pairs = document["comparisons"]
    works = _quality_control(document["quality"])
    tests = {one["test"] for one in pairs}
    if "rank-sum" in tests:
        works += ["rank-sum test", *_scales(one["scale"] for one in document["rankings"])]
    else:
        works.append("expected wins")
    return Methods([], adjustments=_corrections(pairs), intervals=["t"], works=works)


def _human_agreement(document: Document) -> Methods:
    scales = document["agreement"]
    works = ["Krippendorff's alpha", *_scales(one["scale"] for one in scales)]
    if any(one.get("cohen_pairs") is not None for one in scales):
        works.append("Cohen's kappa" if document["weights"] == "none" else "weighted kappa")
        works.append("Fleiss' kappa")
    return Methods([], works=works)


def _human_metrics(document: Document) -> Methods:
    works = ["rank correlation", "pairwise accuracy", "soft pairwise accuracy", "sensitivity"]
    works += _quality_control(document["quality"])
    works += ["Williams' test"] if document["contests"] else []
    return Methods(
        list(dict.fromkeys(one["metric"] for one in document["metrics"])),
        ["randomization"],
        [document["adjust"]],
        works=works,
    )


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


_VERBS: Mapping[str, Callable[[Document], Methods]] = {
    "tune": _tune,
    "rerank": _rerank,
    "human plan": _human_plan,
    "human quality": _human_quality,
    "human rank": _human_rank,
    "human agreement": _human_agreement,
    "human metrics": _human_metrics,
    "validate accuracy": _validate_accuracy,
    "validate samples": _validate_samples,
    "validate power": _validate_power,
    "validate preference": _validate_preference,
}
