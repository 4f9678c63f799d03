"""`weigh human`: plan, check and analyse human judgments."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import inputs, judgments, terminal
from weigh.cli.arguments import (
    COLUMNS_OF_TEXTS,
    FORCE,
    METRICS,
    OUTPUTS,
    SEED_OPTION,
    WORK,
    argument,
    by_metric,
    output,
    plan_of,
    plan_options,
    quiet,
    repeatable,
    section,
    verb,
    whole_number,
)
from weigh.cli.judgments import JUDGMENTS, QUIET, TEXTS
from weigh.cli.output import check_free, new_file
from weigh.cli.progress import Progress
from weigh.errors import UsageError, plural
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

if TYPE_CHECKING:
    from weigh.human.campaign import CampaignResult
    from weigh.human.quality import QualityResult
    from weigh.read.answers import Judgments
    from weigh.result import Result

_AIMS = "difference hours hits rate alpha power adjust seconds kept correlation ties design_effect"


@verb(
    "[option]... (--count N | -r REF -o DIR SYS SYS...)",
    "weigh human plan --detect .3 --hours 40 -r examples/reference.en -o hits "
    "examples/good.en examples/middling.en examples/poor.en",
    section(
        "systems",
        OUTPUTS,
        argument(
            "--count N",
            "number of systems, if no files are given",
            type=partial(whole_number, least=1, most=10_000),
        ),
        argument("-r --ref REF", "references, one segment per line"),
        argument(
            "-s --src SRC",
            "source texts, which judges see instead of the reference; esa and mqm need them",
        ),
        argument(
            "--documents FILE",
            "the document of each segment, one per line; people then judge whole documents",
        ),
        COLUMNS_OF_TEXTS,
    ),
    section("aims", plan_options(CampaignPlan, _AIMS)),
    section(
        "hits",
        plan_options(CampaignPlan, without=_AIMS),
        argument("-o --output DIR", "directory to write the HITs to"),
        repeatable(
            "--export FORMAT",
            "jsonl, mturk (CSV and page layout) or pearmut (JSON); repeatable (default: jsonl)",
            choices=EXPORTS,
            default=["jsonl"],
        ),
        FORCE,
        SEED_OPTION,
    ),
    output(page="the plan", last=[quiet("do not report the files written")]),
    summary="plan how many judgments are needed, and create the HITs",
)
def plan(arguments: argparse.Namespace) -> Result:
    """Plan a campaign, and write its HITs with -o."""
    if arguments.count is not None and arguments.systems:
        raise UsageError("both systems and --count given; give one of them")
    count = arguments.count or len(arguments.systems)
    if not count:
        raise UsageError("no systems given; name their files, or give their number with --count")
    if arguments.count is not None and arguments.output is not None:
        raise UsageError("-o DIR needs the files of the systems; give them instead of --count")
    from weigh.human.campaign import hits_needed, plan_campaign

    campaign = plan_of(arguments, CampaignPlan(count), source_based=arguments.src is not None)
    if arguments.documents is not None and campaign.split is None:
        campaign = replace(campaign, split=USUAL_SPLIT)
    has_hits = arguments.output is not None
    result = _with_hits(campaign, arguments) if has_hits else plan_campaign(count, plan=campaign)
    planned = result.plan
    if planned.enough is False and campaign.hits is None:
        terminal.say(
            f"{campaign.hours:g} hours are enough for {planned.hits_per_scale:,} of the "
            f"{hits_needed(campaign, campaign.difference or 0):,} HITs needed to detect a "
            f"difference of {campaign.difference:g}; these detect {planned.detectable:.3f}"
        )
    return result


def _with_hits(plan: CampaignPlan, arguments: argparse.Namespace) -> CampaignResult:
    """Plan the campaign and write its HITs."""
    from weigh.human.campaign import plan_campaign
    from weigh.human.export import check_export, hit_files
    from weigh.human.hits import check_shown
    from weigh.read import read_inputs
    from weigh.read.text import public_path

    check_shown(plan.kind, references=arguments.ref is not None, sources=arguments.src is not None)
    for export in arguments.export:  # before the files are read
        check_export(export, plan.kind)
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
    contents = hit_files(result.sheets, arguments.export)
    check_free(Path(arguments.output), contents, force=arguments.force)
    write_files(arguments.output, contents)
    terminal.remark(
        f"{plural(result.plan.hits_per_scale, 'HIT')} for {' and '.join(result.scales)} in "
        f"{arguments.output}: {', '.join(contents)}"
    )
    place = public_path(arguments.output)
    return replace(result, files=tuple(f"{place}/{name}" for name in contents))


@verb(
    "[--preset NAME] [option]... FILE...",
    "weigh demo campaign data && weigh human quality data/judgments.jsonl -o kept.jsonl",
    JUDGMENTS,
    section(
        "quality control",
        argument(
            "--preset NAME",
            "crowd-alone: bad items must score lower than the items they were made from (paired "
            "t-test, α = .05); appraise: lower than all outputs (Mann-Whitney test, α = .01), and "
            "a task of 100 items must take at least 600 s (default: crowd-alone)",
            choices=CONTROLS,
            default=next(iter(CONTROLS)),
        ),
    ),
    TEXTS,
    output(
        argument(
            "-o --output FILE",
            "write the judgments of the judges who pass to this file, as JSON lines",
        ),
        argument(
            "--payments FILE",
            "list whom to thank, pay or reject, and why, with the platform's worker names: as a "
            "table (.tsv), or with the columns that Mechanical Turk accepts (.csv)",
        ),
        FORCE,
        page="all tables",
        last=[QUIET],
    ),
    summary="find out which judges are reliable, and why",
)
def quality(arguments: argparse.Namespace) -> Result:
    """Test the judges, and write the judgments that are kept and the list of payments."""
    target, list_file = (
        new_file(name, arguments) for name in (arguments.output, arguments.payments)
    )
    if list_file is not None and list_file.suffix not in (".tsv", ".csv"):
        raise UsageError(f"--payments {list_file}: the name must end in .tsv, or .csv for MTurk")
    from weigh.human.judgments import as_jsonl, renamed
    from weigh.human.quality import quality, testable
    from weigh.read.answers import Preferences

    read = judgments.read_files(arguments)
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
        _write_payments(list_file, answers, result)
    return result


def _write_payments(path: Path, answers: Judgments, result: QualityResult) -> None:
    """Write whom to thank, pay or reject."""
    from weigh.human.payments import as_mturk, as_tsv, payments

    listed = payments(answers, result)
    write_whole(path, (as_mturk if path.suffix == ".csv" else as_tsv)(listed))
    counts = [
        f"{sum(row.decision == decision for row in listed):,} to {decision}"
        for decision in ("thank", "pay", "refuse")
    ]
    terminal.remark(f"{path}: {', '.join(counts)}; it contains names, so keep it private")


@verb(
    "[--preset NAME] [option]... FILE...",
    "weigh human rank examples/judgments.csv",
    JUDGMENTS,
    section(
        "ranking",
        argument(
            "--preset NAME",
            "weigh: two-sided tests of documents, else of segments, Holm-adjusted; wmt21: "
            "one-sided rank-sum tests, not adjusted, with the clusters of WMT 2021; graham2014: "
            "one-sided rank-sum tests of single judgments, not adjusted (default: weigh)",
            choices=PRESETS,
            default="weigh",
        ),
        judgments.quality_option(
            "crowd-alone if there are control items, else none; none in published presets"
        ),
        plan_options(RankPlan),
        SEED_OPTION,
        argument(
            "--documents FILE",
            "the document of each segment, one per line, if the judgments name none; documents are "
            "then the units of the tests",
        ),
        argument(
            "--slices FILE",
            "a label for each segment, one per line, such as its domain; scores are also shown by "
            "slice",
        ),
    ),
    section(
        "combination with a metric",
        repeatable(
            "--with METRIC-FILE",
            "combine the judgments with a metric's scores of all segments and systems "
            "(METRIC=FILE or a table), which narrows the intervals. The judged segments must be a "
            "random sample of at least 20 segments or 10 documents. Repeatable",
            dest="metric_scores",
        ),
        argument(
            "--with-columns ROLE=COL,...",
            "the columns of a --with table, such as system=model,item=id,score=comet (default: by "
            "common names)",
            advanced=True,
        ),
        argument(
            "--lines FILE",
            "the lines.txt of weigh sample, if the judged segments are a sample of the --with "
            "segments",
            advanced=True,
        ),
    ),
    TEXTS,
    output(
        argument(
            "--tables DIR",
            "write the scores of systems, segments, documents and slices to this directory, as "
            "TSV files",
            advanced=True,
        ),
        replace(FORCE, advanced=True),
        page="pictures",
        last=[QUIET],
    ),
    summary="rank systems by human judgments, and test every pair",
)
def rank(arguments: argparse.Namespace) -> Result:
    """Rank the systems, and write the tables."""
    ranking = plan_of(arguments, PRESETS[arguments.preset])
    from weigh.comparing.inputs import read_labels
    from weigh.human.rank import rank
    from weigh.human.tables import FILES, as_files

    answers = judgments.read_files(arguments)
    texts = judgments.read_texts(arguments)
    if arguments.with_columns is not None and not arguments.metric_scores:
        raise UsageError("--with-columns needs a table; name it with --with")
    if arguments.tables is not None:
        check_free(Path(arguments.tables), FILES, force=arguments.force)
    result = rank(
        answers,
        ranking,
        quality=arguments.quality,
        documents=read_labels(arguments.documents),
        slices=read_labels(arguments.slices),
        metric=inputs.read_metric_scores(arguments.metric_scores, arguments.with_columns),
        lines=arguments.lines,
        **texts,
    )
    if arguments.tables is not None:
        write_files(Path(arguments.tables), as_files(result))
    return result


@verb(
    "[option]... FILE...",
    "weigh human agreement --categories 5 examples/judgments.csv",
    JUDGMENTS,
    section(
        "agreement",
        plan_options(AgreementPlan),
        repeatable(
            "--replicate FILE",
            "judgments of a second run, to correlate with the first; repeatable",
        ),
    ),
    output(page="all tables", last=[QUIET]),
    summary="measure inter- and intra-annotator agreement",
)
def agreement(arguments: argparse.Namespace) -> Result:
    """Measure the agreement of judges, and of a second run with the first."""
    if "weights" in arguments.on_command_line and arguments.categories is None:
        raise UsageError("--weights needs categories; add --categories N")
    categories = plan_of(arguments, AgreementPlan(), bounds=arguments.bounds)
    from weigh.human.agreement import agreement

    answers = judgments.read_files(arguments)
    replicate = None
    if arguments.replicate:
        replicate = judgments.read_files(arguments, arguments.replicate, names=True)
    return agreement(answers, categories, replicate=replicate)


@verb(
    "[option]... [-r REF] --system SYS... FILE... | --delta [METRIC=D]",
    "weigh human metrics examples/judgments.csv -m bleu,ter -r examples/reference.en "
    "--system examples/good.en --system examples/middling.en --system examples/poor.en",
    JUDGMENTS,
    section(
        "systems",
        repeatable(
            "--system SYS",
            "a system's output; NAME=FILE if the file name is not the system's name in the "
            "judgments; without -r, a file of scores, or a table of all systems; repeatable",
        ),
        repeatable(
            "-r --ref REF",
            "references, one segment per line; repeat for several references",
        ),
        argument(
            "--score-columns ROLE=COL,...",
            "the columns of a --system table, such as system=model,item=id,score=comet (default: "
            "recognised by name)",
            advanced=True,
        ),
    ),
    METRICS,
    section(
        "tests",
        judgments.quality_option(),
        plan_options(MetricsPlan),
        repeatable(
            "--delta [METRIC=D]",
            "report in how many pairs of systems people agree with a metric difference of D, such "
            "as bleu=0.8; without D, which differences they agree with in 60, 70, 80, 90 and 95%% "
            "of pairs. Without files of judgments, the numbers are from WMT data. Repeatable",
            type=str,
            nargs="?",
            const="",
            default=None,
        ),
    ),
    output(page="all tables"),
    WORK,
    summary="measure how well metrics agree with human judgments",
)
def metrics(arguments: argparse.Namespace) -> Result:
    """Compare metrics with human judgments, or look up what is known from WMT data."""
    tests = plan_of(arguments, MetricsPlan(), delta=_deltas(arguments))
    if arguments.delta is not None and not arguments.files:
        return _known_deltas(arguments, tests)
    if not arguments.system:
        raise UsageError("no systems given; name texts or scores with --system")
    answers = judgments.read_files(arguments)
    files = inputs.Inputs.of(
        arguments, systems=arguments.system, allow_missing=True, columns=arguments.score_columns
    )
    with Progress("comparing") as progress:
        from weigh.human.metrics import human_metrics

        dataset = files.read(progress)
        return human_metrics(
            answers,
            dataset,
            plan=tests,
            quality=arguments.quality,
            threads=arguments.threads,
            progress=progress,
        )


def _deltas(arguments: argparse.Namespace) -> dict[str, float] | None:
    """The differences of --delta; empty if it has no value, None without --delta."""
    if arguments.delta is None:
        return None
    texts = [text for text in arguments.delta if text]
    for text in texts:
        if "=" not in text:
            raise UsageError(
                f"--delta {text!r}: expected METRIC=NUMBER, such as bleu=0.8; put files before "
                "--delta"
            )
    return by_metric(texts, "--delta")


def _known_deltas(arguments: argparse.Namespace, tests: MetricsPlan) -> Result:
    """Report which metric differences people agreed with in WMT data."""
    for name in ("system", "ref"):
        if name in arguments.on_command_line:
            raise UsageError(f"--{name} needs a file of judgments; name it before --delta")
    from weigh.human.deltas import known_deltas
    from weigh.metrics.registry import key_of, parse_metrics

    names = []
    if "metric" in arguments.chosen:
        names = [key_of(metric) for metric in parse_metrics(arguments.metric)]
    return known_deltas(names, tests.delta, level=tests.level, seed=tests.seed)


VERBS = {
    "plan": plan,
    "quality": quality,
    "rank": rank,
    "agreement": agreement,
    "metrics": metrics,
}
