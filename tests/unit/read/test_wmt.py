from __future__ import annotations

import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.read import read_inputs, read_systems, read_test_set

SOURCE = """<srcset setid="kitchen" srclang="any">
<doc docid="soup" genre="news" origlang="de">
<hl>
<seg id="1">Suppe</seg>
</hl>
<p>
<seg id="2">Brot &amp; Butter</seg>
</p>
</doc>
<doc docid="tea" genre="news" origlang="en">
<p>
<seg id="1">Tee</seg>
</p>
</doc>
</srcset>
"""

# As found in the wild: capitals, no quotes, missing end tags, bare & and <, tags of others.
REFERENCES = """<!DOCTYPE refset SYSTEM "mteval-xml-v1.3.dtd">
<!-- two translators -->
<REFSET setid=kitchen srclang=any trglang=en>
<DOC sysid='ref1' docid="soup" genre=news>
<TITLE>not a segment</TITLE>
<HL><SEG ID=1> Soup </SEG></HL>
<P>
<SEG id = "2">Bread & butter at R&D, 1 < 2, <skipped> &lt;b&gt; &quot;x&quot;
&apos;y&apos; &#233;&#xE9; &amp;amp; &nbsp;
<P>
</DOC>
<DOC sysid="ref1" docid="tea">
<SEG id=1>Tea
</DOC>
<doc sysid="ref2" docid="tea"><seg id="1">A tea</seg></doc>
<doc sysid="ref2" docid="soup"><seg id="2">Bread</seg><seg id="1">A soup</seg></doc>
"""

OUTPUT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd" []>
<mteval>
<tstset setid="kitchen" srclang="de" trglang="en" sysid="mine">
<doc docid="tea"><seg id="1">tea
   cup</seg></doc>
<doc docid="soup"><p><seg id="1">soup</seg><seg id="2"></seg></p></doc>
</tstset>
<tstset setid="kitchen" srclang="de" trglang="en" sysid="theirs">
<doc docid="soup"><p><seg id="1">1</seg><seg id="2">2</seg></p></doc>
<doc docid="tea" sysid="theirs"><seg id="1">3</seg></doc>
</tstset>
</mteval>
"""


def test_source_references_and_systems(write) -> None:
    source, output = write("src.de.sgm", SOURCE), write("out.sgml.gz", OUTPUT)
    test_set, systems = read_inputs([output], [write("ref.en.sgm", REFERENCES)], source)
    assert test_set.ids == ("soup:1", "soup:2", "tea:1")
    assert test_set.documents == ("soup", "soup", "tea")
    assert test_set.sources == ("Suppe", "Brot & Butter", "Tee")
    second = "Bread & butter at R&D, 1 < 2, <skipped> <b> \"x\" 'y' éé &amp; &nbsp;"
    assert test_set.references == (("Soup", second, "Tea"), ("A soup", "Bread", "A tea"))
    assert [system.name for system in systems] == ["mine", "theirs"]
    assert systems[0].outputs.texts == ("soup", "", "tea cup")
    assert systems[1].outputs.texts == ("1", "2", "3")


SGML = "<refset><doc docid=d>{}</doc></refset>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (SGML.format("\n<seg>a</seg>"), "ref.sgm: line 2: <seg> has no id"),
        (SGML.format("<seg id=1>a</seg><seg id=1>b</seg>"), "ref.sgm: the id 'd:1' occurs twice"),
        (SGML.format("<seg id=1>a <p> b</seg>"), "ref.sgm: line 1: </seg> without <seg>"),
        (SGML.format("<seg id=1>&#0;</seg>"), "ref.sgm: line 1: '&#0;' is not a character"),
        (SGML.format("<seg id=1>&#xD800;</seg>"), "'&#xD800;' is not a character"),
        (SGML.format("<seg id=1>&#9999999;</seg>"), "'&#9999999;' is not a character"),
        (SGML.format("<seg id=1><![CDATA[a]]></seg>"), "ref.sgm: line 1: a CDATA section"),
        (SGML.format(""), "ref.sgm: no reference"),
        ("<refset><doc>", "ref.sgm: line 1: <doc> has no docid"),
        ('<refset><doc docid="a>b"><seg id=1>x</seg>', "ref.sgm: line 1: <doc> has no docid"),
        ("<refset><seg id=1>x</seg></refset>", "ref.sgm: line 1: <seg> outside the <doc> of a set"),
        ("<refset></refset><doc docid=d><seg id=1>", "<seg> outside the <doc> of a set"),
        ("<refset><doc docid=d>\n<seg id=1>cut", "line 2: the file ends inside a segment"),
        ("<refset>\n<!-- <doc>", "ref.sgm: line 2: an unclosed comment"),
        (SOURCE, "ref.sgm: no reference"),
        (b"<refset><doc docid=d><seg id=1>\n\xe9", "ref.sgm: line 2 is not UTF-8 (byte 0xe9"),
        ("<refset>\n\0", "ref.sgm: line 2 contains a NUL byte"),
        ("", "ref.sgm: line 1 is not well-formed XML (no element found)"),
        ("<?xml version='1.0' encoding='GB2312'?>\n<refset>", "declares the encoding 'GB2312'"),
    ],
)
def test_bad_sgml(write, complaint, content, expected) -> None:
    assert expected in complaint(read_test_set, [write("ref.sgm", content)])


texts = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('<>&;#ä"🙂\u2028')),
    min_size=1,
    max_size=10,
)


@settings(deadline=None)
@given(texts)
def test_escaped_texts_come_back_as_written(lines: list[str]) -> None:
    content = "<refset><doc docid=d>"
    for number, text in enumerate(lines):
        inner = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        content += f"<seg id={number}> {inner}\r\n</seg>\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ref.sgm"
        path.write_bytes(content.encode())
        assert read_test_set([str(path)]).references == (tuple(t.strip(" ") for t in lines),)


DATASET = """<?xml version='1.0' encoding='utf-8'?>
<!-- made by hand -->
<dataset id="kitchen2021">
  <collection id="general">
  <doc id="soup" origlang="de">
    <src lang="de">
      <p>
        <seg id="1">Die Suppe &amp; das Brot.</seg>
        <seg id="2">Zweiter Satz.</seg>
      </p>
    </src>
    <ref lang="en" translator="A">
      <p><seg id="1">The soup &amp; the bread.</seg><seg id="2">Second sentence.</seg></p>
    </ref>
    <ref lang="en" translator="B">
      <p><seg id="2">Sentence two.</seg></p><p><seg id="1">Soup &#38; bread.</seg></p>
    </ref>
    <hyp lang="en" system="online-A">
      <p><seg id="1">Soup and<![CDATA[ <bread>]]>.</seg><seg id="2"/></p>
    </hyp>
    <hyp lang="en" system="Team B">
      <p><seg id="1">
         The soup,
         the bread.
      </seg><seg id="2">\u00a0Second\u2028one.\u3000</seg></p>
    </hyp>
  </doc>
  <doc id="more" origlang="en" testsuite="odd"><src lang="de"><p><seg id="1">x</seg></p></src></doc>
  </collection>
  <doc id="tea" origlang="en">
    <src lang="de"><p><seg id="1">Tee</seg></p></src>
    <supp type="note"><p>kept out</p></supp>
    <hyp lang="en" system="Team B"><p><seg id="1">Tea</seg></p></hyp>
    <ref lang="en" translator="A"><p><seg id="1">Tea.</seg></p></ref>
    <ref lang="en" translator="B"><p><seg id="1">A tea.</seg></p></ref>
    <hyp lang="en" system="online-A"><p><seg id="1">The tea</seg></p></hyp>
  </doc>
</dataset>
"""


def test_everything_in_one_file(write) -> None:
    path = write("set.xml", DATASET)
    test_set, systems = read_inputs([path], [path], source=path)
    assert test_set.ids == ("soup:1", "soup:2", "tea:1")
    assert test_set.documents == ("soup", "soup", "tea")
    assert test_set.sources == ("Die Suppe & das Brot.", "Zweiter Satz.", "Tee")
    assert test_set.references == (
        ("The soup & the bread.", "Second sentence.", "Tea."),
        ("Soup & bread.", "Sentence two.", "A tea."),
    )
    assert [system.name for system in systems] == ["online-A", "Team B"]
    assert systems[0].outputs.texts == ("Soup and <bread>.", "", "The tea")
    assert systems[1].outputs.texts == (
        "The soup, the bread.",
        "\u00a0Second\u2028one.\u3000",
        "Tea",
    )


def test_one_set_can_be_chosen(write) -> None:
    path = write("set.xml.gz", DATASET)
    test_set, systems = read_inputs(
        ["set.xml.gz#Team B", "mine=set.xml.gz#online-A"], [path + "#B"]
    )
    # The order is that of the first reference.
    assert test_set.ids == ("soup:2", "soup:1", "tea:1")
    assert test_set.references == (("Sentence two.", "Soup & bread.", "A tea."),)
    assert [system.name for system in systems] == ["Team B", "mine"]
    assert systems[1].outputs.texts == ("", "Soup and <bread>.", "The tea")


def test_an_existing_path_with_a_hash_wins(write) -> None:
    write("set.xml", DATASET)
    write("set.xml#A", "plain\n")
    assert read_test_set(["set.xml#A"]).references == (("plain",),)


def test_choosing_what_is_not_there(write, complaint) -> None:
    path = write("set.xml", DATASET)
    assert complaint(read_test_set, [f"{path}#C"]) == (
        "set.xml: no reference 'C'; choose from A, B"
    )
    assert "no system 'online-B'; did you mean 'online-A'?" in complaint(
        read_inputs, [f"{path}#online-B"], [path]
    )
    assert complaint(read_test_set, ["gone.xml#A"]).startswith("gone.xml#A: no such file")
    write("ref.en", "a\n")
    assert complaint(read_test_set, ["ref.en#A"]).startswith("ref.en#A: no such file")


def test_one_name_for_several_systems(write, complaint) -> None:
    path = write("set.xml", DATASET)
    assert complaint(read_inputs, [f"mine={path}"], [path]) == (
        "set.xml: 2 systems (online-A, Team B), but only one name, mine; "
        "select a system with set.xml#SYSTEM"
    )


def test_plain_text_follows_the_order_of_the_documents(write, complaint) -> None:
    path = write("set.xml", DATASET)
    plain, short = write("out.en", "a\nb\nc\n"), write("short.en", "a\nb\n")
    labels = write("labels", "x\ny\ny\n")
    test_set, systems = read_inputs([plain], [plain, path], plain, labels, labels)
    assert test_set.ids == ("soup:1", "soup:2", "tea:1")
    assert test_set.documents == test_set.slices == ("x", "y", "y")
    assert test_set.sources == systems[0].outputs.texts == ("a", "b", "c")
    assert complaint(read_inputs, [short], [path]) == (
        "short.en: 2 lines, but set.xml#A has 3 segments; look for a missing last line"
    )
    # The same when the files of the test set are not known any more.
    assert read_systems([plain], test_set)[0].outputs.texts == ("a", "b", "c")
    assert "but the test set has 3 segments" in complaint(read_systems, [short], test_set)


def test_incomplete_references(write, complaint) -> None:
    path = write("set.xml", DATASET.replace('<seg id="1">A tea.</seg>', ""))
    assert complaint(read_test_set, [path]).startswith(
        "set.xml#B: no segment 'tea:1', but set.xml#A has; "
    )
    assert len(read_test_set([f"{path}#A"])) == 3


DOC = '<dataset><doc id="d"><ref><p>{}</p></ref></doc></dataset>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "set.xml: line 1 is not well-formed XML (no element found)"),
        ("plain text\n", "set.xml: line 1 is not well-formed XML"),
        (DATASET[:900], "is not well-formed XML"),
        (DOC.format('\n<seg id="1">R&D</seg>'), "set.xml: line 2 is not well-formed XML"),
        (DOC.format('<seg id="1">&nbsp;</seg>'), "set.xml: line 1 is not well-formed XML"),
        (DOC.format('<seg id="1">a\x0b</seg>'), "set.xml: line 1 is not well-formed XML"),
        (DOC.format('\n<seg id="1">a <b>b</b></seg>'), "set.xml: line 2: <b> inside a segment"),
        (DOC.format("<seg>a</seg>"), "set.xml: line 1: <seg> has no id"),
        (DOC.format('<seg id="">a</seg>'), "the segment id '' in 'd' is empty"),
        (DOC.format('<seg id="1:2">a</seg>'), "the segment id '1:2' in 'd'"),
        (DOC.format('<seg id="1">a</seg>' * 2), "set.xml: the id 'd:1' occurs twice"),
        (DOC.format("<hyp/>"), "set.xml: line 1: <hyp> inside another set"),
        (DOC.format('<doc id="e"/>'), "set.xml: line 1: <doc> inside another <doc>"),
        (DOC.format(""), "set.xml: no reference"),
        (DOC.replace(' id="d"', ""), "set.xml: line 1: <doc> has no id"),
        ("<dataset><seg id='1'>a</seg></dataset>", "<seg> outside <src>, <ref> and <hyp>"),
        ("<dataset><doc id='d'><seg id='1'/></doc></dataset>", "<seg> outside <src>"),
        ("<corpus/>", "set.xml: line 1: <corpus> was found where <dataset> was expected"),
        ("<?xml version='1.0' encoding='latin-1'?><dataset/>", "declares the encoding 'latin-1'"),
        (DOC.format('<seg id="1">' + "a" * 1_000_001 + "</seg>"), "more than 1,000,000 characters"),
        (DATASET.encode("utf-16"), "is not UTF-8 (byte 0xff at position 1)"),
        (DATASET.encode().replace("\u00a0".encode(), b"\xa0"), "set.xml: line 25 is not UTF-8"),
    ],
)
def test_bad_xml(write, complaint, content, expected) -> None:
    if isinstance(content, bytes):
        content = content.replace(b"\0", b"\1")  # to reach the decoder in UTF-16
    assert expected in complaint(read_test_set, [write("set.xml", content)])


characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
words = st.text(characters | st.sampled_from("<>&\"'äß \u2028\u2029🙂]"))


@settings(deadline=None)
@given(
    segments=st.dictionaries(
        words.filter(bool), st.lists(words, min_size=1), min_size=1, max_size=5
    )
)
def test_texts_come_back_as_written(segments: dict[str, list[str]]) -> None:
    content = "<dataset>"
    for document, texts in segments.items():
        content += f"<doc id={quoteattr(document)}><ref translator={quoteattr(document)}/><ref>"
        for number, text in enumerate(texts, 1):
            content += f'<seg id="{number}">\n {escape(text)}\n </seg>'
        content += "</ref></doc>"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.xml"
        path.write_text(content + "</dataset>", encoding="utf-8")
        test_set = read_test_set([str(path)])
    expected = [text.strip(" ") for texts in segments.values() for text in texts]
    assert list(test_set.references[0]) == expected
    assert test_set.documents is not None
    assert list(dict.fromkeys(test_set.documents)) == list(segments)
