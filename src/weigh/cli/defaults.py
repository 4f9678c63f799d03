"""Defaults of options: from `weigh.toml`, from `[tool.weigh]`, from the environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Mapping
from typing import Any

from weigh.cli.options import format_name
from weigh.cli.parser import Parser
from weigh.errors import InputError, UsageError, did_you_mean
from weigh.options import numerals
from weigh.removed import replacement

# A folder from a stranger brings its weigh.toml: options that must not be set there, and why.
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


_LONGEST_LIST = 300  # of names in a message
_OWN, _PROJECT = "weigh.toml", "pyproject.toml"


def read(directory: str | os.PathLike[str] = "") -> tuple[str, Mapping[str, Any]]:
    """The table of defaults and the file it is from: `weigh.toml`, else `pyproject.toml`."""
    content = _read_file(directory, _OWN)
    if content is not None:
        return _OWN, _parse(_OWN, content)
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
    """The values for `verb`: those of its own sub-table win over general ones.

    Raises UsageError for unknown names, also in the tables of other verbs, and for options that
    run programs or write files.
    """
    general = {key: value for key, value in table.items() if not isinstance(value, dict)}
    _check(general, {name for parser in parsers.values() for name in parser.options}, where)
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    _check(tables, parsers, where)
    for name, entries in tables.items():
        _check(entries, parsers[name].options, f"{where} [{name}]")
    options = parsers[verb].options
    wanted = {key: value for key, value in general.items() if key in options}
    wanted |= tables.get(verb, {})
    return {
        options[key].dest: _convert(value, options[key], f"{where}: {key}")
        for key, value in wanted.items()
    }


def _check(entries: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for key in entries:
        if key not in known:
            instead = replacement(f"--{key}") or f"unknown key {key!r}; {_suggest(key, known)}"
            raise UsageError(f"{where}: {instead}")
        if key in _ONLY_ON_THE_COMMAND_LINE:
            raise UsageError(
                f"{where}: {key!r} {_ONLY_ON_THE_COMMAND_LINE[key]}; give it on the command line"
            )


def _suggest(key: str, known: Collection[str]) -> str:
    proposal = did_you_mean(key, known)
    is_long = len(proposal) > _LONGEST_LIST and proposal.startswith("known:")
    return "'weigh VERB --help-all' lists the options" if is_long else proposal


def _convert(value: Any, option: argparse.Action, where: str) -> Any:
    """Convert a value as if it were given on the command line."""
    if isinstance(option, argparse.BooleanOptionalAction):
        expected, fits = "true or false", isinstance(value, bool)
    elif isinstance(option.default, list) or isinstance(option, argparse._AppendAction):
        expected = "a text or a list of texts"
        value = value if isinstance(value, list) else [value]
        if option.type is numerals:
            value = [str(entry) if type(entry) in (int, float) else entry for entry in value]
        fits = all(isinstance(entry, str) for entry in value)
    elif callable(option.type):
        try:
            return option.type(str(value))
        except (argparse.ArgumentTypeError, UsageError) as error:
            raise UsageError(f"{where}: {error}") from error
    else:
        expected, fits = "a text", isinstance(value, str)
    if not fits:
        raise UsageError(f"{where}: expected {expected}, found {value!r}")
    return value


def from_environment() -> dict[str, Any]:
    """Defaults from environment variables."""
    given = os.environ.get("WEIGH_FORMAT")
    if not given:
        return {}
    try:
        return {"format": format_name(given)}
    except UsageError as error:
        raise UsageError(f"WEIGH_FORMAT: {error}") from None
