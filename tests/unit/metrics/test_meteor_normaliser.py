"""METEOR's normaliser against what METEOR 1.5 prints for sentences of our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import text
from weigh.metrics.meteor.metric import LANGUAGES
from weigh.metrics.meteor.resources import abbreviations
from weigh.tokenize.meteor import normalise

# Printed by `meteor-1.5.jar -norm -writeAlignments`.
PRINTED = [
    (
        "en",
        "Dr. Green's well-known “shop” isn’t open (yet).",
        "dr. green 's well known \" shop \" isn 't open ( yet ) .",
    ),
    (
        "en",
        "The U.S. team won 3-1, i.e. by two goals...",
        "the us team won 3 1 , ie by two goals ...",
    ),
    (
        "en",
        "On Jan. 5 it cost $1,000.50, or 3.5%!",
        "on jan . 5 it cost $ 1,000.50 , or 3.5 % !",
    ),
    ("en", "a,b,c and a-b-c", "a , b,c and a b-c"),
    ("en", "No. 7 is new. No. Really?", "no. 7 is new . no . really ?"),
    ("en", "He said ``yes'' -- twice.", 'he said " yes " - twice .'),
    ("en", "at 5 p.m. we left", "at 5 pm we left"),
    ("en", "Straße, naïve, ЁЖ, αβ, 中文", "straße , naïve , ёж , α β , 中 文"),
    ("en", "e-mail me @ x.y/z", "e mail me @ x.y / z"),
    ("en", "'tis the 1990's – almost", "' tis the 1990 's - almost"),
    ("fr", "L'école d'été n'est pas finie.", "l' école d' été n' est pas finie ."),
    ("fr", "aujourd’hui, M. Blanc", "aujourd' hui , m. blanc"),
    ("es", "¿Qué es esto? ¡Nada!", "¿ qué es esto ? ¡ nada !"),
    ("es", "l'hotel", "l ' hotel"),
    ("de", "Am 3. Oktober 1990 war's so.", "am 3. oktober 1990 war ' s so ."),
    ("de", "Herr Dr. Grün", "herr dr. grün"),
    ("cs", "Co je to? Nic, řekl.", "co je to ? nic , řekl ."),
    ("ru", "Это не так, сказал он.", "это не так , сказал он ."),
]


@pytest.mark.parametrize(("language", "line", "printed"), PRINTED)
def test_against_the_reference_program(language, line, printed):
    known = abbreviations(LANGUAGES[language].name, None)
    assert normalise([line], language, known) == [printed]


@given(text, st.sampled_from(sorted(LANGUAGES)))
def test_result_is_lower_case_words_and_single_spaces(line, language):
    [result] = normalise([line], language, abbreviations(LANGUAGES[language].name, None))
    assert result == result.lower()
    assert "  " not in result
    assert result == result.strip(" ")


def test_abbreviations_of_a_file(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("# a comment\nabc\nVol #NUMERIC_ONLY#\n", encoding="utf-8")
    known = abbreviations("english", str(path))
    assert known == (frozenset({"abc"}), frozenset({"Vol"}))
    assert normalise(["abc. X Vol. 3 Vol. X Mr. X"], "en", known) == [
        "abc. x vol. 3 vol . x mr . x"
    ]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_initials_keep_their_period(language):
    known = abbreviations(LANGUAGES[language].name, None)
    assert normalise(["J. X"], language, known) == ["j. x"]
