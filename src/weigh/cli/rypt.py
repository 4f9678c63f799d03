"""`weigh rypt`: score systems by human labels of translated source constituents."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.cli import judgments, options, rypt_labels, saving, terminal
from weigh.cli.parser import Group, Parser, Subverb, positive
from weigh.errors import UsageError, plural
from weigh.options import add_options, plan_of
from weigh.rypt.plan import AlignPlan, LabelPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.rypt.metric import Rypt
    from weigh.types import System, TestSet

_NEEDED = ("src", "labels", "parses", "alignments")


def add_labelled(parser: Parser, *, aggregate: bool = True) -> None:
    """Add the systems and the files that score them."""
    group = parser.add_argument_group("files")
    group.add_argument(
        "systems",
        metavar="SYS",
        nargs="+",
        help="a system's output, one segment per line; NAME=FILE names it, NAME@RUN=FILE a run",
    )
    add_sources(group)
    group.add_argument(
        "--labels",
        metavar="STORE",
        help="store of labels, database of weigh serve, or labels as .jsonl, .tsv or .csv",
    )
    if aggregate:
        add_options(group, LabelPlan, only=["aggregate"])
    group.add_argument(
        "--alignments",
        metavar="FILE",
        help="word alignments, as 0-0 1-2, or derivations; {system} in the path stands for the "
        "system's name",
    )


def add_sources(group: Group) -> None:
    """Add the source texts and their parses."""
    group.add_argument(
        "-s", "--src", metavar="SRC", help="source texts, tokenised as in the labels"
    )
    group.add_argument(
        "--parses",
        metavar="FILE",
        help="parses of the sources: Penn brackets, .conllu or .spans",
    )
    add_options(group, LabelPlan, only=["flat"])


def _add_output(parser: Parser, content: str) -> None:
    output = options.add_output(parser)
    saving.add_arguments(output, content=content)
    judgments.add_quiet(output)


def read_labelled(arguments: argparse.Namespace) -> tuple[tuple[System, ...], TestSet, Rypt]:
    """Read the systems and their test set, and build the metric."""
    for name in _NEEDED:
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file")
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


# `weigh rypt align`

_CORPUS = ("corpus_src", "corpus_tgt", "corpus_align")


def _add_align(parser: Parser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument(
        "derivations",
        metavar="FILE",
        help="Joshua's derivation trees: an n-best list with trees instead of texts, or one tree "
        "per line; '-' is stdin; .gz files are decompressed",
    )
    files.add_argument("-s", "--src", metavar="SRC", help="tokenised source texts, one per line")
    corpus = parser.add_argument_group("training corpus, for word links within phrases")
    corpus.add_argument("--corpus-src", metavar="FILE", help="its source side, one line each")
    corpus.add_argument("--corpus-tgt", metavar="FILE", help="its target side")
    corpus.add_argument("--corpus-align", metavar="FILE", help="its word alignment, as 0-0 1-2")
    output = parser.add_argument_group("output")
    add_options(output, AlignPlan)
    judgments.add_quiet(output)


def _run_align(arguments: argparse.Namespace) -> int:
    if arguments.src is None:
        raise UsageError("no source texts given; add --src FILE")
    corpus = [getattr(arguments, name) for name in _CORPUS]
    if any(corpus) and not all(corpus):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in _CORPUS)
        raise UsageError(f"a training corpus needs three files: {options}")
    lines = _lines(arguments, (corpus[0], corpus[1], corpus[2]) if all(corpus) else None)
    rypt_labels.write_all(lines)
    return 0


def _lines(arguments: argparse.Namespace, corpus: tuple[str, str, str] | None) -> Iterator[str]:
    from weigh.read import read_texts
    from weigh.rypt.derivations import align_outputs

    form = plan_of(arguments, AlignPlan()).write
    phrases = crossed = 0
    for aligned in align_outputs(arguments.derivations, read_texts(arguments.src), corpus):
        yield from aligned.lines(form)
        phrases += len(aligned.candidate.derivation.phrases)
        crossed += aligned.links.crossed
    if crossed and not arguments.quiet and form != "phrases":
        why = "no training corpus was given" if corpus is None else "the corpus lacks them"
        terminal.say(
            f"{crossed:,} of {plural(phrases, 'phrase')} have every source word linked to every "
            f"target word: {why}"
        )


# `weigh rypt score`


def _add_score(parser: Parser) -> None:
    add_labelled(parser)
    _add_output(parser, "the tables")


def _run_score(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    systems, test_set, metric = read_labelled(arguments)
    from weigh.rypt.label_scores import score_outputs

    result = score_outputs(systems, test_set, metric)
    if not arguments.quiet:
        for remark in result.warnings:
            terminal.say(remark)
    saving.present(result, arguments)
    return 0


# `weigh rypt explain`


def _add_explain(parser: Parser) -> None:
    add_labelled(parser)
    parser.add_argument_group("segment").add_argument(
        "--segment", metavar="N", type=positive, help="number of the segment, starting at 1"
    )
    _add_output(parser, "the trees")


def _run_explain(arguments: argparse.Namespace) -> int:
    if arguments.segment is None:
        raise UsageError("no segment given; add --segment N")
    saving.check(arguments)
    systems, test_set, metric = read_labelled(arguments)
    rypt_labels.say_left_out(arguments)
    from weigh.rypt.explanation import explain_outputs

    saving.present(explain_outputs(systems, test_set, metric, arguments.segment), arguments)
    return 0


SUBVERBS = {
    "align": Subverb(
        "align outputs with their sources, from a decoder's derivations",
        "-s SRC [option]... FILE",
        "weigh rypt align -s source.de nbest.trees --write words",
        _add_align,
        _run_align,
    ),
    "queries": Subverb(
        "choose what to ask people, estimate the effort, and create the HITs",
        "-s SRC --parses FILE (--nbest FILE... | --alignments FILE SYS...) [option]...",
        "weigh rypt queries -s source.de --parses source.mrg --nbest list.nbest "
        "--labels labels.db -r reference.en --ref-align source-reference.align "
        "-o hits --export mturk",
        rypt_labels.add_queries,
        rypt_labels.run_queries,
    ),
    "labels": Subverb(
        "show, import, export and merge human labels",
        "(show | import | export | merge) STORE [FILE]... [option]...",
        "weigh rypt labels import labels.db Batch_1_batch_results.csv",
        rypt_labels.add_labels,
        rypt_labels.run_labels,
    ),
    "score": Subverb(
        "score systems by labels in three ways, with the coverage of the labels",
        "-s SRC --labels STORE --parses FILE --alignments FILE [option]... SYS...",
        "weigh rypt score -s source.de --labels labels.db --parses source.mrg "
        "--alignments {system}.align good.en poor.en",
        _add_score,
        _run_score,
    ),
    "explain": Subverb(
        "explain the score of an output by its tree with the label of every node",
        "-s SRC --labels STORE --parses FILE --alignments FILE --segment N [option]... SYS...",
        "weigh rypt explain -s source.de --labels labels.db --parses source.mrg "
        "--alignments {system}.align --segment 3 good.en",
        _add_explain,
        _run_explain,
    ),
}
