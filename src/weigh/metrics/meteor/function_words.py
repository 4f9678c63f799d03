"""Function words, which count less than content words.

METEOR 1.5 takes the words that make up more than a thousandth of a large corpus. The lists here
are our own: marks of punctuation, and words of closed classes (articles, pronouns, prepositions,
conjunctions, particles, auxiliaries) that are that frequent.
"""

from __future__ import annotations

from weigh.errors import InputError
from weigh.metrics.meteor.resource import fingerprint, read_lines, required_file
from weigh.read.text import shown

_PUNCTUATION = ". , ; : ? ! ' \" ( ) - -- — – … “ ” ‘ ’ $ %"

_WORDS = {
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


def function_words(language: str, path: str | None) -> frozenset[str]:
    """Return the words of a file, one per line, or else our own for the language's name.

    >>> "the" in function_words("english", None)
    True
    """
    if path is None:
        return frozenset(_PUNCTUATION.split()) | frozenset(_WORDS[language].split())
    file = _file(path, language)
    words = frozenset(word for word in read_lines(file) if word)
    if not words:
        raise InputError(f"{shown(file)}: no words; give a file of one word per line")
    return words


def signature(language: str, path: str | None) -> str:
    """Return what a signature says of the function words."""
    return language if path is None else f"{language}-{fingerprint(_file(path, language))}"


def _file(path: str, language: str) -> str:
    return required_file(path, f"{language}.words", "a file of one word per line")
