"""`weigh sacrebleu`: the arguments and the output of sacreBLEU 2.6, with weigh's tests."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from weigh.cli import terminal
from weigh.cli.arguments import (
    Argument,
    argument,
    files,
    number,
    positive,
    section,
    seed,
    verb,
    whole_number,
)
from weigh.cli.progress import Progress
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from weigh.comparing.sacrebleu import Resampling
    from weigh.types import Metric

_METRICS = ("bleu", "chrf", "ter")
_SMOOTHING = ("none", "floor", "add-k", "exp")
_TOKENIZERS = (
    *("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab"),
    *("spm", "flores101", "flores200", "spBLEU-1K"),
)
_UNKNOWN_TOKENIZERS = ("spm", "flores101", "spBLEU-1K")
_BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
_FORMATS = ("json", "text", "latex")
_OF_TEST_SETS = (
    *("-t --test-set", "-ol --origlang", "--subset", "--download", "--echo", "--list"),
    *("--citation --cite", "-d --detail"),
)
_MANY_TOKENIZED = 100  # lines that end in ' .', from which sacreBLEU warns


class _Refused(argparse.Action):
    def __call__(self, _: object, __: object, ___: object, option: str | None = None) -> None:
        raise UsageError(
            f"{option}: weigh downloads no test sets; save the references with "
            "'sacrebleu -t SET -l PAIR --echo ref > ref.txt' and give that file"
        )


def _flag(names: str, help: str) -> Argument:
    return Argument(tuple(names.split()), {"action": "store_true", "default": False, "help": help})


def _choice(spec: str, choices: tuple[str, ...], help: str, **settings: Any) -> Argument:
    return argument(spec, f"{help}: {', '.join(choices)}", choices=choices, **settings)


def _whole(
    spec: str, default: int, help: str, parse: Callable[[str], int] = whole_number
) -> Argument:
    return argument(spec, f"{help} (default: {default})", type=parse, default=default)


_SECTIONS = (
    section(
        "texts",
        files("refs REF", "reference files, before -i"),
        argument(
            "-i --input SYS",
            "system outputs, the baseline first (default: stdin, with a column for each system)",
            nargs="*",
        ),
        argument(
            "-nr --num-refs N",
            "REF is one file with this many columns of references",
            type=positive,
            default=1,
        ),
        argument("-e --encoding NAME", "UTF-8 only", default="utf-8"),
        argument("-l --language-pair SRC-TRG", "chooses the tokeniser of BLEU for zh, ja and ko"),
    ),
    section(
        "metrics",
        _choice(
            "-m --metrics METRIC",
            _METRICS,
            "one or several (default: bleu)",
            nargs="+",
            default=["bleu"],
        ),
        _flag("-sl --sentence-level", "score every segment separately"),
    ),
    section(
        "BLEU",
        _choice("-s --smooth-method METHOD", _SMOOTHING, "smoothing (default: exp)", default="exp"),
        argument("-sv --smooth-value X", "value for floor and add-k", type=number),
        _choice(
            "-tok --tokenize TOKENIZER",
            _TOKENIZERS,
            "tokeniser (default: 13a, unless -l chooses another)",
        ),
        _flag("-lc --lowercase", "ignore case"),
        _flag("--force", "do not warn about outputs that look tokenised"),
    ),
    section(
        "chrF",
        _whole("-cc --chrf-char-order N", 6, "longest character n-grams"),
        _whole("-cw --chrf-word-order N", 0, "longest word n-grams; 2 gives chrF++"),
        _whole("--chrf-beta N", 2, "weight of recall against precision"),
        _flag("--chrf-whitespace", "count white space as characters"),
        _flag("--chrf-lowercase", "ignore case"),
        _flag("--chrf-eps-smoothing", "smooth as chrF++.py, NLTK and Moses do"),
    ),
    section(
        "TER",
        _flag("--ter-case-sensitive", "distinguish case"),
        _flag("--ter-asian-support", "split Asian characters"),
        _flag("--ter-no-punct", "remove punctuation"),
        _flag("--ter-normalized", "split punctuation, as tercom does"),
    ),
    section(
        "tests",
        _flag("-ci --confidence", "for one system, give a 95%% interval by the bootstrap"),
        _flag("-par --paired-ar", "test systems by approximate randomization"),
        _flag("-pbs --paired-bs", "test systems by the bootstrap, shifted to zero"),
        _whole("-cin --confidence-n N", 1000, "number of trials", positive),
        _whole("-parn --paired-ar-n N", 10_000, "number of trials", positive),
        _whole("-pbsn --paired-bs-n N", 1000, "number of trials", positive),
        argument("-j --paired-jobs N", "has no effect: all cores are used", type=whole_number),
    ),
    section(
        "output",
        _choice("-f --format FORMAT", _FORMATS, "layout (default: json)", default="json"),
        _flag("-b --score-only", "print the score alone"),
        _whole("-w --width N", 1, "number of decimals", partial(whole_number, least=0, most=100)),
        _flag("-sh --short", "print short signatures"),
        _flag("-q --quiet", "print only errors to stderr"),
        _flag("-nc --no-color", "has no effect: the output has no colour"),
        _flag("-V --version", "print the version"),
    ),
    section(
        "not supported, because they download test sets",
        [
            Argument(tuple(names.split()), {"metavar": "...", "nargs": "*", "action": _Refused})
            for names in _OF_TEST_SETS
        ],
    ),
)


@verb(
    "REF... [-i SYS...] [-m METRIC...] [option]...",
    "weigh sacrebleu examples/reference.en -i examples/good.en examples/middling.en "
    "-m bleu chrf --paired-ar",
    *_SECTIONS,
)
def run(arguments: argparse.Namespace) -> None:
    """Read, score or compare, and print as sacreBLEU does."""
    if arguments.version:
        from weigh import __version__

        terminal.write(f"weigh {__version__}")
        return
    _check(arguments)
    references = _references(arguments)
    systems = _systems(arguments)
    _check_number(arguments, len(systems))
    from weigh.comparing.dataset import from_texts
    from weigh.comparing.sacrebleu import score_systems
    from weigh.report.sacrebleu import Layout, show_scores, show_segments
    from weigh.types import Outputs, System, TestSet

    metrics = _metrics(arguments)
    terminal.remark(*_remarks(arguments, references, systems, metrics))
    with Progress("scoring") as progress:
        dataset = from_texts(
            [System(name, Outputs(texts)) for name, texts in systems.items()],
            TestSet(references),
            metrics,
            progress=progress,
        )
    layout = Layout(_format(arguments), arguments.width, arguments.short, arguments.score_only)
    if arguments.sentence_level:
        terminal.write(show_segments(dataset, layout))
        return
    with Progress("comparing") as progress:
        scores = score_systems(dataset, _resampling(arguments), progress)
    if not arguments.quiet:
        terminal.warn(scores.warnings)
    terminal.write(show_scores(dataset, scores, layout))


def _check(arguments: argparse.Namespace) -> None:
    """Reject options that weigh does not support, or that do not go together."""
    import codecs

    try:
        encoding = codecs.lookup(arguments.encoding).name
    except LookupError:
        encoding = "unknown"
    if encoding not in ("utf-8", "utf-8-sig", "ascii"):
        raise UsageError(
            f"--encoding {arguments.encoding}: only UTF-8 is read; convert files with iconv"
        )
    if arguments.tokenize in _UNKNOWN_TOKENIZERS:
        raise UsageError(
            f"--tokenize {arguments.tokenize}: weigh does not have it; use flores200, or "
            "sacrebleu itself"
        )
    if arguments.paired_ar and arguments.paired_bs:
        raise UsageError("--paired-ar and --paired-bs exclude each other; give one of them")
    if not arguments.refs:
        raise UsageError("no references given; name their files before -i")
    if arguments.num_refs > 1 and len(arguments.refs) > 1:
        raise UsageError("--num-refs needs one file with several columns; give one file")
    if arguments.sentence_level and len(set(arguments.metrics)) > 1:
        raise UsageError("--sentence-level takes one metric; give one")
    if arguments.sentence_level and (arguments.confidence or _is_paired(arguments)):
        raise UsageError("--sentence-level allows no tests or intervals; leave them out")


def _check_number(arguments: argparse.Namespace, systems: int) -> None:
    if systems > 1 and arguments.sentence_level:
        raise UsageError(f"--sentence-level takes one system, not {systems}; give one")
    if systems > 1 and arguments.confidence:
        raise UsageError("--confidence takes one system; use --paired-bs for several")
    if systems == 1 and _is_paired(arguments):
        raise UsageError("a paired test needs at least two systems; name them with -i")


def _is_paired(arguments: argparse.Namespace) -> bool:
    return bool(arguments.paired_ar or arguments.paired_bs)


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
    paired = _is_paired(arguments)
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

    valued = arguments.smooth_method in ("floor", "add-k")
    # Only the options of chosen metrics need to be valid.
    metrics: Mapping[str, Callable[[], Metric]] = {
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
    if not _is_paired(arguments):
        chosen.sort()  # sacreBLEU keeps the given order only for tests
    return [metrics[name]() for name in chosen]


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

    remarks = []
    names = [metric.name for metric in metrics]
    plain = "BLEU" in names and _tokenizer(arguments) in ("13a", "intl", "none")
    writing, _ = writing_of(references)
    if writing.hides_words and (plain or "TER" in names):
        remarks.append(
            f"the references are {writing.language}, which has no spaces between words: TER, and "
            "BLEU without -l or -tok, treat a whole sentence as one word; chrf counts characters"
        )
    for name, texts in systems.items() if plain and not arguments.force else ():
        if sum(text.endswith(" .") for text in texts) >= _MANY_TOKENIZED:
            remarks.append(
                f"{name}: {_MANY_TOKENIZED} lines or more end in ' .'; BLEU expects text that is "
                "not tokenised (--force silences this warning)"
            )
    return remarks


# Results.


def _seed() -> int:
    """The seed from the environment; `none` draws one, which signatures report."""
    value = os.environ.get("SACREBLEU_SEED", "12345")
    if value.lower() == "none":
        return int.from_bytes(os.urandom(4))
    try:
        return seed(value)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"SACREBLEU_SEED: {error}") from None


def _resampling(arguments: argparse.Namespace) -> Resampling | None:
    """The test or the interval that the options ask for."""
    from weigh.comparing.sacrebleu import Resampling

    seed = _seed()
    if arguments.paired_ar:
        return Resampling("ar", arguments.paired_ar_n, seed)
    if arguments.paired_bs:
        return Resampling("bs", arguments.paired_bs_n, seed)
    return Resampling("ci", arguments.confidence_n, seed) if arguments.confidence else None


def _format(arguments: argparse.Namespace) -> str:
    name = os.environ.get("SACREBLEU_FORMAT", "").lower()
    return name if name in _FORMATS else str(arguments.format)
