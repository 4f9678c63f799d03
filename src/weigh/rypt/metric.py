"""RYPT (Zaidan & Callison-Burch 2009): labels of people on how source constituents come out."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from weigh.errors import InputError, UndefinedScoreError, UsageError, plural
from weigh.metrics.statistics import path_label, path_of
from weigh.metrics.words import count, quotient, signed
from weigh.options import check_metric_options, option
from weigh.read.alignment import words_of
from weigh.read.nbest import PLACE
from weigh.read.text import quoted, shown
from weigh.rypt.alignment import AlignedTexts, Where, check_distinct, line_of
from weigh.rypt.derivations import Alignments, alignments_of
from weigh.rypt.labels import SpanLabels
from weigh.rypt.percolation import COLUMNS, count_nodes
from weigh.rypt.plan import AGGREGATES
from weigh.rypt.tree import Trees, read_trees
from weigh.types import Metric, grouped

if TYPE_CHECKING:
    from weigh.rypt.percolation import Counts
    from weigh.types import Outputs, Rows, Scores, System, TestSet


@dataclass(frozen=True, slots=True)
class JudgedSources:
    """Sources as words, the tree of each, None where it has no parse, and its labels."""

    words: Sequence[Sequence[str]]
    trees: Trees
    labels: Sequence[SpanLabels]

    @classmethod
    def of(
        cls, sources: Sequence[str], trees: Trees, labels: Mapping[str, SpanLabels]
    ) -> JudgedSources:
        """Match labels to sources, ignoring the kind of white space."""
        words = [words_of(source) for source in sources]
        return cls(words, trees, [labels.get(" ".join(words_of), {}) for words_of in words])

    def counts(
        self, texts: Sequence[str], segments: Iterable[int], lines: Sequence[str], where: Where
    ) -> Counts:
        """Return a row for every output with the counts that COLUMNS names.

        Where the source has no parse, all of them are 0.
        """
        owners = [int(segment) for segment in segments]
        aligned = AlignedTexts.of(texts, lines, [self.words[owner] for owner in owners], where)
        counts = np.zeros((len(texts), len(COLUMNS)), dtype=np.int64)
        for segment, places in grouped(range(len(owners)), owners.__getitem__).items():
            tree = self.trees.trees[segment]
            if tree is not None:
                counts[places] = count_nodes(tree, aligned.chosen(places), self.labels[segment])
        return counts


WAYS = ("strict", "half", "labelled")
"""Treatment of nodes without a label: as NO, as half a YES, or left out."""
_WIDTH = 4  # of a row; what follows in COLUMNS is for remarks
_LARGEST_DIFFERENCE = 10  # of two systems' coverage, in points


@dataclass(frozen=True, slots=True)
class Rypt(Metric):
    """Share of source constituents that are translated acceptably, by labels of people.

    A row is the number of the parse's nodes that are YES, NO, NOT SURE and unlabelled after
    percolation; a sentence without a parse has none. A system's alignments are a file, and each
    candidate of an n-best list carries its own.

    >>> import numpy as np
    >>> rows = np.array([[13, 5, 0, 0], [9, 3, 2, 4]])
    >>> Rypt().score(rows).round(2).tolist(), Rypt(unlabelled="half").score(rows).round(2).tolist()
    ([72.22, 50.0], [72.22, 66.67])
    """

    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[float] = 100.0
    citations: ClassVar[tuple[str, ...]] = ("zaidan-callison-burch-2009-feasibility",)
    decimals: ClassVar[int] = 2
    width: ClassVar[int] = _WIDTH
    needs_references: ClassVar[bool] = False
    needs_sources: ClassVar[bool] = True

    labels: str = option("", "store of labels, or labels as .jsonl, .tsv or .csv")
    parses: str = option("", "parses of the sources: brackets, .conllu or .spans")
    alignments: str = option(
        "", "links of words as 0-0 1-2, or derivations; {system} stands for the system's name"
    )
    unlabelled: str = option(
        "strict",
        "unlabelled nodes count as NO (strict), as half a YES (half) or not at all (labelled)",
        choices=WAYS,
    )
    aggregate: str = option(
        "majority",
        "how to combine several judges' labels of one entry: majority, any-yes, or weighted (by "
        "each judge's agreement with the others); ties become NOT SURE",
        choices=AGGREGATES,
    )
    flat: bool = option(False, "treat a sentence without a parse as a flat tree of its words")
    unequal: bool = option(
        False, "compare systems even if their shares of labelled nodes differ by over 10 points"
    )

    def __post_init__(self) -> None:
        check_metric_options(self)
        address = self.labels.partition("://")[2].partition("/")[0]
        if ":" in address.rpartition("@")[0]:
            raise UsageError(
                "rypt: labels=… contains a password, which every report would show; use "
                "PGPASSWORD or a password file instead"
            )

    @property
    def name(self) -> str:
        """The name with what unlabelled nodes count, such as `RYPT strict`."""
        return f"RYPT {self.unlabelled}"

    @property
    def column(self) -> str:
        """Where outputs carry their counts in `extra`."""
        counted_by = (self.labels, self.parses, self.alignments, self.aggregate)
        return ":".join(["rypt", *counted_by, "flat" if self.flat else ""])

    def signature(self, references: int) -> str:
        """Return name and options in sacreBLEU's grammar; references play no part."""
        return signed(
            references,
            labels=path_label(self.labels),
            parses=path_label(self.parses),
            alignments=path_label(self.alignments) or "own",
            unlabelled=self.unlabelled,
            aggregate=self.aggregate,
            unparsed="flat" if self.flat else "out",
        )

    def supply(
        self, systems: Sequence[System], test_set: TestSet, *, allow_missing: bool = False
    ) -> list[Sequence[Any]]:
        """Read what systems are aligned by; return all counts of every segment, system by system.

        Nothing can be missing, since a sentence without a parse counts for nothing.
        """
        del allow_missing
        aligned = self.aligned_files(systems, test_set)
        judged = self.judged(test_set)
        columns: list[Sequence[Any]] = []
        for system, aligned_texts in zip(systems, aligned, strict=True):
            texts = system.outputs.texts
            counts = judged.counts(
                texts, range(len(texts)), aligned_texts.alignments.lines, aligned_texts.where
            )
            crossed = aligned_texts.alignments.crossed
            columns.append([(*row, n) for row, n in zip(counts.tolist(), crossed, strict=True)])
        return columns

    def aligned_files(self, systems: Sequence[System], test_set: TestSet) -> list[AlignedFile]:
        """Read the alignments of systems from one file each."""
        aligned = [self.aligned(system, test_set) for system in systems]
        check_distinct([file.path for file in aligned], "rypt")
        return aligned

    def aligned(self, system: System, test_set: TestSet) -> AlignedFile:
        """Read the alignments of a system."""
        from weigh.read import read_texts
        from weigh.read.text import Frame, TextSet

        pattern = self._named("alignments", "{system}.align")
        self._sources(test_set)  # without which nothing can be aligned
        path = path_of(pattern, system, "rypt")
        lines = Frame.of_test_set(test_set).join(TextSet(shown(path), read_texts(path)))
        where = line_of(path)
        return AlignedFile(path, alignments_of(lines, system.outputs.texts, where), where)

    def judged(self, test_set: TestSet) -> JudgedSources:
        """Read the parses and labels of the sources."""
        from weigh.rypt.collection import read_labels

        place = self._named("labels")
        trees = self.trees(test_set)
        sources = self._sources(test_set)
        judged = JudgedSources.of(sources, trees, read_labels(place, sources, self.aggregate))
        if not any(judged.labels):
            raise InputError(
                f"{shown(place)}: no label of any sentence of the source, which has "
                f"{len(sources):,}; check that it has the tokenisation and case of the labelled "
                "texts"
            )
        return judged

    def trees(self, test_set: TestSet) -> Trees:
        """Read the parses of the sources."""
        return read_trees(self._named("parses"), self._sources(test_set), flat=self.flat)

    def _named(self, option: str, example: str = "FILE") -> str:
        """Return a file that has to be given."""
        path: str = getattr(self, option)
        if not path:
            raise UsageError(f"rypt: no {option} given; name them, as in rypt:{option}={example}")
        return path

    def _sources(self, test_set: TestSet) -> Sequence[str]:
        if test_set.sources is None:
            raise UsageError("rypt: no source texts given; add them with -s FILE")
        return test_set.sources

    def prepare(self, test_set: TestSet) -> RyptExtractor:
        """Counter of the nodes of outputs; files are read when needed."""
        return RyptExtractor(self, test_set)

    def score(self, sums: Rows) -> Scores:
        """Score sums of rows: 100 × YES / nodes, with unlabelled nodes as the option says."""
        yes, no, *rest = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        unlabelled = rest[0] + rest[1]
        nodes = yes + no + (0.0 if self.unlabelled == "labelled" else unlabelled)
        good = yes + 0.5 * unlabelled if self.unlabelled == "half" else yes
        share = np.divide(good, nodes, out=np.zeros(np.shape(nodes)), where=nodes > 0)
        return np.asarray(100.0 * share)

    def details(self, sums: Rows) -> dict[str, float]:
        """Return the numbers of nodes, and the share of them that is labelled."""
        yes, no, not_sure, unlabelled = sums
        nodes = yes + no + not_sure + unlabelled
        return {
            "yes": count(yes),
            "no": count(no),
            "not_sure": count(not_sure),
            "unlabelled": count(unlabelled),
            "nodes": count(nodes),
            "coverage": 100 * quotient(yes + no, nodes),
        }

    def remarks(self, name: str, rows: Rows, outputs: Outputs) -> list[str]:
        """Remarks on the score of outputs of this name."""
        sums = rows.sum(axis=0)
        nodes = int(sums.sum())
        after = 100 * (sums[0] + sums[1]) / max(1, nodes)
        counted = f"{plural(nodes, 'node')} {'is' if nodes == 1 else 'are'}"
        remark = f"RYPT of {shown(name)}: {after:.1f}% of {counted} labelled"
        alignments = outputs.extra.get(self.column)
        if alignments is not None:
            totals = dict(
                zip((*COLUMNS, "crossed"), map(sum, zip(*alignments, strict=True)), strict=True)
            )
            before, reach = (100 * totals[kind] / max(1, nodes) for kind in ("direct", "reach"))
            remark += f", {before:.1f}% before percolation"
            remark += f"; were all labels YES, RYPT strict would be {reach:.2f}"
        remarks = [remark]
        unparsed = int((rows.sum(axis=1) == 0).sum())
        if unparsed:
            belong = "belong to sentences without a parse and are"
            if unparsed == 1:
                belong = "belongs to a sentence without a parse and is"
            remarks.append(
                f"RYPT of {shown(name)}: {unparsed:,} of {plural(len(rows), 'output')} {belong} "
                "not scored"
            )
        if _are_crossed(outputs, alignments):
            remarks.append(
                f"RYPT of {shown(name)}: within a phrase of a derivation, every word is linked "
                "to every other; use weigh rypt align with a training corpus for better links"
            )
        if alignments is not None and self.labels:
            from weigh.rypt.collection import remarks_on_labels

            remarks += remarks_on_labels(self.labels)
        return remarks

    def check_defined(self, what: str, sums: Rows) -> None:
        """Raise InputError where there is nothing to divide by, so that there is no score."""
        if not sums.sum():
            raise InputError(
                f"RYPT of {what}: no sentence has a parse, so there is no score; give "
                "parses, or treat sentences as flat trees with rypt:flat"
            )
        if self.unlabelled == "labelled" and not sums[0] + sums[1]:
            raise UndefinedScoreError(
                f"RYPT of {what}: no node is labelled YES or NO, so there is no score; "
                "label some of the output, or count unlabelled nodes with unlabelled=strict"
            )

    def check_comparable(self, names: Sequence[str], sums: Sequence[Rows]) -> None:
        """Refuse systems without labels, and unless that was asked for a large difference."""
        bare = next((at for at, counts in enumerate(sums) if not counts[0] + counts[1]), None)
        if bare is not None:
            raise InputError(
                f"RYPT: no node of {shown(names[bare])} is labelled YES or NO, so its "
                "score means nothing; label some of its output"
            )
        uneven = None if self.unequal else self.uneven(names, sums)
        if uneven is not None:
            raise InputError(f"{uneven}; label more, or compare them anyway with rypt:unequal")

    def uneven(self, names: Sequence[str], sums: Sequence[Rows]) -> str | None:
        """Remark on systems whose shares of labelled nodes differ too much, or None."""
        shares = [100 * (counts[0] + counts[1]) / max(1, counts.sum()) for counts in sums]
        least, most = shares.index(min(shares)), shares.index(max(shares))
        if shares[most] - shares[least] <= _LARGEST_DIFFERENCE + 1e-9:
            return None
        return (
            f"RYPT: {shares[most]:.1f}% of the nodes of {shown(names[most])} are labelled, "
            f"but {shares[least]:.1f}% of {shown(names[least])}, which favours one of them"
        )


class AlignedFile(NamedTuple):
    """A system's file of alignments; `where` names the place of an output's."""

    path: str
    alignments: Alignments
    where: Where


class RyptExtractor:
    """Rows of outputs: counts that they carry, or what their own alignments give."""

    def __init__(self, metric: Rypt, test_set: TestSet) -> None:
        self._metric = metric
        self._test_set = test_set
        self._sources: JudgedSources | None = None
        self._lock = threading.Lock()

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        alignments = outputs.extra.get(self._metric.column)
        if alignments is not None:
            return np.array(alignments, dtype=np.int64).reshape(len(alignments), -1)[:, :_WIDTH]
        segments, stood = outputs.owners, outputs.extra.get(PLACE)

        def where(place: int) -> str:
            if stood is not None and stood[place].file is not None:
                return str(stood[place])
            return f"segment {segments[place] + 1:,}, the output {quoted(outputs.texts[place])}"

        lines = alignments_of(self._own_alignments(outputs, where), outputs.texts, where).lines
        with self._lock:  # two threads of Python's own work only wait for each other
            if self._sources is None:
                self._sources = self._metric.judged(self._test_set)
            return self._sources.counts(outputs.texts, segments, lines, where)[:, :_WIDTH]

    def _own_alignments(self, outputs: Outputs, where: Where) -> list[str]:
        """Alignments that candidates carry: word links, or derivations."""
        if self._metric.alignments:
            raise UsageError(
                "rypt: alignments=… is for systems, but candidates of n-best lists carry their "
                "own; leave it out"
            )
        nothing = [None] * len(outputs)
        links = outputs.extra.get("alignment", nothing)
        trees = outputs.extra.get("tree", nothing)
        carried = [tree if link is None else link for link, tree in zip(links, trees, strict=True)]
        for place, alignment in enumerate(carried):
            if not isinstance(alignment, str) and (
                alignment is not None or outputs.texts[place].strip()
            ):
                raise InputError(
                    f"rypt: {where(place)} has no alignment; give lists with a field such as "
                    "||| 0-0 1-2, or with derivations"
                )
        return ["" if alignment is None else alignment for alignment in carried]


def _are_crossed(outputs: Outputs, alignments: Sequence[Any] | None) -> bool:
    """Whether outputs link every word of a phrase with every other."""
    if alignments is not None:
        return any(row[-1] for row in alignments)
    return "tree" in outputs.extra and "alignment" not in outputs.extra
