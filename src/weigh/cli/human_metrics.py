"""`weigh human metrics`: metrics held against judgments of people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from weigh.cli import inputs, judgments, options, terminal
from weigh.cli.parser import Parser, number, positive
from weigh.cli.progress import Progress
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weigh.comparing.plan import Plan
    from weigh.comparing.result import CompareResult
    from weigh.human.evaluation import Gold, MetricFindings
    from weigh.human.rank import HumanRanking

    Segments = Mapping[str, Mapping[str, "NDArray[np.float64]"]]

USAGE = "[option]... (-r REF --system SYS... | --statistics FILE | --scores FILE...) FILE..."
EXAMPLE = (
    "weigh human metrics judgments.jsonl -m bleu,ter -r reference.txt --system systems/ash "
    "--system systems/birch --system systems/elm"
)
_COMBINED = "adequacy, then fluency"


def add_arguments(parser: Parser) -> None:
    """Say what the verb takes."""
    judgments.add_arguments(parser)
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "--system",
        metavar="SYS",
        action="append",
        default=[],
        help="file of a system's output, whose name is that of the judgments, or NAME=FILE; "
        "repeat it for all systems",
    )
    group.add_argument(
        "-r",
        "--ref",
        metavar="REF",
        action="append",
        default=[],
        help="file of references, one segment per line; repeat it for more references",
    )
    options.add_metrics(parser)
    options.add_statistics(parser, "--system")
    group.add_argument(
        "--scores",
        metavar="FILE",
        action="append",
        default=[],
        help="segment scores of other programs, METRIC=FILE or METRIC:lower=FILE, instead of "
        "texts; repeat it for more",
    )
    tests = parser.add_argument_group("tests")
    judgments.add_quality(tests)
    tests.add_argument(
        "--trials",
        metavar="N",
        type=positive,
        default=10_000,
        help="number of random trials of every test (default: 10000)",
    )
    tests.add_argument(
        "--alpha",
        metavar="SHARE",
        type=number,
        default=0.05,
        help="level of the metrics' tests, for sensitivity (default: .05)",
    )
    tests.add_argument(
        "--adjust",
        metavar="METHOD",
        default="holm",
        help="correction of the metrics' tests for the number of pairs (default: holm)",
    )
    options.add_output(parser)
    options.add_work(parser)


def run(arguments: argparse.Namespace) -> int:
    """Rank by people, test by metrics, hold one against the other."""
    if bool(arguments.scores) == bool(arguments.system or arguments.statistics):
        raise UsageError(
            "give the systems' texts with --system or their statistics with --statistics, or "
            "segment scores with --scores"
        )
    rankings, remarks = _rankings(arguments)

    from weigh.comparing.plan import Plan
    from weigh.human.evaluation import evaluate
    from weigh.report.document import Extent
    from weigh.report.human_metrics import SHOWN, MetricsReport

    plan = Plan(
        trials=arguments.trials, alpha=arguments.alpha, adjust=arguments.adjust, seed=arguments.seed
    )
    with Progress("comparing", quiet=arguments.quiet) as progress:
        compared, missing = _comparer(arguments, progress)
        two_sided, segments = compared(plan)
        one_sided, _ = compared(
            Plan(
                trials=arguments.trials,
                alternative="better",
                adjust="none",
                seed=arguments.seed,
            )
        )
    remarks += [] if missing is None else [str(missing)]
    remarks += two_sided.warnings  # such as that no pair can be significant: sensitivity is 0 then
    scored = list(dict.fromkeys(one.system for one in two_sided.scores))
    evaluations = []
    for ranking in rankings:
        title = ", ".join(filter(None, (ranking.pair, ranking.scale)))
        gold, left_out = _gold(ranking, scored)
        remarks += [f"{title}: {text}" for text in left_out]
        findings = _findings(gold.systems, two_sided, one_sided, segments)
        evaluations.append(
            (title, evaluate(gold, findings, trials=arguments.trials, seed=arguments.seed))
        )
    if not arguments.quiet:
        for remark in remarks:
            terminal.say(remark)
    report = MetricsReport(
        evaluations,
        arguments.quality,
        arguments.alpha,
        arguments.adjust,
        remarks,
        Extent(two_sided.segments, two_sided.references, two_sided.documents),
    )
    terminal.show(report, arguments.format, SHOWN.as_table, SHOWN.formats)
    return 0


def _rankings(arguments: argparse.Namespace) -> tuple[list[HumanRanking], list[str]]:
    """Return people's rankings with one-sided tests of every pair in both directions."""
    from weigh.human.rank import RankPlan, rank, rank_preferences
    from weigh.read.answers import Judgments

    read = judgments.read_answers(arguments)
    plan = RankPlan(alternative="better", adjust="none", least_per_system=1)
    if isinstance(read, Judgments):
        kept, said = judgments.controlled(read, arguments.quality)
        result = rank(kept, plan)
    else:
        if arguments.quality != "none":
            raise UsageError("--quality is for scores, but these are preferences; leave it out")
        said = read.remarks
        result = rank_preferences(read.preferences, plan)
    pairs = {ranking.pair for ranking in result.rankings}
    if len(pairs) > 1:
        raise InputError(
            f"judgments of {len(pairs)} language pairs ({', '.join(sorted(pairs))}), but metrics "
            "score one; choose it with --pair"
        )
    remarks = [*judgments.left_out(read), *said, *result.remarks]
    return [each for each in result.rankings if each.scale != _COMBINED], remarks


def _comparer(
    arguments: argparse.Namespace, progress: Progress
) -> tuple[Callable[[Plan], tuple[CompareResult, Segments]], tuple[str, ...]]:
    """Return what compares the systems by a plan, with the scores of segments that have them.

    What is to be remarked is returned too.
    """
    import numpy as np

    from weigh.comparing.compare import compare
    from weigh.metrics.segment import SegmentMean

    namespace = argparse.Namespace(
        **vars(arguments) | {"systems": arguments.scores or arguments.system, "documents": None}
    )
    measured = inputs.measure(namespace, progress)
    segments: dict[str, dict[str, Any]] = {}
    for sample in measured.samples if arguments.scores else ():
        metric = sample.metric
        if not isinstance(metric, SegmentMean):
            raise UsageError(
                f"--scores {metric.name}:ratio: two numbers for each segment, but one was "
                "expected; divide them first"
            )
        sign = 1.0 if metric.higher_is_better else -1.0
        segments[metric.name] = {
            name: sign * np.asarray([metric.segment_scores(run) for run in runs]).squeeze(axis=0)
            for name, runs in zip(sample.names, sample.rows, strict=True)
        }
    return lambda plan: (
        compare(measured, plan=plan, threads=arguments.threads, progress=progress),
        segments,
    ), measured.remarks


def _gold(ranking: HumanRanking, scored: Sequence[str]) -> tuple[Gold, list[str]]:
    """Return people's scores of systems that metrics have scored too, and who was left out."""
    from itertools import combinations

    import numpy as np

    from weigh.human.evaluation import Gold

    judged = {one.system: one.score for one in ranking.scores}
    names = tuple(name for name in scored if name in judged)
    p_values = {(one.a, one.b): one.p_value for one in ranking.conclusions}
    left_out = [
        f"not {what}, so left out: {', '.join(sorted(missing))}"
        for what, missing in (
            ("scored by metrics", judged.keys() - set(names)),
            ("judged by people", set(scored) - set(names)),
        )
        if missing
    ]
    gold = Gold(
        names,
        np.array([judged[name] for name in names]),
        np.array([p_values[pair] for pair in combinations(names, 2)]),
    )
    return gold, left_out


def _findings(
    names: Sequence[str], two_sided: CompareResult, one_sided: CompareResult, segments: Segments
) -> list[MetricFindings]:
    from itertools import combinations

    import numpy as np

    from weigh.human.evaluation import MetricFindings

    pairs = list(combinations(names, 2))
    significant = {
        (one.metric, *sorted((one.a, one.b))): one.significant for one in two_sided.comparisons
    }
    p_values = {(one.metric, one.a, one.b): one.p_value for one in one_sided.comparisons}
    scores = {
        (one.metric, one.system): one.score if one.higher_is_better else -one.score
        for one in two_sided.scores
    }
    titles = {one.metric: one.name for one in two_sided.scores}
    return [
        MetricFindings(
            metric,
            np.array([scores[metric, name] for name in names]),
            np.array([p_values[metric, a, b] for a, b in pairs]),
            np.array([significant[(metric, *sorted(pair))] for pair in pairs], bool),
            np.array([segments[metric][name] for name in names]) if metric in segments else None,
            title,
        )
        for metric, title in titles.items()
    ]
