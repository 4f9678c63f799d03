"""`weigh rypt align`: alignments of outputs with their sources, from a decoder's derivations."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING

from weigh.cli import judgments, terminal
from weigh.cli.parser import Parser
from weigh.errors import UsageError, plural
from weigh.options import add_options, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator

USAGE = "-s SRC [option]... FILE"
EXAMPLE = "weigh rypt align -s source.de nbest.trees --write words"

_CORPUS = ("corpus_src", "corpus_tgt", "corpus_align")
_LINES_AT_ONCE = 10_000


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    from weigh.rypt.plan import AlignPlan

    files = parser.add_argument_group("files")
    files.add_argument(
        "derivations",
        metavar="FILE",
        help="derivation trees as Joshua prints them: an n-best list with trees in place of texts, "
        "or one tree on each line; '-' is stdin, .gz is unpacked",
    )
    files.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised, one on each line"
    )
    corpus = parser.add_argument_group("training corpus, for the word links of phrases")
    corpus.add_argument("--corpus-src", metavar="FILE", help="its source side, one on each line")
    corpus.add_argument("--corpus-tgt", metavar="FILE", help="its target side")
    corpus.add_argument("--corpus-align", metavar="FILE", help="its word alignment, as 0-0 1-2")
    output = parser.add_argument_group("output")
    add_options(output, AlignPlan)
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, align, write."""
    if arguments.src is None:
        raise UsageError("no source given; add it with --src FILE")
    corpus = [getattr(arguments, name) for name in _CORPUS]
    if any(corpus) and not all(corpus):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in _CORPUS)
        raise UsageError(f"a training corpus is three files; give {options}")
    lines = _lines(arguments, (corpus[0], corpus[1], corpus[2]) if all(corpus) else None)
    while some := list(islice(lines, _LINES_AT_ONCE)):
        terminal.write_lines(some)
    return 0


def _lines(arguments: argparse.Namespace, corpus: tuple[str, str, str] | None) -> Iterator[str]:
    from weigh.read import read_texts
    from weigh.rypt.alignment import align_outputs
    from weigh.rypt.plan import AlignPlan

    form = plan_of(arguments, AlignPlan()).write
    phrases = crossed = 0
    for aligned in align_outputs(arguments.derivations, read_texts(arguments.src), corpus):
        yield from aligned.lines(form)
        phrases += len(aligned.candidate.derivation.phrases)
        crossed += aligned.links.crossed
    if crossed and not arguments.quiet and form != "phrases":
        why = "there is no training corpus" if corpus is None else "the corpus has them not"
        terminal.say(
            f"words are linked each with each in {crossed:,} of {plural(phrases, 'phrase')}, as "
            f"{why}"
        )
