"""Papers that were run again, with numbers that are made up."""

from __future__ import annotations

import numpy as np

from unit.report.made.compare import of_pairs
from unit.report.made.human import of_rank
from unit.report.made.validate import of_samples
from weigh.result import Extent
from weigh_lab.papers.graham2014 import GrahamResult
from weigh_lab.papers.koehn2004 import KoehnResult
from weigh_lab.papers.paper_result import (
    PaperCell,
    PaperColumn,
    PaperCurve,
    PaperFigure,
    PaperPoint,
    PaperRow,
    PaperTable,
)
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.riezler2005 import RiezlerResult
from weigh_lab.papers.zaidan2009 import ZaidanResult


def table(seed: int, number: int) -> PaperTable:
    """Return a table with and without published numbers, remarks and p-values."""
    rng = np.random.default_rng([seed, number])

    def cell() -> PaperCell:
        value = float(rng.uniform())
        published = float(rng.uniform()) if rng.uniform() < 0.4 else None
        ours = None if rng.uniform() < 0.1 else value
        return PaperCell(ours, published, "<other> | texts" if rng.uniform() < 0.2 else "")

    return PaperTable(
        f"Table {number}",
        "numbers of <systems>",
        ("System", "&c.")[: 1 + seed % 2],
        (PaperColumn("BLEU"), PaperColumn("p", p_values=True), PaperColumn("n", 0)),
        tuple(
            PaperRow(("a|b", "<i>")[: 1 + seed % 2], (cell(), cell(), cell()))
            for _ in range(seed % 4)
        ),
        ("Other texts.",) if seed % 2 else (),
    )


def figure(seed: int) -> PaperFigure:
    """Return a figure of two curves, one of them with intervals."""
    rng = np.random.default_rng(seed)
    heights = rng.normal(size=(2, 4)).tolist()
    return PaperFigure(
        "Figure 1",
        "a <course>",
        "words",
        "score",
        (
            PaperCurve("<b>", tuple(PaperPoint(float(x), y) for x, y in enumerate(heights[0]))),
            PaperCurve(
                "points",
                tuple(PaperPoint(float(x), y, (y - 1, y + 1)) for x, y in enumerate(heights[1])),
                joined=False,
            ),
        ),
        ("A note.",),
    )


def of_koehn2004(seed: int) -> KoehnResult:
    """Return tables, a figure, and a study of samples but for some seeds."""
    return KoehnResult(
        "Koehn 2004",
        PaperPlan(seed=seed),
        "made-up <texts>",
        Extent(60 + seed, 1),
        {"bleu": "nrefs:1|x:<b>"},
        tuple(table(seed, number) for number in range(1, 3)),
        (figure(seed),) if seed % 3 else (),
        ("It came <out>.",) if seed % 2 else (),
        ("figure 5.",),
        ("a <remark>",) if seed % 2 else (),
        samples=of_samples(seed) if seed % 3 else None,
    )


def of_riezler2005(seed: int) -> RiezlerResult:
    """Return tables alone."""
    return RiezlerResult(
        "Riezler & Maxwell 2005",
        PaperPlan(training=100 + seed, seed=seed),
        "made-up <texts>",
        Extent(60 + seed, 1),
        {"bleu": "nrefs:1|x:<b>"},
        tuple(table(seed + 1, number) for number in range(1, 4)),
        findings=("It came <out>.",),
    )


def of_zaidan2009(seed: int) -> ZaidanResult:
    """Return tables and a figure."""
    return ZaidanResult(
        "Zaidan & Callison-Burch 2009",
        PaperPlan(seed=seed),
        "made-up <texts>",
        Extent(60 + seed, 1),
        {"bleu": "nrefs:1|x:<b>", "rypt": "nrefs:0|labels:x"},
        tuple(table(seed, number) for number in range(1, 3)),
        (figure(seed),),
        left_out=("the <labels>.",) if seed % 2 else (),
    )


def of_graham2014(seed: int) -> GrahamResult:
    """Return tables, a figure, rankings by people and systems compared."""
    return GrahamResult(
        "Graham, Mathur & Baldwin 2014",
        PaperPlan(seed=seed),
        "made-up <texts>",
        Extent(60 + seed, 1),
        {"bleu": "nrefs:1|x:<b>"},
        tuple(table(seed, number) for number in range(1, 3)),
        (figure(seed),) if seed % 3 else (),
        ("It came <out>.",),
        pairs=("xx-<en>",) if seed % 2 else (),
        people=(of_rank(seed),) if seed % 2 else (),
        systems=(of_pairs(seed),) if seed % 2 else (),
    )


MADE = {
    "paper koehn2004": of_koehn2004,
    "paper riezler2005": of_riezler2005,
    "paper zaidan2009": of_zaidan2009,
    "paper graham2014": of_graham2014,
}
