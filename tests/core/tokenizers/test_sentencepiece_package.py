"""Whole texts against SentencePiece itself; what it read is kept with the models."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer as Oracle

from core.tokenizers.base import Encoding, Word
from core.tokenizers.folder import open_tokenizer, save_tokenizer
from core.tokenizers.sentencepiece_tokenizer import SentencePieceTokenizer
from core.tokenizers.ways import Arc, History, Lattice
from tests.helpers.sentencepiece_models import MODELS, folder_with, rows_of

models = pytest.mark.parametrize("name", MODELS)


def opened(name: str, folder: Path) -> SentencePieceTokenizer:
    tokenizer = open_tokenizer(folder_with(name, folder))
    assert isinstance(tokenizer, SentencePieceTokenizer)
    return tokenizer


@models
def test_ids_are_those_of_the_package(name: str, tmp_path: Path) -> None:
    tokenizer = opened(name, tmp_path)
    for text, _, ids in rows_of(name):
        assert (text, list(tokenizer.encode(text).ids)) == (text, ids)
        assert tokenizer.encode_corpus(text).tolist() == ids


@models
def test_a_text_is_read_as_the_package_reads_it(name: str, tmp_path: Path) -> None:
    tokenizer = opened(name, tmp_path)
    for text, read, _ in rows_of(name):
        assert (text, tokenizer._reader.read(text).text) == (text, read)


@models
def test_every_way_ends_at_the_pieces_of_its_word(name: str, tmp_path: Path) -> None:
    tokenizer = opened(name, tmp_path)
    has_bytes = name.endswith("bytes")
    for text, *_ in rows_of(name):
        encoding = tokenizer.encode(text)
        for word in encoding.words:
            assert end_of(word, has_bytes) == spelt(encoding, word)


def spelt(encoding: Encoding, word: Word) -> list[bytes]:
    """The pieces of a word; what has none is "?"."""
    own = [piece for piece in encoding.pieces if encoding.words[piece.word] is word]
    return joined([b"?" if piece.is_stand_in else piece.data for piece in own])


def end_of(word: Word, has_bytes: bool) -> list[bytes]:
    """The same by its way."""
    way = word.history()
    if isinstance(way, Lattice):
        return joined([part for arc in way.path for part in parts_of(arc, has_bytes)])
    assert isinstance(way, History)
    symbols = way.merges[-1].symbols if way.merges else word.start
    known = set(word.symbols)
    return joined([symbol if symbol in known else b"?" for symbol in symbols])


def parts_of(arc: Arc, has_bytes: bool) -> list[bytes]:
    if not arc.is_stand_in:
        return [arc.data]
    return [bytes([byte]) for byte in arc.data] if has_bytes else [b"?"]


def joined(parts: list[bytes]) -> list[bytes]:
    return [
        part
        for place, part in enumerate(parts)
        if part != b"?" or parts[place - 1 : place] != [b"?"]
    ]


@models
def test_pieces_stand_in_the_text_one_behind_the_other(
    name: str, tmp_path: Path
) -> None:
    tokenizer = opened(name, tmp_path)
    for text, *_ in rows_of(name):
        encoding = tokenizer.encode(text)
        data, place = text.encode(), 0
        for piece in encoding.pieces:
            start, stop = piece.char_span
            assert place <= start <= stop <= len(text)
            place = start
            first, last = piece.byte_span
            assert data[first:last] in text[start:stop].encode()
            if piece.part is not None:
                assert data[first:last] == piece.data


@models
def test_a_saved_one_is_the_same(name: str, tmp_path: Path) -> None:
    tokenizer = opened(name, tmp_path)
    again = open_tokenizer(save_tokenizer(tokenizer, tmp_path))
    assert again.fingerprint == tokenizer.fingerprint
    for text, _, ids in rows_of(name):
        assert list(again.encode(text).ids) == ids


@pytest.mark.parametrize("name", ["unigram", "unigram_bytes", "bpe_bytes"])
def test_a_saved_one_opens_in_the_package_tokenizers(name: str, tmp_path: Path) -> None:
    tokenizer = opened(name, tmp_path)
    other = Oracle.from_file(str(save_tokenizer(tokenizer, tmp_path)))
    for text in ("the cat", "fish and chips", "she's 12345 years old"):
        assert other.encode(text).ids == list(tokenizer.encode(text).ids)


def test_typed_names_of_special_pieces_are_characters_unless_asked_for(
    tmp_path: Path,
) -> None:
    tokenizer = opened("unigram", tmp_path)
    plain = tokenizer.encode("a</s>")
    assert not any(piece.is_special for piece in plain.pieces)
    last = tokenizer.encode("a</s>", specials=True).pieces[-1]
    assert (last.label, last.id, last.char_span) == ("</s>", 2, (1, 5))


def test_what_its_maker_defined_is_never_cut(tmp_path: Path) -> None:
    for name in ("unigram_kept", "bpe"):
        encoding = opened(name, tmp_path).encode("x<tool>the")
        assert [p.label for p in encoding.pieces[-2:]] == ["<tool>", "the"]
        assert encoding.pieces[-2].char_span == (1, 7)


def test_a_letter_that_is_read_as_several_words_is_shared_by_them(
    tmp_path: Path,
) -> None:
    encoding = opened("unigram", tmp_path).encode("a ½")
    last = [piece for piece in encoding.pieces if piece.char_span == (2, 3)]
    assert [word.data for word in encoding.words[1:]] == [b" 1/2"]
    assert b"".join(p.data for p in last) in (b"1/2", b" 1/2", b"1<unk>2")
    assert encoding.normalised == "a 1/2"
