"""LaTeX read without LaTeX: is it well-formed, and what do the cells of its tables say?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# What LaTeX and booktabs define, and what is set for it.
SET_AS = {
    **{rf"\{character}": character for character in "{}$&#_%"},
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textasciigrave": "`",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
    r"\textendash": "–",
    r"\char34": '"',
    r"\leq": "≤",
    r"\geq": "≥",
    r"\uparrow": "↑",
    r"\downarrow": "↓",
}
LETTERS = "αβγδεζηθικλμνξπρσςτυφχψωΓΔΘΛΞΠΣΥΦΨΩ"


def command_of(letter: str) -> str:
    """Return the command that sets a Greek letter in a formula, from its name in Unicode."""
    name = unicodedata.name(letter).split(" LETTER ")[1].replace("LAMDA", "LAMBDA")
    command = name.replace("FINAL SIGMA", "VARSIGMA").lower()
    return "\\" + (command.capitalize() if letter.isupper() else command)


SET_AS |= {command_of(letter): letter for letter in LETTERS}
COMMANDS = {
    *(r"\begin", r"\end", r"\centering", r"\caption", r"\toprule", r"\midrule", r"\bottomrule"),
    *(r"\textbf", r"\texttt", r"\textsuperscript", r"\phantom", r"\allowbreak", r"\\"),
    *(r"\footnotesize", r"\raggedright", r"\smallskip", r"\parbox", r"\linewidth"),
    *(r"\label", r"\scriptsize", r"\makebox"),
    *(r"\medskip", r"\setlength", r"\tabcolsep", r"\rightskip", r"\addtocounter"),
}
_TOKEN = re.compile(r"\\char34|\\[A-Za-z]+|\\.|^%.*\n|.|\n", re.MULTILINE)
# What LaTeX acts upon, or sets as another character in its oldest fonts.
_BARE = frozenset('#^_~%"<>|`')


def check(text: str) -> None:
    """Raise ValueError unless groups, environments, formulas and rows are well-formed."""
    groups = ""
    environments: list[str] = []
    formula = False
    tokens = _tokens(text)
    for at, token in enumerate(tokens):
        if token == "{":
            groups += token
        elif token == "}":
            if not groups:
                raise ValueError("a brace is closed that was not opened")
            groups = groups[:-1]
        elif token == "$":
            formula = not formula
        elif token in (r"\begin", r"\end"):
            name = "".join(tokens[at + 2 : tokens.index("}", at)])
            if token == r"\begin":
                environments.append(name)
            elif not environments or environments.pop() != name:
                raise ValueError(f"the environment {name} ends where it did not begin")
        elif token.startswith("\\") and token not in COMMANDS and token not in SET_AS:
            raise ValueError(f"unknown command {token}")
        elif token in _BARE or (token != "\n" and not (token.startswith("%") or printable(token))):
            raise ValueError(f"bare {token!r}")
        if formula and token in ("&", r"\\", "\n"):
            raise ValueError("a formula does not end")
    if groups or environments or formula:
        raise ValueError(f"not closed: {groups} {environments} {'$' * formula}")
    _check_rows(tokens)


def printable(token: str) -> bool:
    """Return whether a character stays on its line."""
    return not re.match(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", token)


def _check_rows(tokens: list[str]) -> None:
    tables = r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}"
    found = re.findall(tables, "".join(tokens), re.DOTALL)
    if not found:
        raise ValueError("no table")
    for spec, body in found:
        columns = len(re.findall(r"[lr]|p\{\d+pt\}", spec.replace("@{}", "")))
        for row in _split(body, r"\\")[:-1]:
            if len(_split(row, "&")) != columns:
                raise ValueError(f"{len(_split(row, '&'))} cells in {columns} columns: {row}")
            if re.match(r"\s*[\[*]", row):
                raise ValueError(f"taken for an argument of the row before: {row}")


def rows(text: str) -> list[list[str]]:
    """Return what is set in the cells of the first table, below the titles."""
    body = text.split("\\midrule\n", 1)[1].split("\\bottomrule")[0]
    lines = _split(body.replace("\\midrule\n", ""), r"\\")[:-1]
    return [[read(cell) for cell in _split(line, "&")] for line in lines]


def titles(text: str) -> list[str]:
    """Return what is set in the titles of the first table."""
    head = text.split("\\toprule\n", 1)[1].split("\\midrule")[0]
    return [read(cell) for cell in _split(_split(head, r"\\")[0], "&")]


def read(cell: str) -> str:
    """Return the characters that LaTeX sets; a phantom is a space."""
    plain = cell.replace(r"\phantom{0}", " ").replace("$-$", "−")
    plain = plain.replace(r"\setlength{\rightskip}{0pt plus 1fil}", "")
    plain = re.sub(r"\\makebox\[[\d.]+em\]\[l\]", "", plain)
    return "".join(
        SET_AS.get(token, "" if token in COMMANDS or token in "{}$" else token)
        for token in _tokens(plain)
    ).strip(" \n")


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _split(text: str, separator: str) -> list[str]:
    """Return the parts between separators that stand in no group."""
    return list(_parts(_tokens(text), separator))


def _parts(tokens: list[str], separator: str) -> Iterator[str]:
    depth, part = 0, ""
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if token == separator and depth == 0:
            yield part
            part = ""
        else:
            part += token
    yield part
