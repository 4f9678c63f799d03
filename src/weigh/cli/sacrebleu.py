"""`weigh sacrebleu`: the arguments and the output of sacreBLEU 2.6, with weigh's tests."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weigh.cli import terminal
from weigh.cli.parser import Parser, number, positive, seed
from weigh.cli.progress import Progress
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset
    from weigh.report.sacrebleu import Entry
    from weigh.types import Metric

USAGE = "REF... [-i SYS...] [-m METRIC...] [option]..."
EXAMPLE = (
    "weigh sacrebleu examples/reference.en -i examples/good.en examples/middling.en "
    "-m bleu chrf --paired-ar"
)

_METRICS = ("bleu", "chrf", "ter")
_SMOOTHING = ("none", "floor", "add-k", "exp")
_VALUED = ("floor", "add-k")
_TOKENIZERS = (
    *("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab"),
    *("spm", "flores101", "flores200", "spBLEU-1K"),
)
_UNKNOWN_TOKENIZERS = ("spm", "flores101", "spBLEU-1K")
_BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_FORMATS = ("json", "text", "latex")
_OF_TEST_SETS = (
    *(("-t", "--test-set"), ("-ol", "--origlang"), ("--subset",), ("--download",), ("--echo",)),
    *(("--list",), ("--citation", "--cite"), ("-d", "--detail")),
)
_MANY_TOKENIZED = 100  # lines that end in a full stop for itself, where sacreBLEU warns


def add_arguments(parser: Parser) -> None:
    """Declare sacreBLEU's options, which may be abbreviated as there."""
    parser.allow_abbrev = True
    texts = parser.add_argument_group("texts")
    texts.add_argument(
        "refs", metavar="REF", nargs="*", default=[], help="files of references, before -i"
    )
    texts.add_argument(
        "-i",
        "--input",
        metavar="SYS",
        nargs="*",
        help="files of systems' outputs, the baseline first; without it, stdin with a column for "
        "each system",
    )
    texts.add_argument(
        "-nr",
        "--num-refs",
        metavar="N",
        type=positive,
        default=1,
        help="REF is one file with so many columns of references",
    )
    texts.add_argument("-e", "--encoding", metavar="NAME", default="utf-8", help="UTF-8 only")
    texts.add_argument(
        "-l",
        "--language-pair",
        metavar="SRC-TRG",
        help="chooses the tokeniser of BLEU for zh, ja and ko",
    )
    metrics = parser.add_argument_group("metrics")
    _choice(metrics, "-m", "--metrics", _METRICS, "bleu", "one or several", nargs="+")
    _flag(metrics, "-sl", "--sentence-level", "score every segment by itself")
    _add_metrics(parser)
    _add_tests(parser)
    _add_output(parser)
    refused = parser.add_argument_group("refused, since they ask for test sets to download")
    for names in _OF_TEST_SETS:
        refused.add_argument(*names, metavar="...", nargs="*", action=_Refused)


class _Refused(argparse.Action):
    def __call__(self, _: object, __: object, ___: object, option: str | None = None) -> None:
        raise UsageError(
            f"{option}: weigh has no test sets and downloads none; save the references by "
            "'sacrebleu -t SET -l PAIR --echo ref > ref.txt' and give that file"
        )


def _flag(group: Any, short: str, name: str, text: str) -> None:
    group.add_argument(*filter(None, (short, name)), action="store_true", default=False, help=text)


def _choice(
    group: Any, short: str, name: str, known: Sequence[str], default: str, text: str, **more: Any
) -> None:
    group.add_argument(
        short,
        name,
        metavar=name.removeprefix("--").upper().removesuffix("S"),
        choices=known,
        default=[default] if more else default or None,
        help=f"{text}: {', '.join(known)}" + (f" (default: {default})" if default else ""),
        **more,
    )


def _add_metrics(parser: Parser) -> None:
    bleu = parser.add_argument_group("BLEU")
    _choice(bleu, "-s", "--smooth-method", _SMOOTHING, "exp", "smoothing")
    bleu.add_argument(
        "-sv", "--smooth-value", metavar="X", type=number, help="value for floor and add-k"
    )
    _choice(bleu, "-tok", "--tokenize", _TOKENIZERS, "", "tokeniser; 13a unless -l tells otherwise")
    _flag(bleu, "-lc", "--lowercase", "compare without case")
    _flag(bleu, "", "--force", "do not warn of outputs that look tokenised")
    chrf = parser.add_argument_group("chrF")
    for names, default, text in (
        (("-cc", "--chrf-char-order"), 6, "longest n-grams of characters"),
        (("-cw", "--chrf-word-order"), 0, "longest n-grams of words; 2 gives chrF++"),
        (("--chrf-beta",), 2, "weight of recall against precision"),
    ):
        chrf.add_argument(
            *names, metavar="N", type=int, default=default, help=f"{text} (default: {default})"
        )
    _flag(chrf, "", "--chrf-whitespace", "count white space as characters")
    _flag(chrf, "", "--chrf-lowercase", "compare without case")
    _flag(chrf, "", "--chrf-eps-smoothing", "smooth as chrF++.py, NLTK and Moses do")
    ter = parser.add_argument_group("TER")
    _flag(ter, "", "--ter-case-sensitive", "compare with case")
    _flag(ter, "", "--ter-asian-support", "treat Asian characters by themselves")
    _flag(ter, "", "--ter-no-punct", "leave punctuation out")
    _flag(ter, "", "--ter-normalized", "split punctuation, as tercom does")


def _add_tests(parser: Parser) -> None:
    tests = parser.add_argument_group("tests")
    _flag(tests, "-ci", "--confidence", "of one system, give a 95%% interval by the bootstrap")
    either = tests.add_mutually_exclusive_group()
    _flag(either, "-par", "--paired-ar", "test systems by approximate randomization")
    _flag(either, "-pbs", "--paired-bs", "test systems by the bootstrap, shifted to zero")
    for short, name, default in (
        ("-cin", "--confidence-n", 1000),
        ("-parn", "--paired-ar-n", 10_000),
        ("-pbsn", "--paired-bs-n", 1000),
    ):
        tests.add_argument(
            short,
            name,
            metavar="N",
            type=positive,
            default=default,
            help=f"number of trials (default: {default})",
        )
    tests.add_argument(
        "-j", "--paired-jobs", metavar="N", type=int, help="without effect: all cores are used"
    )


def _add_output(parser: Parser) -> None:
    output = parser.add_argument_group("output")
    _choice(output, "-f", "--format", _FORMATS, "json", "layout")
    _flag(output, "-b", "--score-only", "print the score alone")
    output.add_argument(
        "-w", "--width", metavar="N", type=int, default=1, help="number of decimals (default: 1)"
    )
    _flag(output, "-sh", "--short", "print short signatures")
    _flag(output, "-q", "--quiet", "say nothing on stderr but errors")
    _flag(output, "-nc", "--no-color", "without effect: nothing is coloured")
    _flag(output, "-V", "--version", "print the version")


def run(arguments: argparse.Namespace) -> int:
    """Read, score or compare, and print as sacreBLEU does."""
    if arguments.version:
        from weigh import __version__

        terminal.write(f"weigh {__version__}")
        return 0
    _check(arguments)
    references = _references(arguments)
    systems = _systems(arguments)
    paired = arguments.paired_ar or arguments.paired_bs
    _check_number(arguments, len(systems), paired)
    from weigh.comparing.dataset import from_texts
    from weigh.types import Outputs, System, TestSet

    metrics = _metrics(arguments)
    if not arguments.quiet:
        for remark in _remarks(arguments, references, systems, metrics):
            terminal.say(remark)
    with Progress("scoring", quiet=arguments.quiet) as progress:
        dataset = from_texts(
            [System(name, Outputs(texts)) for name, texts in systems.items()],
            TestSet(references),
            metrics,
            progress=progress,
        )
    if arguments.sentence_level:
        text = _sentences(dataset, arguments)
    elif len(systems) == 1:
        text = _one_system(dataset, arguments)
    else:
        text = _several_systems(dataset, arguments, paired)
    terminal.write(text)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be done, and say what can."""
    import codecs

    try:
        known = codecs.lookup(arguments.encoding).name
    except LookupError:
        known = "unknown"
    if known not in ("utf-8", "utf-8-sig", "ascii"):
        raise UsageError(
            f"--encoding {arguments.encoding}: only UTF-8 is read; convert files with iconv"
        )
    if arguments.tokenize in _UNKNOWN_TOKENIZERS:
        raise UsageError(
            f"--tokenize {arguments.tokenize}: weigh does not have it; use flores200, or "
            "sacrebleu itself"
        )
    if not 0 <= arguments.width <= 100:
        raise UsageError(f"--width {arguments.width}; give a number from 0 to 100")
    if not arguments.refs:
        raise UsageError("no references given; name their files before -i")
    if arguments.num_refs > 1 and len(arguments.refs) > 1:
        raise UsageError("--num-refs is for one file with several columns; give one file")
    if arguments.sentence_level and len(set(arguments.metrics)) > 1:
        raise UsageError("--sentence-level takes one metric; give one")
    if arguments.sentence_level and (
        arguments.confidence or arguments.paired_ar or arguments.paired_bs
    ):
        raise UsageError("--sentence-level has no tests and no intervals; leave one of them out")


def _check_number(arguments: argparse.Namespace, systems: int, paired: bool) -> None:
    if systems > 1 and arguments.sentence_level:
        raise UsageError(f"--sentence-level takes one system, not {systems}; give one")
    if systems > 1 and arguments.confidence:
        raise UsageError("--confidence is for one system; use --paired-bs for several")
    if paired and systems == 1:
        raise UsageError("a paired test needs two systems at least; name them with -i")


# Texts.


def _lines(path: str) -> list[str]:
    """Read lines without trailing white space, as sacreBLEU does."""
    from weigh.read import read_texts

    return [line.rstrip() for line in read_texts(path)]


def _references(arguments: argparse.Namespace) -> list[list[str]]:
    if arguments.num_refs == 1:
        return [_lines(path) for path in arguments.refs]
    return _columns(arguments.refs[0], arguments.num_refs, arguments.num_refs - 1)


def _columns(path: str, expected: int | None = None, most_cuts: int = -1) -> list[list[str]]:
    """Read tab-separated columns, as many as the first line has."""
    rows = [line.split("\t", most_cuts) for line in _lines(path)]
    expected = expected or len(rows[0])
    for at, row in enumerate(rows, 1):
        if len(row) != expected:
            raise InputError(
                f"{path}: line {at:,} has {len(row):,} columns, where {expected:,} were expected"
            )
    return [[text.rstrip() for text in column] for column in zip(*rows, strict=True)]


def _systems(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """The texts of each system, by the printed name."""
    paired = arguments.paired_ar or arguments.paired_bs
    if arguments.input is None:
        columns = _columns("-")
        names = [f"System {at}" for at in range(1, len(columns) + 1)]
        names = ["Baseline", *names[:-1]] if paired else names
        return dict(zip(names, columns, strict=True))
    if not arguments.input:
        raise UsageError("-i names no file; give one, or leave -i out to read stdin")
    baseline, *others = arguments.input
    if paired:
        others = [path for path in others if path != baseline]
    for at, path in enumerate(others):
        if path in (baseline, *others[:at]):
            raise UsageError(f"{path} is given twice; give every system once")
    first = f"Baseline: {baseline}" if paired else baseline
    return {first: _lines(baseline)} | {path: _lines(path) for path in others}


# Metrics.


def _metrics(arguments: argparse.Namespace) -> list[Metric]:
    """The metrics, with sacreBLEU's tokenisers whatever the texts are."""
    from weigh.metrics.bleu import Bleu
    from weigh.metrics.chrf import Chrf
    from weigh.metrics.ter import Ter

    valued = arguments.smooth_method in _VALUED
    known: Mapping[str, Callable[[], Metric]] = {
        "bleu": lambda: Bleu(
            tokenize=_tokenizer(arguments),
            lowercase=arguments.lowercase,
            smooth_method=arguments.smooth_method,
            smooth_value=arguments.smooth_value if valued else None,
            effective_order=arguments.sentence_level,
        ),
        "chrf": lambda: Chrf(
            char_order=arguments.chrf_char_order,
            word_order=arguments.chrf_word_order,
            beta=arguments.chrf_beta,
            lowercase=arguments.chrf_lowercase,
            whitespace=arguments.chrf_whitespace,
            eps_smoothing=arguments.chrf_eps_smoothing,
            tokenize="none" if arguments.chrf_word_order else "auto",
        ),
        "ter": lambda: Ter(
            normalized=arguments.ter_normalized,
            no_punct=arguments.ter_no_punct,
            asian_support=arguments.ter_asian_support,
            case_sensitive=arguments.ter_case_sensitive,
            tokenize="none",
        ),
    }
    chosen = list(dict.fromkeys(arguments.metrics))
    if not (arguments.paired_ar or arguments.paired_bs):
        chosen.sort()  # it keeps the order given for tests alone
    return [known[name]() for name in chosen]


def _tokenizer(arguments: argparse.Namespace) -> str:
    if arguments.tokenize is not None:
        return str(arguments.tokenize)
    target = (arguments.language_pair or "").partition("-")[2]
    return _BY_LANGUAGE.get(target, "13a")


def _remarks(
    arguments: argparse.Namespace,
    references: Sequence[Sequence[str]],
    systems: Mapping[str, Sequence[str]],
    metrics: Sequence[Metric],
) -> list[str]:
    """Warnings about scores that may mislead."""
    from weigh.tokenize.writing import writing_of

    said = []
    names = [metric.name for metric in metrics]
    plain = "BLEU" in names and _tokenizer(arguments) in ("13a", "intl", "none")
    writing, _ = writing_of(references)
    if writing.hides_words and (plain or "TER" in names):
        said.append(
            f"the references are {writing.language}, which has no spaces between words: a sentence "
            "counts as a word for TER, and for BLEU unless -l or -tok tells how to find words; "
            "chrf counts characters"
        )
    for name, texts in systems.items() if plain and not arguments.force else ():
        if sum(text.endswith(" .") for text in texts) >= _MANY_TOKENIZED:
            said.append(
                f"{name}: {_MANY_TOKENIZED} lines or more end in ' .'; BLEU wants text that is "
                "not tokenised (--force silences this)"
            )
    return said


# Results.


def _seed() -> int:
    """The seed from the environment; `none` draws one, which signatures report."""
    given = os.environ.get("SACREBLEU_SEED", "12345")
    if given.lower() == "none":
        return int.from_bytes(os.urandom(4))
    try:
        return seed(given)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"SACREBLEU_SEED: {error}") from None


def _format(arguments: argparse.Namespace) -> str:
    given = os.environ.get("SACREBLEU_FORMAT", "").lower()
    return given if given in _FORMATS else str(arguments.format)


def _entries(dataset: Dataset, trials: int | None, seed: int) -> dict[str, list[Entry]]:
    """The scores of all systems by each metric, with bootstrap spreads."""
    from weigh.comparing.score import score
    from weigh.report.sacrebleu import Entry

    scores = iter(score(dataset))
    found = {
        metric.name: [Entry(next(scores).score) for _ in dataset.names]
        for metric in dataset.metrics
    }
    if trials is None:
        return found
    import numpy as np

    from weigh.stats.resample import bootstrap_scores

    tail = trials // 40
    drawn = bootstrap_scores(dataset.samples, trials, seed)
    for own, boots in zip(found.values(), np.sort(drawn, axis=-1), strict=True):
        for at, ordered in enumerate(boots):
            ci = (ordered[trials - tail - 1] - ordered[tail]) / 2
            own[at] = replace(own[at], mean=float(ordered.mean()), ci=float(ci))
    return found


def _one_system(dataset: Dataset, arguments: argparse.Namespace) -> str:
    from weigh.report.sacrebleu import (
        in_list,
        one_system,
        one_system_json,
        signed,
        under_each_other,
    )

    as_json = _format(arguments) == "json"
    trials = arguments.confidence_n if arguments.confidence else None
    seed = _seed()
    added = {} if trials is None else {"bs": trials, "seed": seed}
    entries = _entries(dataset, trials, seed)
    found: list[Any] = []
    for sample in dataset.samples:
        metric = sample.metric
        [entry] = entries[metric.name]
        signature = signed(
            metric.signature(dataset.references), added, short=arguments.short and not as_json
        )
        verbose = _verbose(metric, sample.rows[0][0].sum(axis=0))
        shown = (metric.name, signature, entry, verbose, arguments.width)
        if as_json and not arguments.score_only:
            found.append(one_system_json(*shown))
        else:
            found.append(one_system(*shown, score_only=arguments.score_only))
    if as_json:
        return in_list(found)
    return "\n".join(found) if arguments.score_only else under_each_other(found)


def _sentences(dataset: Dataset, arguments: argparse.Namespace) -> str:
    from weigh.report.sacrebleu import Entry, one_system, signed

    [sample] = dataset.samples
    metric, [[rows]] = sample.metric, sample.rows
    signature = signed(metric.signature(dataset.references), {}, short=arguments.short)
    return "\n".join(
        one_system(
            metric.name,
            signature,
            Entry(score),
            _verbose(metric, row),
            arguments.width,
            score_only=arguments.score_only,
        )
        for score, row in zip(metric.segment_scores(rows).tolist(), rows, strict=True)
    )


def _verbose(metric: Metric, sums: Any) -> str:
    """Precisions and lengths, as sacreBLEU prints them after BLEU."""
    from weigh.metrics.bleu import Bleu

    if not isinstance(metric, Bleu):
        return ""
    known = metric.details(sums)
    precisions = "/".join(f"{each:.1f}" for each in metric.smoothed_precisions(sums))
    ratio = known["length_ratio"] if known["reference_length"] else 0.0
    return (
        f"{precisions} (BP = {known['brevity_penalty']:.3f} ratio = {ratio:.3f} "
        f"hyp_len = {known['hypothesis_length']:.0f} ref_len = {known['reference_length']:.0f})"
    )


def _several_systems(dataset: Dataset, arguments: argparse.Namespace, paired: bool) -> str:
    from weigh.report.sacrebleu import note_on_test, signed, systems_json, systems_table

    added: dict[str, int] = {}
    note: list[str] = []
    seed = _seed()
    if paired:
        kind, trials = ("bs", arguments.paired_bs_n)
        if arguments.paired_ar:
            kind, trials = ("ar", arguments.paired_ar_n)
        added = {kind: trials, "seed": seed}
        title = "approximate randomization" if kind == "ar" else "bootstrap resampling"
        note = note_on_test(title, trials, dataset.names[0])
        entries = _entries(dataset, trials if kind == "bs" else None, seed)
        _add_p_values(entries, dataset, kind, trials, seed, arguments)
    else:
        entries = _entries(dataset, None, seed)
    form = _format(arguments)
    if form == "json":
        return systems_json(dataset.names, entries, arguments.width, paired=paired)
    signatures = {
        metric.name: signed(metric.signature(dataset.references), added, short=arguments.short)
        for metric in dataset.metrics
    }
    return systems_table(
        dataset.names, entries, arguments.width, signatures, note, latex=form == "latex"
    )


def _add_p_values(
    entries: dict[str, list[Entry]],
    dataset: Dataset,
    kind: str,
    trials: int,
    seed: int,
    arguments: argparse.Namespace,
) -> None:
    """Test every system against the first; nothing is adjusted, as in sacreBLEU."""
    from weigh.comparing.compare import compare
    from weigh.comparing.plan import Plan
    from weigh.metrics.registry import key_of

    plan = Plan(
        tests=("randomization" if kind == "ar" else "bootstrap",),
        trials=trials,
        adjust="none",
        baseline=dataset.names[0],
        seed=seed,
    )
    with Progress("comparing", quiet=arguments.quiet) as progress:
        result = compare(dataset, plan=plan, progress=progress)
    if not arguments.quiet:
        terminal.warn(result.warnings)
    titles = {key_of(metric): metric.name for metric in dataset.metrics}
    for pair in result.comparisons:
        own = entries[titles[pair.metric]]
        at = dataset.names.index(pair.a)
        own[at] = replace(own[at], p_value=pair.p_value)
