"""What the kernels of the translator refuse, and what they take though it is odd."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from weigh_lab import _translator

WORDS, OFFSETS = np.array([1, 2, 3, 1], np.int32), np.array([0, 3, 4], np.int64)
ABSURD = [2**31, 2**32, 2**61, 2**62, 2**63, 2**64 - 1]
FEATURES = 14


def misaligned(values):
    """The same array with its numbers one byte off."""
    memory = np.zeros(values.nbytes + 1, np.uint8)
    memory[1:] = np.frombuffer(values.tobytes(), np.uint8)
    shifted = memory[1:].view(values.dtype).reshape(values.shape)
    assert not shifted.flags.aligned
    shifted.flags.writeable = False
    return shifted


def numbers(*values):
    return np.array(values, np.int32)


def places(*values):
    return np.array(values, np.int64)


BAD_SENTENCES = {
    "no offsets": (WORDS, places()),
    "a late start": (WORDS, places(1, 4)),
    "a negative start": (WORDS, places(-1, 4)),
    "too few words": (WORDS, places(0, 5)),
    "too many words": (WORDS, places(0, 3)),
    "falling": (WORDS, places(0, 3, 2, 4)),
    "falling below zero": (WORDS, places(0, -(2**63), 4)),
    "beyond the end": (WORDS, places(0, 2**63 - 1, 4)),
    "a negative word": (numbers(1, -2), places(0, 2)),
    "the least word": (numbers(-(2**31)), places(0, 1)),
    "a word that makes a table of gigabytes": (numbers(2**31 - 1), places(0, 1)),
    "another one": (numbers(2**24 + 1), places(0, 1)),
}
bad_sentences = pytest.mark.parametrize("sentences", BAD_SENTENCES.values(), ids=BAD_SENTENCES)


def aligner():
    return _translator.WordAligner(WORDS, OFFSETS, WORDS, OFFSETS)


def extracted(**changes):
    arguments = {
        "source_words": WORDS,
        "source_offsets": OFFSETS,
        "target_words": WORDS,
        "target_offsets": OFFSETS,
        "links": numbers(0, 0, 1, 2, 2, 1, 0, 0),
        "link_offsets": places(0, 3, 4),
        "longest": 3,
    }
    return _translator.extract_phrases(**arguments | changes)


def model(**changes):
    arguments = {
        "words": numbers(0, 1, 4, 5, 1, 1),
        "offsets": places(0, 1, 2, 3, 4, 6),
        "chances": np.full(5, -1.0),
        "backoffs": np.zeros(5),
        "order": 2,
        "vocabulary": 3,
    }
    return _translator.LanguageModel.from_ngrams(**arguments | changes)


def table(**changes):
    arguments = {
        "source_words": numbers(1, 1, 2),
        "source_offsets": places(0, 1, 3),
        "target_words": numbers(2, 1, 1),
        "target_offsets": places(0, 1, 3),
        "link_words": numbers(0, 0, 256),
        "link_offsets": places(0, 1, 3),
        "pairs": np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1]], np.int32),
        "scores": np.full((3, 10), -0.5),
    }
    return _translator.PhraseTable(**arguments | changes)


def decoded(**changes):
    arguments = {
        "table": table(),
        "model": model(),
        "words": numbers(1, 2, 0),
        "weights": np.ones(FEATURES),
        "count": 5,
        "distinct": True,
        "options": 20,
        "pops": 50,
        "stack": 20,
        "distortion": 6,
        "longest": 7,
    }
    return _translator.decode(**arguments | changes)


@bad_sentences
def test_bad_sentences_are_refused(sentences):
    good = (numbers(1), places(0, 1))
    for arrays in ((*sentences, *good), (*good, *sentences), (*sentences, *sentences)):
        with pytest.raises(ValueError, match=r"offsets|word|sentence"):
            _translator.WordAligner(*arrays)
        with pytest.raises(ValueError, match=r"offsets|word|sentence"):
            _translator.extract_phrases(*arrays, numbers(), places(0, 0), 3)
    with pytest.raises(ValueError, match=r"offsets|word|sentence"):
        _translator.LanguageModel.train(*sentences, 3, 5)
    with pytest.raises(ValueError, match=r"offsets|word|too long"):
        model(words=sentences[0], offsets=sentences[1])
    for side in ("source", "target", "link"):
        with pytest.raises(ValueError, match=r"offsets|word|too long|phrases|link|twice"):
            table(**{f"{side}_words": sentences[0], f"{side}_offsets": sentences[1]})
    for arrays in ((*sentences, *good), (*good, *sentences)):
        with pytest.raises(ValueError, match=r"offsets|word|sentence"):
            _translator.symmetrise(*arrays, 0)


def test_empty_words_are_refused_where_words_are_learned():
    zero = numbers(0), places(0, 1)
    one = numbers(1), places(0, 1)
    for arrays in ((*zero, *one), (*one, *zero)):
        with pytest.raises(ValueError, match="no such number"):
            _translator.WordAligner(*arrays)
    with pytest.raises(ValueError, match="no such number"):
        _translator.LanguageModel.train(*zero, 3, 5)


def test_long_sentences_are_refused():
    long, short = (np.ones(257, np.int32), places(0, 257)), (numbers(1), places(0, 1))
    for arrays in ((*long, *short), (*short, *long)):
        with pytest.raises(ValueError, match="too long"):
            _translator.WordAligner(*arrays)
        with pytest.raises(ValueError, match="too long"):
            _translator.extract_phrases(*arrays, numbers(), places(0, 0), 3)
        with pytest.raises(ValueError, match="too long"):
            _translator.symmetrise(*arrays, 0)
    with pytest.raises(ValueError, match="too long"):
        decoded(words=np.ones(257, np.int32))


def test_sides_of_other_sizes_are_refused():
    one, two = (numbers(1), places(0, 1)), (numbers(1, 1), places(0, 1, 2))
    with pytest.raises(ValueError, match="both sides"):
        _translator.WordAligner(*one, *two)
    with pytest.raises(ValueError, match="both sides"):
        _translator.symmetrise(numbers(0), places(0, 1), numbers(0, 0), places(0, 1, 2), 0)
    with pytest.raises(ValueError, match="both sides"):
        extracted(target_words=numbers(1), target_offsets=places(0, 1))
    with pytest.raises(ValueError, match="both sides"):
        extracted(link_offsets=places(0, 4))
    with pytest.raises(ValueError, match="both sides"):
        extracted(link_offsets=places())


@pytest.mark.parametrize("ends", [(0, 3), (2, 1), (3, 3), *((0, size) for size in ABSURD)])
def test_ranges_of_no_sentences_are_refused(ends):
    for call in (aligner().expect, aligner().best):
        with pytest.raises(ValueError, match="no such sentences"):
            call(*ends, True)


def test_nothing_to_align():
    none = numbers(), places(0)
    empty = _translator.WordAligner(*none, *none)
    for with_jumps in (False, True):
        assert empty.expect(0, 0, with_jumps) == 0
        empty.maximise(with_jumps)
        assert len(empty.best(0, 0, with_jumps)) == 0
    blank = _translator.WordAligner(numbers(), places(0, 0), numbers(), places(0, 0))
    for with_jumps in (False, True):
        assert blank.expect(0, 1, with_jumps) == 0
        blank.maximise(with_jumps)
        assert len(blank.best(0, 1, with_jumps)) == 0
    fresh = aligner()
    for _ in range(3):
        fresh.maximise(True)  # nothing was expected
    assert np.isfinite(fresh.expect(0, 2, True))
    offsets, links = _translator.symmetrise(*none, *none, 3)
    assert offsets.tolist() == [0]
    assert len(links) == 0


def test_links_to_no_word_are_refused():
    for links in ([3, 0], [0, 3], [-1, 0], [0, -1], [2**31 - 1, 0], [0, -(2**31)]):
        with pytest.raises(ValueError, match="link to no word"):
            extracted(links=np.array(links, np.int32), link_offsets=places(0, 1, 1))
    with pytest.raises(ValueError, match="number of links"):
        extracted(links=numbers(0, 0, 1))
    for offsets in ((0, 4, 3), (0, 5, 4), (1, 3, 4), (0, -1, 4), (0, 2**63 - 1, 4)):
        with pytest.raises(ValueError, match="offsets"):
            extracted(link_offsets=places(*offsets))
    for least in (-(2**63), -(2**62)):
        with pytest.raises(ValueError, match="offsets"):
            extracted(links=numbers(), link_offsets=places(0, 0, least))
    for both in ((numbers(0, 1), numbers(0)), (numbers(0), numbers(1))):
        ends = [places(0, len(side)) for side in both]
        with pytest.raises(ValueError, match="link to no word"):
            _translator.symmetrise(both[0], ends[0], both[1], ends[1], 0)
    with pytest.raises(ValueError, match="no such number"):
        _translator.symmetrise(numbers(-2), places(0, 1), numbers(0), places(0, 1), 0)
    for how in (-1, 4, 2**31 - 1):
        with pytest.raises(ValueError, match="no such way"):
            _translator.symmetrise(*2 * (numbers(), places(0)), how)


@pytest.mark.parametrize("longest", [0, 201, *ABSURD])
def test_phrases_of_no_length_are_refused(longest):
    with pytest.raises(ValueError, match="1 to 200"):
        extracted(longest=longest)


@pytest.mark.parametrize("order", [0, 10, *ABSURD])
def test_no_such_order(order):
    with pytest.raises(ValueError, match=r"order|too long"):
        _translator.LanguageModel.train(WORDS, OFFSETS, order, 3)
    with pytest.raises(ValueError, match=r"order|too long"):
        model(order=order)


def test_vocabularies_that_words_leave_are_refused():
    for vocabulary in (-1, -(2**31), 2, 2**24, 2**31 - 1):
        with pytest.raises(ValueError, match="vocabulary"):
            _translator.LanguageModel.train(WORDS, OFFSETS, 2, vocabulary)
    for vocabulary in (-1, 2, 2**31 - 1):
        with pytest.raises(ValueError, match="vocabulary"):
            model(vocabulary=vocabulary)
    with pytest.raises(ValueError, match="too long"):
        model(order=1)
    for column in ("chances", "backoffs"):
        for wrong in (np.zeros(4), np.zeros(6), np.zeros(0)):
            with pytest.raises(ValueError, match="each n-gram"):
                model(**{column: wrong})


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300, -1e31])
def test_what_is_no_number_is_refused(number):
    for column in ("chances", "backoffs"):
        with pytest.raises(ValueError, match="no such number"):
            model(**{column: np.array([0, 0, number, 0, 0], float)})
    for place in range(10):
        scores = np.zeros((3, 10))
        scores[1, place] = number
        with pytest.raises(ValueError, match="no such number"):
            table(scores=scores)
    for place in range(FEATURES):
        weights = np.ones(FEATURES)
        weights[place] = number
        with pytest.raises(ValueError, match="no such number"):
            decoded(weights=weights)


def test_the_greatest_numbers_are_computed_with():
    most = {
        "model": model(chances=np.full(5, -1e30), backoffs=np.full(5, 1e30)),
        "table": table(scores=np.full((3, 10), -1e30)),
    }
    for weight in (1e30, -1e30):
        *_, totals, features, _, _ = decoded(**most, weights=np.full(FEATURES, weight))
        assert np.isfinite(totals).all()
        assert np.isfinite(features).all()


def test_tables_that_do_not_fit_are_refused():
    for pairs in (
        [[0, 0, -1]], [[0, 0, 2]], [[0, -1, 0]], [[0, 2, 0]], [[-1, 0, 0]], [[2, 0, 0]],
        [[1, 0, 0], [0, 0, 0]], [[2**31 - 1, 0, 0]], [[-(2**31), 0, 0]],
    ):  # fmt: skip
        with pytest.raises(ValueError, match="order of their sources"):
            table(pairs=np.array(pairs, np.int32), scores=np.zeros((len(pairs), 10)))
    with pytest.raises(ValueError, match="link to no word"):  # of two source words, for one
        table(pairs=np.array([[0, 0, 1]], np.int32), scores=np.zeros((1, 10)))
    with pytest.raises(ValueError, match="three numbers"):
        table(pairs=np.zeros((3, 4), np.int32))
    for shape in ((2, 10), (4, 10), (3, 9), (3, 11), (0, 10)):
        with pytest.raises(ValueError, match="ten scores"):
            table(scores=np.zeros(shape))
    for side in ("source", "target", "link"):
        twice = {f"{side}_words": numbers(1, 1), f"{side}_offsets": places(0, 1, 2)}
        with pytest.raises(ValueError, match="twice"):
            table(**twice)
    for side in ("source", "target"):
        long = {f"{side}_words": np.ones(201, np.int32), f"{side}_offsets": places(0, 201)}
        with pytest.raises(ValueError, match="too long"):
            table(**long)


def test_an_empty_table_passes_all_words_through():
    none = {f"{side}_words": numbers() for side in ("source", "target", "link")}
    none |= {f"{side}_offsets": places(0) for side in ("source", "target", "link")}
    empty = table(**none, pairs=np.zeros((0, 3), np.int32), scores=np.zeros((0, 10)))
    words, offsets, *_ = decoded(table=empty)
    assert sorted(words[: offsets[1]].tolist()) == [-3, -2, -1]


@pytest.mark.parametrize("limit", ["options", "pops", "stack", "longest"])
def test_limits(limit):
    with pytest.raises(ValueError, match="positive"):
        decoded(**{limit: 0})
    usual = decoded()
    for size in ABSURD:
        for ours, theirs in zip(decoded(**{limit: size}), usual, strict=True):
            assert (ours == theirs).all()


def test_other_limits():
    with pytest.raises(ValueError, match="positive"):
        decoded(distortion=-1)
    assert len(decoded(distortion=2**31 - 1)[2])
    assert len(decoded(count=0)[2]) == 0
    for count in (10**6 + 1, *ABSURD):
        with pytest.raises(ValueError, match="too many"):
            decoded(count=count)
    for size in (0, FEATURES - 1, FEATURES + 1):
        with pytest.raises(ValueError, match="one weight"):
            decoded(weights=np.ones(size))


def test_odd_words_of_a_sentence_pass_through():
    odd = numbers(-(2**31), 2**31 - 1, -1, 9)
    words, offsets, *_ = decoded(words=odd)
    assert sorted(words[: offsets[1]].tolist()) == [-4, -3, -2, -1]
    assert np.isfinite(model().chances(odd)).all()


def test_unknown_words_below_zero_are_the_same_where_their_numbers_are():
    """So that translations with two of them exchanged are not distinct."""
    alike, others = ((decoded(words=numbers(*pair), count=9)) for pair in ((-5, -5), (-5, -6)))
    assert alike[0].tolist() == [-1, -1]
    assert others[0].tolist() == [-1, -2, -2, -1]
    assert len(decoded(words=numbers(-5, -5), count=9, distinct=False)[2]) == 2


def test_arrays_need_not_be_aligned_nor_writeable():
    links = numbers(0, 0, 1, 2, 2, 1, 0, 0)
    off, usual = (
        _translator.WordAligner(*map(way, (WORDS, OFFSETS, WORDS, OFFSETS)))
        for way in (misaligned, np.array)
    )
    assert off.expect(0, 2, True) == usual.expect(0, 2, True)
    _, _, _, numbers_off, weights_off = extracted(
        source_words=misaligned(WORDS), source_offsets=misaligned(OFFSETS),
        target_words=misaligned(WORDS), target_offsets=misaligned(OFFSETS),
        links=misaligned(links), link_offsets=misaligned(places(0, 3, 4)),
    )  # fmt: skip
    assert (numbers_off == extracted()[3]).all()
    assert (weights_off == extracted()[4]).all()
    odd_model = model(
        words=misaligned(numbers(0, 1, 4, 5, 1, 1)), offsets=misaligned(places(0, 1, 2, 3, 4, 6)),
        chances=misaligned(np.full(5, -1.0)), backoffs=misaligned(np.zeros(5)),
    )  # fmt: skip
    sentence = numbers(1, 2, 0)
    assert (odd_model.chances(misaligned(sentence)) == model().chances(sentence)).all()
    odd_table = table(
        source_words=misaligned(numbers(1, 1, 2)),
        pairs=misaligned(np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1]], np.int32)),
        scores=misaligned(np.full((3, 10), -0.5)),
    )
    odd = decoded(
        table=odd_table, model=odd_model, words=misaligned(sentence),
        weights=misaligned(np.ones(FEATURES)),
    )  # fmt: skip
    for ours, theirs in zip(odd, decoded(), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("wrong", [WORDS.astype(np.int64), WORDS.astype(float), WORDS[None]])
def test_arrays_of_another_type_are_refused(wrong):
    """They are not converted: a number of 64 bits would lose its upper half."""
    with pytest.raises(TypeError):
        _translator.WordAligner(wrong, OFFSETS, WORDS, OFFSETS)
    with pytest.raises(TypeError):
        extracted(source_words=wrong)
    with pytest.raises(TypeError):
        decoded(words=wrong)


def test_a_model_may_be_asked_while_it_learns():
    """Threads wait for one another: nothing is torn, and nothing hangs."""
    words = np.arange(1, 201, dtype=np.int32)
    shared = _translator.WordAligner(words, places(0, 100, 200), words, places(0, 100, 200))

    def use():
        for _ in range(20):
            shared.expect(0, 2, True)
            shared.maximise(True)
            assert len(shared.best(0, 2, True)) == 200

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
