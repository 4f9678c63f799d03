"""Documents are what was sampled: tests, intervals and standard scores where they are named."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats

from unit.human.judgments import one
from weigh.errors import InputError, UsageError
from weigh.human.conclusions import Outcome
from weigh.human.paired import compared_by_document
from weigh.human.plan import PRESETS, RankPlan
from weigh.human.rank import rank
from weigh.human.scores import Sample, standardise
from weigh.stats.crossed import document_tests, few_documents_spread, two_way_spread
from weigh.stats.prediction_powered import powered_mean_by_document
from weigh.stats.ranking import signed_rank
from weigh.types import Judgment


def test_swaps_of_documents_against_every_way() -> None:
    """Unequal counts, and documents of one system alone, whose labels are permuted."""
    draws = np.random.default_rng(1)
    for _ in range(150):
        size = int(draws.integers(2, 7))
        counts = draws.integers(0, 4, (2, size))
        if (counts.sum(axis=1) == 0).any():
            continue
        sums = np.array([[draws.integers(0, 5, n).sum() for n in row] for row in counts])
        both = [d for d in range(size) if counts[:, d].all()]
        mine = [d for d in range(size) if counts[0, d] and not counts[1, d]]
        single = [d for d in range(size) if d not in both and counts[:, d].any()]
        statistics = []
        for coins, labels in product(
            product((0, 1), repeat=len(both)), combinations(single, len(mine))
        ):
            total = np.zeros((2, 2))
            for coin, d in zip(coins, both, strict=True):
                total[0] += sums[coin, d], counts[coin, d]
                total[1] += sums[1 - coin, d], counts[1 - coin, d]
            for d in single:
                total[0 if d in labels else 1] += sums[:, d].sum(), counts[:, d].sum()
            statistics.append(total[0, 0] / total[0, 1] - total[1, 0] / total[1, 1])
        observed = sums[0].sum() / counts[0].sum() - sums[1].sum() / counts[1].sum()
        all_ways = np.array(statistics)
        for better, extreme in (
            (False, np.abs(all_ways) >= abs(observed) - 1e-9),
            (True, all_ways >= observed - 1e-9),
        ):
            [found] = document_tests(sums.astype(float), counts, [(0, 1)], better=better)
            assert found.exact
            assert found.p_value == pytest.approx(extreme.mean(), abs=1e-12)


def whole_numbers(documents: int, shift: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(documents)
    counts = np.tile(draws.integers(1, 5, documents), (2, 1))
    sums = np.array([[draws.integers(0, 100, n).sum() for n in row] for row in counts])
    return sums + shift * np.outer([1, 0], counts[0]), counts


def test_sums_of_whole_numbers_are_exact_and_drawn_ones_near() -> None:
    sums, counts = whole_numbers(30, 12)
    for better in (False, True):
        [exact] = document_tests(sums.astype(float), counts, [(0, 1)], better=better)
        assert (exact.exact, exact.trials, exact.p_stderr) == (True, 0, 0.0)
        [scaled] = document_tests(sums * 1.5, counts, [(0, 1)], better=better)
        assert scaled == pytest.approx(exact, rel=1e-12)
        noisy = sums + np.linspace(0, 1e-6, 60).reshape(2, 30)
        [drawn] = document_tests(noisy, counts, [(0, 1)], better=better, trials=50_000)
        assert not drawn.exact
        assert abs(drawn.p_value - exact.p_value) < 4 * drawn.p_stderr


def test_draws_go_on_where_a_conclusion_is_close() -> None:
    counts = np.full((2, 40), 2)
    draws = np.random.default_rng(3)
    sums = draws.normal(0, 1, (2, 40))
    sums[0] += 2 - (sums[0] - sums[1]).mean()  # far from α
    [clear] = document_tests(sums, counts, [(0, 1)])
    assert clear.trials == 9_999
    sums[0] -= 1.5
    [close] = document_tests(sums, counts, [(0, 1)])
    [short] = document_tests(sums, counts, [(0, 1)], trials=500)
    assert short.trials == 500
    assert abs(close.p_value - 0.05) < 0.02
    assert close.trials > 9_999
    # The same draws, whatever other pairs are tested.
    three = np.concatenate([sums, sums[:1] + 0.3])
    again = document_tests(three, np.full((3, 40), 2), [(0, 1), (0, 2)], adjust="none")
    assert again[0] == close


def test_two_way_spread_against_its_definition() -> None:
    draws = np.random.default_rng(5)
    u = draws.normal(0, 1, 60)
    documents, judges = draws.integers(0, 9, 60).tolist(), draws.integers(0, 4, 60).tolist()

    def clustered(groups: list[object]) -> float:
        sums = [sum(x for x, g in zip(u, groups, strict=True) if g == each) for each in {*groups}]
        return sum(each**2 for each in sums) * len(sums) / (len(sums) - 1)

    parts = [clustered(documents), clustered(judges)]
    both = clustered([*zip(documents, judges, strict=True)])
    found = two_way_spread(u, documents, judges)
    assert found.variance == pytest.approx(max(sum(parts) - both, *parts))
    assert found.freedom == 3
    assert two_way_spread(u, documents, None) == (pytest.approx(parts[0]), 8)
    assert two_way_spread(u, documents, ["ann"] * 60) == (pytest.approx(parts[0]), 8)


def test_equal_few_documents_are_a_t_interval_of_their_means() -> None:
    draws = np.random.default_rng(6)
    means = draws.normal(0, 1, 4)
    spread = few_documents_spread((means - means.mean()) / 4, [7, 7, 7, 7])
    assert spread is not None
    assert spread.freedom == pytest.approx(3)
    assert spread.variance == pytest.approx(means.var(ddof=1) / 4)
    assert few_documents_spread([0.0], [7]) is None


def campaign(
    documents: int,
    segments: int,
    judges: int = 3,
    effect: float = 0.0,
    seed: int = 0,
    noise: tuple[float, float, float] = (5.0, 8.0, 6.0),
) -> list[Judgment]:
    """Two systems that every judge scores; documents × systems and judges × systems differ."""
    draws = np.random.default_rng(seed)
    of_document, of_segment, of_judge = noise
    by_document = draws.normal(0, of_document, (documents, 2))
    by_judge = draws.normal(0, of_judge, (judges, 2))
    answers = []
    for d, s, j in product(range(documents), range(segments), range(judges)):
        if (d + s) % judges != j:
            continue
        for system in (0, 1):
            value = 60 + effect * (1 - system) + by_document[d, system] + by_judge[j, system]
            value += draws.normal(0, of_segment)
            answers.append(
                one("AB"[system], 100 * d + s, float(np.clip(value, 0, 100)), f"j{j}",
                    document=f"d{d}")
            )  # fmt: skip
    return answers


def test_where_documents_are_named_they_are_the_unit() -> None:
    answers = campaign(12, 5)
    [pair] = rank(answers, by="raw").comparisons
    assert (pair.test, pair.documents, pair.trials) == ("randomization", 12, 0)
    # As the randomization test of sums of documents, since all are of one size.
    sums = np.zeros(12)
    for each in answers:
        d = int((each.document or "")[1:])
        sums[d] += each.value * (1 if each.system == pair.a else -1)
    signs = 1 - 2 * ((np.arange(1 << 12)[:, None] >> np.arange(12)) & 1)
    ways = signs @ sums
    assert pair.p_value == pytest.approx(np.mean(np.abs(ways) >= abs(sums.sum()) - 1e-9))
    assert pair.difference == pytest.approx(sums.sum() / 60)
    others = pair.for_others
    assert others is not None
    assert (others.judges, others.documents, others.freedom) == (3, 12, 2)
    assert others.difference == pair.difference
    ranking = rank(answers, by="raw").rankings[0]
    assert "|test:randomization|unit:document|trials:exact|" in ranking.signature


@pytest.mark.parametrize("name", ["wmt21", "graham2014"])
def test_published_presets_take_segments_and_say_so(name: str) -> None:
    answers = campaign(12, 5)
    plain = [
        Judgment(*(getattr(each, f) for f in ("judge", "hit", "pair", "kind")),
                 each.system, each.segment, each.value, each.scale)
        for each in answers
    ]  # fmt: skip
    with_documents, without = rank(answers, PRESETS[name]), rank(plain, PRESETS[name])
    assert with_documents.comparisons == without.comparisons
    assert with_documents.scores == without.scores
    [said] = [each for each in with_documents.remarks if "segments as independent" in each]
    assert f"preset {name}" in said


def test_named_tests_are_obeyed_with_a_remark() -> None:
    result = rank(campaign(12, 5), test="rank-sum")
    assert result.comparisons[0].test == "rank-sum"
    assert any("--test rank-sum treats segments as independent" in each for each in result.remarks)
    assert rank(campaign(12, 5), test="randomization").comparisons[0].documents == 12


@pytest.mark.parametrize(("documents", "tested"), [(5, False), (6, True)])
def test_fewer_than_six_documents_have_no_test(documents: int, tested: bool) -> None:
    result = rank(campaign(documents, 8, effect=20), by="raw")
    [pair] = result.comparisons
    assert (pair.p_value is not None) == (pair.p_adjusted is not None) == tested
    assert pair.significant == tested
    assert pair.for_others is not None
    low, high = pair.for_others.interval
    assert low < pair.difference < high
    assert any("documents" in remark for remark in result.remarks)
    if not tested:
        assert result.scores[0].rank == (1, 2)
        gaps = np.zeros(documents)
        for each in campaign(documents, 8, effect=20):
            d = int((each.document or "")[1:])
            gaps[d] += each.value / 8 * (1 if each.system == pair.a else -1)
        expected = scipy.stats.t.interval(0.95, documents - 1, gaps.mean(), scipy.stats.sem(gaps))
        assert (low, high) == pytest.approx(expected)


def test_one_document_says_nothing() -> None:
    [pair] = rank(campaign(1, 20, effect=20), by="raw").comparisons
    assert (pair.p_value, pair.for_others, pair.significant) == (None, None, False)


def test_one_judge_says_nothing_of_other_judges() -> None:
    result = rank(campaign(12, 5, judges=1), by="raw")
    others = result.comparisons[0].for_others
    assert others is not None
    assert (others.judges, others.documents, others.freedom) == (0, 12, 11)
    assert "intervals do not cover other judges" in " ".join(str(result).split())


def test_differences_of_these_judges_only_are_marked() -> None:
    # Two judges who do not agree at all, on many documents.
    result = rank(campaign(40, 4, judges=2, effect=6, noise=(1.0, 2.0, 0.0)), by="raw")
    assert not result.comparisons[0].these_judges_only
    answers = campaign(40, 4, judges=2, effect=6, noise=(1.0, 2.0, 0.0))
    tilted = [
        one(each.system, int(each.segment), each.value + 5 * (each.judge == "j0") * tilt,
            each.judge, document=each.document)
        for each in answers
        for tilt in [1 if each.system == "A" else -1]
    ]  # fmt: skip
    [pair] = rank(tilted, by="raw").comparisons
    assert pair.significant
    assert pair.these_judges_only


def test_additive_standard_scores_keep_differences() -> None:
    """Judges who see two of eight systems each: their own means take most differences away."""
    draws = np.random.default_rng(2)
    truth = {name: 0.25 * at for at, name in enumerate("ABCDEFGH")}
    answers = []
    for judge in range(56):
        pair = draws.choice(8, 2, replace=False)
        level, spread = draws.normal(50, 10), draws.uniform(5, 15)
        for segment, system in product(range(30), pair):
            name = "ABCDEFGH"[system]
            z = truth[name] + draws.normal()
            answers.append(
                one(name, 100 * judge + segment, float(level + spread * z), f"j{judge}",
                    document=f"d{judge}")
            )  # fmt: skip

    def slope(additive: bool) -> float:
        result = standardise(answers, additive=additive)
        means = {
            name: np.mean([z for each, z in zip(result.judgments, result.z, strict=True)
                           if each.system == name])
            for name in truth
        }  # fmt: skip
        return float(np.polyfit([*truth.values()], [means[name] for name in truth], 1)[0])

    assert slope(additive=False) < 0.8
    assert 0.93 < slope(additive=True) < 1.07
    scores = {row.system: row.score for row in rank(answers).scores}
    assert np.polyfit([*truth.values()], [scores[n] for n in truth], 1)[0] > 0.93


def thin_campaign(seed: int, judges: int = 20, systems: str = "ABCD") -> list[Judgment]:
    """Equal systems; every document of a system has one of many judges, who differ in level."""
    draws = np.random.default_rng([9, seed])
    level, spread = draws.normal(60, 12, judges), draws.uniform(10, 30, judges)
    answers = []
    for d, name in product(range(12), systems):
        judge, suits = draws.integers(judges), draws.normal(0, 0.5)
        for s in range(3):
            value = float(level[judge] + spread[judge] * (suits + draws.normal(0, 0.8)))
            answers.append(one(name, 100 * d + s, value, f"j{judge}", document=f"d{d}"))
    return answers


def test_pairs_are_tested_from_levels_that_exchanging_them_does_not_change() -> None:
    """Judges' levels are fitted once more with the two systems taken for one."""
    for seed in range(5):
        answers = thin_campaign(seed, judges=6)
        result = rank(answers)
        outputs = {each.judge: [a for a in answers if a.judge == each.judge] for each in answers}
        for pair in result.comparisons:
            names = {pair.a: "both", pair.b: "both"}
            design = [(each.judge, names.get(each.system, each.system)) for each in answers]
            effects = _least_squares(design, [each.value for each in answers])
            alone = _least_squares(
                [(each.judge, each.system) for each in answers], [each.value for each in answers]
            )
            sums = np.zeros((2, 12))
            for own in outputs.values():
                rest = [each.value - alone[each.system] for each in own]
                level = np.mean(
                    [each.value - effects[names.get(each.system, each.system)] for each in own]
                )
                for each in own:
                    if each.system in names:
                        d = int((each.document or "")[1:])
                        z = (each.value - level) / np.std(rest, ddof=1)
                        sums[int(each.system == pair.b), d] += z
            signs = 1 - 2 * ((np.arange(1 << 12)[:, None] >> np.arange(12)) & 1)
            ways = signs @ (sums[0] - sums[1])
            observed = abs(float((sums[0] - sums[1]).sum()))
            assert pair.p_value == pytest.approx(np.mean(np.abs(ways) >= observed - 1e-9))


def _least_squares(design: list[tuple[str, str]], values: list[float]) -> dict[str, float]:
    """Effects of systems beside judges, of which the mean over all judgments is 0."""
    judges, systems = (sorted({*names}) for names in zip(*design, strict=True))
    matrix = np.zeros((len(values), len(judges) + len(systems)))
    for row, (judge, system) in enumerate(design):
        matrix[row, judges.index(judge)] = matrix[row, len(judges) + systems.index(system)] = 1
    effects = np.linalg.lstsq(matrix, np.array(values), rcond=None)[0][len(judges) :]
    mean = np.mean([effects[systems.index(system)] for _, system in design])
    return dict(zip(systems, (effects - mean).tolist(), strict=True))


def test_level_of_standard_scores_where_judges_see_little() -> None:
    """With levels that depend on the systems' names, a quarter of these nulls was rejected."""
    plan = RankPlan(adjust="none", unranked=("C", "D"))
    found = sum(rank(thin_campaign(seed), plan).comparisons[0].significant for seed in range(150))
    low, high = scipy.stats.binom.interval(0.999, 150, 0.05)
    assert low <= found <= high


def test_a_judge_whose_scores_are_all_the_same_stays_out() -> None:
    answers = [
        *campaign(6, 4),
        *(one(s, n, 50.0, "flat", document="d0") for s in "AB" for n in (0, 1)),
    ]
    assert "flat" not in {each.judge for each in standardise(answers, additive=True).judgments}


def test_the_order_of_rows_does_not_matter() -> None:
    answers = campaign(9, 4)
    assert rank(answers).comparisons == rank(answers[::-1]).comparisons
    assert rank(answers).scores == rank(answers[::-1]).scores


def outcome_of(answers: list[Judgment]) -> tuple[Outcome, Sample]:
    """Return what `rank` says of two systems by their documents, without all else that it says."""
    sample = Sample([(each, each.value) for each in answers])
    return compared_by_document(sample, ["A", "B"], RankPlan(by="raw"))["A", "B"], sample


def test_what_is_tested_many_times_is_what_a_ranking_says() -> None:
    answers = campaign(12, 3, judges=6, effect=4)
    [pair] = rank(answers, by="raw").comparisons
    outcome, _ = outcome_of(answers)
    assert (pair.a, pair.p_value, pair.for_others) == ("A", outcome.p_value, outcome.for_others)


@pytest.mark.parametrize("segments", [1, 6])
def test_level_of_null_campaigns(segments: int) -> None:
    """Systems that differ by document alone; tests of segments reject far more often."""
    by_document = by_segment = 0
    for seed in range(200):
        outcome, sample = outcome_of(campaign(15, segments, seed=seed, noise=(8.0, 8.0, 0.0)))
        assert outcome.p_value is not None
        by_document += outcome.p_value <= 0.05
        by_segment += signed_rank(sample.differences(sample.shared("A", "B"))).p_value <= 0.05
    low, high = scipy.stats.binom.interval(0.999, 200, 0.05)
    assert low <= by_document <= high
    if segments > 1:
        assert by_segment > 2 * high


def test_coverage_of_intervals_for_others() -> None:
    covered = 0
    for seed in range(200):
        others = outcome_of(campaign(12, 3, judges=6, seed=seed, noise=(5.0, 6.0, 4.0)))[
            0
        ].for_others
        assert others is not None
        covered += others.contains_zero
    assert covered / 200 >= 0.9


def two_levels(
    draws: np.random.Generator, documents: int, labelled: int
) -> tuple[list[str], list[np.ndarray]]:
    """People's scores of some documents, and a metric's of all, of unequal sizes; the mean is 0."""
    sizes = draws.integers(2, 9, documents)
    names = [f"d{d}" for d, size in enumerate(sizes) for _ in range(size)]
    truth = np.repeat(draws.normal(0, 1, documents), sizes) + draws.normal(0, 1, sizes.sum())
    human = truth + draws.normal(0, 0.5, truth.size)
    metric = 0.01 * truth + draws.normal(0, 0.005, truth.size)
    size = int(sizes[:labelled].sum())
    return names, [human[:size], metric[:size], metric[size:]]


def test_prediction_powered_means_of_documents_cover_and_save() -> None:
    draws = np.random.default_rng(8)
    covered = narrower = 0
    for _ in range(600):
        names, (human, own, others) = two_levels(draws, 80, 15)
        mean = powered_mean_by_document(human, own, names[: own.size], others, names[own.size :])
        covered += abs(mean.estimate) <= mean.spread.half_width(0.95)
        narrower += mean.spread.variance < mean.classical_spread.variance
    assert 0.92 <= covered / 600 <= 0.98
    assert narrower / 600 > 0.9


def test_prediction_powered_means_by_hand() -> None:
    names, (human, own, others) = two_levels(np.random.default_rng(9), 40, 12)
    mine, rest = names[: own.size], names[own.size :]
    found = powered_mean_by_document(human, own, mine, others, rest)

    slope = np.polyfit(own, human, 1)[0]
    f, g = slope * own, slope * others
    weight = covariance(human, f, mine) / (covariance(f, f, mine) + covariance(g, g, rest))
    assert 0 < weight < 1
    assert found.weight == pytest.approx(weight * slope)
    assert found.estimate == pytest.approx(human.mean() + weight * (g.mean() - f.mean()))
    left = human - weight * f
    variance = covariance(left, left, mine) * 11 / 10 + weight**2 * covariance(g, g, rest)
    effective = 1 / sum((mine.count(name) / len(mine)) ** 2 for name in {*mine})
    assert found.spread == (pytest.approx(variance), pytest.approx(effective - 2))
    # A metric on another scale, or for which small is good, helps as much.
    turned = powered_mean_by_document(human, 3 - 7 * own, mine, 3 - 7 * others, rest)
    assert turned.estimate == pytest.approx(found.estimate)
    assert turned.spread == pytest.approx(found.spread)
    # One that does not vary helps nothing.
    flat = powered_mean_by_document(human, np.ones(own.size), mine, np.ones(others.size), rest)
    assert (flat.weight, flat.estimate) == (0, human.mean())
    with pytest.raises(InputError, match="9 documents have human scores"):
        powered_mean_by_document(human[:9], own[:9], [*"abcdefghi"], others, rest)


def covariance(x: np.ndarray, y: np.ndarray, of: list[str]) -> float:
    """The covariance of two means, from the sums of documents."""
    total = 0.0
    for name in {*of}:
        inside = np.array([each == name for each in of])
        sums = [(values - values.mean())[inside].sum() / len(of) for values in (x, y)]
        total += sums[0] * sums[1] / (1 - inside.mean())
    return total


def test_means_of_a_finite_test_set_by_hand() -> None:
    """12 of 40 documents were judged: the factor 1 − 12/40; the metric's mean is known."""
    names, (human, own, others) = two_levels(np.random.default_rng(9), 40, 12)
    mine, rest = names[: own.size], names[own.size :]
    found = powered_mean_by_document(human, own, mine, others, rest, finite=True)
    f = np.polyfit(own, human, 1)[0] * own
    weight = min(1.0, covariance(human, f, mine) / covariance(f, f, mine))
    slope = f[0] / own[0]
    everything = slope * np.concatenate([own, others])
    assert found.weight == pytest.approx(weight * slope)
    assert found.estimate == pytest.approx(human.mean() + weight * (everything.mean() - f.mean()))
    left = human - weight * f
    assert found.spread.variance == pytest.approx(0.7 * covariance(left, left, mine) * 11 / 10)
    assert found.classical_spread.variance == pytest.approx(0.7 * covariance(human, human, mine))
    # The first judged segment had not been: its document is judged in part.
    partly = powered_mean_by_document(
        human[1:], own[1:], mine[1:], [own[0], *others], [mine[0], *rest], finite=True
    )
    assert (found.partly_labelled, partly.partly_labelled) == (0, 1)
    assert partly.classical_spread.variance == pytest.approx(
        covariance(human[1:], human[1:], mine[1:])
    )


def test_a_metric_helps_by_document_where_documents_are_named() -> None:
    answers = campaign(12, 4)
    draws = np.random.default_rng(4)
    metric = {
        name: {
            f"{'' if d < 12 else 'x'}{100 * d + s}": float(draws.normal())
            for d in range(40)
            for s in range(4)
        }
        for name in "AB"
    }
    rows = [
        {"system": name, "item": key, "score": score, "document": f"d{int(key.strip('x')) // 100}"}
        for name, scores in metric.items()
        for key, score in scores.items()
    ]
    frame = pytest.importorskip("pandas").DataFrame(rows)
    result = rank(answers, by="raw", metric=frame, population="like-these")
    [pair] = [row for row in result.powered if row.against]
    scores = {row.system: row for row in result.powered if not row.against}
    assert (pair.labelled, pair.unlabelled) == (48, 112)
    mine = sorted({each.segment for each in answers})
    rest = sorted(metric["A"].keys() - {*mine})
    values = {(each.system, each.segment): each.value for each in answers}
    expected = powered_mean_by_document(
        [values["A", key] for key in mine],
        [metric["A"][key] for key in mine],
        [int(key) // 100 for key in mine],
        [metric["A"][key] for key in rest],
        [int(key[1:]) // 100 for key in rest],
    )
    assert scores["A"].score == pytest.approx(expected.estimate)
    with pytest.raises(InputError, match="needs at least 10 documents"):
        rank([each for each in answers if int(each.segment) < 900], by="raw", metric=frame)
    [first, *_] = rank(answers, by="raw", metric=frame).powered
    assert first.population == "test-set"
    with pytest.raises(UsageError, match="add --with FILE"):
        rank(answers, by="raw", population="test-set")
