"""Phrases that several views share: names of metrics, ranks, conclusions on systems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from weigh import __version__
from weigh.comparing.methods import ADJUSTMENTS
from weigh.comparing.score_result import GIVEN_SCORES
from weigh.errors import WeighError
from weigh.report.grid import Column, Value
from weigh.wording import listed, percent

BY = f"(weigh {__version__})."
"""The end of a paragraph on methods: which version of weigh computed the results."""
EXACT = "exact binomial intervals"
"""The key in `citations.WORKS` for intervals of shares."""


def metric_name(metric: str, signatures: Mapping[str, str]) -> str:
    """A metric's name, or its specification if two metrics share the name.

    `signatures` are the signatures of all metrics of a study, by specification.

    >>> metric_name("chrf", {"chrf": "nrefs:1", "ter": "nrefs:1"})
    'chrF2'
    """
    names = {key: _name_of(key, signature) for key, signature in signatures.items()}
    name = names.get(metric, metric)
    return name if list(names.values()).count(name) == 1 else metric


def signatures_by_name(signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """The signatures of metrics, each with the metric's name."""
    return [(metric_name(key, signatures), text) for key, text in signatures.items()]


@cache
def _name_of(key: str, signature: str) -> str:
    from weigh.metrics.registry import parse_metric

    if not GIVEN_SCORES.isdisjoint(signature.split("|")):
        return key
    try:
        return parse_metric(key).name
    except WeighError:  # such as a package that is missing where a saved result is shown
        return key


def adjusted_by(adjust: str) -> str:
    """How p-values are adjusted for the number of tests, in words.

    >>> adjusted_by("holm"), adjusted_by("none")
    ("adjusted by Holm's method", 'not adjusted')
    """
    return "not adjusted" if adjust == "none" else f"adjusted by {ADJUSTMENTS[adjust]}"


def interval_column(level: float, value: Value = None, decimals: int = 2) -> Column:
    """A column of intervals for the numbers in the column before it."""
    title = f"{percent(level)} interval"
    return Column(title, value, "interval", decimals=decimals, attached=True)


RANGE = "the best and the worst rank that the tests of all pairs leave possible for a system"


def rank_title(uncorrected: bool) -> str:
    """The title of a column of ranks."""
    return "Rank (uncorrected)" if uncorrected else "Rank"


def confidence(alpha: float, why_not: str = "") -> str:
    """A sentence on the joint confidence of ranks, or on why they have none."""
    if why_not:
        return f"Rank ranges are uncorrected and may not hold jointly: {why_not}."
    return f"Rank ranges hold jointly with {percent(1 - alpha)} confidence."


def why_uncorrected(adjust: str) -> str:
    """Why ranks from p-values with this adjustment are not confidence statements."""
    if adjust == "none":
        return "p-values are not corrected for the number of pairs"
    return (
        f"{adjust} limits the expected share of false findings, not the probability of any false "
        "finding"
    )


NO_EVIDENCE = "no evidence of a difference"
_MOST_NAMED = 6
_MOST_RIVALS = 4
MOST_PAIRS = 6
"""At most this many pairs without evidence are named."""
# Clauses that do not start with a name; a name keeps its lower case.
_OPENINGS = ("there is", "no system", "none of the ", "neither ", "so few", "whether ")


def sentence(text: str) -> str:
    """Make a clause a sentence; a name at its start keeps its case.

    >>> sentence("there is no evidence"), sentence("ash is better")
    ('There is no evidence.', 'ash is better.')
    """
    capital = text[0].upper() if text.startswith(_OPENINGS) else text[0]
    return f"{capital}{text[1:]}."


def sentences(remarks: Iterable[str]) -> list[str]:
    """Make remarks sentences, each with a capital letter and one full stop.

    A name and a colon at the start keep their case.

    >>> sentences(["few labels; give more", "labels.csv: few labels"])
    ['Few labels; give more.', 'labels.csv: few labels.']
    """
    return [f"{_capitalized(remark).rstrip('.')}." for remark in remarks if remark]


def _capitalized(remark: str) -> str:
    starts_with_name = remark.partition(" ")[0].endswith(":")
    return remark if starts_with_name else f"{remark[0].upper()}{remark[1:]}"


def list_names(names: Sequence[str]) -> str:
    """List the first few names in a sentence."""
    return listed(first_few(names, _MOST_NAMED - 1))


def join_texts(texts: Sequence[str]) -> str:
    """List the first few texts, separated by semicolons since they may contain commas.

    >>> join_texts(["a, b", "c"])
    'a, b; c'
    """
    return "; ".join(first_few(texts, _MOST_NAMED, "and "))


def first_few(texts: Sequence[str], most: int, word: str = "") -> list[str]:
    """The first `most` texts and a count of the rest; a single further text is included."""
    more = len(texts) - most
    return [*texts[:most], f"{word}{more:,} more"] if more > 1 else [*texts]


def conclude(
    order: Sequence[str], beaten: Collection[tuple[str, str]], best: Sequence[str] = ()
) -> str:
    """The conclusion on the first system of a ranking, as a clause.

    `beaten` are pairs of a winner and a loser; `best` are the systems that share the best score.
    """
    first, *others = order
    better = [name for name in others if (name, first) in beaten]
    rest = [name for name in others if name not in better and (first, name) not in beaten]
    if better:
        return conclude_about(first, better, [], rest)
    if not rest:
        return f"{first} is significantly better than {_every(others)}"
    if len(others) == 1:
        return f"there is {NO_EVIDENCE} between {first} and {rest[0]}"
    if len(best) > 1:
        if {*rest} <= {*best} and not any({*pair} <= {*best} for pair in beaten):
            return f"{list_names(best)} score best, with {NO_EVIDENCE} between them"
        return f"{list_names(best)} score best; {conclude_about(first, [], [], rest)}"
    rivals = list_names(rest) if len(rest) <= _MOST_RIVALS else f"{len(rest):,} others"
    if len(rest) == len(others):
        rivals = "any other system"
    return f"{first} scores best, with {NO_EVIDENCE} from {rivals}"


def _every(others: Sequence[str]) -> str:
    return others[0] if len(others) == 1 else "every other system"


def conclude_about(
    system: str, better: Sequence[str], worse: Sequence[str], undecided: Sequence[str]
) -> str:
    """The conclusion on one system: which others are better, worse or undecided."""
    parts = []
    for word, names in (("better", better), ("worse", worse)):
        if names:
            are = "is" if len(names) == 1 else "are"
            parts.append(f"{list_names(names)} {are} significantly {word} than {system}")
    if undecided:
        parts.append(f"there is {NO_EVIDENCE} between {system} and {_any_of(undecided)}")
    return "; ".join(parts)


def _any_of(systems: Sequence[str]) -> str:
    if len(systems) == 2:
        return f"either {systems[0]} or {systems[1]}"
    return f"any of {list_names(systems)}" if len(systems) > 2 else systems[0]


def count_pairs(total: int, undecided: Sequence[tuple[str, str]], by: str = "") -> str:
    """How many pairs differ significantly, and which do not if these are few.

    >>> count_pairs(3, [("a", "b")])
    '2 of 3 pairs differ significantly. No evidence of a difference between a and b.'
    """
    decided = total - len(undecided)
    if not decided or not undecided:
        return f"{'All' if decided else 'None of the'} {total:,} pairs differ significantly{by}."
    differ = "differs" if decided == 1 else "differ"
    text = f"{decided:,} of {total:,} pairs {differ} significantly{by}."
    if len(undecided) > MOST_PAIRS:
        return text
    pairs = "; ".join(f"{a} and {b}" for a, b in undecided)
    return f"{text} No evidence of a difference between {pairs}."
