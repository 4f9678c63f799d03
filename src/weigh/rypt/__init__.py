"""RYPT, a metric based on human labels of source constituents (Zaidan & Callison-Burch 2009).

What `weigh rypt` does is one call here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weigh.rypt.collection import export_labels as export_labels
    from weigh.rypt.collection import import_labels as import_labels
    from weigh.rypt.collection import merge_labels as merge_labels
    from weigh.rypt.collection import open_store as open_store
    from weigh.rypt.collection import summarize_labels as summarize_labels
    from weigh.rypt.derivations import align_outputs as align_outputs
    from weigh.rypt.explanation import explain_outputs as explain_outputs
    from weigh.rypt.hits import hit_files as hit_files
    from weigh.rypt.label_scores import score_outputs as score_outputs
    from weigh.rypt.metric import Rypt as Rypt
    from weigh.rypt.plan import CollectionPlan as CollectionPlan
    from weigh.rypt.plan import QueryPlan as QueryPlan
    from weigh.rypt.queries import find_queries as find_queries

# Where each public name lives; it is imported when it is first used, as those of weigh itself.
_HOMES = {
    "CollectionPlan": "plan",
    "QueryPlan": "plan",
    "Rypt": "metric",
    "align_outputs": "derivations",
    "explain_outputs": "explanation",
    "export_labels": "collection",
    "find_queries": "queries",
    "hit_files": "hits",
    "import_labels": "collection",
    "merge_labels": "collection",
    "open_store": "collection",
    "score_outputs": "label_scores",
    "summarize_labels": "collection",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        from weigh.removed import replacement

        raise AttributeError(
            replacement(f"weigh.rypt.{name}") or f"module 'weigh.rypt' has no attribute {name!r}"
        )
    from importlib import import_module

    value = getattr(import_module(f"weigh.rypt.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
