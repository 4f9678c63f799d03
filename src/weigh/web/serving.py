"""A campaign on the network: links, and the server that answers until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import NamedTuple

from weigh.errors import InputError, MissingExtraError
from weigh.web.campaigns import Campaign, judge_links
from weigh.web.plan import HOST, PORT


class Links(NamedTuple):
    """What is told when a campaign is served; `judges` are names and links."""

    organiser: str
    judges: list[tuple[str, str]]
    open: str | None = None


def make_links(
    campaign: Campaign, base: str, judges: Sequence[str], *, open_link: bool = False
) -> Links:
    """Return new links for the organiser and the judges, of whom those who are new are added."""
    access = campaign.access
    access.add(judges)
    named = [(judge.name, f"{base}/enter/{token}") for judge, token in judge_links(campaign)]
    return Links(
        f"{base}/enter/{access.link('organiser')}",
        named,
        f"{base}/enter/{access.link('open')}" if open_link else None,
    )


def bind(host: str = HOST, port: int = PORT) -> socket.socket:
    """Return a socket that listens, or say why there is none; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise InputError(
            f"{host}:{port}: cannot be used ({error.strerror}); choose another with --port, or 0 "
            "for any that is free"
        ) from None
    return made


def serve(
    campaign: Campaign,
    listening: socket.socket,
    *,
    proxied: bool = False,
    embed: str = "",
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve the pages of a campaign until the process is told to stop."""
    try:
        import uvicorn

        from weigh.web.app import make_app
    except ImportError as error:
        raise MissingExtraError(
            f"the judgment page needs {error.name}; install it with pip install 'weigh[web]'"
        ) from None

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if ready is not None and not self.should_exit:
                ready()

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
    Server(config).run(sockets=[listening])
    campaign.close_database()
