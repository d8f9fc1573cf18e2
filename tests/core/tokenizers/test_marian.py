"""Marian's folders against `transformers`; what it read is kept with the models."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.errors import TokenizerError
from core.tokenizers.folder import open_tokenizer, open_tokenizers, save_tokenizer
from core.tokenizers.target import target_encoding
from core.tokenizers.ways import History, Lattice
from tests.helpers.sentencepiece_models import MARIAN, rows_of
from tests.helpers.trained_tokenizers import content_of

IDS: dict[str, int] = json.loads((MARIAN / "vocab.json").read_text(encoding="utf-8"))
TARGET_IDS: dict[str, int] = json.loads(
    (MARIAN / "target_vocab.json").read_text(encoding="utf-8")
)


def folder_of(path: Path, **config: Any) -> Path:
    """The folder, with another configuration."""
    folder = path / "marian"
    shutil.copytree(MARIAN, folder)
    told = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**told, **config}))
    return folder


def test_both_sides_have_the_ids_of_transformers() -> None:
    pair = open_tokenizers(MARIAN)
    for text, source, target in rows_of("marian"):
        read = pair.source.encode(text, specials=True)
        assert (text, list(read.ids)) == (text, source)
        assert list(pair.target.encode(text, specials=True).ids) == target
    assert not pair.is_one
    assert pair.source.n_vocab == pair.target.n_vocab == len(IDS)


def test_a_folder_alone_is_read_as_its_source() -> None:
    ids = open_tokenizers(MARIAN).source.encode("the cat").ids
    assert open_tokenizer(MARIAN).encode("the cat").ids == ids


def test_a_table_of_the_target_gives_its_own_ids(tmp_path: Path) -> None:
    pair = open_tokenizers(folder_of(tmp_path, separate_vocabs=True))
    names = {token_id: name for name, token_id in IDS.items()}
    assert pair.target.n_vocab == len(TARGET_IDS) < pair.source.n_vocab
    for text, source, target in rows_of("marian"):
        assert list(pair.source.encode(text, specials=True).ids) == source
        # one piece may be the text of several that only the other language has
        if all(names[token_id] in TARGET_IDS for token_id in target):
            expected = [TARGET_IDS[names[token_id]] for token_id in target]
            assert list(pair.target.encode(text, specials=True).ids) == expected


def test_a_language_in_front_is_one_token_of_its_own() -> None:
    encoding = open_tokenizer(MARIAN).encode(">>fra<< the cat")
    code = encoding.pieces[0]
    assert (code.label, code.char_span) == (">>fra<<", (0, 7))
    assert (code.is_special, code.is_added) == (True, False)
    assert encoding.pieces[1].char_span[0] == 8
    inside = open_tokenizer(MARIAN).encode("the >>fra<<").ids
    assert IDS[">>fra<<"] not in inside


def test_a_language_that_the_model_has_not_is_unknown() -> None:
    encoding = open_tokenizer(MARIAN).encode(">>xxx<< a")
    code = encoding.pieces[0]
    assert (code.id, code.is_stand_in, code.char_span) == (IDS["<unk>"], True, (0, 7))
    way = encoding.words[0].history()
    assert isinstance(way, History)
    assert "one token" in way.reason


def test_a_piece_that_the_table_lacks_is_unknown_in_the_path_too() -> None:
    encoding = open_tokenizer(MARIAN).encode("x's")
    word = encoding.words[0]
    way = word.history()
    assert isinstance(way, Lattice)
    lacking = [arc for arc in way.path if arc.data == b"s"]
    assert [arc.is_stand_in for arc in lacking] == [True]
    assert encoding.pieces[-2].id == IDS["<unk>"]
    assert encoding.pieces[-2].is_stand_in


def test_a_text_comes_back_from_its_ids() -> None:
    pair = open_tokenizers(MARIAN)
    for tokenizer, text in ((pair.source, "the cat played"), (pair.target, "chien")):
        encoding = tokenizer.encode(text)
        assert encoding.ids[-1] == IDS["</s>"]
        assert encoding.pieces[-1].is_added
        assert tokenizer.decode(encoding.ids) == text
        assert tokenizer.encoding_of(encoding.ids).ids == encoding.ids


def test_a_target_begins_with_the_last_id_and_has_no_end() -> None:
    tokenizer = open_tokenizers(MARIAN).target
    start_id = IDS["<pad>"]
    encoding = target_encoding(tokenizer, "le chat", start_id)
    assert encoding.ids == (start_id, *tokenizer.encode("le chat").ids[:-1])
    assert start_id == tokenizer.n_vocab - 1


def test_what_is_done_to_a_text_is_said() -> None:
    notes = open_tokenizer(MARIAN).notes
    assert "Puts </s> behind." in notes
    assert any(">>fra<<" in note for note in notes)


def test_a_table_without_an_end_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "vocab.json").write_text('{"<unk>": 0}')
    with pytest.raises(TokenizerError, match=r"vocab\.json has no '</s>'"):
        open_tokenizers(folder)


@pytest.mark.parametrize("table", ['{"</s>": 0, "<unk>": -1}', "[]", '{"</s>": "x"'])
def test_a_damaged_table_is_refused_by_name(tmp_path: Path, table: str) -> None:
    folder = folder_of(tmp_path)
    (folder / "vocab.json").write_text(table)
    with pytest.raises(TokenizerError, match=r"vocab\.json"):
        open_tokenizers(folder)


def test_a_missing_table_of_the_target_is_told(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, separate_vocabs=True)
    (folder / "target_vocab.json").unlink()
    with pytest.raises(TokenizerError, match=r"target_vocab\.json cannot be read"):
        open_tokenizers(folder)


def test_an_id_of_two_pieces_is_refused_since_one_would_be_shown_as_the_other(
    tmp_path: Path,
) -> None:
    folder = folder_of(tmp_path)
    first, *_, last = IDS
    (folder / "vocab.json").write_text(json.dumps({**IDS, last: IDS[first]}))
    words = rf"vocab\.json is damaged: the id {IDS[first]} is that of '{first}' and of"
    with pytest.raises(TokenizerError, match=words):
        open_tokenizers(folder)


def test_a_damaged_model_is_refused_by_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "target.spm").write_bytes(b"\xff" * 20)
    with pytest.raises(TokenizerError, match=r"target\.spm is damaged"):
        open_tokenizers(folder)


def test_it_is_not_written_into_one_file(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="copy its folder"):
        save_tokenizer(open_tokenizer(MARIAN), tmp_path)


def test_a_folder_with_one_tokenizer_has_the_same_for_both(tmp_path: Path) -> None:
    content = json.dumps(content_of("t5"))
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    assert open_tokenizers(tmp_path).is_one
