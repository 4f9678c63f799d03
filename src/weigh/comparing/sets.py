"""Several test sets, joined into one dataset whose whole is their average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from weigh.comparing.dataset import Dataset, Texts
from weigh.errors import InputError
from weigh.metrics.registry import expansion_of, key_of
from weigh.stats.sample import Sample
from weigh.types import Outputs, TestSet


def join_sets(sets: Mapping[str, Dataset]) -> Dataset:
    """Join test sets, each scored by itself, into one dataset whose whole is their average."""
    first_name, first = next(iter(sets.items()))
    for name, other in sets.items():
        for what, keys, theirs in (
            ("systems", other.names, first.names),
            ("metrics", _keys(other), _keys(first)),
            ("runs", other.runs, first.runs),
        ):
            if keys != theirs:
                raise InputError(
                    f"{name} has other {what} than {first_name}; give every test set the same "
                    f"{what}"
                )
    samples = [
        Sample(
            metric,
            first.names,
            tuple(
                tuple(
                    np.concatenate(
                        [dataset.samples[at].rows[system][run] for dataset in sets.values()]
                    )
                    for run in range(len(runs))
                )
                for system, runs in enumerate(first.runs)
            ),
        )
        for at, metric in enumerate(first.metrics)
    ]
    documents = [
        f"{name} {label}"
        for name, dataset in sets.items()
        for label in dataset.documents or map(str, range(dataset.samples[0].units))
    ]
    has_documents = any(dataset.documents is not None for dataset in sets.values())
    signatures = {dataset.signature(0, None) for dataset in sets.values()}
    remarks = [f"{name}: {remark}" for name, dataset in sets.items() for remark in dataset.remarks]
    if len(signatures) > 1:
        remarks.append(
            "test sets are scored with different settings, such as tokenisers; see the signatures"
        )
    return replace(
        first,
        samples=tuple(samples),
        slices=tuple(
            name for name, dataset in sets.items() for _ in range(dataset.samples[0].units)
        ),
        documents=tuple(documents) if has_documents else None,
        outputs=None,
        ids=None,
        numbers=None,
        texts=_join_texts(sets),
        remarks=tuple(remarks),
        reading=tuple(
            f"{name}: {line}" for name, dataset in sets.items() for line in dataset.reading
        ),
        has_sets=True,
        sets=sets,
    )


def _join_texts(sets: Mapping[str, Dataset]) -> Texts | None:
    """The texts of all test sets; None if any has no texts, or if their structures differ."""
    texts = [dataset.texts for dataset in sets.values() if dataset.texts is not None]
    shapes = {
        (len(part.test_set.references), part.test_set.sources is None, len(part.systems))
        for part in texts
    }
    if len(texts) < len(sets) or len(shapes) > 1 or any(s.references for s in texts[0].systems):
        return None
    test_sets = [part.test_set for part in texts]
    references = zip(*(test_set.references for test_set in test_sets), strict=True)
    test_set = TestSet(
        tuple(tuple(chain(*columns)) for columns in references),
        None
        if test_sets[0].sources is None
        else tuple(chain(*(test_set.sources or () for test_set in test_sets))),
        ids=tuple(
            f"{name} {label}"
            for name, test_set in zip(sets, test_sets, strict=True)
            for label in test_set.ids or map(test_set.number_of, range(len(test_set)))
        ),
    )
    systems = (
        replace(runs[0], outputs=Outputs(tuple(chain(*(run.outputs.texts for run in runs)))))
        for runs in zip(*(part.systems for part in texts), strict=True)
    )
    return Texts(tuple(systems), test_set)


def _keys(dataset: Dataset) -> list[str]:
    return [expansion_of(key_of(metric)) or metric.name for metric in dataset.metrics]
