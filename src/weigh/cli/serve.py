"""`weigh serve`: collect human judgments in a web page."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from weigh.cli import terminal
from weigh.cli.parser import Parser, repeated, switch
from weigh.errors import InputError, UsageError
from weigh.options import add_options, parse_whole, plan_of
from weigh.read.campaign_tables import DATABASE
from weigh.web.plan import HOST, PORT, CollectPlan

USAGE = "(DIR | --demo) [option]..."
EXAMPLE = "weigh serve hits --judges 20"
_MOST_PROXIES = 16
_MOST_JUDGES = 100_000


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    tasks = parser.add_argument_group("tasks")
    tasks.add_argument(
        "directory",
        metavar="DIR",
        nargs="*",
        default=[],
        help="output directory of weigh human plan, weigh rypt queries or weigh validate "
        "preference; it may also have instructions.txt, consent.txt, training.jsonl and "
        "controls.jsonl",
    )
    switch(tasks, "--demo", "serve example tasks of several kinds")
    tasks.add_argument(
        "--judges",
        metavar="N",
        help="number of judges, or a file with one name per line; each gets a private link "
        "(default: 3 in a new campaign)",
    )
    switch(
        tasks,
        "--open",
        "also print an open link that makes every visitor a new judge, as crowdsourcing sites need",
    )
    add_options(tasks, CollectPlan)
    server = parser.add_argument_group("server")
    server.add_argument(
        "--host", metavar="HOST", default=HOST, help=f"address to listen on (default: {HOST})"
    )
    server.add_argument(
        "--port",
        metavar="N",
        type=_port,
        default=PORT,
        help=f"port to listen on; 0 chooses a free one (default: {PORT})",
    )
    server.add_argument(
        "--database",
        metavar="URL",
        help="database of the answers: a SQLite file, or postgresql://USER@HOST/DATABASE "
        f"(default: {DATABASE} in DIR)",
    )
    server.add_argument(
        "--url",
        metavar="URL",
        help="address at which judges reach the server, used in the links",
    )
    server.add_argument(
        "--proxy",
        metavar="N",
        type=_proxies,
        default=0,
        help="number of your proxies that all requests pass: the client is the Nth address from "
        "the right of X-Forwarded-For (default: 0, which ignores the header)",
        advanced=True,
    )
    repeated(
        server,
        "--embed",
        metavar="SITE",
        help="site that may embed the pages in a frame, such as https://worker.mturk.com; needs "
        "https; repeatable",
        advanced=True,
    )


def _port(value: str) -> int:
    return parse_whole(value, 0, 65535, "from 0 to 65535")


def _proxies(value: str) -> int:
    return parse_whole(value, 0, _MOST_PROXIES, f"from 0 to {_MOST_PROXIES}")


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


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if bool(arguments.demo) == bool(arguments.directory):
        raise UsageError("give either a directory of tasks or --demo")
    if len(arguments.directory) > 1:
        raise UsageError(f"unexpected argument {arguments.directory[1]!r}; give one directory")
    judges = None if arguments.judges is None else read_judges(arguments.judges)
    plan = plan_of(arguments, CollectPlan())
    from weigh.web.serving import Served, serve

    if arguments.demo:
        from weigh.web.tasks import write_demonstration

        directory = write_demonstration()
        plan = replace(plan, title=plan.title or "Demonstration", passed=0.0)
        plan = replace(plan, per_item=plan.per_item or 3)
    else:
        directory = Path(arguments.directory[0])

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
        open_link=bool(arguments.open),
        database=arguments.database,
        host=arguments.host,
        port=arguments.port,
        url=arguments.url,
        proxies=arguments.proxy,
        embed=arguments.embed,
        ready=ready,
    )
    return 0
