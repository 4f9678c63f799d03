"""How references are written: by made texts of known shares, and by texts of many languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.tokenize.writing import Writing, writing_of

SENTENCES = {
    "Japanese": [
        "私は昨日、東京の図書館で本を借りました。",
        "コンピュータで WMT の BLEU を計算する。",
    ],
    "Chinese": ["我昨天在北京的图书馆借了一本书。", "請把 PDF 文件存到桌面上。"],
    "Thai": ["ฉันยืมหนังสือจากห้องสมุดเมื่อวานนี้"],
    "Lao": ["ຂ້ອຍຢືມປຶ້ມຈາກຫ້ອງສະໝຸດມື້ວານນີ້"],
    "Khmer": ["ខ្ញុំបានខ្ចីសៀវភៅពីបណ្ណាល័យកាលពីម្សិលមិញ"],
    "Burmese": ["ကျွန်တော်မနေ့ကစာကြည့်တိုက်ကစာအုပ်ငှားခဲ့တယ်"],
    "Tibetan": ["ང་ཁ་ས་དཔེ་མཛོད་ཁང་ནས་དེབ་གཡར་པ་ཡིན།"],
}
WITH_SPACES = [
    "나는 어제 도서관에서 책을 빌렸다.",  # Korean
    "Я взял книгу в библиотеке вчера.",
    "استعرت كتابا من المكتبة أمس.",
    "मैंने कल पुस्तकालय से एक किताब ली।",
    "שאלתי אתמול ספר מהספרייה.",
    "Tôi đã mượn sách từ thư viện hôm qua.",
    "In Tokyo (東京) the word for cat is ネコ, which every child knows.",
]
TOKENISED = {
    "Japanese": "私 は 昨日 、 東京 の 図書館 で 本 を 借り まし た 。",
    "Chinese": "我 昨天 在 北京 的 图书馆 借 了 一 本 书 。",
    "Thai": "ฉัน ยืม หนังสือ จาก ห้องสมุด เมื่อวาน นี้",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_languages_without_spaces(language: str) -> None:
    for text in SENTENCES[language]:
        assert writing_of([[text]])[0] == Writing(language, spaced=False)


@pytest.mark.parametrize("text", WITH_SPACES)
def test_languages_with_spaces(text: str) -> None:
    assert writing_of([[text]]) == (Writing(), {})


@pytest.mark.parametrize("language", TOKENISED)
def test_words_that_are_set_apart_are_seen(language: str) -> None:
    assert writing_of([[TOKENISED[language]]])[0] == Writing(language, spaced=True)


def test_short_texts_do_not_look_like_words() -> None:
    """Only spaces within texts show that words are set apart, and not the ends of texts."""
    assert not writing_of([["我爱你", "你好"]])[0].spaced
    assert not writing_of([["我爱你", "你好", "我 爱 你"]])[0].spaced
    assert writing_of([["我 爱 你", "你好"]])[0].spaced


@pytest.mark.parametrize(
    ("han", "kana", "latin", "language"),
    [
        (90, 10, 0, "Japanese"),
        (91, 9, 0, "Chinese"),
        (50, 0, 50, "Chinese"),
        (49, 0, 51, None),
        (0, 9, 91, None),  # a few words of Japanese in other text
        (0, 10, 90, "Japanese"),
        (30, 10, 60, "Japanese"),
        (0, 0, 0, None),
    ],
)
def test_shares_of_letters_decide(han: int, kana: int, latin: int, language: str | None) -> None:
    text = "漢" * han + "か" * kana + "a" * latin
    assert writing_of([[text]])[0].language == language
    # Neither white space nor what is no letter counts, nor how letters lie in texts.
    texts = [f" 1,2 。{letter}" for letter in text] + ["", "  "]
    assert writing_of([texts[::2], texts[1::2]])[0].language == language


def test_no_letters_are_like_spaces() -> None:
    assert writing_of([]) == writing_of([[]]) == writing_of([["", "12 。"]]) == (Writing(), {})


def test_every_label_is_judged_by_its_own_texts() -> None:
    column = [*SENTENCES["Japanese"], "Plain text.", *SENTENCES["Chinese"], "12", "12"]
    labels = ["ja", "ja", "de", "zh", "zh", "empty", "empty"]
    whole, slices = writing_of([column, column], labels)
    assert whole.language == "Japanese"
    languages = {label: one.language for label, one in slices.items()}
    assert languages == {"ja": "Japanese", "de": None, "zh": "Chinese"}


@settings(max_examples=50)
@given(st.lists(st.text(), max_size=20), st.data())
def test_any_text_is_judged_and_parts_do_not_matter(texts: list[str], data: st.DataObject) -> None:
    """All labels alike: the whole is judged as its only slice."""
    order = data.draw(st.permutations(texts))
    whole, slices = writing_of([texts], ["x"] * len(texts))
    assert writing_of([order])[0] == whole
    assert slices.get("x", whole) == whole
