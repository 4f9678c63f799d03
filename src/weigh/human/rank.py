"""From judgments to a ranking: standard scores, means, tests of every pair, clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.human.arena import BY, arena_ranking
from weigh.human.conclusions import (
    Conclusion,
    PreferenceTally,
    by_net_wins,
    combined,
    conclusions_of,
    judged,
    ordered,
)
from weigh.human.errors import shown_errors
from weigh.human.judgments import (
    OUTPUTS,
    Answers,
    Step,
    about,
    as_answers,
    averaged,
    extent_of,
    load_answers,
)
from weigh.human.paired import compared, compared_by_document
from weigh.human.plan import (
    COMBINED,
    LEAST_SHARED,
    PAIRED,
    PREFERENCE,
    TRIALS,
    PairTest,
    Population,
    Quality,
    RankPlan,
)
from weigh.human.powered import Powered, powered_scores
from weigh.human.quality import (
    QualityResult,
    Verdict,
    answers_of_kept_judges,
    apply_control,
    untested,
)
from weigh.human.rank_result import HumanRanking, RankResult, Score
from weigh.human.scores import HumanScore, Sample, standardise
from weigh.human.tables import (
    labelled,
    macro_means,
    places,
    segment_scores,
    slice_scores,
)
from weigh.keywords import keywords
from weigh.read.answers import BOUNDS, BadRows, Judgments, Preferences
from weigh.result import signature, warns
from weigh.stats.crossed import LEAST_DOCUMENTS
from weigh.stats.multiplicity import FAMILYWISE
from weigh.types import Judgment, Preference, System, TestSet, grouped
from weigh.wording import listed, percent, share

_RAW = ("esa", "mqm")
_FEW_DOCUMENTS = 10
_MOST_NAMED = 6  # more systems than this are not named, where something holds for all


@warns
@keywords(RankPlan)
def rank(
    answers: Answers,
    plan: RankPlan | None = None,
    *,
    quality: Quality | None = None,
    metric: Any = None,
    lines: str | None = None,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    systems: Sequence[System] = (),
    test_set: TestSet | None = None,
    by: Literal["z", "raw"] | None = None,
    test: PairTest | None = None,
    unit: Literal["segment", "judgment"] = "segment",
    alternative: Literal["two-sided", "better"] = "two-sided",
    adjust: str = "holm",
    alpha: float = 0.05,
    unranked: tuple[str, ...] = (),
    boundary: Literal["all", "last"] = "all",
    level: float = 0.95,
    model: Literal["expected-wins", "bradley-terry"] | None = None,
    least_per_system: int = 500,
    least_per_segment: int = 1,
    trials: int | None = None,
    population: Population | None = None,
    seed: int = 12345,
    judge: str | None = None,
    system: str | None = None,
    item: str | None = None,
    score: str | None = None,
    scale: str | None = None,
    kind: str | None = None,
    hit: str | None = None,
    seconds: str | None = None,
    document: str | None = None,
    slice: str | None = None,
    columns: Mapping[str, str] | None = None,
    pair: str | None = None,
    bad_rows: BadRows = "refuse",
    names: bool = False,
    bounds: tuple[float, float] = BOUNDS,
) -> RankResult:
    """Rank the systems of every language pair and scale.

    Answers are judgments or preferences, a file, several files or a data frame. The keywords from
    `by` to `seed` are the fields of `RankPlan`, which explains them; they replace those of a
    `plan` that is given too. A `quality` control drops judges first:
    `crowd-alone` where there are control items, unless another one or `none` is named, and none in
    published presets.
    `documents` and `slices` are those of every segment of the test set, in order, where judgments
    do not tell them.
    The texts of `systems` are only for pages, which show marked errors in them; a `test_set` has
    their sources and ids.

    Files and data frames are read as by `weigh.read_judgments`, with its `pair`, `bounds`,
    `bad_rows` and `names`. The keywords from `judge` to `slice` name columns of a long table, and
    `columns` names others by role.

    1. Standardise each judge's scores, over all items (`weigh.human.scores.standardise`).
    2. A system's score is the mean over segments of the mean over its judgments, repeats
       included, controls not; of preferences, its expected wins or its strength.
    3. Test every pair by the signed-rank test where it shares most of its segments, else by the
       rank-sum test; preferences by the sign test, or by the difference of strengths. Adjust the
       p-values of the scale together.
    4. Where both adequacy and fluency were judged, fluency decides what adequacy leaves open.
    5. With a `metric`'s scores of all segments and systems (a table, a data frame, arrays by
       system, or what was measured), estimate scores with its help too; `lines` is the file that
       tells which of these segments a sample was made of (`weigh.human.powered`).
    """
    read = counted = load_answers(answers, locals())
    plan = plan or RankPlan()
    _check_kind(read, plan, slices)
    control, tested, control_remarks = apply_control(read, quality, plan.preset)
    steps: tuple[Step, ...] = ()
    judges: tuple[Verdict, ...] = ()
    if tested is not None:
        counted = answers_of_kept_judges(read, tested)
        judges, steps = tested.judges, _control_steps(read, counted, tested)
    elif isinstance(read, Judgments):
        judges = untested(read.judgments)
    if isinstance(counted, Judgments) and not (documents is None and slices is None):
        counted = replace(counted, judgments=labelled(counted.judgments, documents, slices))
    ranked = rankings_of(counted, plan)
    if documents is not None:
        ranked = ranked.with_lines(places(documents))
    labels = None if documents is None else dict(zip(places(documents), documents, strict=True))
    powered = _powered(counted, ranked.rankings, plan, metric, lines, labels)
    return RankResult(
        extent_of(read),
        control,
        plan,
        (*steps, *ranked.steps[1:]) if steps else ranked.steps,
        read.omissions,
        judges,
        tuple(row for ranking in ranked.rankings for row in ranking.scores),
        tuple(row for ranking in ranked.rankings for row in ranking.comparisons),
        tuple(
            replace(ranking, signature=_signature(ranking, plan, control))
            for ranking in ranked.rankings
        ),
        (*counted.remarks, *control_remarks, *ranked.remarks, *powered.remarks),
        powered.scores,
        tuple(row for ranking in ranked.rankings for row in ranking.unranked),
        tuple(row for ranking in ranked.rankings for row in ranking.slices),
        *shown_errors(counted, systems, test_set),
    )


def _control_steps(
    read: Judgments | Preferences, remaining: Judgments | Preferences, tested: QualityResult
) -> tuple[Step, ...]:
    """The answers before and after a quality control, without choices that do not rank."""
    if not (isinstance(read, Preferences) and isinstance(remaining, Preferences)):
        return tested.steps
    return (
        _preference_step("pairs of outputs", read.preferences),
        _preference_step("judges who pass the test", remaining.preferences),
    )


def _preference_step(step: str, preferences: Sequence[Preference]) -> Step:
    return Step(
        step, len(preferences), len({preference.judge for preference in preferences} - {None})
    )


def _powered(
    answers: Judgments | Preferences,
    rankings: Iterable[HumanRanking],
    plan: RankPlan,
    metric: Any,
    lines: str | None,
    documents: Mapping[str, str] | None,
) -> Powered:
    """Estimates with a metric's help, if its scores are given."""
    if metric is None:
        if lines is not None:
            raise UsageError("--lines applies to the scores of a metric; add --with FILE")
        if plan.population is not None:
            raise UsageError("--population applies to estimates with a metric; add --with FILE")
        return Powered((), ())
    if isinstance(answers, Preferences):
        raise InputError("preferences, but a metric's help needs judgments with scores")
    samples = {
        (ranking.pair, ranking.scale): sample_of(
            answers.judgments, ranking.pair, ranking.scale, plan
        )
        for ranking in rankings
        if not ranking.combined
    }
    return powered_scores(
        samples,
        metric,
        lines=lines,
        level=plan.level,
        by_document=[
            key for key, sample in samples.items() if plan.is_by_document(sample.documents)
        ],
        documents=documents if lines is None else None,
        population=plan.population or "test-set",
    )


def _signature(ranking: HumanRanking, plan: RankPlan, quality: str) -> str:
    """All settings that reproduce a ranking."""
    parts: dict[str, object] = {"quality": quality, "by": ranking.by.replace(" ", "-")}
    if ranking.unranked:
        parts["unranked"] = len(ranking.unranked)
    if ranking.comparisons:
        first = ranking.comparisons[0]
        tests = sorted({row.test for row in ranking.comparisons})
        parts["test"] = "+".join(tests)
        if first.documents is not None:
            parts["unit"] = "document"
        elif not {"sign", BY} & {*tests}:
            parts["unit"] = plan.unit
        if "randomization" in tests:
            trials = max(row.trials or 0 for row in ranking.comparisons)
            if first.documents is None:
                trials = plan.trials or TRIALS
            parts |= {"trials": trials or "exact", "seed": plan.seed}
        parts |= {"alt": plan.alternative, "adjust": first.adjust, "family": first.family_size}
        parts |= {"alpha": share(plan.alpha), "boundary": plan.boundary}
    return signature(parts)


class Rankings(NamedTuple):
    """Rankings alone, with what was left at each step and what is to be remarked."""

    rankings: tuple[HumanRanking, ...]
    steps: tuple[Step, ...]
    remarks: tuple[str, ...]

    def with_lines(self, lines: Mapping[str, int]) -> Rankings:
        """Add the place of every segment in its document."""
        return self._replace(
            rankings=tuple(
                replace(
                    ranking,
                    segment_scores=tuple(
                        replace(row, line=lines.get(row.segment)) for row in ranking.segment_scores
                    ),
                )
                for ranking in self.rankings
            )
        )

    def check_pair(self) -> None:
        """Refuse judgments of several language pairs, where one is needed."""
        pairs = {ranking.pair for ranking in self.rankings}
        if len(pairs) > 1:
            raise InputError(
                f"judgments of {len(pairs)} language pairs ({', '.join(sorted(pairs))}), but one "
                "is needed; choose it with --pair"
            )


def rankings_of(answers: Answers, plan: RankPlan) -> Rankings:
    """Rank by judgments, or by preferences, without a look at the judges."""
    read = as_answers(answers)
    _check_unranked(read, plan)
    if isinstance(read, Preferences):
        return _of_preferences(read.preferences, plan)
    plan = _of_means(read, plan)
    judgments = read.judgments
    steps = [Step.after("to be ranked", judgments)]
    remarks: list[str] = []
    usable = _values(judgments, plan, remarks)
    if len(usable) < len(judgments):
        steps.append(
            Step.after("scores that can be standardised", [judgment for judgment, _ in usable])
        )
    scored = [judgment for judgment, _ in usable if judgment.kind in OUTPUTS]
    steps.append(Step.after("outputs and repeats, without controls", scored))
    if not scored:
        raise InputError(_nothing_left(judgments, len(usable)))
    groups = grouped(usable, lambda entry: (entry[0].pair, entry[0].scale))
    rankings: list[HumanRanking] = []
    for pair, scale in sorted(groups):
        group = groups[pair, scale]
        sample = Sample(
            group, additive=_is_additive([judgment for judgment, _ in group], scale, plan)
        )
        if sample.systems:
            rankings.append(_ranking(pair, scale, sample, plan))
            if averaged(read) == "z":  # nobody knows what scores these were made of
                rankings[-1] = _without_raw(rankings[-1])
            remarks += [
                *_scarcity_remarks(sample, rankings[-1], plan),
                *_about_labels(sample, rankings[-1]),
                *_about_tests(rankings[-1], plan),
                *_about_documents(sample, rankings[-1], plan),
            ]
    remarks += [remark for ranking in rankings for remark in _contradictions(ranking, plan)]
    rankings += _combinations(rankings, plan)
    return Rankings(tuple(rankings), tuple(steps), tuple(remarks))


def _of_means(answers: Judgments, plan: RankPlan) -> RankPlan:
    """Plan for ranking given means, without standardisation."""
    kind = averaged(answers)
    if kind is None:
        return plan
    if plan.by not in (None, kind):
        raise UsageError(
            f"--by {plan.by}, but the files have means of {kind} scores and no single judgments; "
            "leave it out, or name the column of others with --columns score=NAME"
        )
    return replace(plan, by=kind, least_per_system=1)


def _without_raw(ranking: HumanRanking) -> HumanRanking:
    scores = [
        replace(row, raw=math.nan) if isinstance(row, HumanScore) else row for row in ranking.scores
    ]
    return replace(ranking, scores=tuple(scores))


def _check_kind(
    answers: Judgments | Preferences, plan: RankPlan, slices: Sequence[str] | None
) -> None:
    """Refuse what would have no part in a ranking of such answers."""
    if isinstance(answers, Judgments):
        if plan.model is not None:
            raise UsageError(
                f"model {plan.model} is for preferences, but these are scores; leave it out"
            )
        return
    needless = {
        f"test {plan.test}": plan.test in PAIRED,
        f"by {plan.by}": plan.by is not None,
        "slices": slices is not None,
    }
    for name, value in needless.items():
        if value:
            verb = "are" if name == "slices" else "is"
            raise UsageError(
                f"{name} {verb} for scores, but these are preferences; leave {name} out"
            )


def _check_unranked(answers: Judgments | Preferences, plan: RankPlan) -> None:
    """Refuse names of systems to be shown only that nobody has judged."""
    if plan.unranked and isinstance(answers, Preferences):
        raise UsageError(
            "--unranked is for systems with scores, but these are preferences, in which every "
            "system is an opponent of others"
        )
    if isinstance(answers, Judgments):
        judged = {judgment.system for judgment in answers.judgments}
        for name in plan.unranked:
            if name not in judged:
                raise InputError(f"--unranked {name}: not judged; {did_you_mean(name, judged)}")


def _of_preferences(preferences: Sequence[Preference], plan: RankPlan) -> Rankings:
    """Rank systems by expected wins and test every pair by the sign test, or by strength."""
    if model_for(preferences, plan) == BY:
        return _by_strength(preferences, plan)
    tally = PreferenceTally(preferences)
    scores = tally.scores()
    final = judged(tally.conclusions(scores, plan.alternative), plan.adjust, plan.alpha)
    ranking = _as_ranking("", PREFERENCE, scores, final, plan)
    steps = (
        _preference_step("pairs of outputs", preferences),
        _preference_step(
            "without ties", [preference for preference in preferences if not preference.tied]
        ),
    )
    return Rankings((ranking,), steps, tuple(_contradictions(ranking, plan)))


def model_for(
    preferences: Iterable[Preference], plan: RankPlan
) -> Literal["expected-wins", "bradley-terry"]:
    """Model for preferences: strengths if it is known which output was shown first."""
    if plan.model is not None:
        return plan.model
    return (
        BY if any(preference.first is not None for preference in preferences) else "expected-wins"
    )


def _by_strength(preferences: Sequence[Preference], plan: RankPlan) -> Rankings:
    scores, conclusions, arena, remarks = arena_ranking(preferences, plan)
    final = judged(conclusions, plan.adjust, plan.alpha)
    ranking = replace(_as_ranking("", PREFERENCE, scores, final, plan), arena=arena)
    steps = (_preference_step("pairs of outputs", preferences),)
    return Rankings((ranking,), steps, tuple(remarks))


def _as_ranking(
    pair: str,
    scale: str,
    scores: Sequence[Score],
    conclusions: Iterable[Conclusion],
    plan: RankPlan,
) -> HumanRanking:
    """A ranking with ranks and clusters, from scores that are sorted best first."""
    pairs = tuple(replace(row, pair=pair, scale=scale) for row in conclusions)
    order = ordered([row.system for row in scores], pairs, plan.boundary)
    cluster = {name: at for at, names in enumerate(order.clusters, 1) for name in names}
    placed = tuple(
        replace(
            row,
            pair=pair,
            scale=scale,
            rank=order.ranges[row.system],
            cluster=cluster[row.system],
        )
        for row in scores
    )
    return HumanRanking(pair, scale, scores=placed, comparisons=pairs)


def _nothing_left(judgments: Sequence[Judgment], usable: int) -> str:
    """Explain why no judgment can be ranked."""
    flat, judges = len(judgments) - usable, len({judgment.judge for judgment in judgments})
    why = [f"{usable:,} are of controls"] if usable else []
    if flat:
        why.append(
            f"{flat:,} are of judges who gave one answer or always the same score, which cannot be "
            "standardised"
        )
    remedy = "; use raw scores (--by raw), or wait for more answers" if flat else ""
    return (
        f"no judgments of systems are left to rank by: of {len(judgments):,} by {judges:,} "
        f"judge{'' if judges == 1 else 's'}, {' and '.join(why) or 'none is left'}{remedy}"
    )


def _score_kind(scale: str, plan: RankPlan) -> Literal["z", "raw"]:
    return plan.by or ("raw" if scale in _RAW else "z")


def _values(
    judgments: Sequence[Judgment], plan: RankPlan, remarks: list[str]
) -> list[tuple[Judgment, float]]:
    raw = [
        judgment
        for judgment in judgments
        if not judgment.judge or _score_kind(judgment.scale, plan) == "raw"
    ]
    values = [(judgment, judgment.value) for judgment in raw]
    standard = [
        judgment
        for judgment in judgments
        if judgment.judge and _score_kind(judgment.scale, plan) == "z"
    ]
    groups = grouped(standard, lambda judgment: (judgment.pair, judgment.scale))
    additive = {key for key, group in groups.items() if _is_additive(group, key[1], plan)}
    for is_additive in (False, True):
        rows = [
            judgment
            for judgment in standard
            if ((judgment.pair, judgment.scale) in additive) == is_additive
        ]
        rest = standardise(rows, additive=is_additive)
        remarks += rest.remarks
        values += zip(rest.judgments, rest.z, strict=True)
    return values


def _is_additive(judgments: Iterable[Judgment], scale: str, plan: RankPlan) -> bool:
    """Whether standard scores adjust for the systems a judge saw, which needs documents."""
    is_standard = plan.preset == "weigh" and _score_kind(scale, plan) == "z"
    return is_standard and any(judgment.judge and judgment.document for judgment in judgments)


def sample_of(judgments: Sequence[Judgment], pair: str, scale: str, plan: RankPlan) -> Sample:
    """The sample of scores that one ranking, of a language pair and scale, is based on."""
    return Sample(
        _values(
            [
                judgment
                for judgment in judgments
                if (judgment.pair, judgment.scale) == (pair, scale)
            ],
            plan,
            [],
        )
    )


def _ranking(pair: str, scale: str, sample: Sample, plan: RankPlan) -> HumanRanking:
    by = _score_kind(scale, plan)
    rows = segment_scores(sample, by, pair, scale)
    slices = slice_scores(rows)
    macro = macro_means(slices)
    by_document = plan.is_by_document(sample.documents)
    every = [
        replace(score, by=by, macro=macro.get(score.system))
        for score in sample.scores(plan.level, by_document=by_document)
    ]
    scores = [score for score in every if score.system not in plan.unranked]
    if not scores:
        raise InputError(f"{about(pair, scale)}: all systems are unranked; rank at least one")
    names = [score.system for score in scores]
    tests = compared_by_document(sample, names, plan) if by_document else {}
    conclusions = conclusions_of(
        {score.system: score.score for score in scores},
        lambda a, b: tests[a, b] if by_document else compared(sample, a, b, plan),
        alternative=plan.alternative,
        scale=scale,
    )
    ranking = _as_ranking(pair, scale, scores, judged(conclusions, plan.adjust, plan.alpha), plan)
    unranked_scores = [score.unranked() for score in every if score.system in plan.unranked]
    return replace(
        ranking,
        unranked=tuple(replace(score, pair=pair, scale=scale) for score in unranked_scores),
        slices=slices,
        segment_scores=rows,
    )


def _combinations(rankings: Iterable[HumanRanking], plan: RankPlan) -> list[HumanRanking]:
    by_scale = {(ranking.pair, ranking.scale): ranking for ranking in rankings}
    together = []
    for (pair, scale), adequacy in by_scale.items():
        fluency = by_scale.get((pair, "fluency"))
        if scale == "adequacy" and fluency is not None:
            scores = {score.system: score for score in adequacy.scores}
            names, conclusions = by_net_wins(
                list(scores), combined(adequacy.comparisons, fluency.comparisons)
            )
            ordered_scores = [scores[name] for name in names]
            ranking = _as_ranking(pair, COMBINED, ordered_scores, conclusions, plan)
            unranked = tuple(replace(score, scale=COMBINED) for score in adequacy.unranked)
            together.append(replace(ranking, unranked=unranked))
    return together


def _about_labels(sample: Sample, ranking: HumanRanking) -> list[str]:
    """Remarks on segments without a slice, or with several documents or slices."""
    remarks = []
    segments = {row.segment for row in ranking.segment_scores}
    missing = len(segments) - len(sample.slices)
    if sample.slices and missing:
        remarks.append(
            f"{ranking.about}: {missing:,} of {len(segments):,} segments have no slice; scores by "
            "slice leave them out"
        )
    if sample.ambiguous:
        remarks.append(
            f"{ranking.about}: some segments have several documents or slices in the judgments, "
            "and the first one is used; state them with --documents or --slices"
        )
    return remarks


def _scarcity_remarks(sample: Sample, ranking: HumanRanking, plan: RankPlan) -> list[str]:
    remarks = []
    scarce = [
        score.system
        for score in ranking.scores
        if isinstance(score, HumanScore) and score.judgments < plan.least_per_system
    ]
    if scarce:
        every = len(scarce) == len(ranking.scores) > _MOST_NAMED
        whom = "every system" if every else listed(scarce)
        remarks.append(
            f"{ranking.about}: fewer than {plan.least_per_system:,} judgments of {whom}, so small "
            "differences may go undetected"
        )
    thin = [name for name in sample.systems if sample.least_judged(name) < plan.least_per_segment]
    if thin:
        remarks.append(
            f"{ranking.about}: some segments have fewer than {plan.least_per_segment:,} judgments "
            f"of {', '.join(thin)}"
        )
    return remarks


def _about_tests(ranking: HumanRanking, plan: RankPlan) -> list[str]:
    """Remarks on pairs with different tests, or with a test that cannot reject."""
    remarks = []
    count = len(ranking.comparisons)
    paired = sum(row.test in PAIRED for row in ranking.comparisons)
    open_pairs = sum(row.is_open for row in ranking.comparisons)
    if open_pairs:
        remarks.append(
            f"{ranking.about}: the p-values of {plural(open_pairs, 'pair')} are within Monte Carlo "
            f"error of α = {share(plan.alpha)}; use more --trials"
        )
    if 0 < paired < count:
        remarks.append(
            f"{ranking.about}: {paired:,} of {count:,} tests are signed-rank tests, of pairs that "
            f"share {percent(LEAST_SHARED)} of their segments or more, and {count - paired:,} are "
            "rank-sum tests; choose one test for all with --test"
        )
    if none := [row for row in ranking.comparisons if row.test in PAIRED and not row.shared]:
        remarks.append(
            f"{ranking.about}: no segment was judged for both {none[0].a} and {none[0].b}, so a "
            "paired test is impossible; use --test rank-sum"
        )
    needed = math.ceil(count / plan.alpha) - 1
    drawn = [row for row in ranking.comparisons if row.test == "randomization" and row.p_stderr]
    trials = min((row.trials or plan.trials or TRIALS for row in drawn), default=needed)
    if plan.adjust in FAMILYWISE and trials < needed:
        remarks.append(
            f"{ranking.about}: with {trials:,} trials no p-value of {count:,} tests reaches "
            f"α = {share(plan.alpha)} after correction; use at least --trials {needed}"
        )
    return remarks


def _about_documents(sample: Sample, ranking: HumanRanking, plan: RankPlan) -> list[str]:
    """Remarks on few documents, and on tests that ignore documents."""
    if not sample.documents or not ranking.comparisons:
        return []
    count = len({*sample.documents.values()})
    if not plan.is_by_document(sample.documents):
        method = f"--unit {plan.unit}" if plan.unit != "segment" else f"--test {plan.test}"
        what = method if plan.preset == "weigh" else f"preset {plan.preset}"
        return [
            f"{ranking.about}: {what} treats segments as independent, but segments of one "
            f"document are similar ({plural(count, 'document')}): it finds differences too often"
        ]
    fewest = min(row.documents or 0 for row in ranking.comparisons)
    if fewest < LEAST_DOCUMENTS:
        return [
            f"{ranking.about}: {plural(fewest, 'document')}, but a test needs {LEAST_DOCUMENTS}; "
            "pairs with fewer have intervals and no p-values"
        ]
    if fewest < _FEW_DOCUMENTS:
        return [f"{ranking.about}: only {fewest} documents, so intervals are wide and inexact"]
    return []


def _contradictions(ranking: HumanRanking, plan: RankPlan) -> list[str]:
    remarks = []
    for pair in ranking.comparisons:
        p = pair.p_adjusted
        if pair.contradicts and p is not None and p <= plan.alpha:
            better, worse = (pair.a, pair.b) if pair.ahead > 0 else (pair.b, pair.a)
            remarks.append(
                f"{ranking.about}: the test finds {better} better than {worse}, but the scores say "
                "the reverse; no conclusion is drawn"
            )
    return remarks
