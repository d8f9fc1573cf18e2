"""Heads of GGUF files: every value as written, and each damage told in a sentence."""

import pytest

from core.checkpoints.gguf_families import gguf_family
from core.checkpoints.gguf_header import read_header
from core.checkpoints.gguf_tokens import end_ids, read_tokens
from core.errors import CheckpointError
from tests.helpers.bundles import tiny_tokenizer
from tests.helpers.gguf import byte_level_settings, save_tiny, write_gguf

VALUES = {"a.b": 7, "eps": 1e-5, "on": True, "name": "né", "list": ["x", "", "yy"]}


def test_every_kind_of_setting_is_read_as_it_was_written(tmp_path):
    header = read_header(write_gguf(tmp_path / "a.gguf", VALUES))
    assert header.values == VALUES
    assert not header.tensors


def test_a_small_number_in_32_bits_is_the_one_that_was_meant(tmp_path):
    header = read_header(write_gguf(tmp_path / "a.gguf", {"eps": 1e-6}))
    assert header.values["eps"] == 1e-6


def test_shapes_are_as_numpy_has_them_and_places_from_the_start_of_the_file(tmp_path):
    tensors = {"a": ((1, 3), 0, b"\1" * 12), "b": ((2,), 0, b"\2" * 8)}
    path = write_gguf(tmp_path / "a.gguf", VALUES, tensors)
    found = read_header(path).tensors
    data = path.read_bytes()
    assert found["a"].shape == (1, 3)
    assert data[found["a"].start :][:12] == b"\1" * 12
    assert data[found["b"].start :][:8] == b"\2" * 8


def test_a_file_cut_off_anywhere_in_its_head_is_refused_in_a_sentence(tmp_path):
    path = write_gguf(tmp_path / "a.gguf", VALUES, {"t": ((2,), 0, b"\0" * 8)})
    whole = path.read_bytes()
    n_head = read_header(path).tensors["t"].start
    for n in range(0, n_head - 32, 3):
        path.write_bytes(whole[:n])
        with pytest.raises(CheckpointError, match=r"a\.gguf.*\.$"):
            read_header(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\3\4" + b"\0" * 40, "does not begin with GGUF"),
        (b"GGUF\1\0\0\0" + b"\0" * 16, "version 1"),
        (b"GGUF\3\0\0\0" + b"\xff" * 16, "ends too early"),
        (b"", "empty"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path, data, words):
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(CheckpointError, match=words):
        read_header(tmp_path / "a.gguf")


def test_an_unknown_architecture_is_refused_by_name(tmp_path):
    path = write_gguf(tmp_path / "a.gguf", {"general.architecture": "mamba"})
    with pytest.raises(CheckpointError, match=r"'mamba' is not known here; llama"):
        gguf_family(read_header(path))


@pytest.mark.parametrize("key", ["expert_count", "attention.sliding_window"])
def test_a_setting_that_changes_the_computation_is_refused_by_name(tmp_path, key):
    path = save_tiny(tmp_path / "a.gguf")
    header = read_header(path)
    changed = write_gguf(tmp_path / "b.gguf", {**header.values, f"llama.{key}": 8})
    with pytest.raises(CheckpointError, match=rf"llama\.{key} = 8"):
        gguf_family(header).fields(read_header(changed))


# The tokenizer.


def test_a_byte_level_tokenizer_gives_the_ids_of_the_one_it_was_made_from(tmp_path):
    path = write_gguf(tmp_path / "a.gguf", byte_level_settings())
    theirs, ours = read_tokens(read_header(path)), tiny_tokenizer()
    for text in ("the cat sat", "a 🙂 mat\n\nDON'T", "<|endoftext|>"):
        for specials in (False, True):
            found = theirs.encode(text, specials=specials)
            assert found.ids == ours.encode(text, specials=specials).ids
            assert theirs.decode(found.ids) == text


def test_an_unknown_way_of_splitting_is_refused_by_name(tmp_path):
    values = {**byte_level_settings(), "tokenizer.ggml.pre": "tekken"}
    path = write_gguf(tmp_path / "a.gguf", values)
    with pytest.raises(CheckpointError, match="tekken"):
        read_tokens(read_header(path))


def test_a_missing_way_of_splitting_is_said_to_be_assumed(tmp_path):
    values = byte_level_settings()
    del values["tokenizer.ggml.pre"]
    path = write_gguf(tmp_path / "a.gguf", values)
    assert "split as GPT-2" in " ".join(read_tokens(read_header(path)).notes)


SENTENCEPIECE = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": [
        *("<unk>", "<s>", "</s>"),
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *("▁", "a", "b", "ab", "▁a", "ba", "▁ab"),
    ],
    "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256, *[1] * 7],
    "tokenizer.ggml.scores": [
        *[0.0] * 259,
        *(-9.0, -8.0, -7.0, -1.0, -2.0, -3.0, -4.0),
    ],
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
}


def test_scores_decide_which_neighbours_join_first(tmp_path):
    """ab (-1) before ▁a (-2) before ▁ab; "baa" has ba (-3) after ▁."""
    tokenizer = read_tokens(read_header(write_gguf(tmp_path / "a.gguf", SENTENCEPIECE)))
    assert tokenizer.encode("ab").ids == (1, 265)
    assert tokenizer.encode("aab").ids == (1, 263, 262)
    assert tokenizer.encode("é").ids == (1, 259, 3 + 0xC3, 3 + 0xA9)
    assert tokenizer.decode(tokenizer.encode("ab é").ids) == "ab é"


def test_a_file_that_wants_no_start_and_no_space_gets_none(tmp_path):
    values = {
        **SENTENCEPIECE,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
    }
    path = write_gguf(tmp_path / "a.gguf", values)
    assert read_tokens(read_header(path)).encode("ab").ids == (262,)


@pytest.mark.parametrize(
    ("told", "ids"),
    [
        ({}, ()),
        ({"eos_token_id": 2}, (2,)),
        ({"eos_token_id": 2, "eot_token_id": 7}, (2, 7)),
        ({"eos_token_id": 2, "eot_token_id": 2}, (2,)),
    ],
)
def test_the_tokens_that_end_a_text_are_those_that_the_file_names(tmp_path, told, ids):
    settings = {f"tokenizer.ggml.{name}": value for name, value in told.items()}
    values = {"general.architecture": "llama", **byte_level_settings(), **settings}
    header = read_header(write_gguf(tmp_path / "tiny.gguf", values))
    assert end_ids(header) == ids
