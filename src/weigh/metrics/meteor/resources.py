"""METEOR's word lists by language: function words, abbreviations, and files of either.

Function words count less than content words. METEOR 1.5 takes the words that make up more than a
thousandth of a large corpus. The lists here are our own: marks of punctuation, and words of closed
classes (articles, pronouns, prepositions, conjunctions, particles, auxiliaries) that are that
frequent.

Abbreviations keep the period after them when METEOR's normaliser sets periods apart: initials,
titles, ranks and what else is commonly abbreviated in print. The English ones are those that
METEOR 1.5 knows, so that its texts come out the same; for other languages the lists are shorter
and ours. Published lists, of METEOR or of Moses, are read from files: one word per line, comments
after `#`, and `#NUMERIC_ONLY#` behind a word that is one only before a number.
"""

from __future__ import annotations

import os
import string
import time
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from weigh.errors import InputError
from weigh.metrics.meteor import cache
from weigh.read.text import blocks, read_whole, shown, split_lines
from weigh.tokenize.meteor import Abbreviations

LARGE = 1 << 20
"""Files of at least this size, in bytes, take long to read again."""

# A file that was written less than this many nanoseconds ago may be written again without a
# change of its times.
_SETTLED = 2_000_000_000

# What a folder may hold for each language, and what may be given instead.
_LISTS = {
    "words": "a file of one word per line",
    "prefixes": "a file of one abbreviation per line",
}

_PUNCTUATION = ". , ; : ? ! ' \" ( ) - -- — – … “ ” ‘ ’ $ %"

_FUNCTION_WORDS = {
    "english": """
        the a an this that these those
        i you he she it we they me him her us them my your his its our their
        who whom whose which what
        of to in for on with at by from as about into over after before between under against
        through during without within out up down off
        and or but nor if than because while when where how so also not no
        is are was were be been being am has have had do does did
        will would can could should may might must
        there all more most some any other such only one two
        's 't s t
    """,
    "spanish": """
        el la los las lo un una unos unas al del
        yo tú él ella ellos ellas nosotros usted ustedes me te se le les nos mi tu su sus
        este esta estos estas ese esa eso esto
        que quien cual cuyo donde cuando como
        de a en por para con sin sobre entre desde hasta hacia contra según
        y e o u pero sino ni si porque aunque mientras también no más ya muy
        es son era fue ser sido está están estar ha han había haber hay
        todo todos otro otros uno dos
        ¿ ¡
    """,
    "german": """
        der die das den dem des ein eine einen einem einer eines kein keine
        ich du er sie es wir ihr mich dich ihn uns mir dir ihm ihnen sich
        sein seine seinen seiner ihre ihren ihrer unser mein dieser diese dieses diesem diesen
        wer was welche man
        in zu von mit auf für an bei nach aus um über vor durch unter gegen bis zwischen ohne
        im am zum zur vom beim ins
        und oder aber sondern denn dass daß wenn als wie weil ob da so auch nicht nur noch schon
        ist sind war waren sei wird werden wurde wurden worden hat haben hatte habe
        kann können soll sollen muss müssen will wollen
        es mehr sehr alle zwei
    """,
    "french": """
        le la les un une des du de au aux l' d'
        je tu il elle nous vous ils elles on me te se lui leur leurs j' m' t' s' c' n' qu'
        mon ton son sa ses notre nos votre vos ma mes ce cet cette ces cela
        que qui dont où quel quelle
        à en dans par pour sur avec sans sous entre vers chez contre depuis pendant
        et ou mais ni donc car si comme quand aussi ne pas plus très y
        est sont était être été a ont avait avoir fait peut doit
        tout tous toute autres deux
    """,
    "czech": """
        já ty on ona ono my vy oni se si mu mi jeho její jejich jej ho ji je jim
        ten ta to ti tento tato toto tyto tím tom té těch
        který která které kteří kterou kdo co jak kde když
        v ve na s se z ze do od k ke o u po pro při za pod nad před mezi bez podle
        a i ale nebo ani že aby jako protože pokud však také už jen než tak by
        je jsou byl byla bylo byli být bude budou jsem jsme není má mají
        ne více dva
    """,
    "russian": """
        я ты он она оно мы вы они меня его ее её их нам ему им мне себя свою своей своих
        это этот эта эти этого этой том того тем то та те так
        который которая которые которых кто что как где когда
        в во на с со из к ко по о об от до для за при у над под без между через
        и а но или ни если чтобы же ли бы не уже еще ещё также только лишь
        был была было были быть есть будет может
        все всех более два
        « »
    """,
}

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


def function_words(language: str, path: str | None) -> frozenset[str]:
    """Return the words of a file, one per line, or else our own for the language's name.

    >>> "the" in function_words("english", None)
    True
    """
    if path is None:
        return frozenset([*_PUNCTUATION.split(), *_FUNCTION_WORDS[language].split()])
    file = _list_file("words", language, path)
    words = frozenset(word for word in read_lines(file) if word)
    if not words:
        raise InputError(f"{shown(file)}: no words; give {_LISTS['words']}")
    return words


def abbreviations(language: str, path: str | None) -> Abbreviations:
    """Return the abbreviations of a file, or else our own for the language's name."""
    if path is not None:
        return _read_abbreviations(_list_file("prefixes", language, path))
    initials = list(string.ascii_uppercase)
    if language == "russian":
        initials += _CYRILLIC_INITIALS.split()
    if language == "german":  # a number with a period is an ordinal: am 3. Oktober
        initials += map(str, range(1, 100))
    return Abbreviations(
        frozenset([*initials, *_ALWAYS[language].split()]),
        frozenset(_BEFORE_NUMBER.get(language, "").split()),
    )


def _read_abbreviations(path: str) -> Abbreviations:
    always, before_number = set(), set()
    for line in read_lines(path):
        word, mark, _ = line.partition(_NUMERIC)
        word = word.strip()
        if mark:
            before_number.add(word)
        elif word and not word.startswith("#"):
            always.add(word)
    return Abbreviations(frozenset(always), frozenset(before_number))


def list_signature(kind: str, language: str, path: str | None) -> str:
    """Signature of `words` or `prefixes`: language, and fingerprint of a named file."""
    if path is None:
        return language
    return f"{language}-{fingerprint(_list_file(kind, language, path))}"


def _list_file(kind: str, language: str, path: str) -> str:
    """Return `path`, or the language's file in it if it is a folder."""
    if not Path(path).is_dir():
        return path
    name = f"{language}.{kind}"
    file = file_in(path, name)
    if file is None:
        raise InputError(f"{shown(path)}: there is no {name} in this folder; give {_LISTS[kind]}")
    return file


def read_lines(path: str) -> list[str]:
    """Return the lines of a UTF-8 file, gzip or not."""
    return split_lines(read_whole(path))


def file_in(folder: str, name: str) -> str | None:
    """Return the path of a file in a folder, as it is or with `.gz`, if it is there."""
    for path in (Path(folder, name), Path(folder, f"{name}.gz")):
        if path.is_file():
            return str(path)
    return None


def fingerprint(*paths: str) -> str:
    """Eight hexadecimal digits that identify the uncompressed content of files."""
    return content_digest(*paths)[:8]


def content_digest(*paths: str) -> str:
    """Return a hash of the content of files, uncompressed.

    That of large files is kept for the next run, as long as they are not touched.
    """
    states = []
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116, Path.stat fails on NUL
        except (OSError, ValueError):
            raise InputError(f"{shown(path)}: no such file; check the path") from None
        states.append(
            FileState(
                path,
                state.st_size,
                state.st_mtime_ns,
                state.st_ctime_ns,
                state.st_ino,
                state.st_dev,
            )
        )
    if sum(state.size for state in states) < LARGE:
        return _content_digest(tuple(states))
    key = f"content 1 {[state[1:] for state in states]}"
    stored = cache.load(key)
    if stored is not None:
        return bytes(stored).decode("ascii")
    digest = _content_digest(tuple(states))
    touched = max(max(state.modified, state.changed) for state in states)
    if time.time_ns() - touched > _SETTLED:
        cache.store(key, digest.encode("ascii"))
    return digest


class FileState(NamedTuple):
    """The attributes of a file that change when it is written."""

    path: str
    size: int
    modified: int
    changed: int
    number: int
    device: int


@lru_cache(maxsize=64)
def _content_digest(states: tuple[FileState, ...]) -> str:
    import hashlib

    content = hashlib.sha256()
    for state in states:
        content.update(f"{state.size} ".encode())
        for block in blocks(state.path):
            content.update(block)
    return content.hexdigest()
