from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import TrainingError
from core.tokenizers.bpe import BpeTokenizer
from core.training import reading
from core.training.corpus import encoded, size_of, split_off, windows_of

BYTES = BpeTokenizer.from_merges(())


def test_a_text_of_one_window_less_a_token_is_refused_with_both_numbers() -> None:
    with pytest.raises(TrainingError, match=r"has 64 tokens.* n_ctx = 64 needs 65"):
        windows_of(np.arange(64), 64, "The training text")


@pytest.mark.parametrize(("n_tokens", "n_windows"), [(65, 1), (66, 2)])
def test_each_token_that_has_room_begins_a_window(
    n_tokens: int, n_windows: int
) -> None:
    assert len(windows_of(np.arange(n_tokens), 64, "")) == n_windows


def test_the_targets_are_the_next_tokens() -> None:
    batch = windows_of(np.arange(10, 20), 3, "").batch(torch.tensor([0, 6]))
    assert batch.read.tolist() == [[10, 11, 12], [16, 17, 18]]
    assert batch.following.tolist() == [[11, 12, 13], [17, 18, 19]]


def test_the_same_seed_draws_the_same_windows() -> None:
    windows = windows_of(np.arange(100), 4, "")
    first, again = (
        windows.draw(8, torch.Generator().manual_seed(3)).tolist() for _ in "ab"
    )
    assert first == again
    other = windows.draw(8, torch.Generator().manual_seed(4)).tolist()
    assert other != first


def test_spread_windows_reach_over_the_whole_text_without_repeating() -> None:
    windows = windows_of(np.arange(105), 5, "")
    starts = torch.cat(windows.spread(4, 5))
    assert windows.batch(starts).read[:, 0].tolist() == list(range(0, 100, 5))


def test_a_short_text_is_spread_over_once() -> None:
    batches = windows_of(np.arange(8), 5, "").spread(2, 100)
    assert [len(starts) for starts in batches] == [2, 1]


def test_the_last_share_is_split_off() -> None:
    train, valid = split_off(np.arange(10), 0.2)
    assert train.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert valid.tolist() == [8, 9]


def test_files_are_encoded_once_and_again_when_they_change(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(paths, ("ab", "c"), strict=True):
        path.write_text(text, encoding="utf-8")
    cache = tmp_path / "cache"
    assert encoded(paths, BYTES, cache).tolist() == [97, 98, 99]
    kept = list(cache.iterdir())
    assert encoded(paths, BYTES, cache).tolist() == [97, 98, 99]
    assert list(cache.iterdir()) == kept
    paths[1].write_text("d", encoding="utf-8")
    assert encoded(paths, BYTES, cache).tolist() == [97, 98, 100]


def test_another_tokenizer_encodes_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ab", encoding="utf-8")
    pair = BpeTokenizer.from_merges([(b"a", b"b")])
    assert encoded([path], BYTES, tmp_path).tolist() == [97, 98]
    assert encoded([path], pair, tmp_path).tolist() == [256]


def test_ids_come_in_pieces_and_are_mapped_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 7)
    path = tmp_path / "a.txt"
    text = "the cat\r\nsat on the mäts " * 20
    path.write_bytes(text.encode())
    pair = BpeTokenizer.from_merges([(b"t", b"h"), (b"th", b"e")])
    ids = encoded([path], pair, tmp_path)
    assert isinstance(ids, np.memmap)
    assert ids.dtype == np.uint16
    assert ids.tolist() == list(pair.encode(text.replace("\r\n", "\n")).ids)


def test_a_vocabulary_too_large_for_16_bits_takes_32(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ab", encoding="utf-8")
    large = BpeTokenizer({b"a": 70_000, b"b": 1}, ())
    ids = encoded([path], large, tmp_path)
    assert ids.dtype == np.uint32
    assert ids.tolist() == [70_000, 1]


def test_an_empty_text_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("", encoding="utf-8")
    with pytest.raises(TrainingError, match="text is empty"):
        encoded([path], BYTES, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_whoever_is_told_may_end_it_and_nothing_half_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("ab " * 100, encoding="utf-8")
    shares: list[float] = []

    def stop_while_encoding(share: float) -> None:
        shares.append(share)
        if share == 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoded([path], BYTES, tmp_path / "cache", stop_while_encoding)
    assert shares == [0.1, 1.0]
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize("n_kept", [0, 1, 60, -1])
def test_ids_that_were_cut_off_are_made_again(tmp_path: Path, n_kept: int) -> None:
    text, cache = tmp_path / "a.txt", tmp_path / "cache"
    text.write_text("the cat sat", encoding="utf-8")
    before = encoded([text], BYTES, cache).tolist()
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:n_kept])
    assert encoded([text], BYTES, cache).tolist() == before


def test_a_text_whose_name_is_too_long_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 5000)
    assert size_of([path]) == 0
    with pytest.raises(TrainingError, match="x cannot be read"):
        encoded([path], BYTES, tmp_path / "cache")
