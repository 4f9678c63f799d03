"""`weigh human`: the verbs about people's judgments."""

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


# `weigh human plan`: how many judgments are needed, and the HITs to collect them with.


def _add_plan(parser: Parser) -> None:
    texts = parser.add_argument_group("systems")
    options.add_systems(texts)
    texts.add_argument(
        "--count", metavar="N", type=positive, help="number of systems, where none are given"
    )
    texts.add_argument(
        "-r", "--ref", metavar="REF", help="file of references, one segment per line"
    )
    texts.add_argument(
        "-s",
        "--src",
        metavar="SRC",
        help="file of source texts, which judges see instead of the reference; esa and mqm need it",
    )
    texts.add_argument(
        "--documents",
        metavar="FILE",
        help="file with the document of each segment: whole documents are judged, in order",
    )
    options.add_columns(texts)
    aims = (
        *("difference", "hours", "hits", "rate", "alpha", "power", "adjust", "seconds", "kept"),
        *("correlation", "ties", "design_effect"),
    )
    add_options(parser.add_argument_group("aims"), CampaignPlan, only=aims)
    hits = parser.add_argument_group("hits")
    add_options(hits, CampaignPlan, without=aims)
    hits.add_argument("-o", "--output", metavar="DIR", help="directory to write HITs to")
    hits.add_argument(
        "--export",
        metavar="FORMAT",
        type=one_of("export", EXPORTS),
        action="append",
        default=["jsonl"],
        help="jsonl, mturk (CSV and the page's layout) or pearmut (JSON); repeat it for more "
        "(default: jsonl)",
    )
    switch(hits, "--force", "overwrite files that exist")
    options.add_seed(hits)
    output = options.add_output(parser)
    saving.add_arguments(output, content="all of it")
    switch(output, "--quiet", "do not say what was written")


def _run_plan(arguments: argparse.Namespace) -> int:
    if arguments.count is not None and arguments.systems:
        raise UsageError("both systems and --count; give one of them")
    count = arguments.count or len(arguments.systems)
    if not count:
        raise UsageError("no systems; name their files, or give their number with --count")
    if arguments.count is not None and arguments.output is not None:
        raise UsageError("--count with -o DIR; HITs need the files of systems")
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
            f"{plan.hours:g} hours allow {made.hits_per_scale:,} of the "
            f"{hits_needed(plan, plan.difference or 0):,} HITs that a difference of "
            f"{plan.difference:g} needs; these show {made.detectable:.3f}"
        )
    saving.present(result, arguments)
    return 0


def _with_hits(plan: CampaignPlan, arguments: argparse.Namespace) -> CampaignResult:
    """Plan, make the HITs and write them."""
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


# `weigh human quality`: which judges can be relied on, and why.


def _add_quality(parser: Parser) -> None:
    judgments.add_arguments(parser)
    parser.add_argument_group("control").add_argument(
        "--preset",
        metavar="NAME",
        type=one_of("preset", CONTROLS),
        default=next(iter(CONTROLS)),
        help="crowd-alone: bad items against those that they were made from, paired t-test, "
        "p at most .05; appraise: against all outputs, Mann-Whitney test, p at most .01, and at "
        "least 600 s per 100 items of every task (default: crowd-alone)",
    )
    judgments.add_texts(parser)
    output = options.add_output(parser)
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the judgments of the judges who stay to this file, as JSON lines",
    )
    output.add_argument(
        "--payments",
        metavar="FILE",
        help="write whom to thank, to pay and to refuse, and why, under the platform's names of "
        "people, to FILE.tsv; FILE.csv is what Mechanical Turk takes back (AssignmentId, Approve, "
        "Reject)",
    )
    switch(output, "--force", "overwrite files that exist")
    saving.add_arguments(output, content="all of it")
    judgments.add_quiet(output)


def _run_quality(arguments: argparse.Namespace) -> int:
    target, list_file = (
        saving.new_file(name, arguments) for name in (arguments.output, arguments.payments)
    )
    if list_file is not None and list_file.suffix not in (".tsv", ".csv"):
        raise UsageError(f"--payments {list_file}: name it FILE.tsv, or FILE.csv for MTurk")
    saving.check(arguments)
    from weigh.human.judgments import as_jsonl, renamed
    from weigh.human.quality import quality, testable
    from weigh.read.answers import Preferences

    read = judgments.read_answers(arguments)
    answers = testable(read)
    if target is not None and isinstance(read, Preferences):
        raise UsageError(
            f"-o {target}: these are choices, of which no scores are left; rank them with "
            f"weigh human rank --quality {arguments.preset}"
        )
    result = quality(answers, arguments.preset, **judgments.read_texts(arguments))
    if target is not None:
        write_whole(target, as_jsonl(renamed(result.kept, answers.names)))
    if list_file is not None:
        _write_payments(list_file, answers, result, quiet=bool(arguments.quiet))
    judgments.present(result, arguments)
    return 0


def _write_payments(path: Path, answers: Judgments, result: QualityResult, *, quiet: bool) -> None:
    """Write whom to thank, to pay and to refuse."""
    from weigh.human.payments import as_mturk, as_tsv, payments

    listed = payments(answers, result)
    write_whole(path, (as_mturk if path.suffix == ".csv" else as_tsv)(listed))
    if not quiet:
        counts = [
            f"{sum(each.decision == decision for each in listed):,} to {decision}"
            for decision in ("thank", "pay", "refuse")
        ]
        terminal.say(f"{path}: {', '.join(counts)}; it names people, so keep it to yourself")


# `weigh human rank`: systems ranked by judgments, with tests of every pair.


def _add_rank(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("ranking")
    group.add_argument(
        "--preset",
        metavar="NAME",
        type=one_of("preset", PRESETS),
        default="weigh",
        help="weigh: two-sided tests of documents, or of segments where no documents are named, "
        "adjusted by Holm; wmt21: rank-sum, one-sided, not adjusted, clusters as printed then; "
        "graham2014: rank-sum of single judgments, one-sided, not adjusted (default: weigh)",
    )
    judgments.add_quality(
        group, "crowd-alone where there are control items, else none; none in published presets"
    )
    add_options(group, RankPlan)
    options.add_seed(group)
    powered = parser.add_argument_group("help of a metric")
    powered.add_argument(
        "--with",
        dest="metric_scores",
        metavar="METRIC-FILE",
        action="append",
        default=[],
        help="estimate scores of systems with the help of a metric too: its segment scores of all "
        "segments and systems, METRIC=FILE or a table; 20 segments, or 10 documents where they are "
        "named, must be judged, drawn at random; repeat it for more files of the metric",
    )
    powered.add_argument(
        "--with-columns",
        metavar="ROLE=COL,...",
        help="--with is a table with these columns, such as system=model,item=id,score=comet "
        "(default: by common names)",
    )
    powered.add_argument(
        "--lines",
        metavar="FILE",
        help="the judged segments are a sample of those of --with, and this is the lines.txt of "
        "weigh sample",
    )
    group.add_argument(
        "--documents",
        metavar="FILE",
        help="file with the document of each segment, where judgments name none; documents and not "
        "segments are then what tests and intervals take as independent",
    )
    group.add_argument(
        "--slices",
        metavar="FILE",
        help="file with a label for each segment, such as its domain; scores are shown by label, "
        "with the mean over labels",
    )
    judgments.add_texts(parser)
    output = options.add_output(parser)
    output.add_argument(
        "--tables",
        metavar="DIR",
        help="write the scores of systems, segments, documents and slices into this directory, as "
        "TSV files",
    )
    switch(output, "--force", "overwrite tables that exist")
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
        raise UsageError("--with-columns is for a table of --with; name it too")
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


# `weigh human agreement`: how far judges agree, with each other and with themselves.


def _add_agreement(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("agreement")
    add_options(group, AgreementPlan)
    repeated(
        group,
        "--replicate",
        metavar="FILE",
        help="judgments of a second run: show how both correlate; repeat it for more files",
    )
    output = options.add_output(parser)
    saving.add_arguments(output, content="all of it")
    judgments.add_quiet(output)


def _run_agreement(arguments: argparse.Namespace) -> int:
    if "weights" in arguments.given and arguments.categories is None:
        raise UsageError("--weights are for kappas of scores; add --categories N")
    saving.check(arguments)
    plan = plan_of(arguments, AgreementPlan(), bounds=arguments.bounds)
    from weigh.human.agreement import agreement

    answers = judgments.read_answers(arguments)
    second = None
    if arguments.replicate:
        second = judgments.read_answers(arguments, arguments.replicate, names=True)
    judgments.present(agreement(answers, plan, replicate=second), arguments)
    return 0


# `weigh human metrics`: metrics held against judgments of people.


def _add_metrics(parser: Parser) -> None:
    judgments.add_arguments(parser)
    group = parser.add_argument_group("metrics")
    repeated(
        group,
        "--system",
        metavar="SYS",
        help="file of a system's output, whose name is that of the judgments, or NAME=FILE; or, "
        "without -r, its scores by another program, or a table of all systems; repeat it for all",
    )
    repeated(
        group,
        "-r",
        "--ref",
        metavar="REF",
        help="file of references, one segment per line; repeat it for more references",
    )
    options.add_metrics(parser)
    group.add_argument(
        "--score-columns",
        metavar="ROLE=COL,...",
        help="--system is a table with these columns, such as system=model,item=id,score=comet "
        "(default: by common names)",
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
        help="tell in how many pairs of systems people agree with a difference of D, such as "
        "bleu=0.8, and which differences mean 60, 70, 80, 90 and 95%%; repeat it for more. Without "
        "files of judgments it is told from data of the WMT",
    )
    saving.add_arguments(options.add_output(parser), content="all of it")
    options.add_work(parser)


def _run_metrics(arguments: argparse.Namespace) -> int:
    if arguments.delta is not None and not arguments.files:
        return _run_known_deltas(arguments)
    if not arguments.system:
        raise UsageError("give the systems' texts or scores with --system")
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
    """Return the differences that were asked about; none at all is another thing than None."""
    if arguments.delta is None:
        return None
    asked = [text for text in arguments.delta if text]
    for text in asked:
        if "=" not in text:
            raise UsageError(
                f"--delta {text!r}: expected METRIC=NUMBER, such as bleu=0.8; files stand before a "
                "lone --delta"
            )
    return by_metric(asked, "--delta", inputs.metric_key)


def _run_known_deltas(arguments: argparse.Namespace) -> int:
    """Tell what differences of metrics meant to people on data of the WMT."""
    for name in ("system", "ref"):
        if name in arguments.given:
            raise UsageError(
                f"--{name} is for judgments of your own, but no file of judgments is given; name "
                "it too, before a lone --delta"
            )
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
        "tell how many judgments are needed, and make the HITs for them",
        "[option]... (--count N | -r REF -o DIR SYS SYS...)",
        "weigh human plan --detect .3 --hours 40 -r examples/reference.en -o hits "
        "examples/good.en examples/middling.en examples/poor.en",
        _add_plan,
        _run_plan,
    ),
    "quality": Subverb(
        "tell which judges can be relied on, and why",
        "[--preset NAME] [option]... FILE...",
        "weigh human quality --preset crowd-alone -o kept.jsonl Batch_1_batch_results.csv",
        _add_quality,
        _run_quality,
    ),
    "rank": Subverb(
        "rank systems by judgments, with tests of every pair",
        "[--preset NAME] [option]... FILE...",
        "weigh human rank --quality crowd-alone judgments.jsonl",
        _add_rank,
        _run_rank,
    ),
    "agreement": Subverb(
        "tell how far judges agree, with each other and with themselves",
        "[option]... FILE...",
        "weigh human agreement --categories 5 judgments.jsonl",
        _add_agreement,
        _run_agreement,
    ),
    "metrics": Subverb(
        "hold metrics against judgments of people",
        "[option]... [-r REF] --system SYS... FILE... | --delta [METRIC=D]",
        "weigh human metrics judgments.jsonl -m bleu,ter -r reference.txt --system systems/ash "
        "--system systems/birch --system systems/elm",
        _add_metrics,
        _run_metrics,
    ),
}
