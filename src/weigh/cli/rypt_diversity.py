"""`weigh rypt diversity`: new and repeated candidates and substrings over iterations of tuning."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import labelled, options, terminal
from weigh.cli.parser import Parser, positive
from weigh.errors import InputError, UsageError, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.rypt.candidates import Pool
    from weigh.rypt.diversity import Candidates
    from weigh.rypt.percolation import SpanLabels
    from weigh.rypt.tree import Tree

USAGE = "-s SRC --parses FILE [option]... NBEST..."
EXAMPLE = (
    "weigh rypt diversity -s source.de --parses source.mrg --labels labels.db "
    "iteration1.nbest iteration2.nbest"
)
_LONGEST = 10


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    group = parser.add_argument_group("files")
    group.add_argument(
        "lists",
        metavar="NBEST",
        nargs="+",
        help="n-best list of an iteration, the first one first, whose candidates carry "
        "alignments, as in ||| 0-0 1-2, or derivations",
    )
    labelled.add_sources(group)
    group.add_argument(
        "--labels",
        metavar="STORE",
        help="what people said: tell the share of YES by the length of spans too",
    )
    labelled.add_aggregate(group)
    parser.add_argument(
        "--max-length",
        metavar="N",
        type=positive,
        default=4,
        help="most words of a source span that is asked about (default: 4)",
    )
    options.add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, count, report."""
    for name, remedy in (("src", "-s SRC"), ("parses", "--parses FILE")):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file with {remedy}")

    from weigh.read import read_texts
    from weigh.read.stream import shown
    from weigh.report.rypt_diversity import FORMATS, DiversityReport, as_table
    from weigh.rypt.candidates import gather
    from weigh.rypt.diversity import diversity, sweep_entries
    from weigh.rypt.metric import read_labels_of
    from weigh.rypt.tree import read_trees

    sources = read_texts(arguments.src)
    trees = read_trees(arguments.parses, sources, flat=bool(arguments.flat))
    labels = (
        {}
        if arguments.labels is None
        else read_labels_of(arguments.labels, sources, arguments.aggregate)
    )
    pools = [gather(len(sources), [path]) for path in arguments.lists]
    sentences = []
    for tree, *own in zip(trees.trees, *pools, strict=True):
        if tree is not None and any(pool.texts for pool in own):
            known = None if arguments.labels is None else labels.get(" ".join(tree.words), {})
            sentences.append(_candidates(tree, own, known))
    if not sentences:
        raise InputError("no sentence has both a parse and candidates; check the files")
    report = DiversityReport(
        diversity(sentences, arguments.max_length),
        sweep_entries(sentences, range(1, max(_LONGEST, arguments.max_length) + 1)),
        [shown(path) for path in arguments.lists],
        len(sources),
        len(sentences),
        arguments.max_length,
        arguments.parses,
        arguments.labels,
        _remarks(trees.trees, pools),
        None if arguments.labels is None else arguments.aggregate,
    )
    terminal.show(report, arguments.format, as_table, FORMATS)
    return 0


def _candidates(tree: Tree, pools: Sequence[Pool], labels: SpanLabels | None) -> Candidates:
    """Return the candidates of a sentence's iterations, each once."""
    from weigh.rypt.candidates import Pool, Substrings
    from weigh.rypt.diversity import Candidates
    from weigh.rypt.percolation import direct_codes

    together = Pool()
    places: dict[tuple[str, str], int] = {}
    iterations = []
    for pool in pools:
        own = []
        for text, alignment, (name, line) in zip(
            pool.texts, pool.alignments, pool.places, strict=True
        ):
            own.append(places.setdefault((text, alignment), len(places)))
            together.add(text, alignment, name, line)
        iterations.append(own)
    aligned = together.aligned(tree.words)
    codes = None
    if labels is not None:
        found = Substrings.of(tree, aligned.words, aligned.links)
        codes = direct_codes(tree, found, labels)
    return Candidates(tree, aligned.words, aligned.links, iterations, codes)


def _remarks(trees: Sequence[Tree | None], pools: Sequence[Sequence[Pool]]) -> tuple[str, ...]:
    unparsed = sum(
        tree is None and any(pool.texts for pool in own)
        for tree, *own in zip(trees, *pools, strict=True)
    )
    if not unparsed:
        return ()
    return (f"left out, {plural(unparsed, 'sentence')} with candidates: without a parse",)
