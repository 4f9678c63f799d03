"""The pages of `weigh validate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.report import (
    validation_accuracy,
    validation_power,
    validation_samples,
)
from weigh.report.number import fixed, listed, percent, plural, share
from weigh.report.page.study import Chapter, Study, study_page
from weigh.report.pictures.samples import pair_plots, score_plots
from weigh.report.pictures.validation import accuracy_plots, power_plots
from weigh.report.pieces import Piece
from weigh.report.validation_accuracy import (
    alike,
    answer_pieces,
    cautions,
    heading,
    percentages,
    table_pieces,
    together,
)
from weigh.report.validation_power import per_system, pieces_of
from weigh.report.validation_samples import brackets_piece, conclusions_piece, spread_piece

if TYPE_CHECKING:
    from weigh.report.validation_accuracy import AccuracyReport
    from weigh.report.validation_power import PowerReport
    from weigh.report.validation_samples import SamplesReport
    from weigh.validate.accuracy import Agreement
    from weigh.validate.samples import Truth

_BY = f"(weigh {__version__})."


def accuracy_page(report: AccuracyReport) -> str:
    """Return tests held against people as one HTML file."""
    result, plan = report.result, report.result.plan
    shown = validation_accuracy.SHOWN
    metrics = [report.name(metric) for metric, _ in result.signatures]
    sections = {
        heading(name, report): [
            Chapter([*table_pieces(name, report)], accuracy_plots(name, table, report))
        ]
        for name, table in report.tables.items()
    }
    systems = Piece(sentences=[f"Systems: {', '.join(result.names)}."])
    sections["Systems and people's answers"] = [Chapter([systems, *answer_pieces(report)])]
    return study_page(
        Study(
            f"{listed(metrics)} held against people",
            f"{plural(len(result.pairs), 'pair')} of {plural(len(result.names), 'system')}",
            [_found_at(alpha, report) for alpha in plan.alphas],
            sections,
            f"All pairs of {plural(len(result.names), 'system')} were tested one-sided in both "
            f"directions by {listed(plan.tests)} with {plan.trials:,} trials, not corrected, and "
            "the conclusions held against those of people at the same level and at "
            f"{share(plan.human_alpha)} (Graham et al. 2014). Intervals of accuracy are exact "
            f"(Clopper & Pearson 1934) {_BY}",
            shown.signatures(report),
            shown.as_json(report),
            cautions(report),
        )
    )


def _found_at(alpha: float, report: AccuracyReport) -> str:
    """Return who agrees most often with people at a level, and who least."""
    groups = alike([one for one in report.result.same_level.agreements if one.alpha == alpha])
    counts = [group[0].accuracy.count for group in groups]
    said = f"most often as {_agreeing(groups, max(counts), report)}"
    if min(counts) < max(counts):
        said += f", least often as {_agreeing(groups, min(counts), report)}"
    opposite = max(one.wrong_direction for group in groups for one in group)
    most = f"At most {opposite}" if opposite else "None"
    return (
        f"At α = {share(alpha)} people find {groups[0][0].found_by_people} differences. They "
        f"conclude {said}. {most} of a test's conclusions {'is' if opposite < 2 else 'are'} the "
        "opposite of theirs."
    )


def _agreeing(groups: Sequence[Sequence[Agreement]], count: int, report: AccuracyReport) -> str:
    """Return the tests that agree with people on so many pairs, and what share that is."""
    plan = report.result.plan
    found = [group for group in groups if group[0].accuracy.count == count]
    named = []
    for group in found:
        tests = together([one.test for one in group], plan.tests)
        named.append(report.name(group[0].metric) + f" by {tests}" * (tests != "all"))
    first = found[0][0]
    low, high = (fixed(end, 1) for end in percentages(first, plan.level))
    return (
        f"{listed(named)}: {count} of {plural(first.accuracy.total, 'pair')} "
        f"({fixed(100 * first.accuracy.share, 1)}%, {percent(plan.level)} interval {low} to {high})"
    )


def samples_page(report: SamplesReport) -> str:
    """Return small samples held against the whole as one HTML file."""
    result, plan = report.result, report.result.plan
    shown = validation_samples.SHOWN
    several = len(result.truths) > 1
    sections: dict[str, list[Chapter]] = {}
    for truth in result.truths:
        by = f" by {report.name(truth.metric)}" if several else ""
        sections[f"Scores of samples{by}"] = [
            Chapter([spread_piece(truth, report)], score_plots(truth, report))
        ]
        sections[f"Conclusions{by}"] = [
            Chapter([conclusions_piece(truth, report)], pair_plots(truth, report)),
            Chapter([brackets_piece(truth, report)], heading="Accuracy by level"),
        ]
    a, b = result.shown
    sizes = listed([f"{size:,}" for size in plan.sizes])
    return study_page(
        Study(
            f"Samples of {plural(result.units, result.unit)}",
            f"{plural(len(result.names), 'system')}; {plan.samples:,} samples of each size, "
            f"{plan.trials:,} trials; pictures of single samples show {a} and {b}",
            [_held(truth, report) for truth in result.truths],
            sections,
            f"For every size ({sizes} {result.unit}s), {plan.samples:,} samples were drawn with "
            f"replacement from {plural(result.units, result.unit)}, whose scores are the truth, "
            f"and bootstrapped with {plan.trials:,} trials each; disjoint blocks and broad samples "
            f"stand beside (Koehn 2004) {_BY}",
            shown.signatures(report),
            shown.as_json(report),
            [
                "The truth is the score of this test set: a pair that differs by less than two "
                "standard errors, marked ~ in the tables, may be ordered otherwise by other texts."
            ],
        )
    )


def _held(truth: Truth, report: SamplesReport) -> str:
    """Return how often intervals hold the truth, and how often conclusions are right."""
    result, plan = report.result, report.result.plan
    said = []
    for size in plan.sizes:
        [spread] = [
            one
            for one in result.spreads
            if (one.metric, one.design, one.size) == (truth.metric, "drawn", size)
        ]
        own = [one for one in result.conclusions if (one.metric, one.size) == (truth.metric, size)]
        samples = sum(one.samples for one in own)
        right, wrong = (sum(getattr(one, kind) for one in own) for kind in ("right", "wrong"))
        text = f"with {size:,} {result.unit}s {fixed(100 * spread.covered.share, 1)}%"
        if samples:
            text += (
                f" (conclusions on pairs: {fixed(100 * right / samples, 1)}% right, "
                f"{fixed(100 * wrong / samples, 1)}% wrong, the rest none)"
            )
        said.append(text)
    return (
        f"{report.name(truth.metric)}: the share of {percent(plan.level)} intervals that hold the "
        f"score of the whole is {'; '.join(said)}."
    )


def power_page(report: PowerReport) -> str:
    """Return simulated power as one HTML file."""
    result, plan = report.result, report.result.plan
    shown = validation_power.SHOWN
    a, b = result.names
    drawn = "judgments of each system" if result.unit == "judgment" else f"{result.unit}s"
    return study_page(
        Study(
            f"How often {listed(list(result.observed))} tell {a} from {b}",
            f"simulated from a pilot of {plural(result.pilot, result.unit)}{per_system(result)}; "
            f"{plan.simulations:,} data sets of each kind",
            [_needed(metric, report) for metric in result.observed],
            {
                report.name(metric): [
                    Chapter([*pieces_of(metric, report)], power_plots(metric, report))
                ]
                for metric in result.observed
            },
            f"Data sets were made by drawing {drawn} with replacement from the pilot, with a share "
            f"of its difference kept, {plan.simulations:,} of each kind; power is the share with "
            f"two-sided p at most {share(plan.alpha)} {_BY}",
            shown.signatures(report),
            shown.as_json(report),
            ["The pilot's own difference is uncertain: plan for one that matters."],
        )
    )


def _needed(metric: str, report: PowerReport) -> str:
    """Return what the largest difference needs."""
    result, plan, name = report.result, report.result.plan, report.name(metric)
    needs = [need for need in result.needs if need.metric == metric]
    if not needs:
        return (
            f"{name}: the pilot shows no difference; --detect tells what one that matters to you "
            "needs."
        )
    largest = max(needs, key=lambda need: abs(need.difference))
    said = (
        f"{name}: a true difference of {report.shown(metric, largest.difference)} needs "
        f"{plural(largest.size, result.unit)}{per_system(result)} to be found "
        f"{percent(plan.power)} of the time"
    )
    checks = largest.steps.get(largest.size, ())
    found = [f"{one.test} {fixed(100 * one.found.share, 1)}%" for one in checks]
    return (
        f"{said}; a simulation with so many finds it: {', '.join(found)}." if found else f"{said}."
    )
