from __future__ import annotations

import pytest

from unit.report.made.compare import compare_result
from weigh import compare
from weigh.comparing.outcomes import leaders_by_slice


def test_who_beats_whom_and_what_stays_open() -> None:
    result = compare_result(["Ann", "Bob", "Cid"], {(0, 1): 0.2, (0, 2): 0.01, (1, 2): 0.4})
    bleu, ter = result.outcomes()
    assert (bleu.metric, bleu.test, bleu.slice, bleu.pairs) == ("bleu", "randomization", None, 3)
    assert bleu.systems == ("Ann", "Bob", "Cid")
    assert bleu.wins == {("Ann", "Cid")}
    assert bleu.undecided == (("Ann", "Bob"), ("Bob", "Cid"))
    assert bleu.rivals("Ann") == ([], ["Cid"], ["Bob"])
    assert ter.systems == ("Cid", "Bob", "Ann")
    assert ter.wins == {("Cid", "Ann")}
    assert ter.rivals("Bob") == ([], [], ["Cid", "Ann"])


@pytest.mark.parametrize(("items", "powerless"), [(5, True), (6, False)])
@pytest.mark.filterwarnings("ignore::weigh.errors.WeighWarning")
def test_too_few_items_are_powerless(items: int, powerless: bool) -> None:
    result = compare({"A": [1.0] * items, "B": [0.5] * items}, threads=1)
    [outcome] = result.outcomes()
    assert (outcome.too_few == "items") == powerless
    assert bool(outcome.wins) != powerless


@pytest.mark.filterwarnings("ignore::weigh.errors.WeighWarning")
def test_a_shared_first_place_goes_to_the_leader_of_the_whole() -> None:
    """A slice on which all systems score the same has no leader."""
    scores = {
        "A": [1, 0, 0, 1, 1, 1, 1, 1],
        "B": [0, 1, 1, 1, 0, 0, 1, 1],
        "C": [0, 0, 0, 0, 0, 0, 1, 1],
    }
    result = compare(scores, slices=list("xxyyzzww"), threads=1)
    leaders = leaders_by_slice(result, result.metrics[0].metric)
    assert leaders == {None: "A", "x": "A", "y": "B", "z": "A", "w": ""}
