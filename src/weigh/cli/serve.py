"""`weigh serve`: collect human judgments in a web page."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from weigh.cli import terminal
from weigh.cli.arguments import (
    argument,
    plan_options,
    positional,
    repeatable,
    section,
    switch,
    verb,
    whole_number,
)
from weigh.errors import InputError, UsageError
from weigh.read.campaign_tables import DATABASE
from weigh.web.plan import HOST, PORT, CollectPlan

_MOST_JUDGES = 100_000


def read_judges(value: str, option: str = "--judges") -> int | list[str]:
    """The number of judges, or their names from a file."""
    if value.isascii() and value.isdigit():
        if len(value) > 6 or int(value) > _MOST_JUDGES:
            raise UsageError(f"{option} {value}: at most {_MOST_JUDGES:,} at a time")
        return int(value)
    from weigh.read.text import read_texts

    names = [line.strip() for line in read_texts(value) if line.strip()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{option} {value}: {twice!r} appears twice; give every judge a different name"
        )
    return names


@verb(
    "(DIR | --demo) [option]...",
    "weigh serve hits --judges 20",
    section(
        "tasks",
        positional(
            "directory DIR",
            "output directory of weigh human plan, weigh rypt queries or weigh validate "
            "preference; it may also have instructions.txt, consent.txt, training.jsonl and "
            "controls.jsonl",
            nargs="?",
        ),
        switch("--demo", "serve example tasks of several kinds"),
        argument(
            "--judges N",
            "number of judges, or a file with one name per line; each gets a private link "
            "(default: 3 in a new campaign)",
        ),
        switch(
            "--open",
            "also print an open link that makes every visitor a new judge, as crowdsourcing sites "
            "need",
        ),
        plan_options(CollectPlan),
    ),
    section(
        "server",
        argument("--host HOST", f"address to listen on (default: {HOST})", default=HOST),
        argument(
            "--port N",
            f"port to listen on; 0 chooses a free one (default: {PORT})",
            type=partial(whole_number, least=0, most=65_535),
            default=PORT,
        ),
        argument(
            "--database URL",
            "database of the answers: a SQLite file, or postgresql://USER@HOST/DATABASE "
            f"(default: {DATABASE} in DIR)",
        ),
        argument("--url URL", "address at which judges reach the server, used in the links"),
        argument(
            "--proxy N",
            "number of trusted proxies in front of the server: the client is the Nth address from "
            "the right of X-Forwarded-For (default: 0, which ignores the header)",
            type=partial(whole_number, least=0, most=16),
            default=0,
            advanced=True,
        ),
        repeatable(
            "--embed SITE",
            "site that may embed the pages in a frame, such as https://worker.mturk.com; needs "
            "https; repeatable",
            advanced=True,
        ),
    ),
    plan=CollectPlan,
)
def run(arguments: argparse.Namespace, plan: CollectPlan) -> None:
    """Serve until interrupted."""
    if bool(arguments.demo) == (arguments.directory is not None):
        raise UsageError("give either a directory of tasks or --demo")
    judges = None if arguments.judges is None else read_judges(arguments.judges)
    from weigh.web.serving import Served, serve

    if arguments.demo:
        from weigh.web.tasks import write_demonstration

        directory = write_demonstration()
        plan = replace(plan, title=plan.title or "Demonstration", passed=0.0)
        plan = replace(plan, per_item=plan.per_item or 3)
    else:
        directory = Path(arguments.directory)

    def ready(served: Served) -> None:
        links = [("organiser", served.organiser), *served.judges]
        links += [("open", served.open)] if served.open else []
        terminal.write_lines([f"{name}\t{link}" for name, link in links])
        for remark in served.remarks:
            terminal.say(remark)
        terminal.say(
            f"serving {served.campaign.title}; answers are saved in "
            f"{served.campaign.database.name}; press Ctrl-C to stop"
        )

    serve(
        directory,
        plan,
        judges=judges,
        open_link=arguments.open,
        database=arguments.database,
        host=arguments.host,
        port=arguments.port,
        url=arguments.url,
        proxies=arguments.proxy,
        embed=arguments.embed,
        ready=ready,
    )
