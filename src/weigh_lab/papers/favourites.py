"""What RYPT and BLEU like best, and which of the two judges prefer.

Zaidan & Callison-Burch 2009, tables I and II.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from weigh.errors import plural
from weigh.metrics.registry import parse_metric
from weigh.stats.ranking import sign_test
from weigh.validate.blinding import OTHER, blind_pairs
from weigh.validate.plan import PreferencePlan
from weigh.validate.preference import preference
from weigh.wording import p_value
from weigh_lab.papers.paper_result import PaperCell, PaperColumn, PaperRow, PaperTable
from weigh_lab.papers.workshop import METRIC

if TYPE_CHECKING:
    from weigh.rypt.metric import Rypt
    from weigh.validate.preference import Votes
    from weigh_lab.papers.candidates import Sentences
    from weigh_lab.papers.judges import Judges

# Table I, references shown: judgments, and their share in per cent. Table II: sentences.
PRINTED_VOTES = (("346", "46.1"), ("270", "36.0"), ("134", "17.9"))
PRINTED_SENTENCES = ("120", "88", "42")


class JudgedFavourites(NamedTuple):
    """Judges' preferences between the choices of RYPT and BLEU.

    `right` are the numbers of pairs in which RYPT's and BLEU's choice has fewer wrong words,
    `ties` those of sentences in which each has several favourites.
    """

    votes: Votes
    right: tuple[int, int]
    ties: tuple[int, ...]


def judged_favourites(
    judges: Judges, sentences: Sentences, nbest: str, rypt: Rypt, seed: int
) -> JudgedFavourites:
    """Simulate three judges who compare RYPT's and BLEU's favourites where they differ."""
    plan = PreferencePlan(seed=seed)
    pairs = blind_pairs([nbest], sentences.test_set, [rypt, parse_metric(METRIC)], plan)
    choices = []
    right: Counter[str] = Counter()
    for pair, question in zip(pairs.key.pairs, pairs.questions, strict=True):
        sentence = int(pair.segment)
        for judge in range(1, plan.judges + 1):
            choices.append(judges.prefer(f"judge {judge}", sentence, question))
        first, other = (
            judges.meanings.wrong_words(sentence, text) for text in (question.left, question.right)
        )
        if first != other:
            right[pair.left if first < other else OTHER[pair.left]] += 1
    votes = preference([pairs.key], choices).preferences[0]
    return JudgedFavourites(votes, (right["a"], right["b"]), tuple(pairs.key.broken_ties.values()))


def preference_tables(judged: JudgedFavourites, size: int) -> Iterable[PaperTable]:
    """Yield tables I and II: judgments, and sentences by the majority's preference."""
    votes = judged.votes
    judgments = (votes.judgments_a, votes.judgments_b, votes.judgments_neither)
    sides = ("RYPT's choice", "BLEU's choice", "neither")
    total = sum(judgments)
    yield PaperTable(
        "Table I",
        "judgments on the choices of RYPT and BLEU",
        ("Preferred",),
        (PaperColumn("Judgments", 0), PaperColumn("%", 1)),
        tuple(
            PaperRow(
                (side,),
                (
                    PaperCell.beside(float(ours), count),
                    PaperCell.beside(100 * ours / total, share),
                ),
            )
            for side, ours, (count, share) in zip(sides, judgments, PRINTED_VOTES, strict=True)
        ),
        (f"Three judges for each of {plural(total // votes.judges_per_pair, 'pair')}.",),
    )
    sentences = (votes.sentences_a, votes.sentences_b, votes.sentences_even)
    sides = ("RYPT's choice", "BLEU's choice", "tied")
    rypt, bleu, _ = map(int, PRINTED_SENTENCES)
    published_p = sign_test(rypt, bleu)
    p_values = (PaperCell(votes.p_value), PaperCell(), PaperCell())
    yield PaperTable(
        "Table II",
        "sentences by the choice that more judges prefer",
        ("Preferred by more judges",),
        (PaperColumn("Sentences", 0), PaperColumn("p, sign test", p_values=True)),
        tuple(
            PaperRow((side,), (PaperCell.beside(float(ours), count), tested))
            for side, ours, count, tested in zip(
                sides, sentences, PRINTED_SENTENCES, p_values, strict=True
            )
        ),
        (
            "The sign test is over sentences: judgments of one sentence are not independent. "
            f"On the published counts it gives {p_value(published_p)}.",
            f"Error-free judges would prefer RYPT's choice in {plural(judged.right[0], 'pair')} "
            f"and BLEU's in {judged.right[1]:,}.",
            f"RYPT has several favourites in {judged.ties[0]:,} of {plural(size, 'sentence')}, "
            f"BLEU in {judged.ties[1]:,}; the model chooses one of them. Candidates that differ "
            "only in the order of constituents are equal for RYPT, but not for BLEU or for judges.",
            "BLEU's reference is one of several correct translations, all of which judges "
            "accept. In such a small language, candidates are much closer to the reference "
            "than in real text, which helps BLEU.",
        ),
    )


def preference_finding(votes: Votes) -> str:
    """Describe whose choice judges prefer."""
    a, b = votes.sentences_a, votes.sentences_b
    counts = f"{a:,} sentences to {b:,}, {p_value(votes.p_value)}"
    published = "the published counts are {} to {} for RYPT".format(*PRINTED_SENTENCES)
    if votes.p_value > 0.05:
        return (
            "No evidence that simulated judges prefer either RYPT's or BLEU's choices "
            f"({counts}); {published}."
        )
    winner = "RYPT" if a > b else "BLEU"
    return f"Simulated judges prefer {winner}'s choices ({counts}); {published}, by people."
