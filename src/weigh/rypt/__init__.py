"""A metric made of people's judgments on source constituents (Zaidan & Callison-Burch 2009).

What `weigh rypt` does is one call here: see `__all__`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh.rypt.alignment import align_outputs
    from weigh.rypt.collection import (
        export_labels,
        import_labels,
        merge_labels,
        summarize_labels,
    )
    from weigh.rypt.diversity import measure_diversity
    from weigh.rypt.explanation import explain_outputs, score_outputs
    from weigh.rypt.hits import hit_files
    from weigh.rypt.inferred import infer_scores
    from weigh.rypt.inquiry import find_queries
    from weigh.rypt.metric import Rypt
    from weigh.rypt.plan import CollectionPlan, DiversityPlan, InferPlan, QueryPlan
    from weigh.rypt.store import open_store

# Where each public name lives; it is imported when it is first used, as those of weigh itself.
_HOMES = {
    "CollectionPlan": "plan",
    "DiversityPlan": "plan",
    "InferPlan": "plan",
    "QueryPlan": "plan",
    "Rypt": "metric",
    "align_outputs": "alignment",
    "explain_outputs": "explanation",
    "export_labels": "collection",
    "find_queries": "inquiry",
    "hit_files": "hits",
    "import_labels": "collection",
    "infer_scores": "inferred",
    "measure_diversity": "diversity",
    "merge_labels": "collection",
    "open_store": "store",
    "score_outputs": "explanation",
    "summarize_labels": "collection",
}

__all__ = [
    "CollectionPlan",
    "DiversityPlan",
    "InferPlan",
    "QueryPlan",
    "Rypt",
    "align_outputs",
    "explain_outputs",
    "export_labels",
    "find_queries",
    "hit_files",
    "import_labels",
    "infer_scores",
    "measure_diversity",
    "merge_labels",
    "open_store",
    "score_outputs",
    "summarize_labels",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'weigh.rypt' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"weigh.rypt.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
