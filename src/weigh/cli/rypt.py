"""`weigh rypt`: the verbs about labels of source constituents, and the files that they share.

Each verb has the module `rypt_VERB`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from weigh.errors import UsageError

if TYPE_CHECKING:
    from weigh.cli.parser import Parser
    from weigh.rypt.metric import Rypt
    from weigh.types import System, TestSet

SUBVERBS = {
    "align": "tell what the words of outputs translate, from a decoder's derivations",
    "queries": "tell what to ask people and what that takes, and make the HITs for it",
    "labels": "keep what people said: show, import, export and merge labels",
    "score": "score systems by labels in three ways, and tell how many labels count",
    "explain": "show why an output has its score: its tree with the label of every node",
    "infer": "tell what score to expect where labels are few or wrong, and how sure that is",
    "diversity": "tell how far labels can be used again over iterations of tuning",
}
_NEEDED = ("src", "labels", "parses", "alignments")


def add_labelled(parser: Parser, *, aggregate: bool = True) -> None:
    """Add the systems and all that their outputs are counted by."""
    from weigh.options import add_options
    from weigh.rypt.plan import LabelPlan

    group = parser.add_argument_group("files")
    group.add_argument(
        "systems",
        metavar="SYS",
        nargs="+",
        help="file of a system's output, one segment per line, or NAME=FILE, or NAME@RUN=FILE",
    )
    add_sources(group)
    group.add_argument(
        "--labels", metavar="STORE", help="store of labels, or labels as .jsonl, .tsv or .csv"
    )
    if aggregate:
        add_options(group, LabelPlan, only=["aggregate"])
    group.add_argument(
        "--alignments",
        metavar="FILE",
        help="links of source and output words as 0-0 1-2, or derivations; {system} in the path "
        "stands for the system's name",
    )


def add_sources(group: argparse._ArgumentGroup) -> None:
    """Add the source texts and their parses."""
    from weigh.options import add_options
    from weigh.rypt.plan import LabelPlan

    group.add_argument(
        "-s", "--src", metavar="SRC", help="file of source texts, tokenised as they were labelled"
    )
    group.add_argument(
        "--parses",
        metavar="FILE",
        help="parses of the sources: Penn brackets, .conllu or .spans, one for each",
    )
    add_options(group, LabelPlan, only=["flat"])


def read_labelled(arguments: argparse.Namespace) -> tuple[tuple[System, ...], TestSet, Rypt]:
    """Return the systems, the test set of their sources, and the metric that counts them."""
    for name in _NEEDED:
        if getattr(arguments, name) is None:
            raise UsageError(f"no --{name} given; name the file")
    from weigh.options import plan_of
    from weigh.read import read_inputs
    from weigh.rypt.metric import Rypt
    from weigh.rypt.plan import LabelPlan

    plan = plan_of(arguments, LabelPlan())
    metric = Rypt(
        labels=arguments.labels,
        parses=arguments.parses,
        alignments=arguments.alignments,
        aggregate=plan.aggregate,
        flat=plan.flat,
    )
    test_set, systems = read_inputs(arguments.systems, [], arguments.src, references_needed=False)
    return systems, test_set, metric
