"""Words that keep the period after them when METEOR's normaliser sets periods apart.

Initials, titles, ranks and what else is commonly abbreviated in print. The English words are those
that METEOR 1.5 knows, so that its texts come out the same; for other languages the lists are
shorter and ours. Published lists, of METEOR or of Moses, are read from files: one word per line,
comments after `#`, and `#NUMERIC_ONLY#` behind a word that is one only before a number.
"""

from __future__ import annotations

import string

from weigh.metrics.meteor.resource import fingerprint, read_lines, required_file
from weigh.tokenize.meteor import Abbreviations

_NUMERIC = "#NUMERIC_ONLY#"
_CYRILLIC_INITIALS = "А Б В Г Д Е Ж З И К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Э Ю Я"

_ALWAYS = {
    "english": """
        Mr Mrs Ms Messrs Mlle Mme MM MR MRS MS Hr Bart
        Dr DR Drs Prof Ph Asst Insp Supt Surg Hon Gov Rep Reps Sen Sens
        Rev rev Rt Msgr St Sr
        Adm Brig Capt Cmdr Comdr Col Cpl Ens Gen Lt Maj Pfc Pvt Sfc Sgt
        Adj Adv Bldg Bros Con Corp Hosp Op Ord Res
        v vs e.g i.e Nos Nr
    """,
    "spanish": """
        Sr Sra Srta Sres Dr Dra Prof Lic Gral Excmo Dn Da Ud Uds Vd Vds Sta Sto
        Av Apdo Dep Tel Pts EE.UU CC.AA S.A S.L P.D N.B a.C d.C
        etc ej p.ej pág págs núm cap vol vid adj km kg cm mm mg
    """,
    "german": """
        Mr Mrs Ms Gen Lt Sen Corp
        Dr Prof Hr Fr St Abs Art Bd Nr No Tel Mio Mrd Co Ltd Jh Chr Std Str
        bzw bzgl ca etc evtl ggf inkl jun sen sog usf usw vgl vs zzgl zzt
        d.h z.B u.a z.T o.ä u.ä u.U i.d.R
    """,
    "french": """
        MM Mgr Dr Pr St Ste art av boul chap cf éd env etc ex fasc fig hab ibid id
        i.e e.g p.ex c.-à-d N.B P.S S.A pp pl sect suiv tél vol vs
    """,
    "czech": """
        atd apod např tj tzv resp č str sv ul tel hod min mil mld tis kap obr
        Ing Mgr Dr Bc Ph MUDr JUDr prof doc
    """,
    "russian": """
        г гг в вв д кв ул пер пл просп обл стр гл рис табл ст п пп см ср др пр напр
        млн млрд тыс руб коп тел т.е т.д т.п и.о проф акад им
    """,
}
_BEFORE_NUMBER = {"english": "No Art pp", "french": "n° p", "spanish": "n.º p"}


def abbreviations(language: str, path: str | None) -> Abbreviations:
    """Return the abbreviations of a file, or else our own for the language's name."""
    if path is not None:
        return _read(_file(path, language))
    initials = list(string.ascii_uppercase)
    if language == "russian":
        initials += _CYRILLIC_INITIALS.split()
    if language == "german":  # a number with a period is an ordinal: am 3. Oktober
        initials += map(str, range(1, 100))
    return Abbreviations(
        frozenset(initials) | frozenset(_ALWAYS[language].split()),
        frozenset(_BEFORE_NUMBER.get(language, "").split()),
    )


def signature(language: str, path: str | None) -> str:
    """Return what a signature says of the abbreviations."""
    return language if path is None else f"{language}-{fingerprint(_file(path, language))}"


def _file(path: str, language: str) -> str:
    return required_file(path, f"{language}.prefixes", "a file of one abbreviation per line")


def _read(path: str) -> Abbreviations:
    always, before_number = set(), set()
    for line in read_lines(path):
        word, mark, _ = line.partition(_NUMERIC)
        word = word.strip()
        if mark:
            before_number.add(word)
        elif word and not word.startswith("#"):
            always.add(word)
    return Abbreviations(frozenset(always), frozenset(before_number))
