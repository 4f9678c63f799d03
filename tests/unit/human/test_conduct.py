from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unit.human.judgments import one
from weigh.human.conduct import conduct_of
from weigh.human.quality import quality
from weigh.read.answers import Omission, Preferences
from weigh.read.pair_results import AS_CONTROLS
from weigh.types import Judgment, Kind


def at(seconds: int) -> str:
    return (datetime(2024, 5, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat()


def hit(name: str, end: int, seconds: float) -> list[Judgment]:
    return [
        one("A", n, n, hit=name, item=f"{n}", seconds=seconds / 3, at=at(end)) for n in range(3)
    ]


def test_time_is_shared_among_hits_that_are_open_at_once() -> None:
    # b is open during all of a; c begins when b ends.
    work = [*hit("a", 1000, 900), *hit("b", 2000, 1950), *hit("c", 2600, 600)]
    conduct = conduct_of(work)
    assert conduct.hits == 3
    assert conduct.seconds_per_hit == pytest.approx(1150)
    assert conduct.least_seconds == pytest.approx(300)  # c: two open at its first moment
    assert conduct.flags == ()
    conduct = conduct_of([*hit("a", 1000, 900), *hit("b", 2000, 1950), *hit("c", 2600, 599)])
    assert conduct.least_seconds == pytest.approx(450)  # c began a second later


def test_a_short_hit_is_flagged() -> None:
    assert conduct_of(hit("a", 1000, 299)).flags == ("hit below 300 s",)


@pytest.mark.parametrize("form", ["item", "at"])
def test_runs_are_counted_in_the_order_of_the_items(form: str) -> None:
    values = [3, *[7] * 9, 3, 7]
    orders = [{form: f"{n}" if form == "item" else at(n)} for n in range(len(values))]
    work = [
        one("A", n, value, **order)
        for n, (value, order) in enumerate(zip(values, orders, strict=True))
    ]
    for order in (work, work[::-1]):
        assert conduct_of(order).longest_run == 9
        assert conduct_of(order).flags == ("run of 9",)
    assert conduct_of(work[1:9]).flags == ()


def test_without_an_order_there_are_no_runs() -> None:
    assert conduct_of([one("A", n, 7) for n in range(20)]).longest_run is None
    assert conduct_of([one("A", n, 7, item="same") for n in range(20)]).longest_run is None
    assert conduct_of([one("A", n, 7, at=at(5)) for n in range(20)]).longest_run is None


def test_batches_without_times_of_submission_have_the_time_of_work_alone() -> None:
    conduct = conduct_of([one("A", n, 7, at="", seconds=30, hit="a") for n in range(20)])
    assert (conduct.longest_run, conduct.seconds_per_hit, conduct.least_seconds) == (None, 600, 600)


@pytest.mark.parametrize(
    ("bad", "system", "reference", "flags"),
    [
        (10, 50, 90, ()),
        (50, 50, 90, ("bad items ≥ outputs",)),
        (10, 90, 90, ("outputs ≥ references",)),
        (60, 50, 40, ("bad items ≥ outputs", "outputs ≥ references")),
    ],
)
def test_means_in_the_wrong_order_are_flagged(
    bad: float, system: float, reference: float, flags: tuple[str, ...]
) -> None:
    means: dict[Kind, float] = {"bad": bad, "system": system, "reference": reference}
    work = [one("A", n, means[kind] + n - 1, kind=kind) for kind in means for n in range(3)]
    conduct = conduct_of(work)
    assert (conduct.mean_bad, conduct.mean_system, conduct.mean_reference) == (*means.values(),)
    assert conduct.flags == flags


def test_rejections_are_flagged() -> None:
    work = [one("A", 1, 5, rejected=True), one("A", 1, 5, hit="g")]
    assert conduct_of(work).rejected_hits == 1
    assert conduct_of(work).flags == ("rejected hits",)


def test_a_hit_of_documents_is_one_though_it_is_a_little_large() -> None:
    work = [one("A", n, n, item=f"{n}", seconds=7, at=at(7 * n)) for n in range(1, 121)]
    conduct = conduct_of(work)
    assert (conduct.hits, conduct.seconds_per_hit) == (1, 840)
    # One name for all that a judge ever did tells nothing.
    more = [one("A", n, n, item=f"{n}", seconds=7, at=at(7 * n)) for n in range(1, 202)]
    assert conduct_of(more).hits == 3


def choices(seconds: float) -> list[Judgment]:
    """Return what 100 choices say of both texts; a damaged one is among every ten."""
    work = []
    for n in range(1, 101):
        bad = n % 10 == 0
        places = (
            {"item": f"{2 * n - 1}"},
            {"item": f"{2 * n}", "of": f"{2 * n - 1}" if bad else None},
        )
        for system, value, place in zip("AB", (100, 0), places, strict=True):
            is_bad = bad and system == "B"
            told = {**place, "seconds": seconds, "at": at(int(seconds * n))}
            kind: Kind = "bad" if is_bad else "system"
            work.append(one(system, n, value, kind=kind, scale="preference", **told))
    return work


@pytest.mark.parametrize(("seconds", "kept"), [(6, True), (5, False)])
def test_a_choice_between_two_texts_is_one_item(seconds: float, kept: bool) -> None:
    aside = Omission(f"batch.csv: {AS_CONTROLS}", 10)
    result = quality(Preferences((), (aside,), (), tuple(choices(seconds))), "appraise")
    [verdict] = result.judges
    assert (verdict.hits, verdict.judgments, verdict.controls) == (1, 100, 10)
    assert verdict.seconds_per_hit == pytest.approx(100 * seconds)
    assert verdict.p_value == pytest.approx(2**-10)
    assert verdict.kept == kept
    assert [step.judgments for step in result.steps] == [100, 100, 100 * kept]
    assert (result.test, result.omissions) == ("sign", ())
    assert "sign test" in str(result)
    assert "Mann-Whitney" not in str(result)


def test_texts_of_a_page_that_are_answered_at_once_took_the_time_between_pages() -> None:
    # Ten texts a page, a page in 100 seconds, told of the first text as 5 seconds, of others as 0.
    def work(rest: int) -> list[Judgment]:
        return [
            one(
                "A",
                n,
                n,
                hit="ann",
                seconds=0 if n % 10 else 5,
                at=at(page * 100 + rest * (page > 5)),
            )
            for n in range(100)
            for page in (n // 10,)
        ]

    assert conduct_of(work(0)).seconds_per_hit == 905
    assert conduct_of(work(700)).seconds_per_hit == 805  # a rest of 800 seconds is not work
    slow = [one("A", n, n, hit="ann", seconds=20, at=at(10 * n)) for n in range(10)]
    assert conduct_of(slow).seconds_per_hit == 200
