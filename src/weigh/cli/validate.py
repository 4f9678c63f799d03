"""`weigh validate`: how often significance tests are right."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.cli import judgments, terminal
from weigh.cli.arguments import (
    WORK,
    Section,
    argument,
    nbest,
    output,
    plan_of,
    plan_options,
    refuse,
    repeatable,
    section,
    several,
    verb,
)
from weigh.cli.inputs import Inputs, input_sections, read_references
from weigh.cli.output import check_free
from weigh.cli.progress import Progress
from weigh.errors import InputError, UsageError
from weigh.files import write_files, write_whole
from weigh.validate.plan import AccuracyPlan, PowerPlan, PreferencePlan, SamplesPlan, Type1Plan

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset
    from weigh.read.answers import Judgments, Preferences
    from weigh.result import Result

_INPUTS = input_sections()
_OUTPUT = (output(page="pictures"), WORK)


def _people(plan: type, names: str, about: str = "") -> Section:
    """Human answers, and the plan options that concern them."""
    return section(
        "people",
        repeatable(
            "--human FILE",
            "judgments or relative rankings, in any format of 'weigh human rank'; repeatable",
        ),
        plan_options(plan, names),
        argument("--pair NAME", "use only this language pair"),
        judgments.READING,
        about=about,
    )


def _measure(arguments: argparse.Namespace) -> Dataset:
    """Read the systems and compute their statistics."""
    with Progress("scoring") as progress:
        return Inputs.of(arguments).read(progress)


def _read_answers(arguments: argparse.Namespace) -> Judgments | Preferences:
    if not arguments.human:
        raise UsageError("no human judgments given; add them with --human FILE")
    return judgments.read_answers(arguments, arguments.human)


@verb(
    "--human FILE [-r REF]... [-m METRIC]... [option]... SYS SYS...",
    "weigh validate accuracy --human examples/judgments.csv -r examples/reference.en -m bleu,ter "
    "examples/good.en examples/middling.en examples/poor.en",
    *_INPUTS,
    _people(AccuracyPlan, "quality unit human_alpha"),
    section("tests", plan_options(AccuracyPlan, "tests alphas alternative adjust trials level")),
    *_OUTPUT,
    summary="measure how often tests agree with human judgments",
    plan=AccuracyPlan,
)
def accuracy(arguments: argparse.Namespace, plan: AccuracyPlan) -> Result:
    """Compare the conclusions of tests with those of people."""
    from weigh.validate.accuracy import accuracy

    answers = _read_answers(arguments)
    dataset = _measure(arguments)
    with Progress("testing") as progress:
        return accuracy(dataset, answers, plan, threads=arguments.threads, progress=progress)


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS SYS...",
    "weigh validate samples -r examples/reference.en -m bleu --sizes 10,20 --samples 50 "
    "examples/good.en examples/middling.en",
    *_INPUTS,
    section(
        "samples",
        plan_options(SamplesPlan),
        repeatable(
            "--show NAME",
            "show the single samples of two systems in pictures and JSON; give it twice (default: "
            "the two closest systems by the first metric)",
        ),
    ),
    *_OUTPUT,
    summary="measure how often small samples lead to the right conclusion",
    plan=SamplesPlan,
)
def samples(arguments: argparse.Namespace, plan: SamplesPlan) -> Result:
    """Compare the conclusions of small samples with that of the whole test set."""
    from weigh.validate.samples import samples

    dataset = _measure(arguments)
    with Progress("sampling") as progress:
        return samples(
            dataset, plan, shown=arguments.show, threads=arguments.threads, progress=progress
        )


@verb(
    "[-r REF]... [-m METRIC]... [option]... SYS SYS...|--nbest LIST",
    "weigh validate type1 -r examples/reference.en -m bleu --nulls 200 examples/good.en "
    "examples/middling.en",
    *_INPUTS,
    section("tests", plan_options(Type1Plan, "tests alphas trials compat level")),
    section(
        "equal systems",
        repeatable(
            "--nbest LIST",
            "build equal systems from n-best lists instead of SYS, with two random candidates per "
            "segment; several lists are merged",
        ),
        plan_options(Type1Plan, "nulls size"),
    ),
    *_OUTPUT,
    summary="measure how often tests report a difference between equal systems",
    plan=Type1Plan,
)
def type1(arguments: argparse.Namespace, plan: Type1Plan) -> Result:
    """Test systems that are equal by construction."""
    from weigh.validate.type1 import type1

    dataset = (_measure_lists if arguments.nbest else _measure)(arguments)
    with Progress("testing equal systems") as progress:
        return type1(dataset, plan, threads=arguments.threads, progress=progress)


def _measure_lists(arguments: argparse.Namespace) -> Dataset:
    if arguments.systems:
        raise UsageError("both systems and --nbest given; give one of them")
    refuse(arguments, "allow_missing columns missing pass_at", "does not apply to --nbest")
    from weigh.metrics.registry import expand_metrics
    from weigh.read import read_test_set
    from weigh.tuning.gather import read_nbest
    from weigh.validate.nbest_systems import measure_list

    metrics = expand_metrics(arguments.metric)
    test_set = read_test_set(
        arguments.ref,
        arguments.src,
        arguments.documents,
        id_column=arguments.id,
        text_column=arguments.text,
        references_needed=any(metric.needs_references for metric in metrics),
    )
    with Progress("scoring") as progress:
        return measure_list(
            read_nbest(arguments.nbest, test_set),
            test_set,
            metrics,
            threads=arguments.threads,
            progress=progress,
        )


_TESTS = "tests alpha trials"
_FOR_OUTPUTS = "ref src metric text id documents columns missing pass_at allow_missing test trials"


@verb(
    "[-r REF]... [-m METRIC]... [--human FILE]... [option]... SYS SYS",
    "weigh validate power -r examples/reference.en -m bleu --sizes 40,100 --simulations 100 "
    "examples/good.en examples/middling.en",
    *_INPUTS,
    _people(
        PowerPlan,
        "quality",
        "With --human, SYS are the names of two systems that people judged, and the study "
        "simulates judgments.",
    ),
    section("tests", plan_options(PowerPlan, _TESTS)),
    section("simulation", plan_options(PowerPlan, without=f"{_TESTS} quality")),
    *_OUTPUT,
    summary="measure how often differences are detected, and how much data that needs",
    plan=PowerPlan,
)
def power(arguments: argparse.Namespace, plan: PowerPlan) -> Result:
    """Simulate test sets of several sizes, or judgments."""
    if arguments.human:
        return _judgment_power(arguments, plan)
    from weigh.validate.power import power

    dataset = _measure(arguments)
    with Progress("simulating") as progress:
        return power(dataset, plan, threads=arguments.threads, progress=progress)


def _judgment_power(arguments: argparse.Namespace, plan: PowerPlan) -> Result:
    if arguments.detect:
        raise UsageError("--detect does not apply to --human; use 'weigh human plan --detect'")
    refuse(arguments, _FOR_OUTPUTS, "does not apply to --human")
    from weigh.validate.judgment_power import judgment_power

    answers = _read_answers(arguments)
    with Progress("simulating") as progress:
        return judgment_power(
            answers, arguments.systems, plan, threads=arguments.threads, progress=progress
        )


_ENDINGS = (".jsonl", ".csv")
_KEY, _PAIRS = "key.json", "pairs.jsonl"  # the files of a directory of pairs
_MAKING = "nbest metric ref src weights judges show_reference output"
_COUNTING = "answers only bad_rows"


@verb(
    "(--nbest FILE... -m METRIC -m METRIC -o DIR | --answers FILE...) [option]...",
    "weigh validate preference --nbest examples/nbest.txt -r examples/reference.en "
    "-s examples/source.de -m chrf -m bleu -o pairs",
    section(
        "making pairs",
        nbest(),
        repeatable(
            "-m --metric METRIC",
            "metric with options; give two: people compare their favourite candidates",
        ),
        argument(
            "--weights FILE",
            "weights of the model, as 'name value' lines, which break ties between candidates "
            "(default: the total scores of the list, else its order)",
        ),
        plan_options(PreferencePlan),
        argument(
            "-o --output DIR",
            f"directory for {_PAIRS} and {_KEY}; or a file of pairs (.jsonl, or .csv for MTurk), "
            "with --key for the key",
        ),
        repeatable(
            "--key FILE",
            "file that records which metric chose which text: written with a file of pairs, read "
            "with --answers (repeatable; not needed with a database). Hide it from the judges",
        ),
    ),
    section(
        "counting answers",
        several(
            "--answers FILE",
            "answers with the columns pair, judge and choice (left, right or neither), as CSV, "
            "TSV or JSON lines; an MTurk batch; or the database of weigh serve",
        ),
        repeatable(
            "--only COL=VALUE",
            "count only answers with this value in a column, such as country=DE; repeatable",
        ),
        judgments.BAD_ROWS,
    ),
    output(page="the tables"),
    WORK,
    summary="compare two metrics by blind human choices between their favourite candidates",
)
def preference(arguments: argparse.Namespace) -> Result:
    """Make pairs, or count the answers to them."""
    if arguments.answers:
        refuse(arguments, _MAKING, "does not apply with --answers")
        return _count(arguments)
    refuse(arguments, _COUNTING, "needs --answers")
    return _make(arguments)


def _check_key(arguments: argparse.Namespace) -> None:
    if not arguments.key:
        raise UsageError("no key given; name its file with --key FILE")


def _files(arguments: argparse.Namespace) -> tuple[Path, Path]:
    """The paths of the pairs and their key, which must not exist yet."""
    if arguments.output is None:
        raise UsageError(
            "no output given; name a directory with -o DIR, or a file of pairs with -o FILE"
        )
    output = Path(arguments.output)
    if output.suffix not in _ENDINGS and not arguments.key:
        check_free(output, (), force=False)
        pairs, key = output / _PAIRS, output / _KEY
    else:
        _check_key(arguments)
        if len(arguments.key) != 1:
            raise UsageError(f"{len(arguments.key)} keys; give one file for the key of the pairs")
        if output.suffix not in _ENDINGS:
            raise UsageError(
                f"-o {output}: the name must end in .jsonl or .csv; or leave out --key for a "
                "directory with both"
            )
        pairs, key = output, Path(arguments.key[0])
        for path in (pairs, key):
            if not path.parent.is_dir():
                raise InputError(f"{path}: there is no directory {path.parent}; create it first")
    for path in (pairs, key):
        if path.exists():
            raise InputError(
                f"{path}: exists; name another file, in case people are answering its pairs"
            )
    return pairs, key


def _make(arguments: argparse.Namespace) -> Result:
    if not arguments.nbest:
        raise UsageError("no n-best list given; add one with --nbest FILE, or --answers FILE")
    pairs_file, key_file = _files(arguments)

    from weigh.metrics.registry import parse_metrics
    from weigh.read.weights import read_weights
    from weigh.validate.blinding import as_csv, as_jsonl, as_key, blind_pairs

    plan = plan_of(arguments, PreferencePlan())
    metrics = parse_metrics(arguments.metric)
    test_set = read_references(arguments.ref, arguments.src, metrics)
    pairs = blind_pairs(
        arguments.nbest,
        test_set,
        metrics,
        plan,
        weights=None if arguments.weights is None else read_weights(arguments.weights),
        threads=arguments.threads,
    )
    writer = as_csv if pairs_file.suffix == ".csv" else as_jsonl
    contents = {key_file: as_key(pairs.key), pairs_file: writer(pairs.questions)}
    if arguments.key:
        for path, text in contents.items():
            write_whole(path, text)
    else:
        write_files(key_file.parent, {path.name: text for path, text in contents.items()})
    terminal.say(f"wrote {pairs_file} for the judges and {key_file}, which they must not see")
    return pairs.result


def _count(arguments: argparse.Namespace) -> Result:
    from weigh.read.preferences import read_choices
    from weigh.validate.blinding import read_key
    from weigh.validate.preference import collected_keys, preference

    only = dict(_condition(text) for text in arguments.only)
    keys = collected_keys(arguments.answers, [read_key(path) for path in arguments.key])
    answers = read_choices(arguments.answers, only, arguments.bad_rows)
    for remark in answers.remarks:
        terminal.say(remark)
    return preference(keys, answers)


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise UsageError(f"--only {text!r}: expected COLUMN=VALUE, such as country=DE")
    return column, value


VERBS = {
    "accuracy": accuracy,
    "samples": samples,
    "type1": type1,
    "power": power,
    "preference": preference,
}
