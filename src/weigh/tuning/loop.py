"""The loop with a decoder: decode, merge the new candidates, tune, decode again.

Everything is kept in a folder, and what is there is not done again: a loop that was killed goes
on where it was and ends as it would have. A decoder is a command, weights in and an n-best list
out, by one of two contracts: a command with places to fill in, or one that takes Moses' options as
mert-moses.pl gives them.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weigh import plugins
from weigh.engine.executors import accepts_executor
from weigh.errors import InputError, UsageError, WeighError
from weigh.files import write_errors
from weigh.files import write_whole as write_whole
from weigh.keywords import keywords
from weigh.metrics.custom import Definition
from weigh.metrics.registry import key_of
from weigh.metrics.words import resolve_tokenizer
from weigh.read.nbest import moses_labels
from weigh.read.text import quoted
from weigh.read.weights import weight_lines
from weigh.result import warns
from weigh.tuning.gather import merge, missing_remarks, read_nbest
from weigh.tuning.held_out import HeldOut, HeldOutList
from weigh.tuning.nbest import NBest, without_candidates
from weigh.tuning.plan import Range, TunePlan, bound_text
from weigh.tuning.problem import ListExtent, Problem, resolve_metric
from weigh.tuning.search import (
    Iteration,
    Remarks,
    Tell,
    Tuned,
    Tuner,
    TuneResult,
    held_space,
    result_of,
    seeds,
)
from weigh.tuning.weights import (
    Weights,
    WeightSpace,
    aligned,
    as_file,
    check_known,
)
from weigh.types import Metric, Outputs, TestSet
from weigh.wording import listed

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

DECODERS = "weigh.decoders"
WEIGHTS, OUTPUT, LOG = "weights", "decoder.out", "decoder.err"
NBEST, RESULT, SETTINGS = "nbest", "result.json", "settings.json"
_LAST_WORDS = 10
_SAME = 1e-9

SpaceOf = Callable[[NBest, Mapping[str, float]], WeightSpace]


class DecoderError(WeighError):
    """A decoder failed; `last_words` are the last lines that it wrote to stderr."""

    def __init__(self, message: str, last_words: Sequence[str]) -> None:
        super().__init__(message)
        self.last_words = tuple(last_words)


class Decoder(Protocol):
    """A decoder that translates with given weights."""

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Write the n-best list for these weights; `folder` is for what else there is."""


@dataclass(frozen=True, slots=True)
class _Command:
    """A command, how many candidates it is asked for, and the file of sources."""

    command: str
    size: int
    source: str | None = None


class TemplateDecoder(_Command, Decoder):
    """A command with {weights}, {nbest}, {size} and {source} where files and numbers go."""

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Fill in the places, quoted for the shell, and run the command."""
        if "{source}" in self.command and self.source is None:
            raise UsageError("the decoder needs {source}; give the file with --src")
        write_weights(weights, folder)
        filled = self.command
        for place, value in (
            ("{weights}", str(folder / WEIGHTS)),
            ("{nbest}", str(nbest)),
            ("{size}", str(self.size)),
            ("{source}", self.source or ""),
        ):
            filled = filled.replace(place, shlex.quote(value))
        run(filled, folder)


class MosesDecoder(_Command, Decoder):
    """A command that takes Moses' options; --src is passed on as its input file, if given."""

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Add -weight-overwrite, -n-best-list and -input-file to the command and run it."""
        write_weights(weights, folder)
        labels = moses_labels(list(weights))
        overwrite = " ".join(
            f"{label}{value!r}" for label, value in zip(labels, weights.values(), strict=True)
        )
        options = ["-weight-overwrite", overwrite, "-n-best-list", str(nbest), str(self.size)]
        options.append("distinct")
        if self.source is not None:
            options += ["-input-file", self.source]
        run(f"{self.command} {shlex.join(options)}", folder)


class ModelDecoder(Decoder, Protocol):
    """A decoder with a trained model, which has its own weights."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights that tuning starts from, unless others are given."""


def open_model(model: str, texts: Sequence[str], size: int, threads: int = 0) -> ModelDecoder:
    """Open a model as PATH, or NAME=PATH where several packages add decoders.

    The entry points of `weigh.decoders` are functions of the path, the texts to translate, the
    size of their n-best lists and the number of threads.
    """
    names = sorted(plugins.entries(DECODERS))
    name, _, path = model.partition("=")
    if name not in names:
        if not names:
            raise UsageError("--model: no installed package has a decoder; use --decoder COMMAND")
        if len(names) > 1:
            raise UsageError(
                f"--model {model}: name its decoder too: NAME={model}, where NAME is "
                f"{listed(names, 'or')}"
            )
        [name], path = names, model
    decoder: ModelDecoder = plugins.load(DECODERS, name)(path, texts, size, threads)
    return decoder


def command_decoder(command: str, size: int, source: str | None) -> Decoder:
    """The decoder for a command line, which is a template if it contains {nbest}."""
    if "{nbest}" in command:
        return TemplateDecoder(command, size, source)
    if "{weights}" in command:
        raise UsageError(
            "the decoder has {weights} but not {nbest}; say where the n-best list goes, or leave "
            "both out for Moses' options"
        )
    return MosesDecoder(command, size, source)


def run(command: str, folder: Path) -> None:
    """Run a shell command; what it writes goes to files of the folder."""
    with (folder / OUTPUT).open("wb") as out, (folder / LOG).open("wb") as err:
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            check=False,
        )
    if done.returncode != 0:
        lines = (folder / LOG).read_bytes().decode("utf-8", "replace").split("\n")
        words = [line for line in lines if line.strip()][-_LAST_WORDS:]
        raise DecoderError(
            f"the decoder failed with exit code {done.returncode}; its output is in {folder / LOG}",
            words,
        )


def check_output(path: Path, folder: Path) -> None:
    """Refuse a decoder that ended well and wrote nothing."""
    if not path.exists() or path.stat().st_size == 0:
        raise InputError(
            f"the decoder wrote no n-best list to {quoted(str(path))}; see {folder / LOG}"
        )


def write_weights(weights: Mapping[str, float], folder: Path) -> None:
    """Write the file of weights that belongs to a list."""
    write_whole(folder / WEIGHTS, weight_lines(weights.items()))


@dataclass(frozen=True, slots=True)
class Loop:
    """A decoder, what is tuned and how; `folder` holds the files of every iteration."""

    decoder: Decoder
    test_set: TestSet
    metric: Metric | Definition
    tuner: Tuner
    space_of: SpaceOf
    folder: Path
    iterations: int
    seed: int
    settings: Mapping[str, Any]
    threads: int = 0

    def run(
        self, start: Mapping[str, float], tell: Callable[[Iteration], None]
    ) -> tuple[list[Iteration], NBest]:
        """Go on until nothing new comes; return all iterations and all candidates."""
        with write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        self._check_settings(start)
        weights = dict(start)
        done: list[Iteration] = []
        store: NBest | None = None
        for number in range(1, self.iterations + 1):
            folder = self.folder / f"iteration{number}"
            new_list = self._decoded(weights, folder)
            before = 0 if store is None else len(store)
            store = new_list if store is None else merge([store, new_list])
            iteration = _load(folder / RESULT)
            if iteration is None:
                decoded = Problem.of(new_list, self.test_set, self.metric, threads=self.threads)
                iteration = Iteration(
                    number,
                    len(store),
                    len(store) - before,
                    decoded.score(self.space_of(new_list, weights).start),
                    None,
                    weights,
                )
                # What is not decoded any more is not tested, and so is of no use.
                if iteration.new and number < self.iterations:
                    iteration = self._tuned(iteration, start, store)
                write_whole(folder / RESULT, json.dumps(asdict(iteration), indent=1) + "\n")
            done.append(iteration)
            tell(iteration)
            if iteration.tuned_weights is None or _same(iteration.tuned_weights, weights):
                break
            weights = dict(iteration.tuned_weights)
        if store is None:
            raise InputError("no iterations; allow at least one")
        return done, store

    def _decoded(self, weights: Mapping[str, float], folder: Path) -> NBest:
        path = folder / NBEST
        with write_errors(folder):
            folder.mkdir(exist_ok=True)
            if not path.exists():
                part = folder / f"{NBEST}.{os.getpid()}.part"
                try:
                    self.decoder.decode(weights, folder, part)
                    check_output(part, folder)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)
        return read_nbest([str(path)], self.test_set)

    def _tuned(self, iteration: Iteration, start: Mapping[str, float], store: NBest) -> Iteration:
        """Tune on all candidates, from the last weights, the first ones and random ones."""
        problem = Problem.of(store, self.test_set, self.metric, threads=self.threads)
        space = self.space_of(store, iteration.weights)
        sequence = np.random.SeedSequence([self.seed, iteration.iteration])
        tuned = self.tuner.tune(
            problem,
            space,
            seed=int(sequence.generate_state(1, np.uint64)[0]),
            further=() if iteration.iteration == 1 else (self.space_of(store, start).start,),
            threads=self.threads,
        )
        weights = dict(zip(space.names, tuned.weights.tolist(), strict=True))
        return replace(iteration, tuned_score=tuned.score, tuned_weights=weights)

    def _check_settings(self, start: Mapping[str, float]) -> None:
        """Refuse a folder in which something else was tuned."""
        path = self.folder / SETTINGS
        text = json.dumps({**self.settings, "start": dict(start)}, indent=1, sort_keys=True) + "\n"
        if not path.exists():
            write_whole(path, text)
        elif path.read_text(encoding="utf-8") != text:
            was, now = json.loads(path.read_text(encoding="utf-8")), json.loads(text)
            other = next((key for key in now if was.get(key) != now[key]), "settings")
            raise InputError(
                f"{self.folder}: contains a run with another {other!r}; use the same, or choose "
                "another folder with --dir"
            )


def best_iteration(iterations: list[Iteration], sign: float) -> Iteration:
    """The iteration with the best decoding score, the first of equals."""
    return max(iterations, key=lambda iteration: sign * iteration.score)


def _load(path: Path) -> Iteration | None:
    if not path.exists():
        return None
    saved = json.loads(path.read_text(encoding="utf-8"))
    if "number" in saved:  # as weigh 0.1 called it
        saved["iteration"] = saved.pop("number")
    return Iteration(**saved)


def _same(a: Mapping[str, float], b: Mapping[str, float]) -> bool:
    names = sorted({*a, *b})
    first, second = (np.array([weights.get(name, 0.0) for name in names]) for weights in (a, b))
    first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
    return bool(np.abs(first - second).max() < _SAME)


@warns
@accepts_executor
@keywords(TunePlan)
def tune_decoder(
    decoder: Decoder | str,
    test_set: TestSet,
    metric: Metric | Definition | str = "bleu",
    plan: TunePlan | None = None,
    *,
    start: Weights,
    folder: str | PathLike[str] = "tuning",
    source: str | None = None,
    held_out: HeldOut | None = None,
    settings: Mapping[str, object] | None = None,
    optimizer: str = "mert",
    starts: int = 20,
    directions: int = 420,
    smooth: str = "none",
    window: int = 1,
    regularize: float = 0.0,
    fix: Sequence[str] = (),
    bound: Mapping[str, Range] | None = None,
    normalize: str | None = None,
    runs: int = 1,
    average: bool = False,
    iterations: int = 15,
    size: int = 100,
    seed: int = 12345,
    threads: int = 0,
    progress: Callable[[Iteration], None] | None = None,
    tell: Tell | None = None,
    executor: Executor | None = None,
) -> TuneResult:
    """Decode and tune in turn, once or several times; the result is what decoded best.

    A decoder may be a command, for which `source` is the file to translate. `start` are the
    weights to begin with, or their file. All iterations are kept in `folder`, which goes on with
    what is there if plan and `settings`, such as names of files, are the same. `progress` is told
    of every iteration; the rest is as in `tune`.
    """
    plan = plan or TunePlan()
    if isinstance(decoder, str):
        settings = {"decoder": decoder, **(settings or {})}
        decoder = command_decoder(decoder, plan.size, source)
    remarks = Remarks(tell)
    metric = resolve_tokenizer(
        resolve_metric(metric), test_set
    )  # refused now, and not after decoding
    if metric.needs_sources:  # as is what it reads for them
        metric.prepare(test_set).rows(Outputs([], segments=[]))
    compared = HeldOutList.of(held_out, metric, threads=threads)
    remarks.add(*(() if compared is None else compared.remarks))
    weights = _named_weights(start)
    space_of = _spaces(weights, plan)
    tuner = Tuner.of(plan)
    sign = 1.0 if metric.higher_is_better else -1.0
    tuned: list[Tuned] = []
    loops: list[tuple[list[Iteration], NBest]] = []
    for number, run_seed in enumerate(seeds(plan), 1):
        loop = Loop(
            decoder,
            test_set,
            metric,
            tuner,
            space_of,
            Path(folder) / f"run{number}" if plan.runs > 1 else Path(folder),
            plan.iterations,
            run_seed,
            _settings(plan, metric, run_seed) | dict(settings or {}),
            threads,
        )
        steps, store = loop.run(weights, progress or (lambda _: None))
        best = best_iteration(steps, sign)
        chosen = space_of(store, best.weights).start
        tuned.append(Tuned(run_seed, steps[0].score, best.score, chosen))
        loops.append((steps, store))
    steps, store = loops[max(range(len(tuned)), key=lambda run: sign * tuned[run].score)]
    if any(other.feature_names != store.feature_names for _, other in loops):
        raise InputError("runs have different sparse features; tune them one by one")
    problem = Problem.of(store, test_set, metric, threads=threads)
    remarks.add(*missing_remarks(without_candidates(store.ids, test_set), len(test_set)))
    remarks.add(*problem.remarks())
    space = space_of(store, weights)
    return result_of(
        plan,
        tuner,
        problem,
        ListExtent.of(store, test_set),
        space,
        [replace(run, weights=tuner.normalised(problem, space, run.weights)) for run in tuned],
        compared,
        threads=threads,
        iterations=tuple(steps),
        remarks=tuple(remarks.said),
    )


def _named_weights(start: Weights) -> dict[str, float]:
    file = as_file(start, "the start weights")
    assert file is not None, "a start was given"
    if file.named is None:
        raise InputError(f"{file.label}: weights without names; a decoder needs their names")
    return dict(file.named)


def _spaces(start: Mapping[str, float], plan: TunePlan) -> SpaceOf:
    """Function that builds a weight space from a list and weights."""

    def space_of(nbest: NBest, weights: Mapping[str, float]) -> WeightSpace:
        names = nbest.feature_names
        check_known(names, {name: weights[name] for name in start}, "the start weights")
        space = WeightSpace.of(
            names, aligned(nbest.names, nbest.sparse.names, weights, "the start weights")
        )
        return held_space(space, plan)

    return space_of


def _settings(plan: TunePlan, metric: Metric, seed: int) -> dict[str, object]:
    """Settings that must be equal for a loop to continue."""
    return {
        "metric": key_of(metric),
        "optimizer": plan.optimizer,
        "starts": plan.starts,
        "directions": plan.directions,
        "smooth": [plan.smooth, plan.window],
        "regularize": plan.regularize,
        "normalize": plan.normalize or "l1",
        "fix": list(plan.fix),
        "bound": [bound_text(name, ends) for name, ends in plan.bound.items()],
        "iterations": plan.iterations,
        "size": plan.size,
        "seed": seed,
    }
