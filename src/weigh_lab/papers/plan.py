"""Which papers are run again, and on how much: all choices."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count

# By name: what is run again, and the function that does it.
PAPERS = {
    "koehn2004": (
        "run the experiments of Koehn 2004 again: samples, intervals and paired bootstrap",
        "weigh_lab.papers.koehn2004:koehn2004",
    ),
    "riezler2005": (
        "run the experiments of Riezler & Maxwell 2005 again: a reranker, and equal systems",
        "weigh_lab.papers.riezler2005:riezler2005",
    ),
    "zaidan2009": (
        "run the experiments of Zaidan & Callison-Burch 2009 again: RYPT, what it asks and chooses",
        "weigh_lab.papers.zaidan2009:zaidan2009",
    ),
    "graham2014": (
        "run the experiments of Graham et al. 2014 again: tests held against people",
        "weigh_lab.papers.graham2014:graham2014",
    ),
}


@dataclass(frozen=True, slots=True)
class PaperPlan:
    """How much of the texts is taken, and how many trials tests have."""

    training: int | None = count(
        None, "sentence pairs that translators are trained on", least=10, shown="all"
    )
    tuning: int = count(200, "sentences that their weights are tuned on", least=10)
    test: int | None = count(None, "sentences of the test set", least=10, shown="all")
    trials: int = count(1000, "random trials of every test", least=99)
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
