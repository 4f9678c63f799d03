"""`weigh rypt`: score systems by human labels of translated source constituents."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    Argument,
    Section,
    argument,
    output,
    plan_of,
    plan_options,
    positional,
    positive,
    section,
    verb,
)
from weigh.cli.judgments import QUIET
from weigh.cli.rypt_labels import labels, queries, report_omissions, write_all
from weigh.errors import UsageError, plural
from weigh.rypt.plan import AlignPlan, LabelPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.result import Result
    from weigh.rypt.metric import Rypt
    from weigh.types import System, TestSet

SOURCES = (
    argument("-s --src SRC", "source texts, tokenised as in the labels", required=True),
    argument(
        "--parses FILE", "parses of the sources: Penn brackets, .conllu or .spans", required=True
    ),
    *plan_options(LabelPlan, "flat"),
)


def labelled(*more: Argument | Iterable[Argument]) -> Section:
    """Declare the systems and the files that are needed to score them."""
    return section(
        "files",
        positional(
            "systems SYS",
            "a system's output, one segment per line; NAME=FILE names it, NAME@RUN=FILE a run",
            nargs="+",
        ),
        SOURCES,
        argument(
            "--labels STORE",
            "store of labels, database of weigh serve, or labels as .jsonl, .tsv or .csv",
            required=True,
        ),
        *more,
        argument(
            "--alignments FILE",
            "word alignments, such as 0-0 1-2, or derivations; {system} in the path stands for the "
            "system's name",
            required=True,
        ),
    )


_EXAMPLE = (
    "-s examples/rypt/source.de --labels examples/rypt/labels.jsonl "
    "--parses examples/rypt/parses.mrg --alignments examples/rypt/{system}.align "
    "reference=examples/rypt/reference.en"
)
_LABELLED = labelled(plan_options(LabelPlan, "aggregate"))


def read_labelled(arguments: argparse.Namespace) -> tuple[tuple[System, ...], TestSet, Rypt]:
    """Read the systems and their test set, and build the metric."""
    from weigh.read import read_inputs
    from weigh.rypt.metric import Rypt

    plan = plan_of(arguments, LabelPlan())
    metric = Rypt(
        labels=arguments.labels,
        parses=arguments.parses,
        alignments=arguments.alignments,
        aggregate=plan.aggregate,
        flat=plan.flat,
    )
    test_set, systems = read_inputs(arguments.systems, [], arguments.src, references_needed=False)
    return systems, test_set, metric


_CORPUS = ("corpus_src", "corpus_tgt", "corpus_align")


@verb(
    "-s SRC [option]... FILE",
    "weigh rypt align -s examples/rypt/source.de examples/rypt/derivations.txt --write words",
    section(
        "files",
        positional(
            "derivations FILE",
            "Joshua's derivation trees: an n-best list with trees instead of texts, or one tree "
            "per line; '-' is stdin; .gz files are decompressed",
        ),
        argument("-s --src SRC", "tokenised source texts, one per line", required=True),
    ),
    section(
        "training corpus, for word links within phrases",
        argument("--corpus-src FILE", "its source side, one line each"),
        argument("--corpus-tgt FILE", "its target side"),
        argument("--corpus-align FILE", "its word alignment, as 0-0 1-2"),
    ),
    section("output", plan_options(AlignPlan), QUIET),
    summary="align outputs with their sources, from a decoder's derivations",
    plan=AlignPlan,
)
def align(arguments: argparse.Namespace, plan: AlignPlan) -> None:
    """Print the alignments."""
    corpus = [getattr(arguments, name) for name in _CORPUS]
    if any(corpus) and not all(corpus):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in _CORPUS)
        raise UsageError(f"a training corpus needs three files: {options}")
    three_files = (corpus[0], corpus[1], corpus[2]) if all(corpus) else None
    write_all(_lines(arguments, plan.write, three_files))


def _lines(
    arguments: argparse.Namespace, form: str, corpus: tuple[str, str, str] | None
) -> Iterator[str]:
    from weigh.read import read_texts
    from weigh.rypt.derivations import align_outputs

    phrases = crossed = 0
    for aligned in align_outputs(arguments.derivations, read_texts(arguments.src), corpus):
        yield from aligned.lines(form)
        phrases += len(aligned.candidate.derivation.phrases)
        crossed += aligned.links.crossed
    if crossed and form != "phrases":
        why = "no training corpus was given" if corpus is None else "the corpus lacks them"
        terminal.remark(
            f"{crossed:,} of {plural(phrases, 'phrase')} have every source word linked to every "
            f"target word: {why}"
        )


@verb(
    "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS...",
    f"weigh rypt score {_EXAMPLE}",
    _LABELLED,
    output(page="the tables", last=[QUIET]),
    summary="score systems by their labels in three ways, and show how many nodes have labels",
)
def score(arguments: argparse.Namespace) -> Result:
    """Score the systems by their labels."""
    from weigh.rypt.label_scores import score_outputs

    return score_outputs(*read_labelled(arguments))


@verb(
    "-s SRC --labels STORE --parses FILE --alignments FILE --segment N [option]... SYS...",
    f"weigh rypt explain --segment 1 {_EXAMPLE}",
    _LABELLED,
    section(
        "segment",
        argument(
            "--segment N", "number of the segment, starting at 1", type=positive, required=True
        ),
    ),
    output(page="the trees", last=[QUIET]),
    summary="explain the score of a segment: show its tree with the label of every node",
)
def explain(arguments: argparse.Namespace) -> Result:
    """Show the tree of a segment."""
    systems, test_set, metric = read_labelled(arguments)
    report_omissions(arguments.labels)
    from weigh.rypt.explanation import explain_outputs

    return explain_outputs(systems, test_set, metric, arguments.segment)


VERBS = {
    "align": align,
    "queries": queries,
    "labels": labels,
    "score": score,
    "explain": explain,
}
