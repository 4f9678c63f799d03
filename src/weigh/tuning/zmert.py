"""Z-MERT's contract: its configuration, parameters and decoder configuration as they are.

Zaidan 2009, "Z-MERT: A fully configurable open source tool for minimum error rate training".
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from weigh.errors import InputError
from weigh.files import write_whole
from weigh.metrics.registry import escaped
from weigh.read import read_test_set
from weigh.read.text import quoted, read_texts, shown
from weigh.tuning.loop import check_output, run
from weigh.tuning.weights import Normalisation, WeightSpace
from weigh.types import Metric, TestSet

_FILES = ("dir", "s", "r", "rps", "p", "cmd", "decOut", "dcfg", "fin")
_USED = frozenset(f"-{key}" for key in (*_FILES, "m", "maxIt", "ipi", "seed", "decExit"))
# How Z-MERT itself reads, reports, stops and saves, which has no meaning here.
_REPORTING = ("N", "txtNrm", "v", "decV", "save", "compress", "thrCnt", "maxMem", "ud")
_STOPPING = ("prevIt", "minIt", "stopIt", "stopSig", "opi", "rand")
_RARE = ("docInfo", "docSet", "passIt", "fake", "damianos")
_UNUSED = frozenset(f"-{key}" for key in (*_REPORTING, *_STOPPING, *_RARE))
_TER_OPTIONS = 6  # of TER-BLEU, before those of BLEU


@dataclass(frozen=True, slots=True)
class Parameter:
    """One line of params.txt."""

    name: str
    start: float
    free: bool
    low: float
    high: float
    random_low: float
    random_high: float


@dataclass(frozen=True, slots=True)
class ZmertDecoder:
    """A decoder as a Z-MERT configuration describes it: a command that reads weights from a file.

    It writes where it always does. Files are relative to `folder`; `label` names it in errors.
    Without `-r` there are no references, and without `-m` the metric is empty: metrics of weigh's
    own may need neither.
    """

    label: str
    folder: Path
    source: str | None
    references: tuple[str, ...]
    references_per_segment: int
    interleaved: bool
    metric: str
    parameters: tuple[Parameter, ...]
    normalisation: Normalisation
    iterations: int
    starts: int
    command: Path
    output: Path
    decoder_config: Path
    seed: int | None
    final: Path | None
    success: int
    unused: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The parameters, in the order of the values in the list."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def start(self) -> dict[str, float]:
        """The start weights by name."""
        return {parameter.name: parameter.start for parameter in self.parameters}

    def bounded(self, space: WeightSpace) -> WeightSpace:
        """Return the space within the bounds of the parameters' file, for random starts too."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        own = [by_name[name] for name in space.names]
        return replace(
            space,
            low=np.array([each.low if each.free else each.start for each in own]),
            high=np.array([each.high if each.free else each.start for each in own]),
            random_low=np.array([each.random_low for each in own]),
            random_high=np.array([each.random_high for each in own]),
        )

    def finish(self, weights: Mapping[str, float]) -> None:
        """Write the weights found, and the decoder's configuration with them, as Z-MERT does."""
        text = self.decoder_config.read_text(encoding="utf-8")
        config = self.decoder_config.with_name(self.decoder_config.name + ".ZMERT.final")
        write_whole(config, with_weights(text, weights))
        if self.final is not None:
            lines = (f"{name} ||| {value!r}\n" for name, value in weights.items())
            write_whole(self.final, "".join(lines))

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Rewrite the weights in the decoder's configuration, run it, take its list."""
        original = self.decoder_config.with_name(self.decoder_config.name + ".orig")
        text = self.decoder_config.read_text(encoding="utf-8")
        if not original.exists():
            write_whole(original, text)
        write_whole(self.decoder_config, with_weights(text, weights))
        self.output.unlink(missing_ok=True)
        command = self.command.resolve()
        shell = shlex.quote(str(command))
        run(
            shell if os.access(command, os.X_OK) else f"sh {shell}",
            folder,
            cwd=self.folder,
            success=self.success,
        )
        check_output(self.output, folder)
        nbest.write_bytes(self.output.read_bytes())


def read_config(path: str) -> ZmertDecoder:
    """Read the configuration and the parameters that it names."""
    label = shown(path)
    found: dict[str, str] = {}
    for number, line in enumerate(read_texts(path), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        key, *rest = text.split(maxsplit=1)
        if key not in _USED and key not in _UNUSED:
            raise InputError(f"{label}: line {number:,} sets {quoted(key)}, which Z-MERT has not")
        found[key] = rest[0] if rest else ""
    for key in ("-p", "-cmd", "-decOut", "-dcfg"):
        if not found.get(key):
            raise _missing(label, key)
    folder = Path(path).parent / found.get("-dir", "")
    parameters, normalisation = read_parameters(folder / found["-p"])
    per_segment = _whole(found.get("-rps", "1"), "-rps", label)
    references, interleaved = _references(folder, found.get("-r", ""), per_segment)
    seed = found.get("-seed", "time")
    return ZmertDecoder(
        label=label,
        folder=folder,
        source=str(folder / found["-s"]) if found.get("-s") else None,
        references=references,
        references_per_segment=per_segment,
        interleaved=interleaved,
        metric=found.get("-m", ""),
        parameters=parameters,
        normalisation=normalisation,
        iterations=_whole(found.get("-maxIt", "20"), "-maxIt", label),
        starts=_whole(found.get("-ipi", "20"), "-ipi", label),
        command=folder / found["-cmd"],
        output=folder / found["-decOut"],
        decoder_config=folder / found["-dcfg"],
        seed=None if seed == "time" else _whole(seed, "-seed", label),
        final=folder / found["-fin"] if "-fin" in found else None,
        success=_whole(found.get("-decExit", "0"), "-decExit", label),
        unused=tuple(key for key in found if key in _UNUSED),
    )


def _missing(label: str, key: str) -> InputError:
    """Return what is wrong with a configuration that does not set something."""
    return InputError(f"{label}: no {key}; Z-MERT's loop needs it")


def test_set_of(config: ZmertDecoder, metric: Metric) -> TestSet:
    """Return the references of a configuration, and its sources where the metric needs them."""
    needed = metric.needs_references
    if needed and not config.references:
        raise _missing(config.label, "-r")
    source = None
    if metric.needs_sources:
        if config.source is None:
            raise _missing(config.label, "-s")
        source = config.source
    if not config.interleaved:
        return read_test_set(config.references, source, references_needed=needed)
    lines = read_texts(config.references[0])
    step = config.references_per_segment
    if len(lines) % step:
        raise InputError(
            f"{config.references[0]}: {len(lines):,} lines, but {step} references per segment; "
            "check -rps"
        )
    references = tuple(lines[number::step] for number in range(step))
    return TestSet(references, None if source is None else read_texts(source))


def read_parameters(path: Path) -> tuple[tuple[Parameter, ...], Normalisation]:
    """Read params.txt: `name ||| start Opt|Fix low high lowest-start highest-start` lines."""
    label = shown(str(path))
    parameters: list[Parameter] = []
    normalisation = Normalisation()
    for number, line in enumerate(read_texts(str(path)), 1):
        where = f"{label}: line {number:,}"
        text = line.partition("#")[0].strip()
        if not text:
            continue
        if text.startswith("normalization"):
            normalisation = _normalisation(text.partition("=")[2].split(), where)
            continue
        name, bars, rest = text.partition("|||")
        words = rest.split()
        if not bars or len(words) != 6 or words[1] not in ("Opt", "Fix"):
            raise InputError(
                f"{where} is not 'name ||| start Opt|Fix low high lowest-start highest-start'"
            )
        start, low, high, random_low, random_high = (
            _real(word, where) for word in (words[0], *words[2:])
        )
        parameters.append(
            Parameter(
                name.strip(),
                start,
                words[1] == "Opt",
                low,
                high,
                random_low if math.isfinite(random_low) else -1.0,
                random_high if math.isfinite(random_high) else 1.0,
            )
        )
    if not parameters:
        raise InputError(f"{label}: no parameters; give one line for each feature")
    return tuple(parameters), normalisation


def _normalisation(words: list[str], where: str) -> Normalisation:
    """Return what `none`, `absval 1 LM`, `maxabsval 1`, `minabsval 1` or `LNorm 2 1` means."""
    kind = words[0] if words else ""
    if kind == "none":
        return Normalisation()
    if kind == "absval" and len(words) >= 3:
        return Normalisation("absval", _real(words[1], where), " ".join(words[2:]))
    if kind in ("maxabsval", "minabsval") and len(words) == 2:
        return Normalisation(kind[:3], _real(words[1], where))
    if kind == "LNorm" and len(words) == 3:
        return Normalisation(f"l{words[1]}", _real(words[2], where))
    raise InputError(f"{where}: unknown normalization {quoted(' '.join(words))}; none is one")


def _references(folder: Path, name: str, per_segment: int) -> tuple[tuple[str, ...], bool]:
    """Return the reference files: one with all lines in turn, or a prefix with numbers behind."""
    if not name:
        return (), False
    whole = folder / name
    if whole.is_file():
        return (str(whole),), per_segment > 1
    for dot in (".", ""):
        for first in (0, 1):
            paths = [
                folder / f"{name}{dot}{number}" for number in range(first, first + per_segment)
            ]
            if all(path.is_file() for path in paths):
                return tuple(map(str, paths)), False
    raise InputError(
        f"{whole}: no such file, nor {per_segment} files with numbers behind that name; check -r "
        "and -rps"
    )


def metric_of(config: ZmertDecoder) -> str:
    """Return the metric that a configuration names, as `-m` has it.

    TER-BLEU, which Z-MERT minimises, is BLEU − TER, which is maximised.
    """
    if not config.metric:
        raise _missing(config.label, "-m")
    name, *options = config.metric.split()
    ter, bleu = options[:_TER_OPTIONS], options[_TER_OPTIONS:] if name == "TER-BLEU" else options
    try:
        if name == "BLEU":
            return _bleu(bleu)
        if name == "TER":
            return _ter(ter)
        if name == "TER-BLEU":
            terms = {_bleu(bleu): 1, _ter(ter): -1}
            return ":".join(["combine", *(f"{escaped(one)}={w}" for one, w in terms.items())])
    except ValueError as error:
        raise InputError(f"{config.label}: -m {config.metric}: {error}") from None
    raise InputError(
        f"{config.label}: -m {config.metric}: of Z-MERT's metrics BLEU, TER and TER-BLEU are known "
        "here; choose one of weigh's with -m on the command line"
    )


def _bleu(options: list[str]) -> str:
    """Return BLEU of Z-MERT's options: the longest n-grams, how the reference's length is taken."""
    order, *length = options or ["4"]
    if length not in ([], ["closest"]):
        raise ValueError("only the closest reference length is known here; write closest")
    if not order.isdecimal():
        raise ValueError(f"{quoted(order)} is no length of n-grams; give a whole number")
    return f"bleu:tokenize=none{'' if order == '4' else f':max_ngram_order={order}'}"


def _ter(options: list[str]) -> str:
    """Return TER of Z-MERT's options: case, punctuation, and how tercom is run."""
    case, punctuation, *_ = [*options, *("nocase", "punc")[len(options) :]]
    if case not in ("case", "nocase") or punctuation not in ("punc", "nopunc"):
        raise ValueError("options of TER begin with case or nocase, then punc or nopunc")
    spec = "ter:variant=tercom"
    if case == "case":
        spec += ":case_sensitive"
    return f"{spec}:no_punct" if punctuation == "nopunc" else spec


def _whole(text: str, key: str, label: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text):
        raise InputError(f"{label}: {key} is {quoted(text)}; give a whole number")
    return int(text)


def _real(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}: {quoted(text)} is not a number; give one") from None


def with_weights(text: str, weights: Mapping[str, float]) -> str:
    """Return a decoder's configuration in which `name value` lines have these weights.

    >>> print(with_weights("top_n=10\\nlm 1.0\\n", {"lm": 0.5}), end="")
    top_n=10
    lm 0.5
    """
    for name, value in weights.items():
        line = re.compile(rf"^({re.escape(name)}[ \t]+)\S+[ \t]*$", re.MULTILINE)
        found = line.findall(text)
        if len(found) != 1:
            raise InputError(
                f"the decoder's configuration has {len(found)} lines for {quoted(name)}; "
                "give one, with the name and a value"
            )
        new = f"{found[0]}{value!r}".replace("\\", r"\\")
        text = line.sub(new, text)
    return text
