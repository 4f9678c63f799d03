"""Decoders as commands: weights in, an n-best list out.

Three contracts: a command with places to fill in, one that takes Moses' options as mert-moses.pl
gives them, and that of Z-MERT (see `weigh.tuning.zmert`).
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from weigh.errors import InputError, UsageError, WeighError
from weigh.read.nbest_fields import moses_labels
from weigh.read.stream import quoted
from weigh.read.weights import weight_lines

WEIGHTS, OUTPUT, LOG = "weights", "decoder.out", "decoder.err"
_LAST_WORDS = 10


class DecoderError(WeighError):
    """A decoder failed; `last_words` are the last lines that it wrote to stderr."""

    def __init__(self, message: str, last_words: Sequence[str]) -> None:
        super().__init__(message)
        self.last_words = tuple(last_words)


class Decoder(Protocol):
    """What translates with given weights."""

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of features that its lists leave without names, or None."""
        ...

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Write the n-best list for these weights; `folder` is for what else there is."""
        ...


@dataclass(frozen=True, slots=True)
class _CommandDecoder:
    """A command, how many candidates it is asked for, and the file of sources."""

    command: str
    size: int
    source: str | None = None

    @property
    def feature_names(self) -> None:
        """None: features are named in the list, or else by their position."""
        return None


class TemplateDecoder(_CommandDecoder):
    """A command with {weights}, {nbest}, {size} and {source} where files and numbers go."""

    __slots__ = ()

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Fill in the places, quoted for the shell, and run the command."""
        if "{source}" in self.command and self.source is None:
            raise UsageError("the decoder asks for {source}; give the file with --src")
        _write_weights(weights, folder)
        filled = self.command
        for place, value in (
            ("{weights}", str(folder / WEIGHTS)),
            ("{nbest}", str(nbest)),
            ("{size}", str(self.size)),
            ("{source}", self.source or ""),
        ):
            filled = filled.replace(place, shlex.quote(value))
        run(filled, folder)


class MosesDecoder(_CommandDecoder):
    """A command that takes Moses' options; the source is its --src or is told it otherwise."""

    __slots__ = ()

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Add -weight-overwrite, -n-best-list and -input-file to the command and run it."""
        _write_weights(weights, folder)
        labels = moses_labels(list(weights))
        overwrite = " ".join(
            f"{label}{value!r}" for label, value in zip(labels, weights.values(), strict=True)
        )
        options = ["-weight-overwrite", overwrite, "-n-best-list", str(nbest), str(self.size)]
        options.append("distinct")
        if self.source is not None:
            options += ["-input-file", self.source]
        run(f"{self.command} {shlex.join(options)}", folder)


def command_decoder(command: str, size: int, source: str | None) -> Decoder:
    """Return the decoder of a command: with places to fill in if it has {nbest}."""
    if "{nbest}" in command:
        return TemplateDecoder(command, size, source)
    if "{weights}" in command:
        raise UsageError(
            "the decoder has {weights} but not {nbest}; say where the n-best list goes, or leave "
            "both out for Moses' options"
        )
    return MosesDecoder(command, size, source)


def run(command: str, folder: Path, *, cwd: Path | None = None, success: int = 0) -> None:
    """Run a shell command; what it writes goes to files of the folder."""
    with (folder / OUTPUT).open("wb") as out, (folder / LOG).open("wb") as err:
        done = subprocess.run(
            command,
            shell=True,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            check=False,
        )
    if done.returncode != success:
        said = (folder / LOG).read_bytes().decode("utf-8", "replace").split("\n")
        words = [line for line in said if line.strip()][-_LAST_WORDS:]
        raise DecoderError(
            f"the decoder failed with exit code {done.returncode}; all that it said is in "
            f"{folder / LOG}",
            words,
        )


def check_output(path: Path, folder: Path) -> None:
    """Refuse a decoder that ended well and wrote nothing."""
    if not path.exists() or path.stat().st_size == 0:
        raise InputError(
            f"the decoder wrote no n-best list to {quoted(str(path))}; see {folder / LOG}"
        )


def write_whole(path: Path, text: str) -> None:
    """Write a file such that it is there in full or not at all, whenever the program is killed."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(text.encode("utf-8"))
    part.replace(path)


def _write_weights(weights: Mapping[str, float], folder: Path) -> None:
    write_whole(folder / WEIGHTS, weight_lines(weights.items()))
