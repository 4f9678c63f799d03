"""A campaign on the network: links, and the server that answers until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from weigh.errors import InputError, MissingExtraError, UsageError
from weigh.web.plan import HOST, PORT, CollectPlan

try:
    import uvicorn

    from weigh.web.app import make_app
    from weigh.web.campaigns import Campaign, judge_links, start_campaign
except ImportError as error:
    if error.name is None or error.name.startswith("weigh"):
        raise
    raise MissingExtraError(
        f"the judgment page needs {error.name}; install it with pip install 'weigh[web]'"
    ) from None


class Served(NamedTuple):
    """A campaign that is being served: its links, which nobody can look up later.

    `judges` are names with links; `open` is the link by which everybody may come, if there is one.
    """

    campaign: Campaign
    url: str
    organiser: str
    judges: Sequence[tuple[str, str]]
    open: str | None = None


def serve(
    directory: str | Path,
    plan: CollectPlan | None = None,
    *,
    judges: int | Sequence[str] = 3,
    open_link: bool = False,
    database: str | None = None,
    host: str = HOST,
    port: int = PORT,
    url: str | None = None,
    proxied: bool = False,
    embed: Sequence[str] = (),
    ready: Callable[[Served], Any] | None = None,
) -> None:
    """Let people judge what a directory of tasks holds, until the process is told to stop.

    `judges` are so many, or have these names; `open_link` makes a link that deals out judges.
    `url` is what links begin with where judges reach the server by another address, and `proxied`
    says that all requests come through a proxy, whose word on their origin is believed. `embed`
    are sites that may show the pages in frames of theirs. When the server listens, `ready` is
    called with the links.
    """
    for site in embed:
        if not site.startswith("https://") or not site.isascii() or set(site) & set("; '\",\\*"):
            raise UsageError(f"embed {site!r}: expected a site, such as https://www.mturk.com")
    if isinstance(judges, int):
        judges = [f"judge {number}" for number in range(1, judges + 1)]
    with closing(_bound(host, port)) as listening:
        campaign = start_campaign(directory, plan, database=database)
        shown = f"[{host}]" if ":" in host else host
        base = (url or f"http://{shown}:{listening.getsockname()[1]}").rstrip("/")
        served = _with_links(campaign, base, judges, open_link=open_link)
        config = uvicorn.Config(
            make_app(campaign, embed=embed),
            access_log=False,  # its lines would hold the tokens of links
            log_level="warning",
            proxy_headers=proxied,
            forwarded_allow_ips="*" if proxied else None,
            server_header=False,
            lifespan="off",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
        try:
            with suppress(KeyboardInterrupt):  # which is how it ends
                _Server(config, lambda: ready(served) if ready else None).run([listening])
        finally:
            campaign.database.close()


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Any]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._ready()


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket for a server, or say why there is none; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, UnicodeError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{host}:{port}: cannot be used ({reason}); choose another with --port, or 0 for any "
            "that is free"
        ) from None
    return made


def _with_links(campaign: Campaign, base: str, judges: Sequence[str], *, open_link: bool) -> Served:
    """Make links for the organiser and all judges, of whom those who are new are added."""
    access = campaign.access
    access.add(judges)
    return Served(
        campaign,
        base,
        f"{base}/enter/{access.link('organiser')}",
        [(judge.name, f"{base}/enter/{token}") for judge, token in judge_links(campaign)],
        f"{base}/enter/{access.link('open')}" if open_link else None,
    )
