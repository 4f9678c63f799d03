"""The pages of a campaign as one application: what leads where, and what all pages share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from weigh import __version__
from weigh.errors import WeighError
from weigh.web.access import Access, Visitor
from weigh.web.campaigns import Campaign
from weigh.web.console import Console
from weigh.web.guard import Guard, Proxies, Rates, Seal, is_ours, is_same_origin, network_of
from weigh.web.screens import MOST_SPANS, Marking
from weigh.web.upkeep import Upkeep

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_FORM = "application/x-www-form-urlencoded"
_FIELDS = 64  # in a form, of which none is a file


class Session(NamedTuple):
    """Somebody who came by a link: the token of the cookie, and who it is."""

    token: str
    visitor: Visitor
    seal: Seal

    @property
    def judge(self) -> int:
        """The number of the judge who came."""
        return self.visitor.judge or 0

    @property
    def csrf(self) -> str:
        """The token that forms of this session carry."""
        return self.seal.csrf


class Site:
    """The parts that all pages of a campaign share."""

    def __init__(self, campaign: Campaign, *, embed: Sequence[str] = (), url: str = "") -> None:
        self.campaign = campaign
        self.embed = tuple(embed)
        self.url = url.rstrip("/")
        self.is_secure = bool(embed) or url.startswith("https://")
        # Guessing links is slowed down; valid links are not.
        self.guesses = Rates(burst=20, per_second=0.2)
        # Whoever has the open link cannot make judges without end.
        self.begins = Rates(burst=60, per_second=0.2)
        self.requests = Rates(burst=120, per_second=20)
        self.upkeep = Upkeep(campaign)
        self.console = Console()
        self._secret = campaign.secret()
        mark = blake2b(campaign.name.encode(), digest_size=4).hexdigest()
        self._cookies = {role: f"weigh_{role}_{mark}" for role in ("judge", "organiser")}

    @property
    def access(self) -> Access:
        """Links, sessions and judges."""
        return self.campaign.access

    @cached_property
    def templates(self) -> jinja2.Environment:
        """The page templates; all text in them is escaped."""
        environment = jinja2.Environment(
            loader=jinja2.PackageLoader("weigh.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(as_given=_escape_exactly, for_script=_for_script)
        source, target = self.campaign.plan.languages
        environment.globals.update(
            title=self.campaign.title,
            version=__version__,
            languages={"source": source, "target": target},
        )
        return environment

    def page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page."""
        return HTMLResponse(self.templates.get_template(name).render(**values), status)

    def unsaved(self, action: str, form: Mapping[str, str], why: str) -> HTMLResponse:
        """A page that keeps an unsaved answer, to be sent again."""
        self.console.warn(f"an answer could not be saved: {why}")
        return self.page("unsaved.html", 503, action=action, form=dict(form), why=why)

    def message_page(self, heading: str, text: str, status: int = 200) -> HTMLResponse:
        """A page with a message, and a link to go on if there is something to do."""
        onward = status not in (200, 401)
        return self.page("message.html", status, heading=heading, message=text, onward=onward)

    def client(self, request: Request) -> str:
        """Address of the client."""
        return network_of(request.client.host) if request.client else ""

    def session(self, request: Request, role: str) -> Session | None:
        """Return the session that a request belongs to."""
        token = request.cookies.get(self._cookies[role], "")
        visitor = self.access.visitor(token, session=True) if token else None
        if visitor is None or visitor.role != role:
            return None
        return Session(token, visitor, Seal(self._secret, token))

    def enter(self, request: Request, visitor: Visitor, to: str) -> Response:
        """Begin a session and lead to a page."""
        response = RedirectResponse(to, 303)
        self._set(request, response, self._cookies[visitor.role], self.access.enter(visitor))
        return response

    def remember(self, request: Request, response: Response, name: str, value: str) -> None:
        """Have the browser tell something again, which is checked whenever it does."""
        self._set(request, response, f"weigh_{name}", value)

    def remembered(self, request: Request, name: str) -> str:
        """Value of a request header, or an empty string."""
        return request.cookies.get(f"weigh_{name}", "")

    def _set(self, request: Request, response: Response, name: str, value: str) -> None:
        response.set_cookie(
            name,
            value,
            max_age=60 * 60 * 24 * 90,
            httponly=True,
            secure=self.is_secure or request.url.scheme == "https",
            samesite="none" if self.embed else "lax",
        )

    def leave(self, session: Session, to: str = "/") -> Response:
        """End a session."""
        self.access.leave(session.token)
        response = RedirectResponse(to, 303)
        response.delete_cookie(self._cookies[session.visitor.role])
        return response


Handler = Callable[[Site, Session, Request], Response]
Changer = Callable[[Site, Session, dict[str, str]], Response]


def reads(site: Site, role: str, handler: Handler) -> Any:
    """Handle a GET request that requires a session."""

    def answer(request: Request) -> Response:
        return _with_error_page(site, lambda: seen(request))

    def seen(request: Request) -> Response:
        session = site.session(request, role)
        if session is None:
            return unknown(site, request)
        if not site.requests.allows(session.token):
            return too_many_requests(site)
        return handler(site, session, request)

    return answer


def changes(site: Site, role: str, handler: Changer) -> Any:
    """Handle a form of this session, sent from its own page."""

    async def answer(request: Request) -> Response:
        form = await form_of(request)
        return await run_in_threadpool(_changed, request, form)

    def _changed(request: Request, form: dict[str, str]) -> Response:
        try:
            session = site.session(request, role)
        except WeighError as error:
            return site.unsaved(request.url.path, form, str(error))
        if session is None:
            return unknown(site, request)
        if not is_ours(request, form, session.csrf, site.url):
            return _wrong_origin(site)
        if not site.requests.allows(session.token):
            return too_many_requests(site)
        return _with_error_page(site, lambda: handler(site, session, form))

    return answer


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form, the last of each name.

    Our pages send one kind of form only. Others may bring files, and encodings of their own.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise HTTPException(415)
    async with request.form(max_fields=_FIELDS) as form:
        fields = [pair for pair in form.multi_items() if isinstance(pair[1], str)]
        if len(fields) > _FIELDS:
            raise HTTPException(400)
        # No database keeps every character.
        return {
            str(name).replace("\0", "\ufffd"): str(value).replace("\0", "\ufffd")
            for name, value in fields
        }


def _with_error_page(site: Site, handle: Callable[[], Response]) -> Response:
    try:
        return handle()
    except WeighError as error:
        site.console.warn(f"a page could not be shown: {error}")
        return site.message_page("This is not possible now", str(error), 503)


def _wrong_origin(site: Site) -> Response:
    return site.message_page(
        "This form was rejected",
        "It was sent from another site, or the page is out of date. Go back, reload the page "
        "and submit it again.",
        403,
    )


def unknown(site: Site, request: Request) -> Response:
    """Turn somebody away whose link or cookie is not known, and who may be guessing."""
    if not site.guesses.allows(site.client(request)):
        return too_many_requests(site)
    return site.message_page(
        "Use your own link",
        "This page needs the link that you were given. Open that link again; all your answers "
        "are kept.",
        401,
    )


def too_many_requests(site: Site) -> Response:
    """Ask somebody to wait who has asked for too much in a short time."""
    return site.message_page("Too many requests", "Wait a moment and reload the page.", 429)


def _escape_exactly(text: str) -> Markup:
    """Escape a text so that the browser keeps its number of characters.

    It would make one line end of two, and leave out what is no character at all.
    """
    return Markup(str(escape(text)).replace("\r", "&#13;").replace("\0", "\ufffd"))


def _for_script(marking: Marking) -> str:
    """Settings of error marking, for the page's script."""
    return json.dumps(
        {
            "severities": [asdict(severity) for severity in marking.severities],
            "categories": marking.categories,
            "saysNone": marking.says_none,
            "most": MOST_SPANS,
        },
        ensure_ascii=False,
    )


def make_app(
    campaign: Campaign, *, embed: Sequence[str] = (), url: str = "", proxies: int = 0
) -> ASGIApp:
    """Return the application that serves a campaign.

    `embed` are sites that may frame its pages, and `url` is what addresses begin with where the
    server does not see it itself. All requests come through so many `proxies`.
    """
    from weigh.web import judging, overview

    site = Site(campaign, embed=embed, url=url)

    def enter(request: Request) -> Response:
        return _with_error_page(site, lambda: _start_session(site, request))

    async def begin(request: Request) -> Response:
        form = await form_of(request)
        if not is_same_origin(request, site.url):
            return _wrong_origin(site)
        return await run_in_threadpool(
            _with_error_page, site, lambda: judging.begin(site, request, form)
        )

    def judge(name: str) -> Any:
        return reads(site, "judge", getattr(judging, name))

    def home(_: Request) -> Response:
        return site.message_page("Use your own link", "Open the link that you were given.")

    def refused(request: Request, error: Exception) -> Response:
        del request
        assert isinstance(error, HTTPException)
        answer = (
            site.message_page(
                "Page not found", "Go back, or open your link again.", error.status_code
            )
            if error.status_code in (404, 405)
            else site.message_page("Invalid form", "Go back and try again.", error.status_code)
        )
        answer.headers.update(error.headers or {})
        return answer

    def broken(request: Request, error: Exception) -> Response:
        del request, error
        return site.message_page(
            "Something went wrong", "All saved answers are kept. Go back and try again.", 500
        )

    app = Starlette(
        routes=[
            Route("/", home),
            Route("/health", lambda _: PlainTextResponse("ok")),
            Route("/enter/{token}", enter),
            Route("/begin", begin, methods=["POST"]),
            Route("/work", judge("work")),
            Route("/work/back", judge("back")),
            Route("/work/instructions", judge("instructions")),
            Route("/work/item/{slot}/{item}", judge("item")),
            Route("/work/feedback/{slot}/{item}", judge("feedback")),
            Route("/work/consent", changes(site, "judge", judging.consent), methods=["POST"]),
            Route("/work/start", changes(site, "judge", judging.start), methods=["POST"]),
            Route("/work/answer", changes(site, "judge", judging.answer), methods=["POST"]),
            *overview.routes(site),
            Mount("/static", StaticFiles(packages=[("weigh.web", "static")])),
        ],
        exception_handlers={HTTPException: refused, 500: broken},
    )
    app.router.redirect_slashes = False  # which would lead to whatever host a request names
    guarded = Guard(app, embed=embed)
    return Proxies(guarded, proxies) if proxies else guarded


def _start_session(site: Site, request: Request) -> Response:
    """Exchange the token of a link for a cookie."""
    token = request.path_params["token"]
    visitor = site.access.visitor(token, session=False)
    if visitor is None:
        return unknown(site, request)
    if visitor.role == "open":
        from weigh.web import judging

        return judging.invitation(site, request, token)
    to = "/organiser" if visitor.role == "organiser" else "/work"
    session = site.session(request, visitor.role)
    if session is not None and session.visitor == visitor:  # other tabs go on with this session
        return RedirectResponse(to, 303)
    return site.enter(request, visitor, to)
