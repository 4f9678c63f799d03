"""RYPT's scores, trees and what was inferred from labels, from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weigh.report import rypt_infer, rypt_score, rypt_tree
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.page.rypt_tree import tree_page
from weigh.report.pictures.parse_tree import tree_pictures
from weigh.report.restored.saved import Saved, unfit
from weigh.report.rypt_infer import InferReport, cautions
from weigh.report.rypt_score import WAYS, LabelledScore, LabelScoreReport
from weigh.report.rypt_tree import ExplainedOutput, TreeReport, span
from weigh.rypt.explanation import ExplainedNode
from weigh.rypt.inference import LENGTHS, Parameters
from weigh.rypt.inferred import Fit, HeldOut, Inferred, InferredSystem
from weigh.rypt.labels import Label


@dataclass(frozen=True, slots=True)
class _Score:
    system: str
    run: str | None
    strict: float
    half: float
    labelled: float
    coverage_before: float
    limit: float
    nodes: int
    yes: int
    no: int
    not_sure: int
    unlabelled: int
    unparsed: int

    @property
    def read(self) -> LabelledScore:
        """The score; of two counts there are only shares, which tell them exactly."""
        counts = {
            "yes": self.yes,
            "no": self.no,
            "not sure": self.not_sure,
            "unlabelled": self.unlabelled,
            "direct": round(self.coverage_before * self.nodes / 100),
            "reach": round(self.limit * self.nodes / 100),
        }
        scores = {way: getattr(self, way) for way in WAYS}
        return LabelledScore(self.system, self.run, counts, scores, self.unparsed)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A document of `weigh rypt score`."""

    test_set: Extent
    signature: str
    scores: tuple[_Score, ...]
    uneven: str | None
    warnings: tuple[str, ...]


def restore_scores(document: Mapping[str, Any], name: str) -> Saved[LabelScoreReport]:
    """Return what `weigh rypt score` has written."""
    given = decode(_Scored, document, name)
    systems = [one.read for one in given.scores]
    if not systems or any(
        one.nodes != each.nodes for one, each in zip(systems, given.scores, strict=True)
    ):
        raise unfit(name, "no scores, or nodes that are not those with and without a label")
    report = LabelScoreReport(
        systems, given.test_set.segments, given.signature, given.warnings, given.uneven
    )
    return Saved("rypt score", report, rypt_score.as_table, rypt_score.FORMATS)


_Label = Literal["YES", "NO", "NOT SURE"]


@dataclass(frozen=True, slots=True)
class _Output:
    system: str
    text: str


@dataclass(frozen=True, slots=True)
class _Node:
    system: str
    name: str
    start: int
    end: int
    depth: int
    substring: str | None
    given: _Label | None
    label: _Label | None
    because: str | None

    @property
    def read(self) -> ExplainedNode:
        """The node, but for what its label comes from."""
        return ExplainedNode(
            self.name,
            self.start,
            self.end,
            self.depth,
            self.substring,
            None if self.given is None else Label(self.given),
            None if self.label is None else Label(self.label),
            None,
        )


@dataclass(frozen=True, slots=True)
class _Explained:
    """A document of `weigh rypt explain`."""

    test_set: Extent
    segment: int
    source: tuple[str, ...]
    signature: str
    outputs: tuple[_Output, ...]
    nodes: tuple[_Node, ...]


def restore_trees(document: Mapping[str, Any], name: str) -> Saved[TreeReport]:
    """Return what `weigh rypt explain` has written."""
    given = decode(_Explained, document, name)
    outputs = []
    for one in given.outputs:
        nodes = [node for node in given.nodes if node.system == one.system]
        if not nodes or not all(
            0 <= node.start < node.end <= len(given.source) and 0 <= node.depth < len(nodes)
            for node in nodes
        ):
            raise unfit(name, f"the nodes of {one.system!r} are not those of a tree of the source")
        outputs.append(ExplainedOutput(one.system, one.text, _explained(nodes, name)))
    if not outputs:
        raise unfit(name, "no outputs")
    report = TreeReport(
        given.test_set.segments, given.segment, given.source, outputs, given.signature
    )
    return Saved(
        "rypt explain", report, rypt_tree.as_table, rypt_tree.FORMATS, tree_page, tree_pictures
    )


def _explained(nodes: list[_Node], name: str) -> list[ExplainedNode]:
    """Return nodes with the places of those that their labels come from."""
    read = [node.read for node in nodes]
    places = {span(node): place for place, node in reversed(list(enumerate(read)))}
    explained = []
    for place, (written, node) in enumerate(zip(nodes, read, strict=True)):
        because = None
        if written.because is not None:
            # What was said of a node itself is its label; a node above may have its name and span.
            because = place if node.given == node.label else places.get(written.because)
            if because is None or span(read[because]) != written.because:
                raise unfit(name, f"a label because of {written.because!r}, which is no node")
        explained.append(node._replace(because=because))
    return explained


@dataclass(frozen=True, slots=True)
class _Parameters:
    root: tuple[float, ...]
    child: tuple[tuple[tuple[float, float], ...], ...]
    label: tuple[tuple[float, float, float], ...]
    symmetric: bool

    @property
    def read(self) -> Parameters:
        return Parameters(np.array(self.root), np.array(self.child), np.array(self.label))


@dataclass(frozen=True, slots=True)
class _HeldOut:
    share: float
    draws: int
    seed: int
    labels: int
    hidden: int
    decided: float
    methods: tuple[Fit, ...]

    @property
    def read(self) -> HeldOut:
        return HeldOut(
            self.share,
            self.draws,
            self.seed,
            self.labels,
            self.hidden,
            self.decided,
            self.methods,
        )


@dataclass(frozen=True, slots=True)
class _Inferred:
    """A document of `weigh rypt infer`."""

    test_set: Extent
    labels: str
    parses: str
    sentences: int
    unparsed: int
    systems: tuple[InferredSystem, ...]
    parameters: _Parameters
    nodes: tuple[int, ...]
    answers: tuple[int, ...]
    below: tuple[tuple[float, float], ...]
    rounds: int
    converged: bool
    warnings: tuple[str, ...]
    held_out: _HeldOut | None = None


def restore_inferred(document: Mapping[str, Any], name: str) -> Saved[InferReport]:
    """Return what `weigh rypt infer` has written."""
    given = decode(_Inferred, document, name)
    if not given.systems or {*map(len, (given.nodes, given.answers, given.below))} != {LENGTHS}:
        raise unfit(name, f"no systems, or numbers of other lengths than {LENGTHS}")
    result = Inferred(
        given.systems,
        given.sentences,
        given.parameters.read,
        given.parameters.symmetric,
        given.rounds,
        given.converged,
        given.nodes,
        given.answers,
        given.below,
        None if given.held_out is None else given.held_out.read,
    )
    about = (given.test_set.segments, given.labels, given.parses, given.unparsed)
    # Among the warnings stand those that follow from the numbers, after the remarks on the data.
    found = cautions(InferReport(result, *about))
    remarks = tuple(one for one in given.warnings if one not in found)
    report = InferReport(result, *about, remarks)
    return Saved("rypt infer", report, rypt_infer.as_table, rypt_infer.FORMATS)


RESTORERS = {
    "rypt score": restore_scores,
    "rypt explain": restore_trees,
    "rypt infer": restore_inferred,
}
