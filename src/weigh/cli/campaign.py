"""`weigh campaign`: manage the campaigns of weigh serve."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.cli.arguments import argument, output, positional, repeatable, section, switch, verb
from weigh.cli.judgments import QUIET
from weigh.cli.output import new_file
from weigh.cli.serve import read_judges
from weigh.errors import MissingExtraError, UsageError, plural
from weigh.files import write_whole
from weigh.read.text import shown

if TYPE_CHECKING:
    from weigh.result import Result
    from weigh.web.campaigns import Campaign

_FORMS = ("jsonl", "tsv")
_WHAT = ("scores", "labels", "choices", "preferences")
_DATABASE = (
    "database of weigh serve: a SQLite file or postgresql://USER@HOST/DATABASE; append #NAME"
)
_CAMPAIGN = positional(
    "database DATABASE", f"{_DATABASE} to choose the campaign, if it has several"
)


def _check_extra() -> None:
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "campaigns need SQLAlchemy 2; install it with pip install 'weigh[web]'"
        ) from None


@contextmanager
def _open(arguments: argparse.Namespace) -> Iterator[Campaign]:
    _check_extra()
    from weigh.web.campaigns import open_campaign

    campaign = open_campaign(arguments.database)
    try:
        yield campaign
    finally:
        campaign.database.close()


@verb(
    "[option]... DATABASE",
    "weigh campaign list hits/campaign.db",
    section(
        "campaign",
        positional("database DATABASE", f"{_DATABASE} to choose one of its campaigns"),
    ),
    output(page="the table"),
    summary="list the campaigns of a database and their progress",
)
def list_all(arguments: argparse.Namespace) -> Result:
    """List the campaigns."""
    _check_extra()
    from weigh.web.campaigns import list_campaigns

    return list_campaigns(arguments.database)


@verb(
    "[--reopen] DATABASE",
    "weigh campaign close hits/campaign.db",
    section("campaign", _CAMPAIGN, switch("--reopen", "accept answers again")),
    section("output", QUIET),
    summary="stop accepting answers, or accept them again",
)
def close(arguments: argparse.Namespace) -> None:
    """Close or reopen a campaign."""
    is_open = arguments.reopen
    with _open(arguments) as campaign:
        campaign.set_open(is_open)
    state = "accepts answers" if is_open else "is closed; its answers are kept"
    terminal.remark(f"{shown(campaign.name)} {state}")


@verb(
    "[option]... DATABASE",
    "weigh campaign export hits/campaign.db -o answers.tsv",
    section(
        "campaign",
        _CAMPAIGN,
        argument(
            "--what NAME",
            "scores, labels, choices or preferences, if a campaign has more than one kind",
            choices=_WHAT,
        ),
    ),
    section(
        "output",
        argument(
            "--form NAME",
            "jsonl or tsv (default: by the ending of FILE, else jsonl)",
            choices=_FORMS,
        ),
        argument("-o --output FILE", "file to write (default: standard output)"),
        switch("--force", "overwrite an existing file"),
        QUIET,
    ),
    summary="export the answers of a campaign",
)
def export(arguments: argparse.Namespace) -> None:
    """Write the answers to a file, or print them."""
    target = new_file(arguments.output, arguments)
    _check_extra()
    from weigh.web.exports import export_answers, form_of

    form = arguments.form or ("jsonl" if target is None else form_of(target.name))
    exported = export_answers(arguments.database, form, arguments.what)
    terminal.remark(*(omission.remark for omission in exported.omissions))
    if target is None:
        terminal.write(exported.text)
        return
    write_whole(target, exported.text)
    terminal.remark(f"{plural(exported.answers, 'answer')} written to {target} as {form}")


@verb(
    "DATABASE FILE",
    "weigh campaign backup hits/campaign.db backup.db",
    section(
        "campaign",
        positional("database DATABASE", "the SQLite file of weigh serve"),
        positional("file FILE", "the new file to copy it to"),
    ),
    section("output", QUIET),
    summary="back up a database, also while it is served",
)
def backup(arguments: argparse.Namespace) -> None:
    """Copy a database."""
    _check_extra()
    from weigh.web.campaigns import back_up

    count = back_up(arguments.database, arguments.file)
    terminal.remark(f"{shown(arguments.file)}: a copy with {plural(count, 'answer')}")


@verb(
    "[option]... DATABASE",
    "weigh campaign links hits/campaign.db --add 5 --url https://judge.example.org",
    section(
        "campaign",
        _CAMPAIGN,
        repeatable(
            "--judge NAME",
            "print a link for this judge only; repeatable (default: links for the organiser and "
            "all judges)",
        ),
        argument(
            "--add N",
            "add N judges, or those in a file with one name per line, and print only their links "
            "and those of --judge",
        ),
        switch(
            "--revoke",
            "invalidate the old links and sessions of these judges; without --judge and --add, "
            "all links of the campaign",
        ),
        switch("--open", "also print an open link that makes every visitor a new judge"),
        argument(
            "--url URL",
            "address at which judges reach the server, used in the links (default: as last served)",
        ),
    ),
    summary="create new links for judges and the organiser, and add judges",
)
def links(arguments: argparse.Namespace) -> None:
    """Print links, one per line."""
    if arguments.url is not None and not arguments.url.startswith(("http://", "https://")):
        raise UsageError(f"--url {arguments.url}: expected an address that starts with https://")
    add = 0 if arguments.add is None else read_judges(arguments.add, "--add")
    with _open(arguments) as campaign:
        from weigh.web.campaigns import make_links

        new_links = make_links(
            campaign,
            arguments.url,
            judges=arguments.judge,
            add=add,
            revoke=arguments.revoke,
            open_link=arguments.open,
        )
    terminal.write_lines([f"{name}\t{link}" for name, link in new_links])


@verb(
    "--judge NAME --yes DATABASE",
    "weigh campaign erase hits/campaign.db --judge 'judge 7' --yes",
    section(
        "campaign",
        _CAMPAIGN,
        argument("--judge NAME", "the judge to erase", required=True),
        switch("--yes", "confirm: this cannot be undone; other judges are asked again"),
    ),
    section("output", QUIET),
    summary="erase a judge's answers and identity",
)
def erase(arguments: argparse.Namespace) -> None:
    """Erase a judge, if that is confirmed."""
    with _open(arguments) as campaign:
        from weigh.web.campaigns import judge_of

        judge = judge_of(campaign, arguments.judge)
        if not arguments.yes:
            count = campaign.assignment.done_by(judge.id).items
            raise UsageError(
                f"{plural(count, 'answer')} of {shown(judge.name)} would be lost; add --yes to "
                "erase them"
            )
        tally = campaign.access.erase(judge.id)
    count = sum(tally.values())
    terminal.remark(f"{plural(count, 'answer')}, the name and the links of the judge are erased")


VERBS = {
    "list": list_all,
    "close": close,
    "export": export,
    "backup": backup,
    "links": links,
    "erase": erase,
}
