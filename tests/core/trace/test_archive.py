"""A trace as one file: the same numbers come back; what cannot be read is refused."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from core import npz, read_trace, save_trace
from core.errors import CheckpointError, MissingWeightError, TokenizerError
from core.pipeline import run_trace
from core.trace import archive
from core.trace.archive import archive_bytes, open_archive, stored_steps
from core.trace.edits import Edit
from tests.helpers.bundles import tiny_bundle

TEXT = "the cat <b>\n שלום 🤖"
CONFIGS = (
    {},
    {"position": "rotary", "n_kv_heads": 1, "gated": True, "activation": "silu"},
    {"norm_place": "post", "tie_embeddings": False, "bias": False, "norm": "rms_norm"},
)


class StopError(Exception):
    """What a watcher raises."""


def saved(folder: Path, *, is_compact: bool = False, edits=(), **config) -> tuple:
    bundle = tiny_bundle(**config)
    trace = run_trace(bundle, TEXT, edits=edits)
    file = folder / "x.npz"
    save_trace(trace, file, bundle.tokenizer, name="tiny", is_compact=is_compact)
    return trace, file


@pytest.mark.parametrize("is_compact", [False, True])
@pytest.mark.parametrize("config", CONFIGS)
def test_every_step_comes_back_to_the_last_bit(tmp_path, config, is_compact):
    trace, file = saved(tmp_path, is_compact=is_compact, **config)
    again = read_trace(file)
    assert again.keys == trace.keys
    for step in trace.steps:
        if step.axes:
            np.testing.assert_array_equal(again[step.key], trace[step.key], step.key)
    for given in ("positions", "mask"):
        np.testing.assert_array_equal(again.part(given), trace.part(given))


def test_the_tokens_come_back_with_their_words_and_merges(tmp_path):
    trace, file = saved(tmp_path)
    again = read_trace(file)
    assert again.encoding.pieces == trace.encoding.pieces
    assert again.text == TEXT
    for key in ("tokens.pieces", "tokens.merges"):
        assert again[key] == trace[key]
    pairs = zip(again.encoding.words, trace.encoding.words, strict=True)
    assert all(word.n_steps == other.n_steps for word, other in pairs)


def test_numpy_alone_can_read_the_file(tmp_path):
    trace, file = saved(tmp_path)
    with np.load(file, allow_pickle=False) as arrays:
        about = json.loads(str(arrays["trace"]))
        pattern = arrays["layers.1.attn.pattern"]
    np.testing.assert_array_equal(pattern, trace["layers.1.attn.pattern"])
    assert about["steps"][-1] == {"key": "output.pick", "axes": ["n"]}
    assert [piece["id"] for piece in about["tokens"]["pieces"]] == list(trace.ids)


def test_a_step_too_large_for_one_go_is_written_place_by_place(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "WHOLE_BYTES", 64)
    trace, file = saved(tmp_path)
    again = read_trace(file)
    for key in ("layers.0.attn.pattern", "output.logits", "embed.sum"):
        np.testing.assert_allclose(again[key], trace[key], atol=1e-6)


def test_a_large_file_is_mapped_and_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "MAPPED_FROM", 0)
    trace, file = saved(tmp_path)
    key = "layers.0.attn.pattern"
    array = npz.read_arrays(file)[key]
    assert isinstance(array, np.memmap)
    assert array.offset % npz.ALIGNMENT == 0
    np.testing.assert_array_equal(read_trace(file)[key], trace[key])


def test_steps_that_need_no_weight_are_left_out_of_a_compact_file():
    trace = run_trace(tiny_bundle(), TEXT)
    left_out = set(trace.keys) - {s.key for s in stored_steps(trace, is_compact=True)}
    assert {"layers.0.attn.pattern", "layers.0.ffn.active", "output.probs"} <= left_out
    assert not {"layers.0.attn.q", "layers.0.ffn.out", "embed.sum"} & left_out
    assert archive_bytes(trace, is_compact=True) < archive_bytes(trace)


def test_what_needs_no_weight_is_explained_and_proven(tmp_path):
    _, file = saved(tmp_path)
    explanation = read_trace(file).explain("layers.1.attn.pattern", (1, 3, 2))
    assert explanation.op == "softmax"
    assert abs(explanation.difference) < 1e-6


def test_what_needs_a_weight_says_which_one_is_missing(tmp_path):
    _, file = saved(tmp_path)
    trace = read_trace(file)
    explanation = trace.explain("layers.0.attn.q", (1, 2, 3))
    assert explanation.recorded == trace.value("layers.0.attn.q", (1, 2, 3))
    assert "layers.0.attn.W_Q is not in the trace file" in explanation.note
    with pytest.raises(MissingWeightError, match=r"embed\.W_E .* open the model"):
        trace.part("embed.W_E", (0,))


def test_edits_are_remembered(tmp_path):
    edit = Edit("layers.0.attn.pattern", (1, None, 0), 0.5)
    trace, file = saved(tmp_path, is_compact=True, edits=[edit])
    again = read_trace(file)
    assert again.edits == (edit,)
    assert again.value("layers.0.attn.pattern", (1, 3, 0)) == 0.5
    np.testing.assert_array_equal(again["output.logits"], trace["output.logits"])


def test_the_files_tokenizer_knows_every_id_and_one_text(tmp_path):
    _, file = saved(tmp_path)
    known, tokenizer = open_archive(file).tokenizer, tiny_bundle().tokenizer
    labels = [known.label(i) for i in range(tokenizer.n_vocab)]
    assert labels == [tokenizer.label(i) for i in range(tokenizer.n_vocab)]
    assert known.encode(TEXT).ids == tokenizer.encode(TEXT).ids
    with pytest.raises(TokenizerError, match="open a model"):
        known.encode("another text")


def test_writing_can_be_watched_and_stopped_without_leaving_a_file(tmp_path):
    bundle, told = tiny_bundle(), []
    trace = run_trace(bundle, TEXT)
    save_trace(
        trace, tmp_path / "a.npz", bundle.tokenizer, watch=lambda *b: told.append(b)
    )
    assert told[-1][0] == told[-1][1] == archive_bytes(trace)

    def stop(n_done: int, n_bytes: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        save_trace(trace, tmp_path / "b.npz", bundle.tokenizer, watch=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


# Refusals.


def rewritten(file: Path, name: str, content: bytes) -> None:
    """Replace one member of the file, as another program might."""
    with zipfile.ZipFile(file) as old:
        members = {each: old.read(each) for each in old.namelist()}
    members[name] = content
    with zipfile.ZipFile(file, "w") as new:
        for each, data in members.items():
            new.writestr(each, data)


def npy_text(text: str) -> bytes:
    stream = BytesIO()
    np.save(stream, np.array(text), allow_pickle=False)
    return stream.getvalue()


def test_a_cut_or_changed_file_is_refused_in_one_sentence(tmp_path):
    _, file = saved(tmp_path)
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for damaged in (b"", whole[:100], whole[:-30], flipped, b"PK" + whole[2:-200]):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="is damaged or was not written"):
            read_trace(file)


def test_a_missing_file_and_a_foreign_one_are_told_apart(tmp_path):
    with pytest.raises(CheckpointError, match="could not be read"):
        read_trace(tmp_path / "none.npz")
    file = tmp_path / "other.npz"
    np.savez(file, trace=np.array('{"format": "something"}'))
    with pytest.raises(CheckpointError, match="no trace that this program saved"):
        read_trace(file)


def test_a_newer_file_names_its_format(tmp_path):
    _, file = saved(tmp_path)
    rewritten(
        file, "trace.npy", npy_text('{"format": "glassformer trace", "version": 2}')
    )
    with pytest.raises(CheckpointError, match=r"newer version .* \(format 2\)"):
        read_trace(file)


def test_a_step_of_another_size_is_refused(tmp_path):
    bundle = tiny_bundle()
    trace = run_trace(bundle, TEXT)
    save_trace(trace, tmp_path / "a.npz", bundle.tokenizer)
    table = json.loads(str(np.load(tmp_path / "a.npz")["trace"]))
    table["config"]["n_heads"] = 4
    rewritten(tmp_path / "a.npz", "trace.npy", npy_text(json.dumps(table)))
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(tmp_path / "a.npz")


def test_a_pickle_in_the_file_is_never_opened(tmp_path):
    file = tmp_path / "x.npz"
    np.savez(file, trace=np.array([{"a": 1}], dtype=object))
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(file)


# Hostile files.


def retold(file: Path, *way: object, value: object) -> None:
    """Put another value into the table of a file."""
    table = json.loads(str(npz.read_arrays(file)["trace"]))
    place = table
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    rewritten(file, "trace.npy", npy_text(json.dumps(table)))


WORD = ("tokens", "words", 0)
MERGE = (*WORD, "merges", 0)


@pytest.mark.parametrize(
    ("way", "value"),
    [
        ((*WORD, "merges"), None),
        ((*WORD, "n_steps"), float("nan")),
        ((*WORD, "start"), []),
        ((*MERGE, "pair"), [""]),
        ((*MERGE, "positions"), [7]),
        ((*MERGE, "symbols"), ["00"]),
        ((*MERGE, "losers"), [[1, 2]]),
        (("tokens", "pieces"), ""),
        (("tokens", "pieces", 0, "id"), -1),
        (("tokens", "pieces", 0, "id"), 10**30),
        (("config", "n_layers"), 10**6),
        (("edits",), [{}]),
    ],
)
def test_a_table_of_nonsense_is_refused_when_the_file_is_opened(tmp_path, way, value):
    _, file = saved(tmp_path)
    retold(file, *way, value=value)
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(file)


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("layers.0.attn.q", np.float64),
        ("layers.0.attn.pattern", np.complex64),
        ("embed.sum", np.int32),
        ("tokens.ids", np.float32),
        ("positions", np.float32),
        ("mask", np.int64),
    ],
)
def test_numbers_of_another_kind_are_refused(tmp_path, key, kind):
    trace, file = saved(tmp_path)
    stream = BytesIO()
    np.save(stream, trace.part(key).astype(kind))
    rewritten(file, f"{key}.npy", stream.getvalue())
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(file)


def test_what_is_packed_or_locked_is_refused_unread(tmp_path):
    _, file = saved(tmp_path)
    locked = bytearray(file.read_bytes())
    locked[locked.find(b"PK\1\2") + 8] |= npz.IS_LOCKED
    (tmp_path / "locked.npz").write_bytes(bytes(locked))
    with zipfile.ZipFile(tmp_path / "packed.npz", "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("trace.npy", b"x" * 1000)
    spoilt = bytearray((tmp_path / "packed.npz").read_bytes())
    spoilt[50] ^= 0xFF
    (tmp_path / "packed.npz").write_bytes(bytes(spoilt))
    for name in ("locked.npz", "packed.npz"):
        with pytest.raises(CheckpointError, match="damaged"):
            read_trace(tmp_path / name)


def test_a_table_of_endless_brackets_is_refused(tmp_path):
    _, file = saved(tmp_path)
    rewritten(file, "trace.npy", npy_text("[" * 100_000))
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(file)


def test_a_shape_that_is_no_shape_is_refused(tmp_path):
    _, file = saved(tmp_path)
    stream = BytesIO()
    np.save(stream, np.zeros(1, np.float32))
    content = stream.getvalue().replace(b"(1,), }   ", b"(True,), }")
    rewritten(file, "embed.sum.npy", content)
    with pytest.raises(CheckpointError, match="damaged"):
        read_trace(file)
