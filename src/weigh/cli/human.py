"""`weigh human`: plan, check and analyse human judgments."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, options, saving, terminal
from weigh.cli.parser import Parser, Subverb, one_of, positive, repeated, switch
from weigh.cli.progress import Progress
from weigh.cli.saving import check_free
from weigh.errors import UsageError
from weigh.files import write_files, write_whole
from weigh.human.plan import (
    CONTROLS,
    EXPORTS,
    PRESETS,
    USUAL_SPLIT,
    AgreementPlan,
    CampaignPlan,
    MetricsPlan,
    RankPlan,
)
from weigh.options import add_options, by_metric, plan_of

if TYPE_CHECKING:
    from weigh.human.campaign import CampaignResult
    from weigh.human.quality import QualityResult
    from weigh.read.answers import Judgments


# `weigh human plan`


def _add_plan(parser: Parser) -> None:
    texts = parser.add_argument_group("systems")
    options.add_systems(texts)
    texts.add_argument(
        "--count", metavar="N", type=positive, help="number of systems, if no files are given"
    )
    texts.add_argument("-r", "--ref", metavar="REF", help="references, one segment per line")
    texts.add_argument(
        "-s",
        "--src",
        metavar="SRC",
        help="source texts, which judges see instead of the reference; esa and mqm need them",
    )
    texts.add_argument(
        "--documents",
        metavar="FILE",
        help="the document of each segment, one per line; people then judge whole documents",
    )
    options.add_columns(texts)
    aims = (
        *("difference", "hours", "hits", "rate", "alpha", "power", "adjust", "seconds", "kept"),
        *("correlation", "ties", "design_effect"),
    )
    add_options(parser.add_argument_group("aims"), CampaignPlan, only=aims)
    hits = parser.add_argument_group("hits")
    add_options(hits, CampaignPlan, without=aims)
    hits.add_argument("-o", "--output", metavar="DIR", help="directory to write the HITs to")
    hits.add_argument(
        "--export",
        metavar="FORMAT",
        type=one_of("export", EXPORTS),
        action="append",
        default=["jsonl"],
        help="jsonl, mturk (CSV and page layout) or pearmut (JSON); repeatable (default: jsonl)",
    )
    switch(hits, "--force", "overwrite existing files")
    options.add_seed(hits)
    output = options.add_output(parser)
    saving.add_arguments(output, content="the plan")
    switch(output, "--quiet", "do not report the files written")


def _run_plan(arguments: argparse.Namespace) -> int:
    if arguments.count is not None and arguments.systems:
        raise UsageError("both systems and --count given; give one of them")
    count = arguments.count or len(arguments.systems)
    if not count:
        raise UsageError("no systems given; name their files, or give their number with --count")
    if arguments.count is not None and arguments.output is not None:
        raise UsageError("-o DIR needs the files of the systems; give them instead of --count")
    saving.check(arguments)
    from weigh.human.campaign import hits_needed, plan_campaign

    plan = plan_of(
        arguments, CampaignPlan(count), seed=arguments.seed, source_based=arguments.src is not None
    )
    if arguments.documents is not None and plan.split is None:
        plan = replace(plan, split=USUAL_SPLIT)
    if arguments.output is None:
        result = plan_campaign(count, plan=plan)
    else:
        result = _with_hits(plan, arguments)
    made = result.plan
    if made.enough is False and plan.hits is None:
        terminal.say(
            f"{plan.hours:g} hours are enough for {made.hits_per_scale:,} of the "
            f"{hits_needed(plan, plan.difference or 0):,} HITs needed to detect a difference of "
            f"{plan.difference:g}; these detect {made.detectable:.3f}"
        )
    saving.present(result, arguments)
    return 0


def _with_hits(plan: CampaignPlan, arguments: argparse.Namespace) -> CampaignResult:
    """Plan the campaign and write its HITs."""
    from weigh.human.campaign import plan_campaign
    from weigh.human.export import WRITERS, check_export
    from weigh.human.hits import check_shown, name_of
    from weigh.read import read_inputs
    from weigh.read.text import public_path

    has = (arguments.ref is not None, arguments.src is not None)
    check_shown(plan.kind, references=has[0], sources=has[1])
    exports = list(dict.fromkeys(arguments.export))
    for export in exports:
        check_export(export, plan.kind)
    folder = Path(arguments.output)
    names = {
        (scale, export, ending): f"{name_of(plan.kind, scale)}{ending}"
        for scale in plan.scales_asked
        for export in exports
        for ending in EXPORTS[export]
    }
    check_free(folder, [*names.values()], force=bool(arguments.force))
    test_set, systems = read_inputs(
        arguments.systems,
        [] if arguments.ref is None else [arguments.ref],
        arguments.src,
        arguments.documents,
        id_column=arguments.id,
        text_column=arguments.text,
        references_needed=False,
    )
    result = plan_campaign(systems, test_set, plan)
    sheets = result.sheets
    write_files(
        folder,
        {
            name: WRITERS[export][ending](sheets[scale])
            for (scale, export, ending), name in names.items()
        },
    )
    if not arguments.quiet:
        terminal.say(
            f"{result.plan.hits_per_scale:,} HITs for {' and '.join(result.scales)} in "
            f"{arguments.output}: {', '.join(names.values())}"
        )
    place = public_path(arguments.output)
    return replace(result, files=tuple(f"{place}/{name}" for name in names.values()))


# `weigh human quality`


def _add_quality(parser: Parser) -> None:
    judgments.add_arguments(parser)
    parser.add_argument_group("quality control").add_argument(
        "--preset",
        metavar="NAME",
        type=one_of("preset", CONTROLS),
        default=next(iter(CONTROLS)),
        help="crowd-alone: bad items must score lower than the items they were made from (paired "
        "t-test, α = .05); appraise: lower than all outputs (Mann-Whitney test, α = .01), and a "
        "task of 100 items must take at least 600 s (default: crowd-alone)",
    )
    judgments.add_texts(parser)
    output = options.add_output(parser)
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the judgments of the judges who pass to this file, as JSON lines",
    )
    output.add_argument(
        "--payments",
        metavar="FILE",
        help="write whom to thank, pay or reject, and why, with the platform's worker names, to "
        "FILE.tsv; FILE.csv has the columns that Mechanical Turk accepts (AssignmentId, Approve, "
        "Reject)",
    )
    switch(output, "--force", "overwrite existing files")
    saving.add_arguments(output, content="all tables")
    judgments.add_quiet(output)


def _run_quality(arguments: argparse.Namespace) -> int:
    target, list_file = (
        saving.new_file(name, arguments) for name in (arguments.output, arguments.payments)
    )
    if list_file is not None and list_file.suffix not in (".tsv", ".csv"):
        raise UsageError(f"--payments {list_file}: the name must end in .tsv, or .csv for MTurk")
    saving.check(arguments)
    from weigh.human.judgments import as_jsonl, renamed
    from weigh.human.quality import quality, testable
    from weigh.read.answers import Preferences

    read = judgments.read_answers(arguments)
    answers = testable(read)
    if target is not None and isinstance(read, Preferences):
        raise UsageError(
            f"-o {target}: the answers are choices, not scores; rank them with weigh human rank "
            f"--quality {arguments.preset}"
        )
    result = quality(answers, arguments.preset, **judgments.read_texts(arguments))
    if target is not None:
        write_whole(target, as_jsonl(renamed(result.kept, answers.names)))
    if list_file is not None:
        _write_payments(list_file, answers, result, quiet=bool(arguments.quiet))
    judgments.present(result, arguments)
    return 0


def _write_payments(path: Path, answers: Judgments, result: QualityResult, *, quiet: bool) -> None:
    """Write whom to thank, pay or reject."""
    from weigh.human.payments import as_mturk, as_tsv, payments

    listed = payments(answers, result)
    write_whole(path, (as_mturk if path.suffix == ".csv" else as_tsv)(listed))
    if not quiet:
        counts = [
            f"{sum(each.decision == decision for each in listed):,} to {decision}"
            for decision in ("thank", "pay", "refuse")
        ]
        terminal.say(f"{path}: {', '.join(counts)}; it contains names, so keep it private")


# `weigh human rank`


def _add_rank(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("ranking")
    group.add_argument(
        "--preset",
        metavar="NAME",
        type=one_of("preset", PRESETS),
        default="weigh",
        help="weigh: two-sided tests of documents, else of segments, Holm-adjusted; wmt21: "
        "one-sided rank-sum tests, not adjusted, with the clusters of WMT 2021; graham2014: "
        "one-sided rank-sum tests of single judgments, not adjusted (default: weigh)",
    )
    judgments.add_quality(
        group, "crowd-alone if there are control items, else none; none in published presets"
    )
    add_options(group, RankPlan)
    options.add_seed(group)
    powered = parser.add_argument_group("combination with a metric")
    powered.add_argument(
        "--with",
        dest="metric_scores",
        metavar="METRIC-FILE",
        action="append",
        default=[],
        help="also estimate the scores with a metric's segment scores of all segments and systems "
        "(METRIC=FILE or a table), which narrows intervals; the judged segments must be a random "
        "sample of at least 20 segments or 10 documents; repeatable",
    )
    powered.add_argument(
        "--with-columns",
        metavar="ROLE=COL,...",
        help="the columns of a --with table, such as system=model,item=id,score=comet (default: "
        "by common names)",
        advanced=True,
    )
    powered.add_argument(
        "--lines",
        metavar="FILE",
        help="the lines.txt of weigh sample, if the judged segments are a sample of the --with "
        "segments",
        advanced=True,
    )
    group.add_argument(
        "--documents",
        metavar="FILE",
        help="the document of each segment, one per line, if the judgments name none; tests then "
        "resample documents",
    )
    group.add_argument(
        "--slices",
        metavar="FILE",
        help="a label for each segment, one per line, such as its domain; scores are also shown "
        "by slice",
    )
    judgments.add_texts(parser)
    output = options.add_output(parser)
    output.add_argument(
        "--tables",
        metavar="DIR",
        help="write the scores of systems, segments, documents and slices to this directory, as "
        "TSV files",
        advanced=True,
    )
    switch(output, "--force", "overwrite existing files", advanced=True)
    saving.add_arguments(output, content="pictures")
    judgments.add_quiet(output)


def _run_rank(arguments: argparse.Namespace) -> int:
    saving.check(arguments)
    plan = plan_of(arguments, PRESETS[arguments.preset], seed=arguments.seed)
    from weigh.human.rank import rank
    from weigh.human.tables import FILES, as_files
    from weigh.read import read_texts

    answers = judgments.read_answers(arguments)
    texts = judgments.read_texts(arguments)
    if arguments.with_columns is not None and not arguments.metric_scores:
        raise UsageError("--with-columns needs a table; name it with --with")
    if arguments.tables is not None:
        check_free(Path(arguments.tables), FILES, force=bool(arguments.force))
    result = rank(
        answers,
        plan,
        quality=arguments.quality,
        documents=None if arguments.documents is None else read_texts(arguments.documents),
        slices=None if arguments.slices is None else read_texts(arguments.slices),
        metric=inputs.read_metric_scores(arguments.metric_scores, arguments.with_columns),
        lines=arguments.lines,
        **texts,
    )
    if arguments.tables is not None:
        write_files(Path(arguments.tables), as_files(result))
    judgments.present(result, arguments)
    return 0


# `weigh human agreement`


def _add_agreement(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("agreement")
    add_options(group, AgreementPlan)
    repeated(
        group,
        "--replicate",
        metavar="FILE",
        help="judgments of a second run, to correlate with the first; repeatable",
    )
    output = options.add_output(parser)
    saving.add_arguments(output, content="all tables")
    judgments.add_quiet(output)


def _run_agreement(arguments: argparse.Namespace) -> int:
    if "weights" in arguments.given and arguments.categories is None:
        raise UsageError("--weights needs categories; add --categories N")
    saving.check(arguments)
    plan = plan_of(arguments, AgreementPlan(), bounds=arguments.bounds)
    from weigh.human.agreement import agreement

    answers = judgments.read_answers(arguments)
    second = None
    if arguments.replicate:
        second = judgments.read_answers(arguments, arguments.replicate, names=True)
    judgments.present(agreement(answers, plan, replicate=second), arguments)
    return 0


# `weigh human metrics`


def _add_metrics(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("systems")
    repeated(
        group,
        "--system",
        metavar="SYS",
        help="a system's output; NAME=FILE if the file name is not the system's name in the "
        "judgments; without -r, a file of scores, or a table of all systems; repeatable",
    )
    repeated(
        group,
        "-r",
        "--ref",
        metavar="REF",
        help="references, one segment per line; repeat for several references",
    )
    options.add_metrics(parser)
    group.add_argument(
        "--score-columns",
        metavar="ROLE=COL,...",
        help="the columns of a --system table, such as system=model,item=id,score=comet (default: "
        "by common names)",
        advanced=True,
    )
    tests = parser.add_argument_group("tests")
    judgments.add_quality(tests)
    add_options(tests, MetricsPlan)
    tests.add_argument(
        "--delta",
        metavar="[METRIC=D]",
        nargs="?",
        action="append",
        const="",
        help="report how often people agree with a difference of D, such as bleu=0.8, and which "
        "differences they agree with in 60, 70, 80, 90 and 95%% of pairs; repeatable. Without "
        "files of judgments, the answer is from WMT data",
    )
    saving.add_arguments(options.add_output(parser), content="all tables")
    options.add_work(parser)


def _run_metrics(arguments: argparse.Namespace) -> int:
    if arguments.delta is not None and not arguments.files:
        return _run_known_deltas(arguments)
    if not arguments.system:
        raise UsageError("no systems given; name texts or scores with --system")
    saving.check(arguments)
    plan = plan_of(arguments, MetricsPlan(), seed=arguments.seed, delta=_deltas(arguments))
    answers = judgments.read_answers(arguments)
    given = {name: value for name, value in vars(arguments).items() if name != "columns"}
    given |= {"systems": arguments.system, "documents": None, "allow_missing": True}
    if arguments.score_columns is not None:
        given["columns"] = arguments.score_columns
    with Progress("comparing", quiet=arguments.quiet) as progress:
        from weigh.human.metrics import human_metrics

        dataset = inputs.read_dataset(argparse.Namespace(**given), progress)
        result = human_metrics(
            answers,
            dataset,
            plan=plan,
            quality=arguments.quality,
            threads=arguments.threads,
            progress=progress,
        )
    judgments.present(result, arguments)
    return 0


def _deltas(arguments: argparse.Namespace) -> dict[str, float] | None:
    """The differences of --delta; empty if it has no value, None without --delta."""
    if arguments.delta is None:
        return None
    asked = [text for text in arguments.delta if text]
    for text in asked:
        if "=" not in text:
            raise UsageError(
                f"--delta {text!r}: expected METRIC=NUMBER, such as bleu=0.8; put files before "
                "--delta"
            )
    return by_metric(asked, "--delta", inputs.metric_key)


def _run_known_deltas(arguments: argparse.Namespace) -> int:
    """Report which metric differences people agreed with in WMT data."""
    for name in ("system", "ref"):
        if name in arguments.given:
            raise UsageError(f"--{name} needs a file of judgments; name it before --delta")
    saving.check(arguments)
    plan = plan_of(arguments, MetricsPlan(), seed=arguments.seed, delta=_deltas(arguments))
    from weigh.human.deltas import known_deltas
    from weigh.metrics.registry import key_of, parse_metrics

    asked = "metric" in arguments.chosen
    metrics = [key_of(metric) for metric in parse_metrics(arguments.metric)] if asked else []
    saving.present(known_deltas(metrics, plan.delta, level=plan.level, seed=plan.seed), arguments)
    return 0


SUBVERBS = {
    "plan": Subverb(
        "plan how many judgments are needed, and create the HITs",
        "[option]... (--count N | -r REF -o DIR SYS SYS...)",
        "weigh human plan --detect .3 --hours 40 -r examples/reference.en -o hits "
        "examples/good.en examples/middling.en examples/poor.en",
        _add_plan,
        _run_plan,
    ),
    "quality": Subverb(
        "find out which judges are reliable, and why",
        "[--preset NAME] [option]... FILE...",
        "weigh human quality --preset crowd-alone -o kept.jsonl Batch_1_batch_results.csv",
        _add_quality,
        _run_quality,
    ),
    "rank": Subverb(
        "rank systems by human judgments, and test every pair",
        "[--preset NAME] [option]... FILE...",
        "weigh human rank --quality crowd-alone judgments.jsonl",
        _add_rank,
        _run_rank,
    ),
    "agreement": Subverb(
        "measure inter- and intra-annotator agreement",
        "[option]... FILE...",
        "weigh human agreement --categories 5 judgments.jsonl",
        _add_agreement,
        _run_agreement,
    ),
    "metrics": Subverb(
        "measure how well metrics agree with human judgments",
        "[option]... [-r REF] --system SYS... FILE... | --delta [METRIC=D]",
        "weigh human metrics judgments.jsonl -m bleu,ter -r reference.txt --system systems/ash "
        "--system systems/birch --system systems/elm",
        _add_metrics,
        _run_metrics,
    ),
}
