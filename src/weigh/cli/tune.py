"""`weigh tune`: tune feature weights on n-best lists, or with a decoder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.cli import terminal
from weigh.cli.arguments import (
    WORK,
    argument,
    metrics,
    nbest,
    numbers,
    output,
    plan_of,
    plan_options,
    refuse,
    section,
    several,
    verb,
)
from weigh.cli.inputs import read_references
from weigh.cli.output import write_weights
from weigh.cli.progress import Progress
from weigh.errors import UsageError
from weigh.files import write_files
from weigh.tuning.plan import TunePlan, bounds_of

if TYPE_CHECKING:
    from weigh.tuning.held_out import HeldOut
    from weigh.tuning.search import TuneResult
    from weigh.types import Metric

_FOR_MERT = "starts directions smooth window regularize"
_FOR_DECODER = "iterations size"
_RUNS = "runs average"


@verb(
    "{--nbest FILE... | --model DIR -s SRC | --decoder COMMAND} [-r REF]... [option]...",
    "weigh tune --nbest examples/nbest.txt -r examples/reference.en -m bleu -o weights.txt",
    section(
        "candidates and references",
        nbest(also=", or a FEATSTAT"),
        argument("--scorestat FILE", "Moses' SCORESTAT, if --nbest is a FEATSTAT", advanced=True),
        metrics("metric with options (default: bleu); several with --combine", "bleu"),
        argument(
            "--combine W,W",
            "maximise a weighted sum of the metrics, such as 0.5,-0.5 for -m bleu,ter",
            type=numbers,
        ),
        argument(
            "--init FILE",
            "starting weights, as 'name value' lines; or Moses' init.opt without names, whose "
            "second and third lines bound random starts (default: 1 for every feature)",
        ),
    ),
    section(
        "decoder, instead of n-best lists",
        argument(
            "--decoder COMMAND",
            "command that reads the file {weights} and writes the file {nbest}; it may use {size} "
            "and {source} (--src). Without {nbest}, it is called with Moses' options",
        ),
        argument(
            "--model DIR",
            "model of weigh translate train, to decode --src; NAME=DIR chooses the decoder if "
            "several packages provide one",
        ),
        argument(
            "--dir DIR",
            "folder for the iterations; tuning continues where it stopped (default: tuning)",
            default="tuning",
        ),
        plan_options(TunePlan, _FOR_DECODER),
    ),
    section("search", plan_options(TunePlan, without=f"{_FOR_DECODER} {_RUNS}")),
    section(
        "runs",
        plan_options(TunePlan, _RUNS),
        several(
            "--heldout FILE", "n-best list of other sentences, to compare the result with the start"
        ),
        several(
            "--heldout-ref REF",
            "references of the held-out list; give several files for several references",
        ),
        argument("--heldout-src SRC", "source texts of the held-out list", advanced=True),
        argument(
            "--heldout-parses FILE",
            "parses of the held-out sources, for the metric rypt; its labels must cover some",
            advanced=True,
        ),
    ),
    output(
        argument("-o --output WEIGHTS", "write the weights to this file"),
        argument(
            "--texts DIR",
            "write the texts that the starting weights and each run choose to this directory, for "
            "'weigh compare'; with --heldout, those of the held-out list",
            advanced=True,
        ),
        page="the iterations of a decoder",
    ),
    WORK,
)
def run(arguments: argparse.Namespace) -> TuneResult:
    """Tune on lists or with a decoder, and write weights and texts."""
    _check(arguments)
    plan = plan_of(arguments, TunePlan(), bound=bounds_of(arguments.bound or ()))
    metric = _metric(arguments)
    tune = _tune_lists if arguments.nbest else _tune_decoder
    result = tune(arguments, plan, metric, _held_out(arguments, metric))
    if arguments.output is not None:
        write_weights(arguments.output, result.weights)
    if arguments.texts is not None:
        texts = {
            name: "".join(f"{line}\n" for line in lines) for name, lines in result.texts.items()
        }
        write_files(Path(arguments.texts), texts)
    return result


def _check(arguments: argparse.Namespace) -> None:
    """Reject options that do not go together."""
    ways = [f"--{name}" for name in ("nbest", "model", "decoder") if getattr(arguments, name)]
    if len(ways) != 1:
        raise UsageError(
            "give one of --nbest FILE, --model DIR and --decoder COMMAND, not "
            f"{' and '.join(ways) or 'none'}"
        )
    if arguments.optimizer not in (None, "mert"):
        refuse(arguments, _FOR_MERT, "applies to --optimizer mert only")
    if arguments.scorestat is not None and (arguments.ref or len(arguments.nbest) != 1):
        raise UsageError("--scorestat needs one FEATSTAT as --nbest, and no references")
    for name in ("ref", "src", "parses"):
        if getattr(arguments, f"heldout_{name}") and not arguments.heldout:
            raise UsageError(f"--heldout and --heldout-{name} go together; give both")
    if "window" in arguments.on_command_line and arguments.smooth in (None, "none"):
        raise UsageError("--window needs --smooth average or --smooth minimum; add one")
    if arguments.nbest:
        refuse(arguments, f"dir {_FOR_DECODER}", "applies to decoders only")
    if arguments.model is not None and arguments.src is None:
        raise UsageError("--model needs source texts; name their file with --src")
    if arguments.decoder is not None and arguments.init is None:
        raise UsageError("a decoder needs starting weights; add --init FILE")


def _metric(arguments: argparse.Namespace) -> Metric:
    """The metric to tune toward: the given one, or a weighted sum of several."""
    from weigh.metrics.combine import Combine
    from weigh.metrics.registry import parse_metrics

    metrics = parse_metrics(arguments.metric)
    is_sum = arguments.combine is not None or any(isinstance(m, Combine) for m in metrics)
    if is_sum and arguments.scorestat is not None:
        raise UsageError("a SCORESTAT has one metric's statistics; give one -m")
    if arguments.combine is not None:
        if not any(arguments.combine):
            raise UsageError("--combine: all weights are 0; change one")
        return Combine(metrics, arguments.combine)
    if len(metrics) > 1:
        raise UsageError(
            f"{len(metrics)} metrics given; weight them with --combine, such as 0.5,-0.5"
        )
    return metrics[0]


def _held_out(arguments: argparse.Namespace, metric: Metric) -> HeldOut | None:
    if not arguments.heldout:
        return None
    from weigh.tuning.held_out import HeldOut, check_held_out

    references, sources = arguments.heldout_ref, arguments.heldout_src
    parses = arguments.heldout_parses
    check_held_out(metric, bool(references), sources is not None, parses is not None)
    return HeldOut(arguments.heldout, read_references(references, sources, [metric]), parses)


def _tune_lists(
    arguments: argparse.Namespace, plan: TunePlan, metric: Metric, held_out: HeldOut | None
) -> TuneResult:
    from weigh.tuning.problem import read_problem
    from weigh.tuning.search import tune

    candidates: Any = arguments.nbest
    test_set = None
    if arguments.scorestat is not None:
        candidates = read_problem(arguments.nbest[0], arguments.scorestat, metric)
    else:
        test_set = read_references(arguments.ref, arguments.src, [metric])
    with Progress("tuning") as progress:
        return tune(
            candidates,
            test_set,
            metric,
            plan,
            start=arguments.init,
            held_out=held_out,
            threads=arguments.threads,
            progress=progress,
        )


def _tune_decoder(
    arguments: argparse.Namespace, plan: TunePlan, metric: Metric, held_out: HeldOut | None
) -> TuneResult:
    """Tune with a command, or with a model, which has weights to start with."""
    from weigh.read.text import read_texts
    from weigh.tuning.loop import DecoderError, open_model, tune_decoder

    test_set = read_references(arguments.ref, arguments.src, [metric])
    decoder, start = arguments.decoder, arguments.init
    if arguments.model is not None:
        texts = read_texts(arguments.src)
        decoder = open_model(arguments.model, texts, plan.size, arguments.threads)
        start = decoder.weights if start is None else start
    try:
        return tune_decoder(
            decoder,
            test_set,
            metric,
            plan,
            start=start,
            folder=arguments.dir,
            source=arguments.src,
            held_out=held_out,
            settings={
                "decoder": arguments.decoder or arguments.model,
                "references": arguments.ref,
                "source": arguments.src,
            },
            threads=arguments.threads,
            progress=lambda iteration: terminal.remark(str(iteration)),
        )
    except DecoderError as error:
        for line in error.last_words:
            terminal.say(f"decoder: {line}")
        raise
