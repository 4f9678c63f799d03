"""Koehn 2004, run again: samples of a test set, their intervals, and the paired bootstrap.

Systems translate from several languages into one, so that all are held against one reference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from weigh.comparing.dataset import Dataset, from_texts
from weigh.metrics.bleu import Bleu
from weigh.metrics.gtm import Gtm
from weigh.metrics.registry import key_of
from weigh.result import Extent, sometimes
from weigh.types import Outputs, System, TestSet
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples import samples
from weigh.validate.samples_result import SamplesResult
from weigh.wording import listed, percent, plural
from weigh_lab.papers.paper_result import (
    PaperCell,
    PaperColumn,
    PaperCurve,
    PaperFigure,
    PaperPoint,
    PaperResult,
    PaperRow,
    PaperTable,
)
from weigh_lab.papers.workshop import (
    Direction,
    NamedTranslator,
    TestMaterial,
    Workshop,
    tokenised_texts,
)
from weigh_lab.translator.translator import WEIGHTS_AT_FIRST

PAPER = "Koehn 2004"
# Table 1, in per cent: BLEU, precision of 1-grams and of 4-grams.
PRINTED_SCORES = {
    "Spanish": ("28.9", "62.6", "14.7"),
    "Portuguese": ("27.4", "60.9", "13.4"),
    "Danish": ("26.9", "60.8", "13.3"),
    "Greek": ("25.3", "59.4", "12.1"),
    "German": ("22.6", "58.3", "9.8"),
    "Finnish": ("20.2", "56.1", "7.8"),
}
# Table 2: factors of intervals for means, by level and number of sentences; 0 is its column ∞.
PRINTED_T = {
    0.95: {100: "1.9849", 300: "1.9679", 600: "1.9639", 0: "1.9600"},
    0.99: {100: "2.6259", 300: "2.5923", 600: "2.5841", 0: "2.5759"},
    0.90: {100: "1.6602", 300: "1.6499", 600: "1.6474", 0: "1.6449"},
}
_MORE_SIZES = {0.95: (2000, 3000)}  # that the paper's table does not have
# Table 3: the better and the worse system, their difference in BLEU, and by number of sentences the
# right and the wrong conclusions, all in per cent. Wrong ones are left out in print where none are.
PRINTED_CONCLUSIONS = {
    ("Spanish", "Portuguese"): ("1.5", {100: ("33", "1"), 300: ("60", "0"), 600: ("84", "0")}),
    ("Spanish", "Danish"): ("2.0", {100: ("31", "0"), 300: ("65", "0"), 600: ("96", "0")}),
    ("Portuguese", "Danish"): ("0.5", {100: ("7", "2"), 300: ("12", "1"), 600: ("10", "0")}),
    ("Portuguese", "Greek"): ("2.1", {100: ("38", "0"), 300: ("68", "0"), 600: ("92", "0")}),
    ("Danish", "Greek"): ("1.6", {100: ("24", "0"), 300: ("48", "0"), 600: ("74", "0")}),
    ("Danish", "German"): ("4.3", {100: ("85", "0"), 300: ("100", "0"), 600: ("100", "0")}),
    ("Greek", "German"): ("2.7", {100: ("65", "0"), 300: ("97", "0"), 600: ("100", "0")}),
    ("Greek", "Finnish"): ("5.1", {100: ("97", "0"), 300: ("100", "0"), 600: ("100", "0")}),
    ("German", "Finnish"): ("2.4", {100: ("53", "0"), 300: ("91", "0"), 600: ("100", "0")}),
}
# Table 4: the level of conclusions, their number, and the right ones in per cent.
PRINTED_LEVELS = (
    ("100%", "1042", "100"),
    ("99% to 99.9%", "738", "100"),
    ("98% to 98.9%", "245", "99"),
    ("95% to 97.9%", "394", "98"),
    ("90% to 94.9%", "363", "95"),
    ("80% to 89.9%", "520", "88"),
    ("70% to 79.9%", "324", "77"),
    ("60% to 69.9%", "253", "72"),
    ("50% to 59.9%", "261", "52"),
)
# §5: 95% intervals of the Spanish system that hold the score of all 30,000 sentences, in per cent.
PRINTED_COVERAGE = "97"
# §2: number of additional right n-grams whose effect is computed for each order.
_MORE = 100
_SIZES = (100, 300, 600)
_SAMPLES = 200
# Figure 1: what is added to the weight of the word penalty, in parts of its size.
_PENALTIES = (-1.0, -0.5, -0.2, 0.0, 0.2, 0.5, 1.0)
_SWEPT = 200  # sentences that the penalty is tried on

_OTHERS = (
    "The paper's systems translate European languages into English, trained on Europarl and tested "
    "on 30,000 sentences; ours are different systems, on different texts."
)


@dataclass(frozen=True, slots=True)
class KoehnResult(PaperResult):
    """Koehn 2004, run again; figures 2 to 4 and 6 are those of the study of samples."""

    command: ClassVar[str] = "paper koehn2004"

    samples: SamplesResult | None = sometimes()


def koehn2004(workshop: Workshop) -> KoehnResult:
    """Translate from all languages, with tuned weights and without, and repeat the experiments."""
    material = workshop.material()
    trained = {
        language: workshop.translator(direction)
        for language, direction in material.directions.items()
    }
    systems = systems_of(workshop, material, trained)
    bleu = Bleu(tokenize="none")
    test_set = TestSet([material.references])
    dataset = from_texts(systems, test_set, [bleu], threads=workshop.threads)
    sizes = tuple(size for size in _SIZES if size <= len(test_set) // 3) or (len(test_set) // 3,)
    plan = SamplesPlan(
        sizes=sizes, samples=_SAMPLES, trials=workshop.plan.trials, seed=workshop.plan.seed
    )
    with workshop.stage("sampling") as progress:
        study = samples(dataset, plan, threads=workshop.threads, progress=progress)
    first = next(iter(material.directions))
    figure = penalty_figure(workshop, material.directions[first], trained[first])
    return KoehnResult(
        PAPER,
        workshop.plan,
        material.name,
        Extent(len(test_set), 1),
        {**study.signatures, key_of(Gtm()): Gtm().signature(1)},
        (
            score_table(dataset, bleu),
            t_table(),
            conclusions_table(study),
            brackets_table(study),
        ),
        (figure,),
        (*_findings(study, figure), _tuned(workshop, material, trained, dataset)),
        ("figures 5, 7 and 8.",),
        tuple(
            f"{language}: tuning found nothing better than the first weights, so this "
            "language has only one system"
            for language in material.directions
            if f"{language}, untuned" not in dataset.names
        ),
        samples=study,
    )


def systems_of(
    workshop: Workshop, material: TestMaterial, trained: Mapping[str, NamedTranslator]
) -> list[System]:
    """Outputs of every translator on the test set, tuned and with initial weights.

    Where tuning has found nothing better than the first weights, that is one system.
    """
    systems: list[System] = []
    for language, direction in material.directions.items():
        for name, weights in (
            (language, trained[language].translator.weights),
            (f"{language}, untuned", WEIGHTS_AT_FIRST),
        ):
            texts = workshop.best_texts(trained[language], direction.test.source, weights)
            if all(texts != system.outputs.texts for system in systems):
                systems.append(System(name, Outputs(texts)))
    return systems


def score_table(dataset: Dataset, bleu: Bleu) -> PaperTable:
    """Scores, precisions, and the gain in BLEU from more n-grams of each order (§2)."""
    sample = dataset.samples[0]
    rows = []
    for name, runs in zip(sample.names, sample.rows, strict=True):
        sums = runs[0].sum(axis=0)
        about = bleu.details(sums)
        score = float(bleu.score(sums))
        gains = []
        for order in range(bleu.max_ngram_order):
            more = sums.astype(float)
            more[2 + order] += _MORE
            gains.append(float(bleu.score(more)) - score)
        values = [score, *(about[f"precision_{n}"] for n in range(1, 5)), *gains]
        rows.append(PaperRow.of((name,), values))
    rows.sort(key=lambda row: -(row.cells[0].ours or 0.0))
    return PaperTable(
        "Table 1",
        "scores of the systems, and the weight of n-grams in BLEU",
        ("System",),
        (
            PaperColumn("BLEU"),
            *(PaperColumn(f"{n}-grams", 1) for n in range(1, 5)),
            *(PaperColumn(f"+{_MORE} {n}-grams", 3) for n in range(1, 5)),
        ),
        tuple(rows),
        (
            f"Precisions in per cent; then the gain in BLEU from {_MORE} more correct n-grams "
            "of one order. Longer n-grams gain more.",
            _OTHERS,
        ),
        published=tuple(
            PaperRow.of_paper((system,), (score, unigrams, "", "", fourgrams, *[""] * 4))
            for system, (score, unigrams, fourgrams) in PRINTED_SCORES.items()
        ),
    )


def t_table() -> PaperTable:
    """Return the factors of intervals for means, as they are and as they were printed."""
    rows = []
    for level, printed in PRINTED_T.items():
        sizes = sorted({*printed, *_MORE_SIZES.get(level, ())}, key=lambda n: n or math.inf)
        for size in sizes:
            as_printed = _factor(level, size)
            text = printed.get(size, "")
            slip = text and text != f"{as_printed:.4f}"
            note = f"misprint: should be {as_printed:.4f}" if slip else ""
            ours = _factor(level, size - 1 if size else 0)
            cells = (PaperCell(ours), PaperCell.beside(as_printed, text, note))
            rows.append(PaperRow((percent(level), f"{size:,}" if size else "∞"), cells))
    return PaperTable(
        "Table 2",
        "factors of intervals for the mean of n sentences",
        ("Level", "n"),
        (PaperColumn("t, n − 1 degrees", 4), PaperColumn("t, n degrees", 4)),
        tuple(rows),
        (
            "The paper uses n degrees of freedom. A mean of n sentences has n − 1, which our t "
            "intervals use.",
        ),
    )


def _factor(level: float, degrees: int) -> float:
    """Return the quantile of t, or of the normal distribution for 0 degrees of freedom."""
    from scipy.stats import norm, t

    probability = (1 + level) / 2
    return float(t.ppf(probability, degrees) if degrees else norm.ppf(probability))


def conclusions_table(study: SamplesResult) -> PaperTable:
    """Shares of right conclusions on pairs of systems, by sample size."""
    sizes = study.plan.sizes
    conclusions = {(share.a, share.b, share.size): share for share in study.conclusions}
    pairs = list(dict.fromkeys((conclusion.a, conclusion.b) for conclusion in study.conclusions))
    pairs.sort(key=lambda pair: -abs(conclusions[*pair, sizes[0]].difference))
    rows = []
    for pair in pairs:
        cells = [PaperCell(abs(conclusions[*pair, sizes[0]].difference))]
        for size in sizes:
            conclusion = conclusions[*pair, size]
            note = (
                "" if conclusion.clear else "the true difference is within two standard errors of 0"
            )
            cells.append(PaperCell(100 * conclusion.right / conclusion.samples, note=note))
            cells.append(PaperCell(100 * conclusion.wrong / conclusion.samples))
        better, worse = pair if conclusions[*pair, sizes[0]].difference > 0 else pair[::-1]
        rows.append(PaperRow((better, worse), tuple(cells)))
    columns = [PaperColumn("Difference")]
    for size in sizes:
        columns += [PaperColumn(f"{size:,}: right %", 1), PaperColumn(f"{size:,}: wrong %", 1)]
    return PaperTable(
        "Table 3",
        f"conclusions at the level {percent(study.plan.level)} by the paired bootstrap",
        ("Better", "Worse"),
        tuple(columns),
        tuple(rows),
        (
            f"Shares of {study.plan.samples:,} samples of each size, drawn with replacement, with "
            "a right and with a wrong conclusion; the rest have none. The truth is the score of "
            f"all {plural(study.units, study.unit)}.",
            "The paper leaves out wrong conclusions where there are none.",
            _OTHERS,
        ),
        published=tuple(
            PaperRow.of_paper(
                pair,
                (difference, *(text for size in sizes for text in shares.get(size, ("", "")))),
            )
            for pair, (difference, shares) in PRINTED_CONCLUSIONS.items()
        ),
    )


def brackets_table(study: SamplesResult) -> PaperTable:
    """Shares of right conclusions by level (table 4)."""
    rows = []
    for bracket in study.brackets:
        conclusions = bracket.conclusions
        share = 100 * bracket.right / conclusions if conclusions else None
        about = (f"{bracket.size:,}", f"{percent(bracket.low)} to {percent(bracket.high)}")
        rows.append(PaperRow.of(about, (float(conclusions), share)))
    return PaperTable(
        "Table 4",
        "share of right conclusions by level",
        ("Size", "Level"),
        (PaperColumn("Conclusions", 0), PaperColumn("Right %", 1)),
        tuple(rows),
        (
            "A level holds if at least that share of its conclusions is right. Pairs that the "
            "whole test set cannot decide are included.",
            _OTHERS,
        ),
        published=tuple(
            PaperRow.of_paper(("all", level), (conclusions, right))
            for level, conclusions, right in PRINTED_LEVELS
        ),
    )


def penalty_figure(
    workshop: Workshop, direction: Direction, trained: NamedTranslator
) -> PaperFigure:
    """Return BLEU and GTM by the length of outputs, which the word penalty decides (figure 1)."""
    test = direction.test.first(_SWEPT)
    test_set = TestSet([tokenised_texts(test.target)])
    weights = trained.translator.weights
    # The penalty counts words, and its weight is what a word costs: a small one is no scale.
    step = max(abs(weights["w_0"]), max(map(abs, weights.values())))
    systems = []
    for change in _PENALTIES:
        changed = {**weights, "w_0": weights["w_0"] + change * step}
        outputs = Outputs(workshop.best_texts(trained, test.source, changed))
        systems.append(System(f"{change:+g}", outputs))
    metrics = (Bleu(tokenize="none"), Gtm())
    dataset = from_texts(systems, test_set, metrics, threads=workshop.threads)
    reference = _words(test_set.references[0])
    ratios = [_words(system.outputs.texts) / reference for system in systems]
    curves = tuple(
        PaperCurve(
            sample.metric.name,
            tuple(
                PaperPoint(ratio, float(score))
                for ratio, score in sorted(zip(ratios, sample.scores().tolist(), strict=True))
            ),
        )
        for sample in dataset.samples
    )
    return PaperFigure(
        "Figure 1",
        "the word penalty, by BLEU and by GTM",
        "words of output per word of the reference",
        "score",
        curves,
        (
            f"{direction.language} into English, {plural(len(test_set), 'sentence')}: outputs "
            "become shorter or longer with the weight of the word penalty alone. BLEU counts "
            "precision, with a penalty for brevity; GTM gives precision and recall the same "
            "weight.",
        ),
    )


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _findings(study: SamplesResult, figure: PaperFigure) -> list[str]:
    """Summary sentences."""
    largest = max(study.plan.sizes)
    sentences = []
    clear = [
        conclusion
        for conclusion in study.conclusions
        if conclusion.clear and conclusion.size == largest
    ]
    if clear:
        drawn = sum(conclusion.right + conclusion.wrong for conclusion in clear)
        total = sum(conclusion.samples for conclusion in clear)
        right = sum(conclusion.right for conclusion in clear)
        sentences.append(
            f"Samples of {largest:,} draw a conclusion on pairs that really differ "
            f"{100 * drawn / total:.1f}% of the time, and {_share(right, drawn)} of these are "
            "right."
        )
    drawn_samples = [spread for spread in study.spread if spread.design == "drawn"]
    covering = sum(spread.covering for spread in drawn_samples)
    intervals = sum(spread.intervals for spread in drawn_samples)
    sentences.append(
        f"{_share(covering, intervals)} of {percent(study.plan.level)} "
        f"bootstrap intervals contain the score of the whole test set (§5; published: "
        f"{PRINTED_COVERAGE}%)."
    )
    best = [max(curve.points, key=lambda point: point.y) for curve in figure.curves]
    changes = [
        f"{curve.label} is best at {point.x:.2f} words per reference word"
        for curve, point in zip(figure.curves, best, strict=True)
    ]
    return [*sentences, f"{listed(changes)} (figure 1)."]


def _tuned(
    workshop: Workshop,
    material: TestMaterial,
    trained: Mapping[str, NamedTranslator],
    dataset: Dataset,
) -> str:
    """Describe the effect of tuning on BLEU, on its own sentences and on the test set."""
    tested = dict(zip(dataset.names, dataset.samples[0].scores().tolist(), strict=True))
    effects = []
    for language, direction in material.directions.items():
        trained_one = trained[language]
        systems = [
            System(
                name, Outputs(workshop.best_texts(trained_one, direction.tuning.source, weights))
            )
            for name, weights in (("0", WEIGHTS_AT_FIRST), ("1", trained_one.translator.weights))
        ]
        test_set = TestSet([tokenised_texts(direction.tuning.target)])
        seen = from_texts(systems, test_set, [Bleu(tokenize="none")], threads=workshop.threads)
        before, after = seen.samples[0].scores().tolist()
        gain = tested[language] - tested.get(f"{language}, untuned", tested[language])
        effects.append(f"{language} {after - before:+.2f} and {gain:+.2f}")
    return (
        f"Tuning changes BLEU on its own {plural(len(test_set), 'sentence')} and on the test set "
        f"by: {'; '.join(effects)}."
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "none"
