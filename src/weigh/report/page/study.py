"""The page of any study of tests: what was found, chapters of pictures and tables, and methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weigh.report.page import embedded
from weigh.report.page.assembly import assembled
from weigh.report.page.blocks import Section, careful, described, figures, kept, paragraphs
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import table
from weigh.report.pictures.picture import Picture
from weigh.report.pieces import Piece


@dataclass(frozen=True, slots=True)
class Chapter:
    """Pictures with the tables that they are made of; a heading only where one is given."""

    pieces: Sequence[Piece]
    pictures: Sequence[Picture] = ()
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """All that a page says; chapters stand under the titles of their sections."""

    title: str
    subtitle: str
    findings: Sequence[str]
    sections: Mapping[str, Sequence[Chapter]]
    methods: str
    signatures: Sequence[tuple[str, str]]
    document: str
    cautions: Sequence[str] = field(default_factory=tuple)


def study_page(study: Study) -> str:
    """Return a study as one HTML file."""
    sections = {
        "summary": Section("Summary", [*paragraphs(study.findings), *careful(study.cautions)])
    }
    for number, (title, chapters) in enumerate(study.sections.items(), 1):
        content = [part for chapter in chapters for part in _chapter(chapter)]
        sections[f"part-{number}"] = Section(title, content)
    sections["methods"] = Section(
        "Methods and signatures", described(study.methods, study.signatures)
    )
    sections["document"] = Section("Data", kept())
    return assembled(study.title, study.subtitle, sections, [embedded.document(study.document)])


def _chapter(chapter: Chapter) -> Iterable[Markup]:
    if chapter.heading:
        yield element("h3", chapter.heading)
    yield from figures(chapter.pictures)
    for piece in chapter.pieces:
        if piece.grid is not None:
            yield table(piece.grid, piece.heading or "Table")
        yield from paragraphs(piece.sentences, "faint")
