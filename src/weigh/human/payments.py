"""Whom to pay, to thank and to refuse, with reasons: lists that name people, and stay private.

No result and no page has them: judges stand under the names that the platform knows them by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from weigh.errors import InputError
from weigh.human.conduct import tasks_of
from weigh.human.judgments import Answers, single, with_scores
from weigh.human.quality import QualityResult, Verdict
from weigh.read.answers import Judgments
from weigh.read.cells import csv_text, escape_formula, tsv_text
from weigh.types import Judgment, grouped
from weigh.wording import number_text, p_value, share

Decision = Literal["thank", "pay", "refuse"]


@dataclass(frozen=True, slots=True)
class JudgedAssignment:
    """A piece of work that has a name: its hit, and whether it was refused before."""

    name: str
    hit: str
    rejected: bool


@dataclass(frozen=True, slots=True)
class Payment:
    """The payment decision for one judge, with the reason.

    `thank`: the answers are used. `pay`: they are not, but nothing shows that the work was bad,
    since there was too little to test. `refuse`: the judge failed, by one of the reasons `why`.
    `seconds` are None where times are not told of all the work.
    """

    judge: str
    decision: Decision
    why: str
    hits: int
    judgments: int
    seconds: float | None
    p_value: float | None
    assignments: tuple[JudgedAssignment, ...]


def payments(answers: Answers, result: QualityResult) -> tuple[Payment, ...]:
    """Decide about payment of every judge, by a quality control of these answers.

    Judges have the names of the files, also where the answers number them.
    """
    read = single(with_scores(answers), "nobody can be paid")
    work = grouped(read.judgments, lambda judgment: judgment.judge)
    listed = [_payment(verdict, work[verdict.judge], read, result) for verdict in result.judges]
    order = ("thank", "pay", "refuse")
    return tuple(sorted(listed, key=lambda payment: order.index(payment.decision)))


def _payment(
    verdict: Verdict, work: Sequence[Judgment], answers: Judgments, result: QualityResult
) -> Payment:
    tasks = [task.seconds for task in tasks_of(work)]
    timed = [seconds for seconds in tasks if seconds is not None]
    named = {task.assignment: task for task in work if task.assignment is not None}
    untested = verdict.p_value is None and len(verdict.reasons) == 1
    decision: Decision = "thank" if verdict.kept else "pay" if untested else "refuse"
    return Payment(
        answers.names.get(verdict.judge, verdict.judge),
        decision,
        "; ".join(_reasons(verdict, result)),
        verdict.hits,
        verdict.judgments,
        fsum(timed) if len(timed) == len(tasks) else None,
        verdict.p_value,
        tuple(
            JudgedAssignment(
                name, task.hit, any(other.rejected for other in work if other.assignment == name)
            )
            for name, task in named.items()
        ),
    )


def _reasons(verdict: Verdict, result: QualityResult) -> Iterable[str]:
    for reason in verdict.reasons:
        if reason == "fails the test" and verdict.p_value is not None:
            yield (
                "did not distinguish damaged texts from others "
                f"({p_value(verdict.p_value)} with {verdict.controls:,} controls; "
                f"at most {share(result.alpha)} was required)"
            )
        else:
            yield reason


def as_tsv(listed: Sequence[Payment]) -> str:
    """Return a table with a row for every judge."""
    header = ("judge", "decision", "why", "hits", "judgments", "seconds", "p_value", "assignments")
    rows = [
        [
            *(
                payment.judge,
                payment.decision,
                payment.why,
                f"{payment.hits}",
                f"{payment.judgments}",
            ),
            "" if payment.seconds is None else f"{payment.seconds:.0f}",
            "" if payment.p_value is None else number_text(payment.p_value),
            " ".join(assignment.name for assignment in payment.assignments),
        ]
        for payment in listed
    ]
    return tsv_text([header, *rows])


def as_mturk(listed: Sequence[Payment]) -> str:
    """Assignments in Mechanical Turk's form: an x to approve, or a reason to reject.

    Work that was rejected before has neither.
    """
    if not any(payment.assignments for payment in listed):
        raise InputError(
            "no judgment names its assignment, which Mechanical Turk needs; give its batch "
            "results, or write FILE.tsv"
        )
    rows = [
        [
            *map(escape_formula, (work.hit, work.name, payment.judge)),
            "x" if payment.decision != "refuse" and not work.rejected else "",
            payment.why if payment.decision == "refuse" and not work.rejected else "",
        ]
        for payment in listed
        for work in payment.assignments
    ]
    return csv_text([["HITId", "AssignmentId", "WorkerId", "Approve", "Reject"], *rows])
