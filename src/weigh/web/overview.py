"""The organiser's pages: how far the campaign is, what the answers mean, and who is to go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any, NamedTuple, cast

from markupsafe import Markup
from sqlalchemy import text
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from weigh.errors import InputError, UsageError, plural
from weigh.human.plan import QUALITIES, Quality
from weigh.report.grid import visible
from weigh.web.access import Judge
from weigh.web.app import Session, Site, changes, reads
from weigh.web.exports import WHAT, export_answers
from weigh.web.headway import CampaignProgress, JudgeProgress, progress_of
from weigh.web.live import Live
from weigh.web.standing import FORECAST, PEEKING, Standing, level_in_words
from weigh.wording import fixed, p_value

# Pictures of reports tell their own size, so styles of single elements are allowed here.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_MOST_LISTED = 200
_REPORTS = {
    "ranking": "Ranking, with all pairs, heat map and steps",
    "quality": "Quality control of judges",
    "agreement": "Agreement of judges",
    "labels": "Labels",
    "pairs": "Blind pairs",
}
_TITLES = {
    "ranking": "Ranking",
    "agreement": "Agreement of judges",
    "pairs": "Blind pairs",
    "labels": "Labels",
}
_KINDS = {
    "adequacy": "Adequacy",
    "fluency": "Fluency",
    "esa": "Errors and scores (ESA), by page",
    "mqm": "Errors (MQM), by page",
    "contrastive": "Versions side by side, by page",
    "rypt": "RYPT labels, by screen",
    "preference": "Blind pairs",
    "pair": "Pairs of systems",
}
_FORMS = {"jsonl": "JSON lines", "tsv": "TSV"}
_STATES = {
    "active": "active",
    "paused": "paused",
    "screened": "screened out",
    "void": "set aside",
    "erased": "erased",
}
_EVENTS = {
    "active": "goes on",
    "paused": "paused",
    "screened": "screened out",
    "void": "set aside",
    "erased": "erased",
    "released": "open sheets released to other judges",
}


def routes(site: Site) -> list[BaseRoute]:
    """Links to the organiser's pages."""
    pages = _Pages(site)

    def reading(handler: Callable[[Session, Request], Response]) -> Any:
        return reads(site, "organiser", lambda _, session, request: handler(session, request))

    def changing(handler: Callable[[Session, Mapping[str, str], str], Response]) -> Any:
        async def answer(request: Request) -> Response:
            base = site.url or str(request.base_url).rstrip("/")
            changed = changes(
                site, "organiser", lambda _, session, form: handler(session, form, base)
            )
            response: Response = await changed(request)
            return response

        return answer

    return [
        Route("/organiser", reading(pages.overview)),
        Route("/organiser/report.css", pages.style),
        Route("/organiser/results/{name}", reading(pages.report)),
        Route("/organiser/export/{name}", reading(pages.export)),
        Route("/organiser/judges/{judge:int}", reading(pages.judge)),
        Route("/organiser/judges/{judge:int}/erase", reading(pages.before_erasure)),
        Route("/organiser/judge", changing(pages.change_judge), methods=["POST"]),
        Route("/organiser/campaign", changing(pages.change_campaign), methods=["POST"]),
        Route("/organiser/leave", changing(pages.leave), methods=["POST"]),
    ]


class _Pages:
    """The organiser's pages of one campaign."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._campaign = site.campaign
        self._access = site.access
        self._live = Live(site.campaign)
        # By the quality control that the organiser switched to.
        self._switched = {
            control: Live(site.campaign, control=cast(Quality, control)) for control in QUALITIES
        }

    def _chosen(self, request: Request) -> tuple[str, Live]:
        """Return the quality control that the organiser switched to, if any, and its results."""
        control = request.query_params.get("control", "")
        return (control, self._switched[control]) if control in self._switched else ("", self._live)

    def _page(self, name: str, session: Session, status: int = 200, **values: Any) -> Response:
        templates = self._site.templates
        if "duration" not in templates.filters:
            templates.filters.update(_FILTERS)
            templates.globals.update(called=_KINDS, titles=_TITLES, states=_STATES, events=_EVENTS)
        response = self._site.page(name, status, session=session, **values)
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    def style(self, request: Request) -> Response:
        """Style sheet of reports, which these pages share."""
        del request
        from weigh.report.page.walk import style

        response = Response(style(), media_type="text/css")
        response.headers["Cache-Control"] = "max-age=3600"
        return response

    def overview(self, session: Session, request: Request) -> Response:
        """Show the conclusions so far, the progress, and the judges."""
        control, live = self._chosen(request)
        findings, pending = live.findings()
        progress = progress_of(self._campaign)
        standing = None if findings is None else findings.standing
        forecasts = () if standing is None else standing.forecasts
        return self._page(
            "overview.html",
            session,
            progress=progress,
            listed=_listed(progress, everybody=request.query_params.get("judges") == "all"),
            findings=findings,
            standing=standing,
            pending=("now" if live.is_at_work else "soon") if pending else "",
            failure=live.failure,
            asked=control,
            controls=QUALITIES,
            shown={} if findings is None else {k: Markup(v) for k, v in findings.html.items()},
            reports={
                name: title
                for name, title in _REPORTS.items()
                if standing is not None and name in standing.results
            },
            forecasts=forecasts,
            level=level_in_words(forecasts) if forecasts else "",
            forecast_note=FORECAST,
            peeking=PEEKING,
            planned=_planned(standing, progress),
            exports=_exports(progress),
            verdicts={} if standing is None else standing.verdicts,
        )

    def report(self, session: Session, request: Request) -> Response:
        """Show a result as the page that the command would save."""
        name = request.path_params["name"]
        _, live = self._chosen(request)
        page = live.page(name) if name in _REPORTS else None
        if page is None:
            return self._message(session, "Not yet", "There are no answers for this yet.", 404)
        from weigh.report.page.walk import policy_of

        response = Response(page, media_type="text/html")
        policy = f"{policy_of(page)}; frame-ancestors 'none'"
        response.headers["Content-Security-Policy"] = policy
        return response

    def export(self, session: Session, request: Request) -> Response:
        """Send all answers of a kind that count, in a form."""
        chosen = _FILES.get(request.path_params["name"])
        if chosen is None:
            return self._message(session, "No such file", "Go back and choose one.", 404)
        try:
            exported = export_answers(self._campaign.location, chosen.form, chosen.what)
        except (InputError, UsageError) as error:
            return self._message(session, "Not available in this format", f"{error}.", 422)
        response = Response(exported.text, media_type=exported.media_type)
        response.headers["Content-Disposition"] = f'attachment; filename="{exported.name}"'
        return response

    def _message(self, session: Session, heading: str, message: str, status: int = 200) -> Response:
        return self._page(
            "overview_message.html", session, status, heading=heading, message=message
        )

    def _no_judge(self, session: Session) -> Response:
        return self._message(session, "No such judge", "Go back and reload the page.", 404)

    def _judge(self, number: int) -> Judge | None:
        try:
            return self._access.judge(number)
        except InputError:
            return None

    def _progress(self, judge: Judge) -> JudgeProgress:
        progress = progress_of(self._campaign)
        return next(
            progress_of_judge
            for progress_of_judge in progress.judges
            if progress_of_judge.judge.id == judge.id
        )

    def judge(self, session: Session, request: Request) -> Response:
        """Show one judge, and what can be done."""
        judge = self._judge(request.path_params["judge"])
        if judge is None:
            return self._no_judge(session)
        return self._one(session, judge)

    def _one(self, session: Session, judge: Judge, **values: Any) -> Response:
        findings, _ = self._live.findings()
        with self._campaign.database.reading() as connection:
            rows = connection.execute(
                text(
                    "SELECT at, what FROM campaign_events WHERE campaign = :campaign "
                    "AND judge = :judge ORDER BY id DESC LIMIT 20"
                ),
                {"campaign": self._campaign.id, "judge": judge.id},
            ).all()
        return self._page(
            "overview_judge.html",
            session,
            judge=judge,
            work=self._progress(judge),
            verdict=None if findings is None else findings.standing.verdicts.get(judge.name),
            history=rows,
            **{"link": "", "message": "", **values},
        )

    def before_erasure(self, session: Session, request: Request) -> Response:
        """Ask whether a judge's answers are to be erased, and say what that means."""
        judge = self._judge(request.path_params["judge"])
        if judge is None or judge.state == "erased":
            return self._no_judge(session)
        tally = [*self._access.tally(judge.id).items()]
        return self._page("overview_erase.html", session, judge=judge, tally=tally)

    def change_judge(self, session: Session, form: Mapping[str, str], base: str) -> Response:
        """Do what the organiser asks for with a judge."""
        number = form.get("judge", "")
        is_number = number.isascii() and number.isdigit() and len(number) < 10
        judge = self._judge(int(number)) if is_number else None
        if judge is None or judge.state == "erased":
            return self._no_judge(session)
        action = form.get("do", "")
        to = "/organiser#judges" if form.get("from") == "list" else f"/organiser/judges/{judge.id}"
        if action in ("active", "paused", "void"):
            self._access.set_state(judge.id, action)  # type: ignore[arg-type]
        elif action == "release":
            count = self._access.release(judge.id)
            message = (
                f"{plural(count, 'sheet')} released to other judges."
                if count
                else "No sheets were assigned."
            )
            return self._one(session, judge, message=message)
        elif action == "link":
            if form.get("revoke") == "yes":
                self._access.revoke(judge.id)
            link = f"{base}/enter/{self._access.link('judge', judge.id)}"
            return self._one(session, judge, link=link)
        elif action == "erase":
            if form.get("sure") != "yes":
                return RedirectResponse(f"/organiser/judges/{judge.id}/erase", 303)
            tally = self._access.erase(judge.id)
            count = sum(tally.values())
            return self._message(
                session,
                "Erased",
                f"{plural(count, 'answer')} and everything that identified the judge are "
                "erased. Only the number of answers is kept; the tasks go to other judges.",
            )
        else:
            return self._message(session, "Unknown action", "Go back and try again.", 400)
        return RedirectResponse(to, 303)

    def change_campaign(self, session: Session, form: Mapping[str, str], base: str) -> Response:
        """Do what the organiser asks for with the campaign."""
        action = form.get("do", "")
        if action in ("close", "reopen"):
            self._campaign.set_open(action == "reopen")
            return RedirectResponse("/organiser#campaign", 303)
        if action == "open-link":
            links = [("open link", f"{base}/enter/{self._access.link('open')}")]
            return self._page("overview_links.html", session, links=links, is_open=True)
        if action == "add":
            lines = form.get("names", "").replace("\r", "\n").split("\n")
            names = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
            if not names:
                return self._message(session, "No names", "Give one name per line.", 400)
            try:
                added = self._access.add(names)
            except InputError as error:
                return self._message(session, "Invalid name", f"{error}.", 400)
            tokens = self._access.links(judge.id for judge in added if judge.state != "erased")
            links = [
                (judge.name, f"{base}/enter/{tokens[judge.id]}")
                for judge in added
                if judge.id in tokens
            ]
            return self._page("overview_links.html", session, links=links, is_open=False)
        return self._message(session, "Unknown action", "Go back and try again.", 400)

    def leave(self, session: Session, form: Mapping[str, str], base: str) -> Response:
        """End the session."""
        del form, base
        return self._site.leave(session)


def _listed(progress: CampaignProgress, *, everybody: bool) -> Sequence[JudgeProgress]:
    """The judges to list: if there are very many, only the most recently active."""
    if everybody or len(progress.judges) <= _MOST_LISTED:
        return progress.judges
    return sorted(progress.judges, key=lambda judge: judge.last_seen or "")[
        -1 : -_MOST_LISTED - 1 : -1
    ]


class _File(NamedTuple):
    """A file of answers: what they are, and in what form."""

    what: str
    form: str


_FILES = {f"{what}-{form}": _File(what, form) for what in WHAT for form in _FORMS}


def _exports(progress: CampaignProgress) -> dict[str, dict[str, str]]:
    """File formats and their addresses, by kind of answers."""
    answered = {kind.kind for kind in progress.kinds if kind.answered}
    return {
        what: {name: _FORMS[file.form] for name, file in _FILES.items() if file.what == what}
        for what, (kinds, _) in WHAT.items()
        if answered & {*kinds}
    }


def _planned(standing: Standing | None, progress: CampaignProgress) -> list[tuple[str, int]]:
    """For each scale, the number of further judgments per system from the open tasks.

    As many of them are taken to count as of those that are there: not controls, nor answers of
    judges who are dropped.
    """
    if standing is None or "ranking" not in standing.results:
        return []
    from weigh.human.rank_result import RankResult
    from weigh.human.scores import HumanScore

    ranking = cast(RankResult, standing.results["ranking"])
    kinds = {kind.kind: kind for kind in progress.kinds}
    planned = []
    for scale in ranking.rankings:
        kind = kinds.get(scale.scale) or kinds.get("contrastive")
        if kind is not None and kind.answered:
            counts = [row.judgments for row in scale.scores if isinstance(row, HumanScore)]
            planned.append((scale.about, round(kind.left * fmean(counts) / kind.answered)))
    return planned


# How numbers and times are written in the pages.


def _duration(seconds: float | None) -> str:
    """Return a time as people tell it.

    >>> _duration(4.25), _duration(42), _duration(600), _duration(5400), _duration(400_000)
    ('4.2 s', '42 s', '10 min', '1.5 hours', '4.6 days')
    """
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 86400:,.1f} days"


def _ago(at: str | None, now: str) -> str:
    """Format the time since an event."""
    if at is None:
        return "–"
    seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(at)).total_seconds()
    return "now" if seconds < 60 else f"{_duration(seconds)} ago"


def _clock(at: str) -> str:
    """Return a time of day, which is UTC as all times of the database are."""
    return f"{at[11:16]} UTC"


def _amount(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"


def _per_cent(value: float) -> str:
    """Return a share in per cent, 100 only of all.

    >>> _per_cent(0.999), _per_cent(1.0), _per_cent(0.001)
    ('99%', '100%', '0%')
    """
    return f"{math.floor(100 * value + 1e-9)}%"


def _in_words(forecast: Any) -> str:
    from weigh.validate.forecast import in_words

    return in_words(forecast)


_FILTERS: Mapping[str, Callable[..., Any]] = {
    "duration": _duration,
    "ago": _ago,
    "clock": _clock,
    "amount": _amount,
    "per_cent": _per_cent,
    "in_words": _in_words,
    "visible": visible,
    "p_value": p_value,
    "fixed": fixed,
    "many": lambda count: f"{count:,}",
    "plural": plural,
}
