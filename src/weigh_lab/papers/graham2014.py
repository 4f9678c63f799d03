"""Graham, Mathur & Baldwin 2014, run again: do tests conclude what people conclude?

Their own judgments are not public. On public data people are those of the WMT 2012, who ranked the
same systems; without them judges are simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from weigh.comparing.compare import compare
from weigh.comparing.compare_result import CompareResult
from weigh.comparing.dataset import from_texts
from weigh.comparing.plan import Plan
from weigh.errors import InputError, MissingExtraError
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.metrics.registry import key_of, parse_metric
from weigh.read.text import shown
from weigh.result import Extent, checked
from weigh.stats.intervals import Proportion
from weigh.stats.multiplicity import trials_needed
from weigh.types import Outputs, System, TestSet, grouped
from weigh.validate.accuracy import PLAN, accuracy
from weigh.validate.plan import AccuracyPlan
from weigh.wording import plural, share
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
from weigh_lab.papers.workshop import Direction, Workshop, generated, tokenised_texts
from weigh_lab.simulation import judged

if TYPE_CHECKING:
    from weigh.human.judgments import Answers
    from weigh.human.plan import Quality
    from weigh.types import Metric
    from weigh.validate.accuracy import AccuracyResult, Agreement

TITLE = "Graham, Mathur & Baldwin 2014"
ALPHAS = (0.05, 0.01, 0.001)
LEVEL = 0.95
_PAIRS = {"es-en": "en", "en-es": "es"}
_METRICS = ("bleu", "nist", "ter")
_METEOR = {
    "en": "meteor:language=en:normalize",
    "es": "meteor:language=es:stages=exact+stem:normalize",
}
_SHARES = (8, 4, 2, 1)  # of the generated texts that systems are trained on: 1/8 …
_TEST = 500  # generated sentences that systems translate
_HITS, _JUDGES = 120, 40
_NEAR = 0.05
_TESTS = ("paired-bootstrap", "bootstrap", "randomization")
# Tables 1 and 2: by language pair, level and metric, how many conclusions of each of the tests are
# right.
PRINTED_RIGHT = {
    "es-en": {
        0.05: {"BLEU": (53,) * 3, "NIST": (54,) * 3, "METEOR": (52,) * 3, "TER": (52,) * 3},
        0.01: {"BLEU": (51,) * 3, "NIST": (51,) * 3, "METEOR": (53,) * 3, "TER": (51,) * 3},
        0.001: {
            "BLEU": (48,) * 3,
            "NIST": (48,) * 3,
            "METEOR": (53, 53, 52),
            "TER": (50, 51, 52),
        },
    },
    "en-es": {
        0.05: {"BLEU": (34,) * 3, "NIST": (32,) * 3, "METEOR": (31,) * 3, "TER": (32,) * 3},
        0.01: {"BLEU": (33,) * 3, "NIST": (32,) * 3, "METEOR": (31, 32, 32), "TER": (30,) * 3},
        0.001: {
            "BLEU": (33,) * 3,
            "NIST": (33, 32, 32),
            "METEOR": (32,) * 3,
            "TER": (30, 30, 31),
        },
    },
}
# The pairs of systems, and for each number of right conclusions the accuracy in per cent and the
# ends of its interval.
PRINTED_PAIRS = {"es-en": 66, "en-es": 55}
PRINTED_ACCURACY = {
    "es-en": {
        54: ("81.8", "70.4", "90.2"),
        53: ("80.3", "68.7", "89.1"),
        52: ("78.8", "67.0", "87.9"),
        51: ("77.3", "65.3", "86.7"),
        50: ("75.8", "63.6", "85.5"),
        48: ("72.7", "60.4", "83.0"),
    },
    "en-es": {
        34: ("61.8", "47.7", "74.6"),
        33: ("60.0", "45.9", "73.0"),
        32: ("58.2", "44.1", "71.3"),
        31: ("56.4", "42.3", "69.7"),
        30: ("54.5", "40.6", "68.0"),
    },
}
# Figures 5 and 6: metric, systems, and by test the trials that make a difference as large by
# chance. The paper does not say of how many.
PRINTED_COUNTS = {
    5: ("BLEU", "F and G", ("13", "14", "11")),
    6: ("METEOR", "D and A", ("269", "275", "260")),
}
_PEOPLE = (
    "The published accuracies use the paper's own judgments, ours the rankings of WMT 2012. "
    "Intervals are exact and treat pairs as independent."
)
_POWER = (
    "There are three possible conclusions, so chance is not 50%. Where people find fewer "
    "differences than tests do, part of the disagreement comes from the small number of judgments."
)


@dataclass(frozen=True, slots=True)
class GrahamResult(PaperResult):
    """Graham, Mathur & Baldwin 2014, run again.

    `people` and `systems` are, for each of the language `pairs`, the ranking by people and the
    systems compared by metrics: what the heat maps of figures 7 and 8 are drawn of.
    """

    command: ClassVar[str] = "paper graham2014"

    pairs: tuple[str, ...] = ()
    people: tuple[RankResult, ...] = ()
    systems: tuple[CompareResult, ...] = ()

    def __post_init__(self) -> None:
        sizes = len(self.pairs), len(self.people), len(self.systems)
        checked(len(set(sizes)) == 1, "not a ranking and a comparison for each language pair")


class JudgedCampaign(NamedTuple):
    """Systems of a language pair with a test set, and what people say of them."""

    name: str
    test_set: TestSet
    systems: Sequence[System]
    answers: Answers
    quality: Quality = "none"


def graham2014(workshop: Workshop) -> GrahamResult:
    """Run it again: on the WMT 2012 of the data, or on generated texts."""
    plan = workshop.plan
    left_out: list[str] = []
    if workshop.data is None:
        campaigns = [generated_campaign(workshop)]
        material = "generated texts, with simulated judges"
    else:
        campaigns = [read_campaign(workshop.data, pair) for pair in _PAIRS]
        material = "newstest2012 with the rankings of the WMT 2012"
    tables: list[PaperTable] = []
    drawn: list[DrawnPair] = []
    people, compared = [], []
    findings = []
    signatures: dict[str, str] = {}
    for campaign in campaigns:
        metrics = resolve_metrics(campaign.name, left_out)
        with workshop.stage(f"measuring {campaign.name}") as progress:
            dataset = from_texts(
                campaign.systems,
                campaign.test_set,
                metrics,
                threads=workshop.threads,
                progress=progress,
            )
        with workshop.stage(f"testing {campaign.name}") as progress:
            agreement = accuracy(
                dataset,
                campaign.answers,
                accuracy_plan(plan.trials, plan.seed, campaign.quality),
                threads=workshop.threads,
                progress=progress,
            )
        names = {key_of(metric): metric.name for metric in metrics}
        tables += accuracy_tables(campaign.name, agreement, names)
        people.append(rank(campaign.answers, PLAN, quality=campaign.quality))
        compared.append(
            compare(
                dataset,
                plan=Plan(
                    tests=("randomization",), trials=plan.trials, adjust="none", seed=plan.seed
                ),
                threads=workshop.threads,
            )
        )
        if not drawn:
            drawn = distributions(
                campaign, compared[-1], metrics, plan.trials, plan.seed, workshop.threads
            )
            if len(drawn) < len(PRINTED_COUNTS):
                left_out.append("figure 6, which is by METEOR")
        findings.append(_finding(campaign.name, agreement, names))
        signatures |= agreement.signatures
    return GrahamResult(
        TITLE,
        plan,
        material,
        Extent(len(campaigns[0].test_set), 1),
        signatures,
        (*tables, published_table(), counts_table(drawn, plan.trials)),
        figures=tuple(drawing.figure for drawing in drawn),
        findings=tuple(findings),
        left_out=(
            "the paper's own judgments, of adequacy and fluency: they are not public, so its "
            "numbers cannot be reproduced",
            *dict.fromkeys(left_out),
        ),
        pairs=tuple(campaign.name for campaign in campaigns),
        people=tuple(people),
        systems=tuple(compared),
    )


def accuracy_plan(trials: int, seed: int, quality: str = "none") -> AccuracyPlan:
    """The paper's levels that this number of trials can reach, by its three tests."""
    alphas = tuple(alpha for alpha in ALPHAS if trials >= trials_needed(1, alpha, both_tails=False))
    return AccuracyPlan(alphas=alphas, trials=trials, quality=quality, seed=seed)


def resolve_metrics(pair: str, left_out: list[str]) -> list[Metric]:
    """The paper's metrics, and a remark if METEOR's resources are missing."""
    metrics = [parse_metric(name) for name in _METRICS]
    language = _PAIRS.get(pair, "en")
    try:
        # Spanish has no synonyms, but without the English ones neither is METEOR as in the paper.
        parse_metric(_METEOR["en"]).prepare(TestSet([["a"]]))
        metrics.append(parse_metric(_METEOR[language]))
        if language == "es":
            left_out.append("METEOR's paraphrases; into Spanish it matches words and stems")
    except (InputError, MissingExtraError) as error:
        left_out.append(f"METEOR: {error}")
    return metrics


def read_campaign(data: Path, pair: str) -> JudgedCampaign:
    """Read the systems and rankings of a language pair of the WMT 2012."""
    from weigh.read import read_inputs
    from weigh.read.judgments import read_answers

    folder, language = data / "wmt12" / pair, _PAIRS[pair]
    if not folder.is_dir():
        raise InputError(
            f"{shown(str(data))}: no directory wmt12/{pair}; give one that has it, or leave out "
            "--data for generated texts"
        )
    ending = f".{language}.gz"
    systems = [
        f"{path.name.removesuffix(ending)}={path}" for path in sorted((folder / "sys").iterdir())
    ]
    test_set, read = read_inputs(systems, [str(folder / f"ref{ending}")])
    answers = read_answers([str(folder / "human-rnk.tsv.gz")])
    return JudgedCampaign(pair, test_set, read, answers)


def generated_campaign(workshop: Workshop) -> JudgedCampaign:
    """Return translators of made-up languages trained on more and less, and simulated judges."""
    plan = workshop.plan
    systems = []
    references: tuple[str, ...] = ()
    for language, whole in generated(plan=plan).items():
        training = whole.training.first(plan.training)
        test = whole.test.first(min(plan.test or _TEST, _TEST))
        references = tokenised_texts(test.target)
        for part in _SHARES:
            share = training.first(len(training.source) // part)
            direction = Direction(language, share, whole.tuning.first(plan.tuning), test)
            trained = workshop.translator(direction, tuned=False)
            outputs = Outputs(workshop.best_texts(trained, test.source))
            systems.append(System(f"{language} 1/{part}", outputs))
    test_set = TestSet([references])
    simulation = judged(test_set, systems, hits=_HITS, judges=_JUDGES, seed=plan.seed)
    return JudgedCampaign("generated", test_set, systems, simulation.judgments, "crowd-alone")


def accuracy_tables(
    pair: str, result: AccuracyResult, names: Mapping[str, str]
) -> Iterable[PaperTable]:
    """Yield the table in which people's level is the tests', and that in which it is fixed.

    `names` are what metrics are called.
    """
    fixed_level = f"people's level {share(result.plan.human_alpha)}"
    for title, agreements, note in (
        ("people at the level of the tests", result.same_level, _PEOPLE),
        (fixed_level, result.fixed_level, _POWER),
    ):
        printed = PRINTED_RIGHT.get(pair, {}) if agreements is result.same_level else {}
        if not agreements:
            continue
        yield PaperTable(
            "Tables 1 and 2",
            f"{pair}, accuracy of tests, {title}",
            ("α", "Metric", "Tests"),
            (
                PaperColumn("Agree", 0),
                PaperColumn("Pairs", 0),
                PaperColumn("Accuracy %", 1),
                PaperColumn("from", 1),
                PaperColumn("to", 1),
                PaperColumn("Tests find", 0),
                PaperColumn("People find", 0),
                PaperColumn("Opposite", 0),
            ),
            tuple(_accuracy_rows(pair, agreements, names, len(result.plan.tests), printed)),
            (note,),
        )


def _accuracy_rows(
    pair: str,
    agreements: Sequence[Agreement],
    names: Mapping[str, str],
    tests: int,
    printed: Mapping[float, Mapping[str, tuple[int, ...]]],
) -> Iterable[PaperRow]:
    """Yield a row per level and metric, and one per test if their numbers differ."""

    def numbers(agreement: Agreement) -> tuple[PaperCell, ...]:
        low, high = agreement.interval
        shares = (100 * agreement.accuracy, 100 * low, 100 * high)
        counts = (agreement.significant, agreement.human_significant, agreement.wrong_direction)
        ours = map(float, (agreement.agree, agreement.pairs, *shares, *counts))
        published = [""] * 8
        right = printed.get(agreement.alpha, {}).get(names[agreement.metric])
        if right is not None:
            count = right[_TESTS.index(agreement.test)]
            pairs = str(PRINTED_PAIRS[pair])
            published[:5] = [str(count), pairs, *PRINTED_ACCURACY[pair][count]]
        return tuple(map(PaperCell.beside, ours, published))

    by_metric = grouped(agreements, lambda agreement: (agreement.alpha, agreement.metric))
    for (alpha, metric), group in by_metric.items():
        for values, members in grouped(group, numbers).items():
            named = ", ".join(agreement.test for agreement in members)
            about = (share(alpha), names[metric], "all" if len(members) == tests > 1 else named)
            yield PaperRow(about, values)


def published_table() -> PaperTable:
    """Return published accuracies beside those, with their intervals, that the counts give."""
    rows = []
    for pair, accuracies in PRINTED_ACCURACY.items():
        pairs = PRINTED_PAIRS[pair]
        for agree, printed in accuracies.items():
            low, high = Proportion(agree, pairs).interval(LEVEL)
            ours = (100 * agree / pairs, 100 * low, 100 * high)
            cells = map(PaperCell.beside, ours, printed)
            rows.append(PaperRow((pair, f"{agree} of {pairs}"), tuple(cells)))
    return PaperTable(
        "Tables 1 and 2",
        "published accuracies, and what their counts give",
        ("Systems", "Agree"),
        (PaperColumn("Accuracy %", 1), PaperColumn("from", 1), PaperColumn("to", 1)),
        tuple(rows),
        (
            "Counts are the published ones, of 12 systems from Spanish and of 11 into it; ours are "
            "exact intervals (Clopper & Pearson) of these counts.",
        ),
    )


class DrawnPair(NamedTuple):
    """A figure of two systems by one metric, and what each test counts.

    `counts` are trials that make a difference as large by chance or, in the paired bootstrap,
    reverse it.
    """

    figure: PaperFigure
    metric: str
    systems: str
    counts: tuple[int, ...]


def distributions(
    campaign: JudgedCampaign,
    compared: CompareResult,
    metrics: Sequence[Metric],
    trials: int,
    seed: int,
    threads: int = 0,
) -> list[DrawnPair]:
    """Draw the pseudo-statistics of the three tests (figures 5 and 6), as far as metrics are there.

    Figure 5 is of two close systems that differ significantly by BLEU, figure 6 of two that do not
    by METEOR.
    """
    drawn = []
    for number, (name, _, _) in PRINTED_COUNTS.items():
        metric = next((metric for metric in metrics if metric.name == name), None)
        if metric is None:
            continue
        names = close_pair(compared, key_of(metric), significant=number == 5)
        by_name = {system.name: system for system in campaign.systems}
        tested = compare(
            [by_name[name] for name in names],
            campaign.test_set,
            [metric],
            plan=Plan(
                tests=_TESTS,
                alternative="better",
                trials=trials,
                adjust="none",
                seed=seed,
            ),
            details=True,
            threads=threads,
        )
        # One-sided tests are in both directions.
        comparisons = [comparison for comparison in tested.comparisons if comparison.a == names[0]]
        systems = f"{names[0]} and {names[1]}"
        assert tested.details is not None, "they were asked for"
        curves = []
        for trials_of in tested.details.histograms:
            if trials_of.a == names[0]:
                places = np.arange(len(trials_of.counts)) + 0.5
                centres = (trials_of.start + trials_of.width * places).round(3)
                points = map(PaperPoint, centres.tolist(), map(float, trials_of.counts))
                curves.append(PaperCurve(trials_of.test, tuple(points)))
        difference = comparisons[0].difference
        highest = max(point.y for curve in curves for point in curve.points)
        ends = (PaperPoint(difference, 0.0), PaperPoint(difference, highest))
        figure = PaperFigure(
            f"Figure {number}",
            f"pseudo-statistics by {name}, {systems}",
            f"difference in {name}",
            "trials",
            (*curves, PaperCurve("actual difference", ends)),
        )
        counts = tuple(comparison.count for comparison in comparisons)
        drawn.append(DrawnPair(figure, name, systems, counts))
    return drawn


def close_pair(compared: CompareResult, metric: str, *, significant: bool) -> tuple[str, str]:
    """Choose neighbours by score whose p-value is nearest .05, on the side of it that is wanted.

    The better system comes first. Where no neighbours are on that side, others are taken.
    """
    scores = {score.system: score.score for score in compared.scores if score.metric == metric}
    order = sorted(scores, key=lambda name: scores[name])
    neighbours = [{worse, better} for worse, better in pairwise(order)]
    nearest = min(
        (comparison for comparison in compared.comparisons if comparison.metric == metric),
        key=lambda comparison: (
            {comparison.a, comparison.b} not in neighbours,
            ((comparison.p_value or 1.0) <= _NEAR) != significant,
            abs(log((comparison.p_value or 1.0) / _NEAR)),
        ),
    )
    worse, better = sorted((nearest.a, nearest.b), key=lambda name: scores[name])
    return better, worse


def counts_table(drawn: Sequence[DrawnPair], trials: int) -> PaperTable:
    """Histograms of the tests, as in figures 5 and 6."""

    def row(figure: str, metric: str, systems: str, test: str, cell: PaperCell) -> PaperRow:
        return PaperRow((figure, metric, systems, test), (cell,))

    return PaperTable(
        "Figures 5 and 6",
        "trials with a difference as large by chance",
        ("Figure", "Metric", "Systems", "Test"),
        (PaperColumn("Trials", 0),),
        tuple(
            row(
                drawing.figure.label.split()[1],
                drawing.metric,
                drawing.systems,
                test,
                PaperCell(count),
            )
            for drawing in drawn
            for test, count in zip(_TESTS, map(float, drawing.counts), strict=True)
        ),
        (
            f"One-sided, of {trials:,} trials here; the paper does not state its number. In the "
            "paired bootstrap, trials in which the difference is reversed.",
        ),
        tuple(
            row(str(number), metric, systems, test, PaperCell.beside(None, count))
            for number, (metric, systems, counts) in PRINTED_COUNTS.items()
            for test, count in zip(_TESTS, counts, strict=True)
        ),
    )


def _finding(pair: str, result: AccuracyResult, names: Mapping[str, str]) -> str:
    """Describe the accuracy of tests by the first metric at the first level."""
    first = result.same_level[0]
    at_level = [
        agreement
        for agreement in result.same_level
        if (agreement.alpha, agreement.metric) == (first.alpha, first.metric)
    ]
    counts = {(agreement.agree, agreement.wrong_direction) for agreement in at_level}
    same = "all three tests alike" if len(counts) == 1 and len(at_level) > 1 else first.test
    return (
        f"{pair}: at {share(first.alpha)}, tests by {names[first.metric]} agree with people on "
        f"{first.agree} of {plural(first.pairs, 'pair')} ({same}), and contradict them on "
        f"{first.wrong_direction}; people find {plural(first.human_significant, 'difference')}, "
        f"the tests {first.significant}."
    )
