from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.read import read_inputs, read_test_set

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


def test_one_set_can_be_chosen(write) -> None:
    path = write("ref.sgm", REFERENCES)
    test_set = read_test_set([path + "#ref2"])
    assert test_set.ids == ("tea:1", "soup:2", "soup:1")
    assert test_set.references == (("A tea", "Bread", "A soup"),)


def test_sgml_joins_xml(write) -> None:
    xml = '<dataset><doc id="tea"><ref><seg id="1">t</seg></ref></doc></dataset>'
    output = "<tstset><doc docid=tea sysid=s><seg id=1>x</seg></doc></tstset>"
    _, systems = read_inputs([write("out.sgm", output)], [write("ref.xml", xml)])
    assert systems[0].outputs.texts == ("x",)


DOC = "<refset><doc docid=d>{}</doc></refset>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (DOC.format("\n<seg>a</seg>"), "ref.sgm: line 2: <seg> has no id"),
        (DOC.format("<seg id=1>a</seg><seg id=1>b</seg>"), "ref.sgm: the id 'd:1' occurs twice"),
        (DOC.format("<seg id=1>a <p> b</seg>"), "ref.sgm: line 1: </seg> without <seg>"),
        (DOC.format("<seg id=1>&#0;</seg>"), "ref.sgm: line 1: '&#0;' is no character"),
        (DOC.format("<seg id=1>&#xD800;</seg>"), "'&#xD800;' is no character"),
        (DOC.format("<seg id=1>&#9999999;</seg>"), "'&#9999999;' is no character"),
        (DOC.format("<seg id=1><![CDATA[a]]></seg>"), "ref.sgm: line 1: a CDATA section"),
        (DOC.format(""), "ref.sgm: no segments of a reference"),
        ("<refset><doc>", "ref.sgm: line 1: <doc> has no docid"),
        ('<refset><doc docid="a>b"><seg id=1>x</seg>', "ref.sgm: line 1: <doc> has no docid"),
        ("<refset><seg id=1>x</seg></refset>", "ref.sgm: line 1: <seg> outside the <doc> of a set"),
        ("<refset></refset><doc docid=d><seg id=1>", "<seg> outside the <doc> of a set"),
        ("<refset><doc docid=d>\n<seg id=1>cut", "line 2: the file ends inside a segment"),
        ("<refset>\n<!-- <doc>", "ref.sgm: line 2: a comment without an end"),
        (SOURCE, "ref.sgm: no segments of a reference"),
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
