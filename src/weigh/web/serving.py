"""A campaign on the network: links, and the server that answers until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from weigh.errors import InputError, MissingExtraError, UsageError, WeighError, plural
from weigh.web.plan import HOST, PORT, CollectPlan

try:
    import uvicorn

    from weigh.read.database import Database
    from weigh.web.app import make_app
    from weigh.web.campaigns import Campaign, judge_links, start_campaign
    from weigh.web.connections import (
        ACCEPTED_AT_ONCE,
        CLIENT_SHARE,
        Connections,
        most_connections,
        protocol_within,
    )
    from weigh.web.console import Console, ThrottledRecords
except ImportError as error:
    if error.name is None or error.name.startswith("weigh"):
        raise
    raise MissingExtraError(
        f"the judgment page needs {error.name}; install it with pip install 'weigh[web]'"
    ) from None


class Served(NamedTuple):
    """A campaign that is being served: its links, which nobody can look up later.

    `judges` are names with links; `open` is the link by which everybody may come, if there is one.
    `remarks` are what the organiser should know.
    """

    campaign: Campaign
    url: str
    organiser: str
    judges: Sequence[tuple[str, str]]
    open: str | None
    remarks: list[str]


CHECKPOINT_SECONDS, REST_SECONDS = 60.0, 2.0
_BACKLOG = 1024
_USUAL_JUDGES = 3
_EVERYWHERE = ("0.0.0.0", "::", "")


def serve(
    directory: str | Path,
    plan: CollectPlan | None = None,
    *,
    judges: int | Sequence[str] | None = None,
    open_link: bool = False,
    database: str | None = None,
    host: str = HOST,
    port: int = PORT,
    url: str | None = None,
    proxies: int = 0,
    embed: Sequence[str] = (),
    ready: Callable[[Served], Any] | None = None,
) -> None:
    """Serve a directory of tasks to judges until the process is stopped.

    `judges` are so many, or have these names: without them, a new campaign has three, and another
    one those that it has. `open_link` makes a link that deals out judges.
    `url` is what links begin with where judges reach the server by another address. All requests
    come through so many `proxies`, which add the address of who asks to `X-Forwarded-For`. `embed`
    are sites that may show the pages in frames of theirs. When the server listens, `ready` is
    called with the links.
    """
    for site in embed:
        if not site.startswith("https://") or not site.isascii() or set(site) & set("; '\",\\*"):
            raise UsageError(f"embed {site!r}: expected a site, such as https://www.mturk.com")
    with closing(_bind(host, port)) as listening:
        campaign = start_campaign(directory, plan, database=database)
        base = (url or f"http://{_link_host(host)}:{listening.getsockname()[1]}").rstrip("/")
        campaign.remember_url(base)
        served = _with_links(campaign, base, judges, open_link=open_link)
        if url is None and host in _EVERYWHERE:
            served.remarks.append(
                "links use this machine's name; give --url if judges reach it by another name, and "
                "put an https proxy in front of it if they connect from other networks"
            )
        console = Console()
        # A proxy has the connections of all clients, and limits them itself.
        limits = Connections(most_connections(), 1.0 if proxies else CLIENT_SHARE, console.warn)
        config = uvicorn.Config(
            make_app(campaign, embed=embed, url=url or "", proxies=proxies),
            http=protocol_within(limits),
            ws="none",
            backlog=ACCEPTED_AT_ONCE,
            access_log=False,  # its lines would hold the tokens of links
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            lifespan="off",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
        try:
            with suppress(KeyboardInterrupt), checkpoints(campaign.database), _throttled_logs():
                server = _Server(config, lambda: ready(served) if ready else None, console)
                server.run([listening])  # until Ctrl-C
        finally:
            campaign.database.close()


@contextmanager
def checkpoints(
    database: Database, *, every: float = CHECKPOINT_SECONDS, rest: float = REST_SECONDS
) -> Iterator[None]:
    """Keep the write-ahead log of a database short: so much is lost of a file that is copied alone.

    What was written is in the file itself when nobody has written for `rest` seconds, and after
    `every` seconds at the latest.
    """
    done, console = Event(), Console()

    def work() -> None:
        last = time.monotonic()
        while not done.wait(rest / 2):
            age = database.seconds_since_write
            is_at_rest = age is not None and age >= rest
            if age is None or not (is_at_rest or time.monotonic() - last >= every):
                continue
            last = time.monotonic()
            try:
                database.checkpoint(wait=is_at_rest)
            except WeighError as error:
                console.warn(f"the write-ahead log could not be emptied: {error}")

    thread = Thread(target=work, name="checkpoints", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def _throttled_logs() -> Iterator[None]:
    """Log messages that clients can cause at most once a minute."""
    throttle = ThrottledRecords()
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    for logger in loggers:
        logger.addFilter(throttle)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(throttle)


class _Server(uvicorn.Server):
    """A server that says when it listens, and tells of failures in one line."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Any], console: Console) -> None:
        super().__init__(config)
        self._ready = ready
        self._console = console

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(self._tell)
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)  # more wait here than are accepted at once
        if not self.should_exit:
            self._ready()

    def _tell(self, _loop: object, context: Mapping[str, Any]) -> None:
        error = context.get("exception")
        self._console.warn(f"{context.get('message')}: {type(error).__name__}: {error}")


def _bind(host: str, port: int) -> socket.socket:
    """A socket for the server, or an error with the reason; port 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, UnicodeError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{host}:{port}: cannot be used ({reason}); choose another --port (0 for any free "
            "one), or check --host"
        ) from None
    return listener


def _link_host(host: str) -> str:
    """Host name as written in links."""
    if host in _EVERYWHERE:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _with_links(
    campaign: Campaign, base: str, judges: int | Sequence[str] | None, *, open_link: bool
) -> Served:
    """Make links for the organiser and all judges, of whom those who are new are added."""
    access = campaign.access
    if judges is None:
        judges = 0 if access.judges() else _USUAL_JUDGES
    if isinstance(judges, int):
        judges = [f"judge {number}" for number in range(1, judges + 1)]
    access.add(judges)
    named = [(judge.name, f"{base}/enter/{token}") for judge, token in judge_links(campaign)]
    sheets, remarks = campaign.sheets, []
    if sheets < len(named):
        remarks.append(
            f"{plural(sheets, 'sheet')} for {plural(len(named), 'judge')}, so some will get "
            "none; create more sheets, or raise --per-item"
        )
    return Served(
        campaign,
        base,
        f"{base}/enter/{access.link('organiser')}",
        named,
        f"{base}/enter/{access.link('open')}" if open_link else None,
        remarks,
    )
