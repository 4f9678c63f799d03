"""The organiser's pages: how far the campaign is, what the answers mean, and who is to go on."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from weigh.web.app import Session, Site, reads


def routes(site: Site) -> list[BaseRoute]:
    """Return what leads to the organiser's pages."""
    return [Route("/organiser", reads(site, "organiser", overview))]


def overview(site: Site, session: Session, request: Request) -> Response:
    """Show how far the campaign is."""
    del request
    judges = site.access.judges()
    return site.page("overview.html", session=session, judges=judges)
