"""Files made to harm the reader: each is refused in one line, quickly, and loads nothing."""

from __future__ import annotations

import contextlib

import pytest

from weigh.errors import InputError
from weigh.read import read_inputs, read_test_set

SEGMENT = '<doc id="d" docid="d"><ref><seg id="1">{}</seg></ref></doc>'
LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {name} "{"&" + before + ";"}{"&" + before + ";"}">'
    for before, name in zip("abcdefghijklmnopqrstu", "bcdefghijklmnopqrstuv", strict=True)
)


@pytest.mark.parametrize("root", ["dataset", "refset", "REFSET", "mteval", "lolz"])
@pytest.mark.parametrize(
    "definition",
    [
        f"<!DOCTYPE x [{LAUGHS}]>",
        '<!DOCTYPE x [<!ENTITY v SYSTEM "secret">]>',
        '<!DOCTYPE x [<!ENTITY v SYSTEM "http://localhost:9/">]>',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "secret"> %p;]>',
        '<!DOCTYPE x SYSTEM "secret" [<!ENTITY v "w">]>',
        '<!doctype x [<!entity v "w">]>',
        "<!DOCTYPE x [<!ELEMENT x ANY>]>",
    ],
)
@pytest.mark.parametrize("extension", ["xml", "sgm"])
def test_entities_are_refused(write, complaint, root, definition, extension) -> None:
    write("secret", "the secret")
    content = f"{definition}<{root}>{SEGMENT.format('&v;')}</{root}>"
    message = complaint(read_test_set, [write(f"evil.{extension}", content)])
    assert message.startswith(f"evil.{extension}: ")
    # Lower-case declarations are no XML at all; the parser says so in its own words.
    assert "document type definition" in message or definition.startswith("<!doctype")
    assert "secret" not in message


def test_entities_cannot_hide_behind_a_comment(write, complaint) -> None:
    content = f"<!-- <refset> --><!DOCTYPE dataset [{LAUGHS}]><dataset>{SEGMENT}</dataset>"
    assert "document type definition" in complaint(read_test_set, [write("x.xml", content)])
    content = f"<refset><!ENTITY v 'w'><dataset>{SEGMENT}</dataset>"
    assert "declarations are not supported" in complaint(read_test_set, [write("x.xml", content)])


def test_a_definition_outside_is_refused_in_xml_and_not_loaded_in_sgml(write, complaint) -> None:
    declared = '<!DOCTYPE {0} SYSTEM "secret.dtd"><{0}>' + SEGMENT.format("&v;") + "</{0}>"
    write("secret.dtd", '<!ENTITY v "the secret">')
    message = complaint(read_test_set, [write("x.xml", declared.format("dataset"))])
    assert "document type definition" in message
    assert read_test_set([write("x.sgm", declared.format("refset"))]).references == (("&v;",),)


def test_xinclude_is_not_followed(write, complaint) -> None:
    write("secret", "the secret")
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="secret" parse="text"/>'
    content = f"<dataset>{SEGMENT.format(include)}</dataset>"
    message = complaint(read_test_set, [write("x.xml", content)])
    assert message.startswith("x.xml: line 1: <xi:include> inside a segment")
    content = f"<dataset>{include}{SEGMENT.format('a')}</dataset>"
    assert read_test_set([write("y.xml", content)]).references == (("a",),)


def test_deep_nesting(write, complaint) -> None:
    deep = "<p>" * 200_000
    assert "is not well-formed XML" in complaint(
        read_test_set, [write("x.xml", f"<dataset>{deep}")]
    )
    closed = "<p>" * 200_000 + SEGMENT.format("a") + "</p>" * 200_000
    assert len(read_test_set([write("y.xml", f"<dataset>{closed}</dataset>")])) == 1


@pytest.mark.parametrize(
    "content",
    [
        "<refset>" + "<seg " * 200_000,
        "<refset>" + "<!--" * 200_000,
        "<refset>" + "<!DOCTYPE " * 200_000,
        '<refset><doc docid="' + "a" * 900_000,
        "<refset><doc docid=d><seg id=1>" + "&#" * 300_000 + "</seg>",
        "<refset><doc docid=d><seg id=1>" + " " * 900_000 + "</seg>",
        "<refset><doc docid=d><seg id=1>" + "\n " * 400_000 + "</seg>",
        "<refset><doc " + "a" * 500_000 + "><seg id=1>x</seg>",
        "<refset><doc docid=d " + "a = " * 200_000 + "><seg id=1>x</seg>",
        "<refset><doc docid=d " + " " * 500_000 + "='><seg id=1>x</seg>",
        "<?xml" + " encoding" * 100_000 + "<refset>",
        "<?xml" + " " * 500_000 + "<refset>",
    ],
)
def test_no_file_is_read_for_ever(write, content) -> None:
    path = write("x.sgm", content)
    # Patterns that go back and forth would take hours; whether it is refused is not the point.
    with contextlib.suppress(InputError):
        read_test_set([path])


@pytest.mark.parametrize("name", ["a\nb.xml", "\x1b[2J.tsv", "\u202e.jsonl", "a\u2028.sgm", "x\r"])
def test_hostile_file_names(write, complaint, name) -> None:
    bad = write(name, b"\xff\n")
    write("ref.en", "a\nb\n")
    for arguments in ([[bad], ["ref.en"]], [["ref.en"], [bad]], [[f"A={bad}"], ["ref.en"]]):
        assert "is not UTF-8" in complaint(read_inputs, *arguments)


def test_hostile_content_in_messages(write, complaint) -> None:
    nasty = "\x1b[2J\u2028"
    for name, content in {
        "a.tsv": f"id\ttext\n{nasty}\ta\n{nasty}\tb\n",
        "b.tsv": f"{nasty}\t\ud7ff\n1\ta\n",
        "c.jsonl": '{"\\n\\ud800": 1}\n',
        "d.jsonl": '{"id": "\\n", "text": ""}\n' * 2,
        "e.sgm": f"<refset><doc docid='{nasty}'><seg id=1>a</seg><seg id=1>b</seg>",
        "f.xml": '<dataset><doc id="&#10;"><ref translator="&#x2028;"><seg id="1"/><seg id="1"/>'
        "</ref></doc></dataset>",
        "g.xml": "<data\u00adset/>",
    }.items():
        assert complaint(read_test_set, [write(name, content)]).startswith(name)
