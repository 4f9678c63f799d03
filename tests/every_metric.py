"""Examples of every metric, and outputs that carry all that any of them needs."""

from __future__ import annotations

from strategies import parsed
from weigh import Metric, Outputs, TestSet
from weigh.metrics.statistics import suppliers
from weigh.rypt.metric import Rypt
from weigh.tokenize.writing import Writing

# At least one example of each metric; a metric that is not listed fails its common tests.
EXAMPLES = {
    "bleu": ["bleu", "bleu:tokenize=intl:lowercase:smooth_method=add-k"],
    "chrf": ["chrf", "chrf:word_order=2:whitespace"],
    "ter": ["ter", "ter:variant=tercom:normalized"],
    "nist": ["nist", "nist:lowercase:compat"],
    "wer": ["wer"],
    "per": ["per:tokenize=13a"],
    "cder": ["cder:lowercase"],
    "combine": [r"combine:bleu=0.5:ter=-0.5:chrf\:word_order=2=1e-3", "combine:wer=-1"],
    "gtm": ["gtm", "gtm:exponent=1.5"],
    "dependency": ["dependency", "dependency:labels=false:lemmas"],
    "segment": ["segment:file={system}.txt:name=overlap", "segment:file=all.tsv:ratio"],
    # Synonyms and paraphrases need resources that are not everywhere.
    "meteor": [
        "meteor:stages=exact+stem",
        "meteor:stages=exact:language=fr:normalize:aligner=exact",
        "meteor:version=2005:stages=exact+stem:lowercase",
    ],
    "rypt": [
        "rypt:labels=labels.tsv:parses=parses.mrg:alignments={system}.align",
        "rypt:labels=labels.db:parses=parses.conllu:unlabelled=half:flat:unequal",
        "rypt:unlabelled=labelled",
    ],
}


def spaced(metric: Metric) -> Metric:
    """The metric as it is for texts with spaces, whatever Hypothesis makes up for texts."""
    return metric.for_writing(Writing())


def outputs_for(metric: Metric, hypotheses: list[str], references: list[list[str]]) -> Outputs:
    """Outputs with what the metric needs beside texts: as scores, words of the first reference.

    To RYPT such words are nodes with the label YES, and of the others every second one is a NO.
    """
    extra = {}
    for supplier, place in suppliers([metric]):
        shared = [
            (float(sum(word in reference for word in text.split())), float(len(text.split())))
            for text, reference in zip(hypotheses, references[0], strict=True)
        ]
        if isinstance(supplier, Rypt):
            extra[place] = [_counts(int(yes), int(nodes)) for yes, nodes in shared]
            continue
        ratio = getattr(supplier, "ratio", False)
        extra[place] = shared if ratio else [share for share, _ in shared]
    return Outputs([parsed(text) for text in hypotheses], extra=extra)


def _counts(yes: int, nodes: int) -> tuple[int, ...]:
    no = (nodes - yes + 1) // 2
    return yes, no, 0, nodes - yes - no, yes, yes, 0


def made_test_set(references: list[list[str]]) -> TestSet:
    """A test set whose texts carry all that any metric needs; to most they are plain texts."""
    return TestSet([[parsed(text) for text in column] for column in references])
