"""Character tokens: what is learned, cut, kept on disk, and refused (R03, R06, R11)."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer as OtherTokenizer

from core.errors import TokenizerError
from core.tokenizers.base import UNKNOWN, unknown_note
from core.tokenizers.bpe_training import END_OF_TEXT
from core.tokenizers.folder import TOKENIZER_FILE, open_tokenizer, save_tokenizer
from core.tokenizers.simple import CharacterTokenizer, learn_characters

MIXED = "naïve\r\n日本 🙂👩‍👩‍👧 x\u0301\x00"


@pytest.fixture
def abc() -> CharacterTokenizer:
    return learn_characters(["abcabc"])


def test_ids_follow_the_code_points(abc: CharacterTokenizer) -> None:
    assert dict(abc.characters) == {"a": 0, "b": 1, "c": 2}
    assert (abc.n_vocab, abc.encode("cab").ids) == (3, (2, 0, 1))


def test_one_letter_gives_a_vocabulary_of_one() -> None:
    tokenizer = learn_characters(["a" * 1000])
    assert tokenizer.n_vocab == 1
    assert set(tokenizer.encode_corpus("aaa").tolist()) == {0}


def test_kept_line_ends_are_characters() -> None:
    unix, windows = learn_characters(["ab\nab\n"]), learn_characters(["ab\r\nab\r\n"])
    assert (unix.n_vocab, windows.n_vocab) == (3, 4)
    assert [piece.label for piece in windows.encode("\r\n").pieces] == ["⟨CR⟩", "↵"]


def test_a_special_token_is_learned_only_where_it_stands() -> None:
    tokenizer = learn_characters([f"ab{END_OF_TEXT}", "b"])
    assert dict(tokenizer.characters) == {"a": 0, "b": 1}
    assert dict(tokenizer.specials) == {END_OF_TEXT: 2}
    text = f"a{END_OF_TEXT}b"
    assert tokenizer.encode(text, specials=True).ids == (0, 2, 1)
    assert tokenizer.encode(text, specials=True).pieces[1].is_special
    assert tokenizer.encode_corpus(text, specials=True).tolist() == [0, 2, 1]


def test_a_special_torn_by_blocks_is_one_token() -> None:
    tokenizer = learn_characters([f"ab{END_OF_TEXT}"])
    blocks = ["a<|endof", "text|>b"]
    ids = [i for part in tokenizer.encode_blocks(blocks, specials=True) for i in part]
    assert ids == [0, 2, 1]


def test_pieces_are_code_points_and_tile_the_text() -> None:
    tokenizer = learn_characters([MIXED])
    encoding = tokenizer.encode(MIXED)
    assert [piece.data.decode() for piece in encoding.pieces] == list(MIXED)
    assert [piece.char_span for piece in encoding.pieces] == [
        (place, place + 1) for place in range(len(MIXED))
    ]
    assert b"".join(word.data for word in encoding.words) == MIXED.encode()
    assert tokenizer.decode(encoding.ids) == MIXED
    assert encoding.brackets == ()


def test_a_corpus_has_the_ids_of_the_sentence() -> None:
    tokenizer = learn_characters([MIXED])
    assert tuple(tokenizer.encode_corpus(MIXED)) == tokenizer.encode(MIXED).ids
    assert tokenizer.encode_corpus("").size == 0


def test_words_are_those_of_bpe_and_have_no_merges() -> None:
    encoding = learn_characters(["the cat"]).encode("the cat")
    assert [word.data for word in encoding.words] == [b"the", b" cat"]
    assert all(word.merges == () for word in encoding.words)
    assert encoding.words[0].symbols == (b"t", b"h", b"e")


def test_unknown_characters_are_pieces_without_an_id(abc: CharacterTokenizer) -> None:
    encoding = abc.encode("abd?d")
    assert encoding.ids == (0, 1, UNKNOWN, UNKNOWN, UNKNOWN)
    assert (encoding.unknown, encoding.known_ids) == (("d", "?"), (0, 1))
    assert b"".join(piece.data for piece in encoding.pieces) == b"abd?d"
    assert unknown_note(encoding, abc) == "not in this model's 3 characters: d ?"
    assert unknown_note(abc.encode("cab"), abc) == ""


def test_of_many_unknown_characters_the_first_are_named() -> None:
    tokenizer = learn_characters(["-"])
    note = unknown_note(tokenizer.encode("abcdefghijklmnop"), tokenizer)
    assert note == (
        "not in this model's 1 character: a b c d e f g h i j k l and 4 more"
    )


def test_half_a_surrogate_pair_is_unknown(abc: CharacterTokenizer) -> None:
    assert abc.encode("a\ud83d").ids == (0, UNKNOWN)


@pytest.mark.parametrize("stranger", ["d", "🙂", "\ud83d"])
def test_a_corpus_with_an_unknown_character_is_refused(
    abc: CharacterTokenizer, stranger: str
) -> None:
    with pytest.raises(TokenizerError, match="tokenizer does not know: "):
        abc.encode_corpus(f"ab{stranger}")


def test_an_empty_text_teaches_no_characters() -> None:
    with pytest.raises(TokenizerError, match="empty text"):
        learn_characters(["", ""])


def test_a_token_of_two_characters_is_refused() -> None:
    with pytest.raises(TokenizerError, match="ab is not one character"):
        CharacterTokenizer({"ab": 0})


def test_the_fingerprint_follows_the_characters(abc: CharacterTokenizer) -> None:
    assert abc.fingerprint == learn_characters(["cba"]).fingerprint
    others = (learn_characters(["abd"]), CharacterTokenizer({"b": 0, "a": 1, "c": 2}))
    assert abc.fingerprint not in {other.fingerprint for other in others}


@pytest.mark.parametrize("text", ["abc", MIXED, f"ab{END_OF_TEXT}c"])
def test_a_file_gives_the_same_tokenizer_back(tmp_path: Path, text: str) -> None:
    tokenizer = learn_characters([text])
    save_tokenizer(tokenizer, tmp_path)
    opened = open_tokenizer(tmp_path)
    assert isinstance(opened, CharacterTokenizer)
    assert opened.fingerprint == tokenizer.fingerprint


@pytest.mark.parametrize("text", ["abc", MIXED, f"ab\n\n{END_OF_TEXT}c"])
def test_the_file_gives_the_same_ids_in_tokenizers(tmp_path: Path, text: str) -> None:
    tokenizer = learn_characters([text])
    other = OtherTokenizer.from_file(str(save_tokenizer(tokenizer, tmp_path)))
    ids = other.encode(text).ids
    assert tuple(ids) == tokenizer.encode(text, specials=True).ids
    assert other.decode(ids, skip_special_tokens=False) == text


def test_tokenizers_refuses_what_the_file_does_not_know(
    abc: CharacterTokenizer, tmp_path: Path
) -> None:
    other = OtherTokenizer.from_file(str(save_tokenizer(abc, tmp_path)))
    with pytest.raises(Exception, match="Missing"):
        other.encode("abd")


def test_words_split_otherwise_are_refused(
    abc: CharacterTokenizer, tmp_path: Path
) -> None:
    path = save_tokenizer(abc, tmp_path)
    content = json.loads(path.read_text())
    content["pre_tokenizer"] = {"type": "Whitespace"}
    (tmp_path / TOKENIZER_FILE).write_text(json.dumps(content))
    with pytest.raises(TokenizerError, match="pre_tokenizer"):
        open_tokenizer(tmp_path)
