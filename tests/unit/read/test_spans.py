"""Errors that people marked: as programs tell their places, and as we do."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading import read_judgments
from shared_data import SHARED, lines
from weigh.errors import InputError
from weigh.human.judgments import as_jsonl, as_tsv
from weigh.read.spans import SEVERITIES, locate_marks, pearmut_span, place_span
from weigh.types import Judgment, Span

ESA = "annotator\tsystem\tseg\ttype\tscore\tdoc\tflag\tspans_json\tt_start\tt_end\n"
MQM = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
WMT24 = SHARED / "data" / "wmt24" / "en-cs"


def written(folder: Path, text: str, name: str = "judgments") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def esa(*spans: object) -> str:
    return f"{ESA}u\tA\t1\tTGT\t90\tnews.1\t\t{json.dumps(spans)}\t1\t2\n"


def appraise(start: object, end: object, severity: str = "minor") -> dict[str, object]:
    return {"start_i": start, "end_i": end, "severity": severity, "error_type": None}


def test_appraise_counts_both_ends_and_has_a_word_for_what_is_missing(tmp_path: Path) -> None:
    text = esa(appraise(3, 3), appraise("missing", "missing", "major"))
    [judgment] = read_judgments([written(tmp_path, text)]).judgments
    assert judgment.document == "news.1"
    assert judgment.spans == (Span(3, 4, "minor", unit="utf-16"), Span(None, None, "major"))


def test_no_errors_are_another_thing_than_no_question(tmp_path: Path) -> None:
    assert read_judgments([written(tmp_path, esa())]).judgments[0].spans == ()
    unasked = esa().replace("\tspans_json", "").replace("\t[]", "")
    assert read_judgments([written(tmp_path, unasked)]).judgments[0].spans is None


def test_an_export_of_appraise(tmp_path: Path) -> None:
    marked = json.dumps([appraise(0, 4) | {"error_type": ["Accuracy", "Omission"]}])
    cell = marked.replace('"', '""')
    rows = f'u,A,3,TGT,eng,liv,7,d,False,"{cell}",1,2\nu,A,4,TGT,eng,liv,77,d,False,[],3,4\n'
    first, second = read_judgments([written(tmp_path, rows)]).judgments
    assert first.spans == (Span(0, 5, "minor", "Accuracy/Omission", "utf-16"),)
    assert (second.spans, second.document) == ((), "d")


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (appraise(4, 3), r"the spans are '\[\{.*\(the start is after the end\)"),
        (appraise(-1, 3), "the start is after the end"),
        (appraise(1, "missing"), "the start is after the end"),
        (appraise(1, 2, "huge"), r"\(no severity is called 'huge'\); expected a list of .* major"),
        ({"severity": "minor"}, "the spans are"),
        (3, "the spans are"),
    ],
)
def test_bad_spans_are_told_in_one_line(span: object, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"judgments: row 2: .*{said}") as caught:
        read_judgments([written(tmp_path, esa(span))])
    assert "\n" not in str(caught.value)
    kept = esa(span) + esa().removeprefix(ESA)
    assert len(read_judgments([written(tmp_path, kept)], bad_rows="skip").judgments) == 1


def test_mqm_of_the_wmt_marks_errors_in_the_text(tmp_path: Path) -> None:
    rows = [
        "A\td\t1\tr\ts\ta <v>bad</v> word\tAccuracy/Mistranslation\tMajor",
        "A\td\t1\tr\t<v>s</v>\ta bad word\tAccuracy/Omission\tminor",
        "A\td\t2\tr\ts\tgood\tNo-error\tNo-error",
    ]
    first, second = read_judgments([written(tmp_path, MQM + "\n".join(rows))]).judgments
    assert first.spans == (
        Span(2, 5, "major", "Accuracy/Mistranslation"),
        Span(None, None, "minor", "Accuracy/Omission"),
    )
    assert (first.value, first.document) == (-6, "d")
    assert (second.value, second.spans) == (0, ())


def test_marks_that_are_not_closed(tmp_path: Path) -> None:
    row = "A\td\t1\tr\ts\ta <v>bad word\tAccuracy/Mistranslation\tMajor\n"
    with pytest.raises(InputError, match="row 2: the target is 'a <v>bad word'; expected the err"):
        read_judgments([written(tmp_path, MQM + row)])


@given(st.text(st.characters(exclude_characters="<>")), st.data())
def test_marks_stand_where_they_were_put(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"
    assert locate_marks(marked) == ((start, end) if start < end else None)
    assert locate_marks(text) is None


@given(st.text(min_size=1), st.data())
def test_places_that_browsers_count(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    def units(characters: str) -> int:
        return len(characters.encode("utf-16-le", "surrogatepass")) // 2

    span = Span(units(text[:start]), units(text[:end]), "minor", unit="utf-16")
    assert place_span(span, text) == Span(start, end, "minor")
    with pytest.raises(ValueError, match="it ends at"):
        place_span(Span(0, units(text) + 1, "minor", unit="utf-16"), text)
    lines_apart = "\n" not in text
    told = {"start_i": span.start, "end_i": (span.end or 0) - 1, "severity": "minor"}
    if lines_apart:
        assert pearmut_span(told, text) == Span(start, end, "minor")
        behind = {"start_i": units(text), "end_i": units(text), "severity": "minor"}
        assert pearmut_span(behind, text) == Span(None, None, "minor")


def test_our_own_files_keep_them(tmp_path: Path) -> None:
    spans = (Span(0, 2, "minor", unit="utf-16"), Span(None, None, "critical", "Style"))
    given = [
        Judgment("u", "h", "", "system", "A", "1", 5.0, "esa", at="2024-01-01", spans=spans),
        Judgment("u", "h", "", "system", "A", "2", 5.0, "esa", at="2024-01-02", spans=()),
        Judgment("u", "h", "", "system", "A", "3", 5.0, "esa", at="2024-01-03"),
    ]
    for name, text in (("a.jsonl", as_jsonl(given)), ("a.tsv", as_tsv(given))):
        assert read_judgments([written(tmp_path, text, name)]).judgments == tuple(given)


@pytest.mark.skipif(not WMT24.is_dir(), reason="../shared, with data that may not be published")
def test_published_spans_are_words_of_the_texts() -> None:
    """Both ends are counted, and as browsers do: else spans would cut words apart."""
    path = WMT24 / "human-esa.tsv.gz"
    judgments = read_judgments([str(path)]).judgments
    texts = {
        file.name.removesuffix(".cs.gz"): lines(file)
        for file in [*WMT24.glob("sys/*.cs.gz"), WMT24 / "refA.cs.gz"]
    }
    judged = [judgment for judgment in judgments if judgment.kind == "system"]
    severities = Counter(span.severity for judgment in judgments for span in judgment.spans or ())
    assert set(severities) <= set(SEVERITIES)
    missing = whole = cut = 0
    for judgment in judged:
        text = texts[judgment.system][int(judgment.segment) - 1]
        for span in judgment.spans or ():
            place = place_span(span, text)  # all of them are within their texts
            if place.start is None or place.end is None:
                missing += 1
                continue
            before, after = text[: place.start][-1:], text[place.end :][:1]
            ends = text[place.start], text[place.end - 1]
            is_cut = (before.isalnum() and ends[0].isalnum()) or (
                after.isalnum() and ends[1].isalnum()
            )
            cut += is_cut
            whole += not is_cut
    assert missing == 196
    assert whole > 4 * cut
    rows = [row.split("\t")[7] for row in lines(path)[1:]]
    assert sum(len(json.loads(row)) for row in rows) == 5_613
