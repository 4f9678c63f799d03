"""Options, verbs and names that earlier versions had, and what to use instead.

The entries of 0.3 stay until version 0.4.
"""

from __future__ import annotations

# A key is an option of every verb ("--cache"), an option of one verb ("compare --compat"), a value
# of an option ("--adjust maxt"), a verb ("rypt NAME") or a name of Python ("weigh.Translator").
REMOVED: dict[str, str] = {
    "--scores": "give files of scores as systems; name them with -m segment:name=comet:lower",
    "compare --scale": "state bounds with the score: --columns score=COL:0..10",
    "--interval expanded": "use --interval halving, the default",
    "--explain": "--html FILE and --format markdown show every pair and how to read it",
    "--format github": "use --format markdown, which GitHub shows",
    "--cache": "statistics are computed quickly enough to need no cache",
    "--no-cache": "there is no cache of statistics any more",
    "--save-statistics": "statistics are computed quickly enough to need no file",
    "--statistics": "give the texts; statistics are computed quickly enough to need no file",
    "cite --compat": "cite the result of weigh validate type1, which studies other tools' tests",
    "compare --compat": "weigh validate type1 studies other tools' tests",
    "cite --allow-missing": "leave it out: it had no effect",
    "human metrics --allow-missing": "segments without a score are always left out",
    "--resume": "run the study again: it takes minutes",
    "--zmert": "give the decoder's command with --decoder and start weights with --init; lists "
    "of Z-MERT are still read by --nbest",
    "sample --by": "draw segments at random, as sample does: chosen ones ranked systems no better",
    "weigh.choose_segments": "draw segments at random, as weigh sample does",
    "--adjust by": "use --adjust bh, or holm to limit the probability of any false finding",
    "--adjust maxt": "use --adjust holm",
    "--family": "p-values are adjusted for all pairs by one metric",
    "--least-units": "a margin or a gate needs 10 segments or documents",
    "--p-value": "p-values are (c + 1)/(trials + 1)",
    "campaign export --form mturk": "answers are exported as jsonl or tsv",
    "campaign export --form appraise": "answers are exported as jsonl or tsv",
    "campaign export --form pearmut": "answers are exported as jsonl or tsv",
    "human plan --export appraise": "use weigh serve, --export mturk or --export pearmut",
    "weigh.Translator": "use weigh_lab.Translator",
    "weigh.paper": "use weigh_lab.paper",
    "weigh.rypt.DiversityPlan": "use weigh_lab.DiversityPlan",
    "weigh.rypt.InferPlan": "use weigh_lab.InferPlan",
    "weigh.rypt.Usefulness": "run weigh.rypt.find_queries again with the labels collected so far",
    "weigh.rypt.infer_scores": "use weigh_lab.infer_scores",
    "weigh.rypt.measure_diversity": "use weigh_lab.measure_diversity",
    "weigh.train_translator": "use weigh_lab.train_translator",
}


def replacement(*keys: str) -> str | None:
    """Say what to use instead of the first of `keys` that was removed.

    >>> replacement("compare --trials") is None
    True
    """
    for key in keys:
        if key in REMOVED:
            return f"{key} was removed in 0.3; {REMOVED[key]}"
    return None
