"""`weigh translate`: a phrase-based translator, from parallel text to n-best lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import (
    LOCAL_WORK,
    argument,
    plan_options,
    refuse,
    section,
    switch,
    verb,
)
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh_lab.translator.plan import AlignPlan, DecodePlan, TranslatorPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh_lab.translator.translator import Translation

SUMMARY = "train and run a phrase-based translator that writes n-best lists"
FORMS = ("text", "moses", "derivations", "jsonl")


_TEXTS = (
    argument("-s --src FILE", "source texts, one per line", required=True),
    argument("-t --tgt FILE", "their translations, one per line", required=True),
)


@verb(
    "-s FILE -t FILE [option]...",
    "weigh translate align -s examples/source.de -t examples/reference.en > words.align",
    section("texts", _TEXTS),
    section("alignment", plan_options(AlignPlan)),
    LOCAL_WORK,
    summary="align the words of two parallel texts",
    plan=AlignPlan,
)
def align(arguments: argparse.Namespace, plan: AlignPlan) -> None:
    """Print the word alignment of two parallel texts."""
    from weigh_lab.translator.aligner import align_words, pharaoh_lines
    from weigh_lab.translator.corpus import read_parallel

    corpus = read_parallel(arguments.src, arguments.tgt, plan)
    with Progress("aligning") as progress:
        links = align_words(corpus, plan, threads=arguments.threads, progress=progress)
    terminal.remark(*corpus.remarks)
    terminal.write_lines([*pharaoh_lines(links, corpus)])


@verb(
    "-s FILE -t FILE -o DIR [option]...",
    "weigh translate train -s examples/source.de -t examples/reference.en -o model",
    section(
        "texts",
        _TEXTS,
        argument(
            "--alignment FILE",
            "word alignment of another aligner, one line per sentence, as 0-0 1-2",
        ),
        argument("-o --output DIR", "directory to write the model to", required=True),
        switch("--force", "replace an existing model"),
    ),
    section("training", plan_options(TranslatorPlan)),
    LOCAL_WORK,
    summary="train a phrase-based translator from parallel text",
    plan=TranslatorPlan,
)
def train(arguments: argparse.Namespace, plan: TranslatorPlan) -> None:
    """Train a translator and write its model."""
    if arguments.alignment is not None:
        refuse(arguments, "rounds symmetry", "does not apply with --alignment")
    from weigh_lab.translator.translator import train_translator

    with Progress("aligning") as progress:
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
    terminal.remark(*trained.remarks, trained.summary)


@verb(
    "--model DIR -s FILE [option]...",
    "weigh translate decode --model model -s examples/source.de --nbest 100 > candidates.nbest",
    section(
        "model",
        argument("--model DIR", "model of weigh translate train", required=True),
        argument("-s --src FILE", "source texts, one per line", required=True),
        argument("--weights FILE", "weights, as 'name value' lines (default: the model's)"),
    ),
    section("search", plan_options(DecodePlan)),
    section(
        "output",
        argument(
            "--write FORM",
            "text: the best translation, one per line; moses: n-best lists with word alignment; "
            "derivations: n-best lists with trees over source spans; jsonl (default: text, or "
            "moses with --nbest)",
            choices=FORMS,
        ),
    ),
    LOCAL_WORK,
    summary="translate, or write n-best lists and derivations",
    plan=DecodePlan,
)
def decode(arguments: argparse.Namespace, plan: DecodePlan) -> None:
    """Print translations, n-best lists or derivations."""
    form = arguments.write or ("moses" if plan.nbest > 1 else "text")
    if form == "text" and plan.nbest > 1:
        raise UsageError("--write text prints one translation per sentence; leave out --nbest")
    from weigh.read.text import read_texts, shown
    from weigh.read.weights import read_weights
    from weigh_lab.translator.translator import Translator, named_weights

    texts = read_texts(arguments.src)
    weights = None if arguments.weights is None else named_weights(read_weights(arguments.weights))
    translator = Translator.load(Path(arguments.model))
    with Progress("translating") as progress:
        lists = translator.nbest_lists(
            texts,
            plan,
            weights=weights,
            label=shown(arguments.src),
            threads=arguments.threads,
            progress=progress,
        )
        lines = [*_lines(lists, translator.sizes(texts), form)]
    terminal.write_lines(lines)


def _lines(lists: Iterator[list[Translation]], sizes: list[int], form: str) -> Iterator[str]:
    from weigh_lab.translator.translator import derivation_line, json_line, nbest_line

    for number, translations in enumerate(lists):
        if form == "text":
            yield translations[0].text
            continue
        for translation in translations:
            if form == "moses":
                yield nbest_line(number, translation)
            elif form == "jsonl":
                yield json_line(number, translation)
            else:
                yield derivation_line(number, translation, sizes[number])


VERBS = {"align": align, "train": train, "decode": decode}
