"""What a decoder reads: a start token, then the target text and nothing else."""

import json

import pytest

from core.errors import TokenizerError
from core.tokenizers.library import LibraryTokenizer
from core.tokenizers.recorded import encoding_of_table, table_of
from core.tokenizers.target import (
    TokenizerPair,
    begun_with,
    target_encoding,
    target_encoding_of,
    without_added,
)
from tests.helpers.trained_tokenizers import content_of

TEXTS = ("the cat plays", " café  🙂!", "x", "a</s>b")
KINDS = ("t5", "roberta", "bert", "llama3")


def ours(kind: str) -> LibraryTokenizer:
    return LibraryTokenizer(content_of(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", TEXTS)
def test_tokens_around_a_text_are_taken_off_and_nothing_else(
    kind: str, text: str
) -> None:
    encoding = ours(kind).encode(text, specials=True)
    plain = without_added(encoding)
    stay = [piece for piece in encoding.pieces if not piece.is_added]
    assert plain.ids == tuple(piece.id for piece in stay)
    assert [p.char_span for p in plain.pieces] == [p.char_span for p in stay]
    assert [plain.words[p.word] for p in plain.pieces] == [
        encoding.words[p.word] for p in stay
    ]
    assert len(plain.words) == len({piece.word for piece in stay})
    assert without_added(plain) == plain


@pytest.mark.parametrize("kind", KINDS)
def test_the_start_stands_in_front_and_is_nobodys_text(kind: str) -> None:
    tokenizer = ours(kind)
    start_id = max(tokenizer.specials.values())
    encoding = target_encoding(tokenizer, "the cat", start_id)
    start, *others = encoding.pieces
    assert (start.id, start.byte_span, start.char_span) == (start_id, (0, 0), (0, 0))
    assert (start.word, start.is_added, start.is_special) == (0, True, True)
    assert encoding.words[0].symbols == (start.data,)
    plain = without_added(tokenizer.encode("the cat"))
    assert encoding.ids[1:] == plain.ids
    assert [encoding.words[p.word] for p in others] == [
        plain.words[p.word] for p in plain.pieces
    ]
    assert without_added(encoding) == plain
    assert tokenizer.decode(encoding.ids[1:]) == "the cat"


def test_an_empty_target_is_the_start_alone() -> None:
    encoding = target_encoding(ours("t5"), "", 0)
    assert (encoding.ids, len(encoding.words)) == ((0,), 1)


def test_specials_in_a_target_are_read_where_they_are_asked_for() -> None:
    tokenizer = ours("roberta")
    end = tokenizer.specials["</s>"]
    assert end in target_encoding(tokenizer, "a</s>b", end, specials=True).ids[1:]
    assert end not in target_encoding(tokenizer, "a</s>b", end).ids[1:]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_lead_to_the_encoding_behind_their_first(kind: str) -> None:
    tokenizer = ours(kind)
    start_id = min(tokenizer.specials.values())
    ids = target_encoding(tokenizer, "the cat plays", start_id).ids
    again = target_encoding_of(tokenizer, ids)
    assert again.ids == ids
    assert again.text == tokenizer.decode(ids[1:])
    assert (again.pieces[0].char_span, again.pieces[0].is_added) == ((0, 0), True)
    assert target_encoding_of(tokenizer, ()).ids == ()


def test_an_encoding_with_a_start_is_kept_in_a_file() -> None:
    encoding = target_encoding(ours("t5"), "the 🙂 cat", 0)
    assert encoding_of_table(json.loads(json.dumps(table_of(encoding)))) == encoding


def test_a_start_that_is_no_token_is_refused() -> None:
    tokenizer = ours("t5")
    with pytest.raises(TokenizerError, match="No token has the id 7000"):
        begun_with(tokenizer.encode("a"), 7000, tokenizer)


def test_a_pair_of_one_tokenizer_says_so() -> None:
    one, other = ours("t5"), ours("t5")
    assert TokenizerPair(one, one).is_one
    assert not TokenizerPair(one, other).is_one
