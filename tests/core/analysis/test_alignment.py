from core.analysis.alignment import aligned


def test_equal_sentences_agree_everywhere():
    assert aligned(tuple("abc"), tuple("abc")) == ((0, 0), (1, 1), (2, 2))


def test_a_word_more_shifts_what_follows():
    one, other = ("the", "cat", "sat"), ("the", "old", "cat", "sat")
    assert aligned(one, other) == ((0, 0), (1, 2), (2, 3))


def test_what_one_sentence_alone_has_is_in_no_pair():
    one, other = ("the", "cat", "sat"), ("the", "dog", "sat")
    assert aligned(one, other) == ((0, 0), (2, 2))


def test_sentences_without_a_common_token_have_no_pair():
    assert aligned(tuple("ab"), tuple("cd")) == ()
    assert aligned((), tuple("cd")) == ()
