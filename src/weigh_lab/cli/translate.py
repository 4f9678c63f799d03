"""`weigh translate`: a translator of our own, from parallel text to n-best lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import options, terminal
from weigh.cli.parser import Group, Parser, Subverb, one_of, switch
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.options import add_options, plan_of
from weigh_lab.translator.plan import AlignPlan, DecodePlan, TranslatorPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh_lab.translator.translator import Translation

SUMMARY = "train and run a phrase-based translator that writes n-best lists"
FORMS = ("text", "moses", "derivations", "jsonl")


def _add_texts(parser: Parser) -> Group:
    group = parser.add_argument_group("texts")
    group.add_argument("-s", "--src", metavar="FILE", help="source texts, one on each line")
    group.add_argument("-t", "--tgt", metavar="FILE", help="their translations, on the same lines")
    return group


def _check_texts(arguments: argparse.Namespace) -> None:
    for name in ("src", "tgt"):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file with --{name} FILE")


# `weigh translate align`: which words of two texts belong together.


def _add_align(parser: Parser) -> None:
    _add_texts(parser)
    add_options(parser.add_argument_group("alignment"), AlignPlan)
    options.add_work(parser, random=False, anywhere=False)


def _run_align(arguments: argparse.Namespace) -> int:
    _check_texts(arguments)
    plan = plan_of(arguments, AlignPlan())
    from weigh_lab.translator.aligner import align_words, pharaoh_lines
    from weigh_lab.translator.corpus import read_parallel

    corpus = read_parallel(arguments.src, arguments.tgt, plan)
    with Progress("aligning", quiet=arguments.quiet) as progress:
        links = align_words(corpus, plan, threads=arguments.threads, progress=progress)
    _remark(corpus.remarks, arguments)
    terminal.write_lines([*pharaoh_lines(links, corpus)])
    return 0


def _remark(remarks: tuple[str, ...], arguments: argparse.Namespace) -> None:
    if not arguments.quiet:
        for remark in remarks:
            terminal.say(remark)


# `weigh translate train`: a translator from parallel text.


def _add_train(parser: Parser) -> None:
    texts = _add_texts(parser)
    texts.add_argument(
        "--alignment",
        metavar="FILE",
        help="word links of another aligner, one line as 0-0 1-2 for each, in place of our own",
    )
    texts.add_argument("-o", "--output", metavar="DIR", help="directory to write the model to")
    switch(texts, "--force", "replace a model that is there")
    add_options(parser.add_argument_group("training"), TranslatorPlan)
    options.add_work(parser, random=False, anywhere=False)


def _run_train(arguments: argparse.Namespace) -> int:
    _check_texts(arguments)
    if arguments.output is None:
        raise UsageError("no directory for the model; name one with -o DIR")
    if arguments.alignment is not None:
        for name in ("rounds", "symmetry"):
            if name in arguments.given:
                raise UsageError(f"--{name} is for our own aligner; leave it out, or --alignment")
    plan = plan_of(arguments, TranslatorPlan())
    from weigh_lab.translator.translator import train_translator

    with Progress("aligning", quiet=arguments.quiet) as progress:
        trained = train_translator(
            arguments.src,
            arguments.tgt,
            arguments.output,
            plan,
            alignment=arguments.alignment,
            force=bool(arguments.force),
            threads=arguments.threads,
            progress=progress,
        )
    _remark((*trained.remarks, trained.summary), arguments)
    return 0


# `weigh translate decode`: texts, n-best lists and derivations.


def _add_decode(parser: Parser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument("--model", metavar="DIR", help="what weigh translate train has written")
    group.add_argument("-s", "--src", metavar="FILE", help="source texts, one on each line")
    group.add_argument(
        "--weights",
        metavar="FILE",
        help="weights, as 'name value' lines (default: those of the model)",
    )
    add_options(parser.add_argument_group("search"), DecodePlan)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--write",
        metavar="FORM",
        type=one_of("form", FORMS),
        help="text: the best translation, one on each line; moses: n-best lists with word "
        "alignment; derivations: trees over source spans in their place; jsonl (default: text, "
        "and moses with --nbest)",
    )
    options.add_work(parser, random=False, anywhere=False)


def _run_decode(arguments: argparse.Namespace) -> int:
    for name, remedy in (("model", "--model DIR"), ("src", "--src FILE")):
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name it with {remedy}")
    plan = plan_of(arguments, DecodePlan())
    form = arguments.write or ("moses" if plan.nbest > 1 else "text")
    if form == "text" and plan.nbest > 1:
        raise UsageError("--write text has one translation of each sentence; leave out --nbest")
    from weigh.read.text import read_texts, shown
    from weigh.read.weights import read_weights
    from weigh_lab.translator.translator import Translator, named_weights

    texts = read_texts(arguments.src)
    weights = None if arguments.weights is None else named_weights(read_weights(arguments.weights))
    translator = Translator.load(Path(arguments.model))
    with Progress("translating", quiet=arguments.quiet) as progress:
        found = translator.nbest_lists(
            texts,
            plan,
            weights=weights,
            label=shown(arguments.src),
            threads=arguments.threads,
            progress=progress,
        )
        lines = [*_lines(found, translator.sizes(texts), form)]
    terminal.write_lines(lines)
    return 0


def _lines(found: Iterator[list[Translation]], sizes: list[int], form: str) -> Iterator[str]:
    from weigh_lab.translator.translator import derivation_line, json_line, nbest_line

    for number, translations in enumerate(found):
        if form == "text":
            yield translations[0].text
            continue
        for each in translations:
            if form == "moses":
                yield nbest_line(number, each)
            elif form == "jsonl":
                yield json_line(number, each)
            else:
                yield derivation_line(number, each, sizes[number])


SUBVERBS = {
    "align": Subverb(
        "tell which words of two parallel texts belong together",
        "-s FILE -t FILE [option]...",
        "weigh translate align -s train.de -t train.en > train.align",
        _add_align,
        _run_align,
    ),
    "train": Subverb(
        "train a phrase-based translator from parallel text",
        "-s FILE -t FILE -o DIR [option]...",
        "weigh translate train -s train.de -t train.en -o model",
        _add_train,
        _run_train,
    ),
    "decode": Subverb(
        "translate, or write n-best lists and derivations",
        "--model DIR -s FILE [option]...",
        "weigh translate decode --model model -s test.de --nbest 100 > test.nbest",
        _add_decode,
        _run_decode,
    ),
}
