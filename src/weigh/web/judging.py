"""The judge's pages: consent, instructions, items one by one, a look back, and the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from weigh.errors import InputError, WeighError
from weigh.web.access import Judge, Visitor
from weigh.web.app import Session, Site, unknown
from weigh.web.assignment import Ended, Work
from weigh.web.guard import stamp, stamped
from weigh.web.kinds import KINDS
from weigh.web.screens import read_answers

# What sites that send judges call their ids.
_EXTERNAL = ("PROLIFIC_PID", "workerId", "id")
_LONGEST = 86_400.0  # seconds: whoever took longer for an item was away


def invitation(site: Site, request: Request, token: str) -> Response:
    """Show where the open link leads: whoever begins becomes a judge."""
    external = next((request.query_params[n] for n in _EXTERNAL if n in request.query_params), "")
    preview = request.query_params.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
    return site.page("invitation.html", token=token, external=external, preview=preview)


def begin(site: Site, request: Request, form: Mapping[str, str]) -> Response:
    """Make somebody who came by the open link a judge, or find out which one it is."""
    visitor = site.access.visitor(form.get("token", ""), session=False)
    if visitor is None or visitor.role != "open":
        return unknown(site, request)
    try:
        judge = site.access.deal_out(form.get("external") or None)
    except InputError as error:
        return site.told("That is not an id", str(error), 400)
    return site.enter(request, Visitor("judge", judge.id), "/work")


def _judge(site: Site, session: Session) -> Judge:
    return site.access.judge(session.visitor.judge or 0)


def work(site: Site, session: Session, request: Request) -> Response:
    """Show what comes next."""
    del request
    judge = _judge(site, session)
    settings = site.campaign.settings
    if settings["consent"] and judge.consented is None:
        return site.page("consent.html", session=session, consent=settings["consent"])
    if judge.begun is None:
        return _instructions(site, session, first=True)
    following = site.campaign.assignment.work_for(judge.id)
    if isinstance(following, Ended):
        return _end(site, session, judge, following)
    return _item(site, session, following)


def consent(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Note that a judge agrees."""
    if form.get("agree") == "yes":
        site.access.note(session.visitor.judge or 0, "consented")
    return RedirectResponse("/work", 303)


def start(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Note that a judge has read the instructions."""
    del form
    site.access.note(session.visitor.judge or 0, "begun")
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
        instructions=site.campaign.settings["instructions"],
        first=first,
    )


def _item(
    site: Site,
    session: Session,
    shown: Work,
    *,
    status: int = 200,
    values: Mapping[str, Any] | None = None,
    faults: Mapping[str, str] | None = None,
    said: str = "",
    submission: str = "",
    began: str = "",
) -> Response:
    """Show an item, with what was answered before, or could not be saved."""
    done, seconds = site.campaign.assignment.done_by(session.visitor.judge or 0)
    looking_back = shown.answers is not None
    return site.page(
        "item.html",
        status,
        session=session,
        work=shown,
        screen=shown.screen,
        kind=KINDS[shown.kind],
        values=dict(values if values is not None else shown.answers or {}),
        faults=faults or {},
        said=said,
        submission=submission or secrets.token_urlsafe(12),
        stamp=began or stamp(session.token, time.time()),
        done=done,
        minutes=round(seconds / 60),
        looking_back=looking_back,
        can_undo=done > 0,
    )


def back(site: Site, session: Session, request: Request) -> Response:
    """Show what was answered before an item, or last."""
    judge = session.visitor.judge or 0
    place = _whole(request.query_params, ("slot", "item"))
    before = site.campaign.assignment.look_back(judge, *(place or ()))
    return RedirectResponse("/work", 303) if before is None else _item(site, session, before)


def feedback(site: Site, session: Session, request: Request) -> Response:
    """Tell what should have been answered in training."""
    slot, item = request.path_params["slot"], request.path_params["item"]
    told = site.campaign.assignment.feedback(session.visitor.judge or 0, slot, item)
    if told is None:
        return RedirectResponse("/work", 303)
    given = told.work.answers or {}
    return site.page(
        "feedback.html",
        session=session,
        work=told.work,
        screen=told.work.screen,
        kind=KINDS[told.work.kind],
        values=given,
        expected={each.question: each for each in told.expected},
        right={each.question: each.fits(given) for each in told.expected},
        said=told.said,
    )


def answer(site: Site, session: Session, form: Mapping[str, str]) -> Response:
    """Save an answer and go on; whatever goes wrong, the form keeps it."""
    judge = session.visitor.judge or 0
    assignment = site.campaign.assignment
    place = _whole(form, ("slot", "item", "revision"))
    if place is None:
        return site.told("This form is broken", "Go back, reload the page and try again.", 400)
    slot, item, revision = place
    submission = form.get("submission", "")[:64]
    began = form.get("began", "")
    values = dict(form)
    try:
        before = assignment.answered(judge, slot, item)
        current = assignment.work_for(judge) if before is None else before
        if isinstance(current, Ended) or (current.slot, current.item) != (slot, item):
            return _not_yours(site, current)
        read = read_answers(current.screen, form)
        if read.faults:
            return _item(
                site,
                session,
                current,
                status=422,
                values=values,
                faults=read.faults,
                said="Not saved yet: something is missing.",
                submission=submission,
                began=began if stamped(session.token, began) is not None else "",
            )
        seconds = _seconds(session, began, form.get("active", ""))
        outcome = assignment.answer(judge, slot, item, revision, read.answers, submission, seconds)
    except WeighError as error:
        return site.unsaved("/work/answer", form, str(error))
    if outcome.state == "conflict":
        current = assignment.answered(judge, slot, item) or current
        said = (
            "You have answered this before, in another window or by going back. Save again to "
            "replace that answer."
        )
        return _item(site, session, current, status=409, said=said, values=values)
    if outcome.state != "saved":
        return _not_yours(site, assignment.work_for(judge))
    to = f"/work/feedback/{slot}/{item}" if outcome.role == "training" else "/work"
    task = BackgroundTask(site.upkeep.answered, judge, slot, item)
    return RedirectResponse(to, 303, background=task)


def _whole(fields: Mapping[str, str], names: Sequence[str]) -> list[int] | None:
    """Return fields that are numbers of rows, or None where one is not."""
    given = [fields.get(name, "") for name in names]
    fits = all(each.isascii() and each.isdigit() and len(each) < 10 for each in given)
    return [int(each) for each in given] if fits else None


def _not_yours(site: Site, current: Work | Ended) -> Response:
    if isinstance(current, Ended):
        return RedirectResponse("/work", 303)
    return site.told(
        "This item is somebody else's now",
        "It was given to another judge, or you were not given it. Go on with your next one.",
        409,
    )


def _seconds(session: Session, began: str, active: str) -> float | None:
    """Return how long an answer took, without the time in which the page was not looked at."""
    at = stamped(session.token, began)
    if at is None:
        return None
    seconds = max(0.0, time.time() - at)
    try:
        looked_at = float(active)
    except ValueError:
        looked_at = seconds
    seconds = min(seconds, looked_at if looked_at >= 0 else seconds)
    return round(seconds, 3) if seconds <= _LONGEST else None


def _end(site: Site, session: Session, judge: Judge, ended: Ended) -> Response:
    done, seconds = site.campaign.assignment.done_by(judge.id)
    finished = ended.why in ("finished", "quota", "waiting")
    url = site.campaign.plan.completion_url.replace("{code}", judge.code)
    return site.page(
        "end.html",
        session=session,
        why=ended.why,
        code=judge.code if finished and done else "",
        url=url if finished and done else "",
        done=done,
        minutes=round(seconds / 60),
        can_undo=done > 0 and ended.why not in ("closed", "paused", "screened"),
    )
