"""The judge's pages: consent, instructions, items one by one, a look back, and the end."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from weigh.errors import InputError, WeighError
from weigh.web.access import Judge, Visitor
from weigh.web.app import Session, Site, too_many_requests, unknown
from weigh.web.assignment import Ended, Work
from weigh.web.kinds import KINDS
from weigh.web.screens import Expected, Question, read_answers
from weigh.web.tables import MOST_ROWS

# What sites that send judges call their ids.
_EXTERNAL = ("PROLIFIC_PID", "workerId", "id")
_ASSIGNMENT = re.compile("[A-Za-z0-9_-]{1,64}")  # of Mechanical Turk
_PACE = 5  # answers that tell how quick somebody is
_LONGEST = 86_400.0  # seconds: whoever took longer for an item was away


def invitation(site: Site, request: Request, token: str) -> Response:
    """Show the page of the open link: a visitor who begins becomes a judge."""
    external = next((request.query_params[n] for n in _EXTERNAL if n in request.query_params), "")
    query = request.query_params
    preview = query.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
    return site.page(
        "invitation.html",
        token=token,
        external=external,
        preview=preview,
        assignment=query.get("assignmentId", ""),
        submit_to=query.get("turkSubmitTo", ""),
    )


def begin(site: Site, request: Request, form: Mapping[str, str]) -> Response:
    """Make somebody who came by the open link a judge, or find out which one it is."""
    visitor = site.access.visitor(form.get("token", ""), session=False)
    if visitor is None or visitor.role != "open":
        return unknown(site, request)
    if not site.begins.allows(site.client(request)):
        return too_many_requests(site)
    try:
        judge = site.access.deal_out(form.get("external") or None, is_invited=False)
    except InputError as error:
        return site.message_page("That is not an id", str(error), 400)
    response = site.enter(request, Visitor("judge", judge.id), "/work")
    assignment, submit_to = form.get("assignment", ""), form.get("submit_to", "")
    if _ASSIGNMENT.fullmatch(assignment) and submit_to in site.embed:
        site.remember(request, response, "assignment", f"{assignment}@{submit_to}")
    return response


def _external_submission(site: Site, request: Request) -> tuple[str, str] | None:
    """The assignment of an embedding site, and the address to submit it to."""
    assignment, _, submit_to = site.remembered(request, "assignment").partition("@")
    if not _ASSIGNMENT.fullmatch(assignment) or submit_to not in site.embed:
        return None
    return assignment, f"{submit_to}/mturk/externalSubmit"


def _judge(site: Site, session: Session) -> Judge:
    return session.visitor.person or site.access.judge(session.judge)


def work(site: Site, session: Session, request: Request) -> Response:
    """Show what comes next."""
    judge = _judge(site, session)
    settings = site.campaign.settings
    if settings["consent"] and judge.consented is None:
        paragraphs = _paragraphs(settings["consent"])
        return site.page("consent.html", session=session, consent=paragraphs)
    if judge.begun is None:
        return _instructions(site, session, first=True)
    following = site.campaign.assignment.work_for(judge.id)
    if isinstance(following, Ended):
        return _end(site, session, judge, following, _external_submission(site, request))
    return _item(site, session, following)


def consent(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Note that a judge agrees."""
    if form.get("agree") == "yes":
        site.access.note(session.judge, "consented")
    return RedirectResponse("/work", 303)


def start(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Note that a judge has read the instructions."""
    del form
    site.access.note(session.judge, "begun")
    return RedirectResponse("/work", 303)


def instructions(site: Site, session: Session, request: Request) -> Response:
    """Show the instructions again."""
    del request
    return _instructions(site, session, first=False)


def _instructions(site: Site, session: Session, *, first: bool) -> Response:
    kinds = [KINDS[name] for name in site.campaign.settings["kinds"]]
    return site.page(
        "instructions.html",
        session=session,
        kinds=kinds,
        instructions=_paragraphs(site.campaign.settings["instructions"]),
        first=first,
    )


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines part.

    >>> _paragraphs("One.\\r\\nStill one.\\r\\n\\r\\nTwo.")
    ['One.\\nStill one.', 'Two.']
    """
    parts = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n"))
    return [part.strip() for part in parts if part.strip()]


def _item(
    site: Site,
    session: Session,
    work: Work,
    *,
    status: int = 200,
    values: Mapping[str, Any] | None = None,
    faults: Mapping[str, str] | None = None,
    message: str = "",
    submission: str = "",
    began: str = "",
) -> Response:
    """Show an item, with what was answered before, or could not be saved."""
    assignment = site.campaign.assignment
    done, seconds, changeable = assignment.done_by(session.judge)
    looking_back = work.answers is not None
    remaining = work.size - work.place + 1
    return site.page(
        "item.html",
        status,
        session=session,
        work=work,
        screen=work.screen,
        kind=KINDS[work.kind],
        values=dict(values if values is not None else work.answers or {}),
        faults=faults or {},
        message=message,
        submission=submission or secrets.token_urlsafe(12),
        stamp=began or session.seal.stamp(work.slot, work.item, work.revision, time.time()),
        done=done,
        minutes=round(seconds / 60),
        minutes_left=_minutes_left(done, seconds, remaining)
        if remaining > 1 and not looking_back
        else 0,
        looking_back=looking_back,
        can_undo=assignment.look_back(session.judge, work.slot, work.item) is not None
        if looking_back
        else changeable > 0,
        # Where the item is found again once it has been answered.
        address=f"/work/{'feedback' if work.role == 'training' else 'item'}/"
        f"{_address(session, work)}",
        slot=session.seal.hide("slot", work.slot),
        item=session.seal.hide("item", work.item),
    )


def _minutes_left(done: int, seconds: float, remaining: int) -> int:
    """Remaining time at the judge's own pace; 0 if unknown."""
    return 0 if done < _PACE else max(1, round(remaining * seconds / done / 60))


def back(site: Site, session: Session, request: Request) -> Response:
    """Show what was answered before an item, or last."""
    place = _place(session, request.query_params)
    before = site.campaign.assignment.look_back(session.judge, *(place or ()))
    to = "/work" if before is None else f"/work/item/{_address(session, before)}"
    return RedirectResponse(to, 303)


def item(site: Site, session: Session, request: Request) -> Response:
    """Show an item that was answered, with the answer, which can be changed."""
    place = _place(session, request.path_params)
    work = site.campaign.assignment.answered(session.judge, *place) if place else None
    if work is None or work.role == "training":
        return RedirectResponse("/work", 303)
    return _item(site, session, work)


class AnswerFeedback(NamedTuple):
    """An answer in training, what was expected, and whether they agree."""

    answer: str
    expected: str
    right: bool


def _answer_feedback(
    question: Question, expected: Expected, answers: Mapping[str, Any]
) -> AnswerFeedback:
    labels = (
        {option.value: option.label for option in question.choice.options}
        if question.choice
        else {}
    )

    def named(value: object) -> str:
        return labels.get(str(value), str(value))

    ends = [named(end) for end in (expected.low, expected.high) if end is not None]
    wanted = (
        " or ".join(map(named, expected.values))
        if expected.values
        else " to ".join(dict.fromkeys(ends))
    )
    answer = answers.get(question.name, "")
    if question.marking:
        answer = len(json.loads(answer))
        wanted = f"{wanted} marked"
    return AnswerFeedback(named(answer), wanted, expected.fits(answers))


def feedback(site: Site, session: Session, request: Request) -> Response:
    """Show the expected answer after training."""
    place = _place(session, request.path_params)
    shown_feedback = site.campaign.assignment.feedback(session.judge, *place) if place else None
    if shown_feedback is None:
        return RedirectResponse("/work", 303)
    answers = shown_feedback.work.answers or {}
    questions = {question.name: question for question in shown_feedback.work.screen.questions}
    return site.page(
        "feedback.html",
        session=session,
        work=shown_feedback.work,
        screen=shown_feedback.work.screen,
        kind=KINDS[shown_feedback.work.kind],
        values=answers,
        verdicts={
            expectation.question: _answer_feedback(
                questions[expectation.question], expectation, answers
            )
            for expectation in shown_feedback.expected
        },
        message=shown_feedback.explanation,
    )


def answer(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Save an answer and show the next item; on any failure, the form keeps it.

    Only the address after an answer that is stored names its submission. The script in the page
    takes nothing else as a sign that the answer is saved.
    """
    judge, assignment = session.judge, site.campaign.assignment
    place, revisions = _place(session, form), _whole_numbers(form, ("revision",))
    if place is None or revisions is None:
        return _invalid_form(site)
    (slot, item), (revision,) = place, revisions
    began = form.get("began", "")
    shown_at = session.seal.stamped(slot, item, revision, began)
    if shown_at is None:
        return _invalid_form(site)
    submission = form.get("submission", "")[:64]
    values = dict(form)
    try:
        current = assignment.requested_work(judge, slot, item)
        if current is None:
            return _not_saved(site, form, assignment.ended(judge))
        read = read_answers(current.screen, form)
        if read.faults:
            return _item(
                site,
                session,
                current,
                status=422,
                values=values,
                faults=read.faults,
                message="Not saved yet: an answer is missing.",
                submission=submission,
                began=began if current.revision == revision else "",
            )
        seconds = _seconds(shown_at, form.get("active", ""))
        outcome = assignment.answer(judge, slot, item, revision, read.answers, submission, seconds)
    except WeighError as error:
        return site.unsaved("/work/answer", form, str(error))
    if outcome.state == "conflict":
        current = assignment.answered(judge, slot, item) or current
        message = (
            "You have already answered this, in another window or by going back. Save again to "
            "replace that answer."
        )
        return _item(site, session, current, status=409, message=message, values=values)
    if outcome.state != "saved":
        ended = assignment.ended(judge)
        if outcome.state == "closed" and ended is None:  # opened again just now
            ended = Ended("closed")
        return _not_saved(site, form, ended)
    to = "/work"
    if outcome.role == "training":
        to = f"/work/feedback/{_address(session, current)}"
    site.upkeep.answered(judge, slot)
    return RedirectResponse(f"{to}?saved={quote(submission, safe='')}", 303)


def _invalid_form(site: Site) -> Response:
    return site.message_page("Invalid form", "Go back, reload the page and try again.", 400)


def _whole_numbers(fields: Mapping[str, str], names: Sequence[str]) -> list[int] | None:
    """Fields as 32-bit whole numbers, or None if one is not."""
    texts = [fields.get(name, "") for name in names]
    fits = all(text.isascii() and text.isdigit() and len(text) < 11 for text in texts)
    numbers = [int(text) for text in texts] if fits else []
    return numbers if fits and max(numbers) < 2**32 else None


def _place(session: Session, fields: Mapping[str, str]) -> tuple[int, int] | None:
    """The slot and item named by fields, or None."""
    numbers = _whole_numbers(fields, ("slot", "item"))
    if numbers is None:
        return None
    slot, item = map(session.seal.reveal, ("slot", "item"), numbers)
    return (slot, item) if max(slot, item) < MOST_ROWS else None


def _address(session: Session, work: Work) -> str:
    """Sealed name of a slot and item, for addresses of this session."""
    hide = session.seal.hide
    return f"{hide('slot', work.slot)}/{hide('item', work.item)}"


class _Loss(NamedTuple):
    """Why an answer was not stored, and whether it can be sent again as it is."""

    heading: str
    text: str
    can_retry: bool = False


_TAKEN = _Loss(
    "Not saved: this item is no longer yours",
    "It was given to another judge because you had not answered for some time, or you answered "
    "it in another window. Your answer was not stored. Continue with your next item.",
)
_NOT_TAKEN = {
    "paused": _Loss(
        "Not saved: your work is paused",
        "The organiser has paused your work and given this sheet to other judges. Your answer "
        "was not stored. It stays in this tab and is filled in again if you get the sheet back.",
    ),
    "screened": _Loss(
        "Not saved: there are no more tasks for you",
        "Your answers differ too much from those expected. This one was not stored.",
    ),
    "closed": _Loss(
        "Not saved: the campaign is closed",
        "The campaign accepts no more answers, so yours was not stored. It stays on this page: "
        "leave the page open, and try again if the campaign reopens.",
        can_retry=True,
    ),
}


def _not_saved(site: Site, form: Mapping[str, str], ended: Ended | None) -> Response:
    """Explain why an answer was not stored, keep it, and offer what can be done with it."""
    loss = _TAKEN if ended is None else _NOT_TAKEN[ended.why]
    status = 409 if ended is None else 403
    return site.page("not_saved.html", status, loss=loss, form=dict(form))


def _seconds(shown_at: float, active: str) -> float | None:
    """Duration of an answer, without the time in which the page was hidden."""
    seconds = max(0.0, time.time() - shown_at)
    try:
        looked_at = float(active)
    except ValueError:
        looked_at = seconds
    seconds = min(seconds, looked_at if looked_at >= 0 else seconds)
    return round(seconds, 3) if seconds <= _LONGEST else None


def _end(
    site: Site, session: Session, judge: Judge, ended: Ended, handed_in: tuple[str, str] | None
) -> Response:
    done, seconds, changeable = site.campaign.assignment.done_by(judge.id)
    finished = ended.why in ("finished", "quota", "waiting")
    url = site.campaign.plan.completion_url.replace("{code}", judge.code)
    return site.page(
        "end.html",
        session=session,
        why=ended.why,
        code=judge.code if finished and done else "",
        url=url if finished and done else "",
        handed_in=handed_in if finished and done else None,
        done=done,
        minutes=round(seconds / 60),
        can_undo=changeable > 0 and ended.why not in ("closed", "paused", "screened"),
    )
