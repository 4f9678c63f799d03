"""The papers that can be reproduced, and options of the experiments."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.options import check_plan_options, count

# By name: a summary, and the function that runs the experiments.
PAPERS = {
    "koehn2004": (
        "reproduce Koehn (2004): samples, intervals and the paired bootstrap",
        "weigh_lab.papers.koehn2004:koehn2004",
    ),
    "riezler2005": (
        "reproduce Riezler & Maxwell (2005): reranking, and tests of equal systems",
        "weigh_lab.papers.riezler2005:riezler2005",
    ),
    "zaidan2009": (
        "reproduce Zaidan & Callison-Burch (2009): RYPT, its queries and its choices",
        "weigh_lab.papers.zaidan2009:zaidan2009",
    ),
    "graham2014": (
        "reproduce Graham et al. (2014): significance tests against human judgments",
        "weigh_lab.papers.graham2014:graham2014",
    ),
}


@dataclass(frozen=True, slots=True)
class PaperPlan:
    """Sizes of the data, and the number of trials."""

    training: int | None = count(
        None, "number of sentence pairs to train translators on", least=10, shown="all"
    )
    tuning: int = count(200, "number of sentences to tune their weights on", least=10)
    test: int | None = count(None, "number of sentences to test on", least=10, shown="all")
    trials: int = count(1000, "number of random trials per test", least=99)
    seed: int = 12345

    def __post_init__(self) -> None:
        check_plan_options(self)
