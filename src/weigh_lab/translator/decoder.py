"""The translator as a decoder whose weights `weigh tune --model` tunes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weigh.files import write_whole
from weigh.tuning.loop import ModelDecoder, write_weights
from weigh_lab.translator.plan import DecodePlan
from weigh_lab.translator.translator import Translator, nbest_line


@dataclass(frozen=True, slots=True)
class TranslatorDecoder(ModelDecoder):
    """A translator, with the texts that it translates."""

    translator: Translator
    texts: Sequence[str]
    size: int
    threads: int = 0

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of the translator's directory."""
        return self.translator.weights

    def decode(self, weights: Mapping[str, float], folder: Path, nbest: Path) -> None:
        """Translate, in this process."""
        write_weights(weights, folder)
        lists = self.translator.nbest_lists(
            self.texts, DecodePlan(nbest=self.size), weights=weights, threads=self.threads
        )
        lines = (
            f"{nbest_line(number, translation)}\n"
            for number, translations in enumerate(lists)
            for translation in translations
        )
        write_whole(nbest, "".join(lines))


def open_decoder(path: str, texts: Sequence[str], size: int, threads: int) -> TranslatorDecoder:
    """Load the translator of a directory as a decoder."""
    return TranslatorDecoder(Translator.load(path), texts, size, threads)
