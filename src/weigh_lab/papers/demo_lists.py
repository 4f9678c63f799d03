"""N-best lists of a made-up language, two translators and the labels of simulated judges.

All that tuning and RYPT need, on sentences whose meaning is known (`translator/generated.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from weigh.files import write_files
from weigh.rypt.label_files import as_jsonl
from weigh.rypt.queries import find_queries
from weigh.types import Outputs, System
from weigh_lab.papers.candidates import labelled
from weigh_lab.papers.judges import Judges
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import Bitext, NamedTranslator, Workshop, tokenised_texts
from weigh_lab.papers.zaidan2009 import generated_texts
from weigh_lab.translator.translator import nbest_line

LARGE, SMALL = "large", "small"
_PAIRS = {LARGE: 1500, SMALL: 250}  # sentence pairs that each translator is trained on
_SENTENCES = 150  # of the list that is tuned on, and of the held-out one
_CANDIDATES = 50


def demo_lists(seed: int = 12345) -> dict[str, str]:
    """The contents of the demo's files by name; the seed changes the judges' answers."""
    with TemporaryDirectory(prefix="weigh-demo-") as folder:
        plan = PaperPlan(training=_PAIRS[LARGE], tuning=_SENTENCES, test=_SENTENCES, seed=seed)
        workshop = Workshop(plan, Path(folder))
        direction, parses, meanings = generated_texts(workshop)
        sources = tokenised_texts(direction.tuning.source)
        trained = {
            name: workshop.translator(
                replace(direction, training=direction.training.first(size)), tuned=False
            )
            for name, size in _PAIRS.items()
        }
        files = {
            "source.txt": _lines(sources),
            "reference.txt": _lines(tokenised_texts(direction.tuning.target)),
            "parses.mrg": _lines(parses),
            "nbest.txt": _nbest(workshop, trained[LARGE], direction.tuning),
            "heldout.nbest.txt": _nbest(workshop, trained[LARGE], direction.test),
            "heldout.reference.txt": _lines(tokenised_texts(direction.test.target)),
        }
        systems = []
        for name, translator in trained.items():
            best = [first for first, *_ in workshop.translations(translator, sources)]
            systems.append(System(name, Outputs([translation.text for translation in best])))
            files[f"{name}.txt"] = _lines(systems[-1].outputs.texts)
            files[f"{name}.align"] = _lines([translation.alignment for translation in best])
        write_files(workshop.out, files)
        queries = find_queries(
            sources,
            str(workshop.out / "parses.mrg"),
            nbest=[str(workshop.out / "nbest.txt")],
            systems=systems,
            alignments=str(workshop.out / "{system}.align"),
        )
        labels = labelled(Judges(meanings, seed), queries, sources)
        return files | {"labels.jsonl": _lines([*as_jsonl(labels)])}


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _nbest(workshop: Workshop, trained: NamedTranslator, texts: Bitext) -> str:
    lists = workshop.translations(trained, tokenised_texts(texts.source), nbest=_CANDIDATES)
    return _lines(
        [
            nbest_line(number, translation)
            for number, listed in enumerate(lists)
            for translation in listed
        ]
    )
