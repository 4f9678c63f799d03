"""`weigh campaign`: manage the campaigns of weigh serve."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.cli import judgments, options, saving, terminal
from weigh.cli.parser import Group, Parser, Subverb, one_of, repeated, switch
from weigh.cli.serve import read_judges
from weigh.errors import MissingExtraError, UsageError, plural
from weigh.files import write_whole
from weigh.read.text import shown

if TYPE_CHECKING:
    from weigh.web.campaigns import Campaign

_FORMS = ("jsonl", "tsv")
_WHAT = ("scores", "labels", "choices", "preferences")


def _add_database(parser: Parser, *, several: bool = False) -> Group:
    group = parser.add_argument_group("campaign")
    which = "one of its campaigns" if several else "the campaign, if it has several"
    group.add_argument(
        "database",
        metavar="DATABASE",
        nargs="*",
        default=[],
        help="database of weigh serve: a SQLite file or postgresql://USER@HOST/DATABASE; append "
        f"#NAME to choose {which}",
    )
    return group


def _location(arguments: argparse.Namespace) -> str:
    if not arguments.database:
        raise UsageError("no database given; name a file, such as DIR/campaign.db")
    if len(arguments.database) > 1:
        raise UsageError(f"unexpected argument {arguments.database[1]!r}; give one database")
    return str(arguments.database[0])


@contextmanager
def _open(arguments: argparse.Namespace) -> Iterator[Campaign]:
    location = _location(arguments)
    _check_extra()
    from weigh.web.campaigns import open_campaign

    campaign = open_campaign(location)
    try:
        yield campaign
    finally:
        campaign.database.close()


def _check_extra() -> None:
    try:
        import sqlalchemy  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "campaigns need SQLAlchemy 2; install it with pip install 'weigh[web]'"
        ) from None


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.quiet:
        terminal.say(text)


# `weigh campaign list`


def _add_list(parser: Parser) -> None:
    _add_database(parser, several=True)
    saving.add_arguments(options.add_output(parser), content="the table")


def _run_list(arguments: argparse.Namespace) -> int:
    location = _location(arguments)
    saving.check(arguments)
    _check_extra()
    from weigh.web.campaigns import list_campaigns

    saving.present(list_campaigns(location), arguments)
    return 0


# `weigh campaign close`


def _add_close(parser: Parser) -> None:
    group = _add_database(parser)
    switch(group, "--reopen", "accept answers again")
    judgments.add_quiet(parser.add_argument_group("output"))


def _run_close(arguments: argparse.Namespace) -> int:
    is_open = bool(arguments.reopen)
    with _open(arguments) as campaign:
        campaign.set_open(is_open)
    state = "accepts answers" if is_open else "is closed; its answers are kept"
    _say(arguments, f"{shown(campaign.name)} {state}")
    return 0


# `weigh campaign export`


def _add_export(parser: Parser) -> None:
    group = _add_database(parser)
    group.add_argument(
        "--what",
        metavar="NAME",
        type=one_of("answers", _WHAT),
        help="scores, labels, choices or preferences, if a campaign has more than one kind",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--form",
        metavar="NAME",
        type=one_of("form", _FORMS),
        help="jsonl or tsv (default: by the ending of FILE, else jsonl)",
    )
    output.add_argument(
        "-o", "--output", metavar="FILE", help="file to write (default: standard output)"
    )
    switch(output, "--force", "overwrite an existing file")
    judgments.add_quiet(output)


def _run_export(arguments: argparse.Namespace) -> int:
    location = _location(arguments)
    target = saving.new_file(arguments.output, arguments)
    _check_extra()
    from weigh.web.exports import export_answers, form_of

    form = arguments.form or ("jsonl" if target is None else form_of(target.name))
    exported = export_answers(location, form, arguments.what)
    for omission in exported.omissions:
        _say(arguments, omission.remark)
    if target is None:
        terminal.write(exported.text)
        return 0
    write_whole(target, exported.text)
    _say(arguments, f"{plural(exported.answers, 'answer')} written to {target} as {form}")
    return 0


# `weigh campaign backup`


def _add_backup(parser: Parser) -> None:
    group = parser.add_argument_group("campaign")
    group.add_argument(
        "files",
        metavar="DATABASE FILE",
        nargs="*",
        default=[],
        help="the SQLite file of weigh serve, and the new file to copy it to",
    )
    judgments.add_quiet(parser.add_argument_group("output"))


def _run_backup(arguments: argparse.Namespace) -> int:
    if len(arguments.files) != 2:
        raise UsageError("give the database and the file to copy it to: DIR/campaign.db FILE")
    location, file = arguments.files
    _check_extra()
    from weigh.web.campaigns import back_up

    count = back_up(location, file)
    _say(arguments, f"{shown(file)}: a copy with {plural(count, 'answer')}")
    return 0


# `weigh campaign links`


def _add_links(parser: Parser) -> None:
    group = _add_database(parser)
    repeated(
        group,
        "--judge",
        metavar="NAME",
        help="print a link for this judge only; repeatable (default: links for the organiser and "
        "all judges)",
    )
    group.add_argument(
        "--add",
        metavar="N",
        help="add N judges, or those in a file with one name per line, and print only their links "
        "and those of --judge",
    )
    switch(
        group,
        "--revoke",
        "invalidate the old links and sessions of these judges; without --judge and --add, all "
        "links of the campaign",
    )
    switch(
        group,
        "--open",
        "also print an open link that makes every visitor a new judge",
    )
    group.add_argument(
        "--url",
        metavar="URL",
        help="address at which judges reach the server, used in the links (default: as last "
        "served)",
    )


def _run_links(arguments: argparse.Namespace) -> int:
    if arguments.url is not None and not arguments.url.startswith(("http://", "https://")):
        raise UsageError(f"--url {arguments.url}: expected an address that starts with https://")
    add = 0 if arguments.add is None else read_judges(arguments.add, "--add")
    with _open(arguments) as campaign:
        from weigh.web.campaigns import make_links

        links = make_links(
            campaign,
            arguments.url,
            judges=arguments.judge,
            add=add,
            revoke=bool(arguments.revoke),
            open_link=bool(arguments.open),
        )
    terminal.write_lines([f"{name}\t{link}" for name, link in links])
    return 0


# `weigh campaign erase`


def _add_erase(parser: Parser) -> None:
    group = _add_database(parser)
    group.add_argument("--judge", metavar="NAME", help="the judge to erase")
    switch(
        group,
        "--yes",
        "confirm: this cannot be undone; other judges are asked again",
    )
    judgments.add_quiet(parser.add_argument_group("output"))


def _run_erase(arguments: argparse.Namespace) -> int:
    if arguments.judge is None:
        raise UsageError("no judge given; name one with --judge NAME")
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
    _say(arguments, f"{plural(count, 'answer')}, the name and the links of the judge are erased")
    return 0


SUBVERBS = {
    "list": Subverb(
        "list the campaigns of a database and their progress",
        "[option]... DATABASE",
        "weigh campaign list hits/campaign.db",
        _add_list,
        _run_list,
    ),
    "close": Subverb(
        "stop accepting answers, or accept them again",
        "[--reopen] DATABASE",
        "weigh campaign close hits/campaign.db",
        _add_close,
        _run_close,
    ),
    "export": Subverb(
        "export the answers of a campaign",
        "[option]... DATABASE",
        "weigh campaign export hits/campaign.db -o answers.tsv",
        _add_export,
        _run_export,
    ),
    "backup": Subverb(
        "back up a database, also while it is served",
        "DATABASE FILE",
        "weigh campaign backup hits/campaign.db backup.db",
        _add_backup,
        _run_backup,
    ),
    "links": Subverb(
        "create new links for judges and the organiser, and add judges",
        "[option]... DATABASE",
        "weigh campaign links hits/campaign.db --add 5 --url https://judge.example.org",
        _add_links,
        _run_links,
    ),
    "erase": Subverb(
        "erase a judge's answers and identity",
        "--judge NAME --yes DATABASE",
        "weigh campaign erase hits/campaign.db --judge 'judge 7' --yes",
        _add_erase,
        _run_erase,
    ),
}
