"""sil-thot beside our translator: trains it and translates, for bench/translator.py.

    PYTHON bench/translator_thot.py train FOLDER SOURCE TARGET HELD_OUT
    PYTHON bench/translator_thot.py decode FOLDER SOURCE OUTPUT [--nbest N] [--weights FILE]

PYTHON is one of an environment that has sil-thot (LGPL), which weigh itself does not need. Texts
are tokenised already. Its module trains alignments and phrases but no language model, so n-grams of
three words are counted here, and their weights found on HELD_OUT, a text like TARGET.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from pathlib import Path

from thot.alignment import AlignmentModelType, HmmAlignmentModel, Ibm1AlignmentModel
from thot.common import NGramLanguageModel
from thot.translation import (
    AlignmentExtractor,
    PhraseExtractParameters,
    PhraseModel,
    SmtDecoder,
    SmtModel,
)

ORDER, BUCKETS, LARGEST = 3, 3, 10
ITERATIONS = 5
PHRASE, OPTIONS = 7, 20  # words of a phrase, translations of one
NAMES = [f"thot_{n}" for n in range(8)]


def lines_of(path: str | Path) -> list[list[str]]:
    text = Path(path).read_text(encoding="utf-8")
    return [line.split() for line in text.split("\n")[:-1]]


def count_ngrams(folder: Path, texts: list[list[str]], held_out: list[list[str]]) -> None:
    """Write a language model: counts, their weights, and texts for predictions.

    A word is unknown where it first occurs, so that unknown words have a probability.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    seen: set[str] = set()
    total = 0
    for words in texts:
        known = [word if word in seen else "<unk>" for word in words]
        seen.update(words)
        padded = ["<s>", *known, "</s>"]
        total += len(padded)
        for size in range(1, ORDER + 1):
            counts.update(tuple(padded[at : at + size]) for at in range(len(padded) - size + 1))
    with (folder / "lm").open("w", encoding="utf-8", newline="\n") as file:
        for ngram, count in sorted(counts.items(), key=lambda item: (len(item[0]), item[0])):
            history = counts[ngram[:-1]] if len(ngram) > 1 else total
            file.write(f"{' '.join(ngram)} {history} {count}\n")
    (folder / "lm.wp").write_text("".join(f"{' '.join(words)}\n" for words in texts))

    def perplexity(weights: list[float]) -> float:
        write_weights(folder, weights)
        model = NGramLanguageModel()
        model.load(str(folder / "lm"))
        log10 = sum(model.get_sentence_log_probability(words) for words in held_out)
        return math.exp(-log10 / sum(len(words) + 1 for words in held_out))

    weights = [0.5] * (ORDER * BUCKETS)
    best = perplexity(weights)
    for at in range(len(weights)):
        for value in (0.1, 0.3, 0.7, 0.9):
            tried = [*weights[:at], value, *weights[at + 1 :]]
            if (found := perplexity(tried)) < best:
                best, weights = found, tried
    write_weights(folder, weights)


def write_weights(folder: Path, weights: list[float]) -> None:
    numbers = " ".join(f"{weight:g}" for weight in weights)
    (folder / "lm.weights").write_text(f"{ORDER} {BUCKETS} {LARGEST} {numbers}\n")


def align(prefix: str, sources: list[list[str]], targets: list[list[str]]) -> None:
    """Train word alignments of one direction, and write those of the texts as GIZA does."""
    first = Ibm1AlignmentModel()
    for pair in zip(sources, targets, strict=True):
        first.add_sentence_pair(*pair)
    model: Ibm1AlignmentModel = first
    for stage in (first, None):
        model = stage or HmmAlignmentModel(first)
        model.start_training()
        for _ in range(ITERATIONS):
            model.train()
        model.end_training()
    model.print(prefix)
    with Path(f"{prefix}.bestal").open("w", encoding="utf-8", newline="\n") as file:
        found = model.get_best_alignments(sources, targets)
        for source, target, (_, matrix) in zip(sources, targets, found, strict=True):
            links = matrix.to_numpy()
            loose = [j + 1 for j in range(len(target)) if not links[:, j].any()]
            said = [f"NULL ({{ {''.join(f'{j} ' for j in loose)}}})"]
            for i, word in enumerate(source):
                places = "".join(f"{j + 1} " for j in range(len(target)) if links[i, j])
                said.append(f"{word} ({{ {places}}})")
            file.write(f"# 1\n{' '.join(target)}\n{' '.join(said)}\n")


def train(folder: Path, source: str, target: str, held_out: str) -> None:
    folder.mkdir(exist_ok=True)
    sources, targets = lines_of(source), lines_of(target)
    count_ngrams(folder, targets, lines_of(held_out))
    prefix = str(folder / "tm")
    align(f"{prefix}_invswm", sources, targets)
    align(f"{prefix}_swm", targets, sources)
    extractor = AlignmentExtractor()
    extractor.open(f"{prefix}_swm.bestal")
    extractor.symmetrize1(f"{prefix}_invswm.bestal", f"{prefix}.A3.final", True)
    extractor.close()
    parameters = PhraseExtractParameters()
    parameters.max_target_phrase_length = PHRASE
    phrases = PhraseModel()
    phrases.build(f"{prefix}.A3.final", parameters, False)
    phrases.print_phrase_table(f"{prefix}.ttable", OPTIONS)
    for name, text in (
        ("lambda", "0.7 0.7"),
        ("srcsegmlentable", "Uniform"),
        ("trgcutstable", "0.999"),
        ("trgsegmlentable", "Geometric"),
    ):
        Path(f"{prefix}.{name}").write_text(text)


def decode(folder: Path, source: str, output: str, nbest: int, weights: str | None) -> None:
    model = SmtModel(AlignmentModelType.HMM)
    if not model.load_translation_model(str(folder / "tm")):
        sys.exit("no translation model")
    if not model.load_language_model(str(folder / "lm")):
        sys.exit("no language model")
    if weights is not None:
        named = dict(line.split() for line in Path(weights).read_text().split("\n") if line)
        model.weights = [float(named[name]) for name in NAMES]
    decoder = SmtDecoder(model)
    texts = [" ".join(words) for words in lines_of(source)]
    with Path(output).open("w", encoding="utf-8", newline="\n") as file:
        if nbest == 1:
            for each in decoder.translate_batch(texts):
                file.write(f"{' '.join(each.target)}\n")
            return
        for number, found in enumerate(decoder.translate_n_batch(texts, nbest)):
            for each in found:
                values = zip(NAMES, each.score_components, strict=True)
                features = " ".join(f"{name}= {value:.6f}" for name, value in values)
                file.write(
                    f"{number} ||| {' '.join(each.target)} ||| {features} ||| {each.score:.6f}\n"
                )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("train", "decode"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--nbest", type=int, default=1)
    parser.add_argument("--weights")
    chosen = parser.parse_args()
    if chosen.what == "train":
        train(chosen.folder, *chosen.files)
    else:
        decode(chosen.folder, *chosen.files, nbest=chosen.nbest, weights=chosen.weights)


if __name__ == "__main__":
    main()
