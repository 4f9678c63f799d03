"""`weigh rypt align`: alignments of outputs with their sources, from a decoder's derivations."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING

from weigh.cli import judgments, terminal
from weigh.cli.parser import Parser, choice
from weigh.errors import InputError, UsageError, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.read.derivations import DerivedCandidate
    from weigh.rypt.alignment import Known

USAGE = "-s SRC [option]... FILE"
EXAMPLE = "weigh rypt align -s source.de nbest.trees --write words"

FORMS = ("both", "phrases", "words", "nbest")
_CORPUS = ("corpus_src", "corpus_tgt", "corpus_align")
_LINES_AT_ONCE = 10_000


def form_name(value: str) -> str:
    """Return the name of what is written."""
    return choice(value, "form", FORMS)


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
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
    output.add_argument(
        "--write",
        metavar="FORM",
        type=form_name,
        default="both",
        help="phrases (0,2--0,2), words (0-0 1-2), both, on a line each, or nbest: the list with "
        "texts, and word links as the last field (default: both)",
    )
    judgments.add_quiet(output)


def run(arguments: argparse.Namespace) -> int:
    """Read, align, write."""
    from weigh.read import read_texts
    from weigh.read.words import words_of

    if arguments.src is None:
        raise UsageError("no source given; add it with --src FILE")
    given = [name for name in _CORPUS if getattr(arguments, name) is not None]
    if given and len(given) < len(_CORPUS):
        options = ", ".join(f"--{name.replace('_', '-')}" for name in _CORPUS)
        raise UsageError(f"a training corpus is three files; give {options}")
    if given and arguments.derivations == "-":
        raise UsageError("derivations are read twice with a training corpus; give them as a file")
    sources = [words_of(text) for text in read_texts(arguments.src)]
    known = _known(arguments, sources) if given else None
    lines = _lines(arguments, sources, known)
    while some := list(islice(lines, _LINES_AT_ONCE)):
        terminal.write_lines(some)
    return 0


def _candidates(
    arguments: argparse.Namespace, sources: list[list[str]]
) -> Iterator[DerivedCandidate]:
    from weigh.read.derivations import read_derivations
    from weigh.read.stream import shown
    from weigh.rypt.alignment import check_derivation

    for candidate in read_derivations(arguments.derivations):
        if candidate.sentence >= len(sources):
            raise InputError(
                f"{candidate.where}: sentence {candidate.sentence:,} from 0, but "
                f"{shown(arguments.src)} has {len(sources):,}; check that both belong together"
            )
        check_derivation(candidate.derivation, sources[candidate.sentence], candidate.where)
        yield candidate


def _known(arguments: argparse.Namespace, sources: list[list[str]]) -> Known:
    from weigh.rypt.alignment import Pattern, find_links, is_single, read_corpus

    patterns = {
        Pattern.of(phrase, sources[candidate.sentence], candidate.derivation.words)
        for candidate in _candidates(arguments, sources)
        for phrase in candidate.derivation.phrases
        if not is_single(phrase)
    }
    corpus = read_corpus(arguments.corpus_src, arguments.corpus_tgt, arguments.corpus_align)
    return find_links(patterns, corpus)


def _lines(
    arguments: argparse.Namespace, sources: list[list[str]], known: Known | None
) -> Iterator[str]:
    from weigh.rypt.alignment import link_line, phrase_line, word_links

    phrases = crossed = 0
    for candidate in _candidates(arguments, sources):
        derivation = candidate.derivation
        links = word_links(derivation, sources[candidate.sentence], known)
        phrases += len(derivation.phrases)
        crossed += links.crossed
        if arguments.write in ("both", "phrases"):
            yield phrase_line(derivation.phrases)
        if arguments.write in ("both", "words"):
            yield link_line(links.links)
        if arguments.write == "nbest":
            yield _nbest_line(candidate, link_line(links.links))
    if crossed and not arguments.quiet and arguments.write != "phrases":
        why = "there is no training corpus" if known is None else "the corpus has them not"
        terminal.say(
            f"words are linked each with each in {crossed:,} of {plural(phrases, 'phrase')}, as "
            f"{why}"
        )


def _nbest_line(candidate: DerivedCandidate, links: str) -> str:
    if len(candidate.fields) < 3:
        raise InputError(
            f"{candidate.where}: no features after |||, which an n-best list needs; use --write "
            "words"
        )
    sentence, _, features, *rest = candidate.fields
    total = rest[0] if rest else "0"
    text = " ".join(candidate.derivation.words)
    return f"{sentence} ||| {text} ||| {features} ||| {total} ||| {links}"
