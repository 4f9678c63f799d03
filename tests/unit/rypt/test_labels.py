"""Several judges on one entry: each way of making one label, by its definition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.rypt.labels import judgment, judgment_lists
from weigh.errors import UsageError
from weigh.rypt.collection import CollectedLabels, open_store, read_labels
from weigh.rypt.label_files import as_jsonl
from weigh.rypt.labels import (
    Entry,
    EntryJudgment,
    Label,
    Labels,
    aggregated,
    agreements,
)
from weigh.rypt.metric import Rypt
from weigh.rypt.plan import AGGREGATES, CollectionPlan


def last_labels(kept: list[EntryJudgment]) -> dict[Entry, dict[str, Label]]:
    found: dict[Entry, dict[str, Label]] = {}
    for one in sorted(kept, key=lambda one: one.at):
        found.setdefault(one.entry, {})[one.judge] = one.label
    return found


def by_hand(kept: list[EntryJudgment], how: str) -> Labels:
    """The rules one entry, one judge and one pair at a time, in rational numbers."""
    given = last_labels(kept)
    weights = {}
    for judge in {one.judge for one in kept}:
        same = pairs = 0
        for votes in given.values():
            for other in votes:
                if judge in votes and other != judge:
                    pairs += 1
                    same += votes[judge] == votes[other]
        weights[judge] = Fraction(same + 1, pairs + 2) if how == "weighted" else Fraction(1)
    labels: Labels = {}
    for entry, votes in given.items():
        sums = {
            label: sum(weights[judge] for judge, own in votes.items() if own == label)
            for label in Label
        }
        first = [label for label in Label if sums[label] == max(sums.values())]
        label = first[0] if len(first) == 1 else Label.NOT_SURE
        if how == "any-yes" and sums[Label.YES]:
            label = Label.YES
        labels.setdefault(entry.source, {})[entry.start, entry.end, entry.substring] = label
    return labels


@pytest.mark.parametrize("how", AGGREGATES)
@settings(max_examples=60)
@given(kept=judgment_lists())
def test_by_the_definition(how: str, kept: list[EntryJudgment]) -> None:
    expected = by_hand(kept, how)
    assert aggregated(last_labels(kept), how) == expected
    found = CollectedLabels.of("store", kept, CollectionPlan(aggregate=how))
    flat = [label for own in expected.values() for label in own.values()]
    worth = (found.entries_yes, found.entries_no, found.entries_not_sure)
    assert worth == tuple(flat.count(label) for label in Label)


def test_a_store_does_the_same(fresh: Callable[[], str]) -> None:
    kept = [
        judgment(label, judge, second, f"s {number}", source)
        for number, source in enumerate(["das haus steht", "x y", "x y", "u v"])
        for second, (judge, label) in enumerate(
            zip("abcab"[number:], [*Label, Label.NO, Label.YES], strict=False)
        )
    ]
    store = open_store(fresh(), create=True)
    store.add(kept)
    for how in AGGREGATES:
        expected = by_hand(kept, how)
        assert store.aggregate(how=how) == expected
        # Of some sources the labels are the same: judges are weighed by all that they said.
        assert store.aggregate(["u v"], how) == {"u v": expected["u v"]}
    assert len({str(by_hand(kept, how)) for how in AGGREGATES}) == 3


_votes = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(list(Label)), max_size=4)


@given(st.lists(_votes, max_size=8))
def test_agreement_counts_every_pair_from_both_sides(given_votes) -> None:
    found = agreements(given_votes)
    assert list(found) == sorted({judge for votes in given_votes for judge in votes})
    pairs = sum(len(votes) * (len(votes) - 1) for votes in given_votes)
    assert sum(one.pairs for one in found.values()) == pairs
    assert all(0 < one.weight < 1 for one in found.values())


def test_the_metric_says_how(tmp_path) -> None:
    path = tmp_path / "labels.jsonl"
    kept = [judgment(Label.YES, "a"), judgment(Label.NO, "b"), judgment(Label.NO, "c")]
    path.write_text("".join(f"{line}\n" for line in as_jsonl(kept)))
    assert read_labels(str(path), aggregate="any-yes") == by_hand(kept, "any-yes")
    signatures = {Rypt(aggregate=how).signature(0) for how in AGGREGATES}
    columns = {Rypt(aggregate=how).column for how in AGGREGATES}
    assert len(signatures) == len(columns) == 3
    assert "|aggregate:majority|" in Rypt().signature(0)
    with pytest.raises(UsageError, match="aggregate='most' is unknown"):
        Rypt(aggregate="most")
