import pytest

from app.sentence import (
    LONG_TEXT,
    Sentence,
    last_ids,
    prompt_of_ids,
    prompt_of_text,
)
from core.tokenizers.library import LibraryTokenizer
from tests.helpers.bundles import tiny_tokenizer
from tests.helpers.trained_tokenizers import content_of

SMILEY = tuple("🙂".encode())


def of_ids(*ids):
    return prompt_of_ids(ids, tiny_tokenizer(), specials=False)


@pytest.fixture
def sentence():
    sentence = Sentence()
    sentence.read_with(tiny_tokenizer(), specials=False)
    sentence.type("the cat")
    return sentence


def test_ids_that_typing_gives_have_the_words_and_merges_of_typing():
    typed = prompt_of_text("the cat sat", tiny_tokenizer(), specials=False)
    assert of_ids(*typed.ids).encoding == typed.encoding


def test_ids_that_typing_does_not_give_are_kept_as_they_are():
    assert of_ids(*b"the cat").ids == tuple(b"the cat")
    assert of_ids(*b"the cat").text == "the cat"


@pytest.mark.parametrize("n_bytes", [1, 2, 3])
def test_an_unfinished_character_is_not_shown(n_bytes):
    prompt = of_ids(65, *SMILEY[:n_bytes])
    assert (prompt.text, prompt.n) == ("A", 1 + n_bytes)
    assert of_ids(65, *SMILEY, 33).text == "A🙂!"


def test_the_last_ids_do_not_begin_inside_a_character():
    encoding = of_ids(*SMILEY, 65, *SMILEY, 66).encoding
    assert last_ids(encoding, 5) == (*SMILEY, 66)
    assert last_ids(encoding, 4) == (66,)
    assert last_ids(encoding, 99) == encoding.ids


def test_tokens_wait_for_a_tokenizer():
    sentence = Sentence()
    sentence.type("the cat")
    assert not sentence.is_settled
    sentence.read_with(tiny_tokenizer(), specials=False)
    assert sentence.is_settled
    assert sentence.prompt.ids == tiny_tokenizer().encode("the cat").ids


def test_a_long_text_is_settled_by_the_worker(sentence):
    text = "a" * (LONG_TEXT + 1)
    sentence.type(text)
    assert (sentence.text, sentence.is_settled) == (text, False)
    sentence.settle(text, tiny_tokenizer().encode(text))
    assert sentence.is_settled


@pytest.mark.parametrize("kind", ["llama3", "llama2", "smollm", "roberta"])
def test_what_is_put_around_a_text_is_not_shown_in_it(kind):
    tokenizer = LibraryTokenizer(content_of(kind))
    typed = tokenizer.encode("the cat")
    prompt = prompt_of_ids(typed.ids, tokenizer, specials=False)
    assert prompt.text == "the cat"
    assert prompt.encoding == typed


@pytest.mark.parametrize("kind", ["llama3", "llama2", "smollm"])
def test_a_token_is_added_behind_the_text(kind):
    tokenizer = LibraryTokenizer(content_of(kind))
    added = tokenizer.encode(" cat").ids[-1]
    ids = (*tokenizer.encode("the").ids, added)
    prompt = prompt_of_ids(ids, tokenizer, specials=False)
    assert prompt.ids == ids
    assert prompt.text == "the" + tokenizer.token_bytes(added).decode()
