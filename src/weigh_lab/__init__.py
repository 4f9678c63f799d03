"""Programs built on weigh: a phrase-based translator, papers, a demo, RYPT inference."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh_lab.papers.rerun import paper as paper
    from weigh_lab.rypt.diversity import measure_diversity as measure_diversity
    from weigh_lab.rypt.inferred import infer_scores as infer_scores
    from weigh_lab.rypt.plan import DiversityPlan as DiversityPlan
    from weigh_lab.rypt.plan import InferPlan as InferPlan
    from weigh_lab.translator.translator import Translator as Translator
    from weigh_lab.translator.translator import train_translator as train_translator

# Where each public name lives; it is imported when it is first used, as those of weigh itself.
_HOMES = {
    "DiversityPlan": "weigh_lab.rypt.plan",
    "InferPlan": "weigh_lab.rypt.plan",
    "Translator": "weigh_lab.translator.translator",
    "infer_scores": "weigh_lab.rypt.inferred",
    "measure_diversity": "weigh_lab.rypt.diversity",
    "paper": "weigh_lab.papers.rerun",
    "train_translator": "weigh_lab.translator.translator",
}

if not TYPE_CHECKING:  # type checkers go by the imports above
    __all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'weigh_lab' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
