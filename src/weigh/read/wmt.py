"""WMT files, XML or SGML: which of the two a file is, and its sets of texts."""

from __future__ import annotations

import re

from weigh.errors import InputError, did_you_mean
from weigh.read.segment import Role, Segment
from weigh.read.stream import quoted, read_whole, shown
from weigh.read.textset import TextSet

_ROOT = re.compile(r"<(dataset|mteval|srcset|refset|tstset)\b", re.IGNORECASE)
_ENCODING = re.compile(r"""<\?xml[^<>]*\sencoding\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)


def read_wmt(path: str, role: Role, part: str | None = None) -> list[TextSet]:
    """Return the sets of one role in the order of the file, or only that called `part`."""
    name = shown(path)
    text = read_whole(path)
    encoding = _ENCODING.match(text.lstrip())
    if encoding and encoding[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise InputError(
            f"{name}: declares the encoding {quoted(encoding[1])}; convert the file to UTF-8"
        )
    root = _ROOT.search(text)
    if root and root[1].lower() != "dataset":
        from weigh.read.wmt_sgml import sgml_segments as segments_of
    else:
        from weigh.read.wmt_xml import xml_segments as segments_of
    by_name: dict[str | None, list[Segment]] = {}
    for segment in segments_of(text, name, role):
        by_name.setdefault(None if role == "source" else segment.name, []).append(segment)
    if not by_name:
        raise InputError(f"{name}: no segments of a {role}; check that it is the right file")
    if part is not None:
        if part not in by_name:
            known = [shown(each) for each in by_name if each is not None]
            raise InputError(f"{name}: no {role} {quoted(part)}; {did_you_mean(part, known)}")
        by_name = {part: by_name[part]}
    return [_text_set(name, each, segments) for each, segments in by_name.items()]


def _text_set(file_name: str, name: str | None, segments: list[Segment]) -> TextSet:
    label = file_name if name is None else f"{file_name}#{shown(name)}"
    for segment in segments:
        if not segment.id or ":" in segment.id:
            raise InputError(
                f"{label}: the segment id {quoted(segment.id)} in {quoted(segment.document)} is "
                "empty or contains a colon; number the segments"
            )
    return TextSet(
        label,
        texts=tuple(segment.text for segment in segments),
        ids=tuple(f"{segment.document}:{segment.id}" for segment in segments),
        documents=tuple(segment.document for segment in segments),
        name=name,
    )
