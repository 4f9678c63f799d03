"""Defaults of options: from `weigh.toml`, from `[tool.weigh]`, from the environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Mapping
from typing import Any

from weigh.cli.arguments import check_choice, not_empty
from weigh.cli.parser import Parser
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.removed import replacement

# A stranger's folder may contain a weigh.toml: options that it must not set, and why.
_PROGRAM, _FILE = "names a program to run", "names a file to write"
_NETWORK = "decides who can reach people's answers"
_ONLY_ON_THE_COMMAND_LINE = {
    "decoder": _PROGRAM,
    **dict.fromkeys(("html", "plots", "output", "payments", "tables"), _FILE),
    **dict.fromkeys(("texts", "dir", "key"), _FILE),
    "force": "overwrites files",
    "yes": "erases answers for good",
    "database": _FILE,
    "engine": "decides where data are sent",
    **dict.fromkeys(("host", "url", "proxy", "embed", "open", "completion-url"), _NETWORK),
    **dict.fromkeys(("add", "revoke", "reopen"), _NETWORK),
}
_FILE_NAME, _PROJECT = "weigh.toml", "pyproject.toml"


def read(directory: str | os.PathLike[str] = "") -> tuple[str, Mapping[str, Any]]:
    """The table of defaults and the file it is from: `weigh.toml`, else `pyproject.toml`."""
    content = _read_file(directory, _FILE_NAME)
    if content is not None:
        return _FILE_NAME, _parse(_FILE_NAME, content)
    content = _read_file(directory, _PROJECT)
    if content is None or b"weigh" not in content:  # the usual case: no need to parse
        return "", {}
    tools = _parse(_PROJECT, content).get("tool", {})
    table = tools.get("weigh", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise InputError(f"{_PROJECT}: tool.weigh is not a table; write [tool.weigh]")
    return f"{_PROJECT} [tool.weigh]", table


def _read_file(directory: str | os.PathLike[str], name: str) -> bytes | None:
    # Every command comes here, and importing pathlib takes longer than this lookup.
    path = os.path.join(directory, name)  # noqa: PTH118
    if not os.path.isfile(path):  # noqa: PTH113
        return None
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from error


def _parse(name: str, content: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8"))
    except ValueError as error:  # of the decoder or of TOML
        reason = "a number is too long" if "int_max_str_digits" in str(error) else error
        raise InputError(f"{name}: cannot be read as TOML: {reason}") from error
    except RecursionError:
        raise InputError(f"{name}: nested too deeply; flatten it") from None


def select(
    table: Mapping[str, Any], where: str, parsers: Mapping[str, Parser], verb: str
) -> dict[str, Any]:
    """The values for `verb`: those of its own table win over general ones.

    Raises UsageError for unknown names, also in the tables of other verbs, and for options that
    run programs or write files.
    """
    all_options = {name for parser in parsers.values() for name in parser.options}
    groups = {name.partition(" ")[0] for name in parsers if " " in name}
    general: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and key in groups:  # such as [human.rank]
            tables |= {f"{key} {member}": entries for member, entries in value.items()}
            if any(not isinstance(entries, dict) for entries in value.values()):
                raise UsageError(
                    f"{where}: [{key}] is a group of verbs; write options under [{key}.VERB]"
                )
        elif isinstance(value, dict) and key not in all_options:
            tables[key] = value
        elif key in parsers and key not in all_options:
            raise UsageError(f"{where}: {key!r} is a verb; write its options under [{key}]")
        else:
            general[key] = value
    _check(general, all_options, where)
    _check(tables, parsers, where)
    for name, entries in tables.items():
        _check(entries, parsers[name].options, f"{where} [{name.replace(' ', '.')}]")
    options = parsers[verb].options
    wanted = {key: value for key, value in general.items() if key in options}
    wanted |= tables.get(verb, {})
    return {
        options[key].dest: _convert(value, options[key], f"{where}: {key}")
        for key, value in wanted.items()
    }


def _check(entries: Mapping[str, Any], names: Collection[str], where: str) -> None:
    for key in entries:
        if key not in names:
            proposal = did_you_mean(key, names)
            if proposal.startswith("known:"):  # hundreds of names
                proposal = "'weigh VERB --help-all' lists the options"
            instead = replacement(f"--{key}") or f"unknown key {key!r}; {proposal}"
            raise UsageError(f"{where}: {instead}")
        if key in _ONLY_ON_THE_COMMAND_LINE:
            raise UsageError(
                f"{where}: {key!r} {_ONLY_ON_THE_COMMAND_LINE[key]}; give it on the command line"
            )


def _convert(value: Any, option: argparse.Action, where: str) -> Any:
    """Convert a value as if it were given on the command line."""
    if isinstance(option, argparse.BooleanOptionalAction):
        if not isinstance(value, bool):
            raise UsageError(f"{where}: expected true or false, found {value!r}")
        return value
    is_repeated = isinstance(option.default, list) or isinstance(option, argparse._AppendAction)
    if is_repeated and isinstance(value, dict):  # such as margin = {bleu = 0.5}
        value = [f"{name}={entry}" for name, entry in value.items()]
    entries = value if isinstance(value, list) else [value]
    if not entries:
        raise UsageError(f"{where}: expected at least one value, found an empty list")
    parse = option.type if callable(option.type) else str
    kinds = (str,) if parse in (str, not_empty) else (str, int, float)
    for entry in entries:
        if type(entry) not in kinds:
            wrong = value if isinstance(value, dict) else entry
            expected = "a text" if kinds == (str,) else "a number or a text"
            raise UsageError(f"{where}: expected {expected}, found {wrong!r}")
    try:
        if is_repeated:
            return [parse(str(entry)) for entry in entries]
        return parse(",".join(map(str, entries)))
    except (argparse.ArgumentTypeError, UsageError) as error:
        raise UsageError(f"{where}: {error}") from error


def from_environment() -> dict[str, Any]:
    """Defaults from environment variables."""
    name = os.environ.get("WEIGH_FORMAT")
    if not name:
        return {}
    from weigh.report.formats import FORMATS

    try:
        return {"format": check_choice(name, "format", FORMATS)}
    except UsageError as error:
        raise UsageError(f"WEIGH_FORMAT: {error}") from None
