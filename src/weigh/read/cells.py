"""Write cells of tables: CSV for spreadsheets and crowd-sourcing sites, and TSV.

Names and texts may contain anything. In a CSV file, spreadsheets take a cell that begins with `=`,
`+`, `-`, `@`, a tab or a line end for a formula. So texts for a page are written as HTML that
begins differently, and names get an apostrophe. TSV is for programs: its cells are unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape

from weigh.errors import InputError
from weigh.read.records import read_number
from weigh.read.text import quoted

# Includes the full-width forms of these characters.
_FORMULA = "=+\\-@\t\r\n＝＋－＠"
_NEEDS_GUARD = re.compile(f"[{_FORMULA}]")
# Characters written as references: the first character of a formula; dollar signs, because the site
# replaces names after them; line ends; and characters beyond the first plane, which it rejects.
_REFERRED = re.compile(f"^[{_FORMULA}]|[$\n\r\U00010000-\U0010ffff]")
_SEPARATORS = re.compile("[\t\n\r]")


def escape_formula(text: str) -> str:
    """Put an apostrophe before a name that a spreadsheet would take for a formula.

    >>> escape_formula("=1+1"), escape_formula("-1.5"), escape_formula("Ann")
    ("'=1+1", '-1.5', 'Ann')
    """
    is_formula = _NEEDS_GUARD.match(text) and read_number(text) is None
    return f"'{text}" if is_formula else text


def strip_quotes(cell: str) -> str:
    """Remove the single quotes that batch files of MTurk have around every value."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def html(text: str) -> str:
    """Write a text as HTML on one line, for a CSV file whose values a site puts into its page.

    Spreadsheets do not take the result for a formula, the site leaves it unchanged, and
    `html.unescape` restores the text.

    >>> print(html("=1 < $2"))
    &#61;1 &lt; &#36;2
    """
    return _REFERRED.sub(_reference_of, escape(text))


def _reference_of(match: re.Match[str]) -> str:
    reference = f"&#{ord(match[0])};"
    return reference if unescape(reference) == match[0] else match[0]


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Write rows as CSV, every cell in quotes."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def tsv_text(rows: Iterable[Sequence[str]]) -> str:
    """Write rows as TSV; a tab or line end within a cell is an error."""
    lines = []
    for row in rows:
        for cell in row:
            if _SEPARATORS.search(cell):
                raise InputError(
                    f"{quoted(cell)} has a tab or a line end, which TSV cannot hold; "
                    "write JSON lines"
                )
        lines.append("\t".join(row) + "\n")
    return "".join(lines)
