"""Case R04 and R06 of the trial cases: the bytes of other systems."""

import os
from pathlib import Path

import pytest

from core.errors import TrainingError
from core.training import reading
from core.training.reading import (
    ENCODINGS,
    Reading,
    check_file,
    encoding_named,
    read_blocks,
    read_text,
)

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.txt"


@pytest.mark.parametrize(
    "content",
    [
        "hi é\n".encode(),
        b"\xef\xbb\xbf" + "hi é\n".encode(),
        b"\xff\xfe" + "hi é\n".encode("utf-16-le"),
        b"\xfe\xff" + "hi é\n".encode("utf-16-be"),
        "hi é\r\n".encode(),
        "hi é\r".encode(),
    ],
)
def test_a_text_is_the_same_in_each_encoding_and_from_each_system(
    path: Path, content: bytes
) -> None:
    path.write_bytes(content)
    assert read_text(path) == "hi é\n"
    assert check_file(path) is None


def test_utf_16_with_its_mark_is_read_and_named(path: Path) -> None:
    path.write_bytes(bytes.fromhex("FFFE680069000A00"))
    assert read_text(path) == "hi\n"
    assert encoding_named(path) == "UTF-16-LE"


def test_windows_1252_is_refused_with_its_offset_and_read_when_named(
    path: Path,
) -> None:
    path.write_bytes(bytes.fromhex("636166E9"))
    fault = check_file(path)
    assert fault is not None
    assert (fault.kind, fault.offset, fault.n_bad) == ("encoding", 3, 1)
    assert "text.txt is not UTF-8: byte 0xE9 at offset 3 (1 such byte" in fault.message
    assert fault.suggested == "cp1252"
    assert read_text(path, Reading("cp1252")) == "café"


def test_a_stray_byte_is_replaced_only_when_one_says_so(path: Path) -> None:
    path.write_bytes("ok é".encode() + b"\xff" + b" ok")
    fault = check_file(path)
    assert fault is not None
    assert (fault.offset, fault.n_bad) == (5, 1)
    with pytest.raises(TrainingError, match="byte 0xFF at offset 5"):
        read_text(path)
    assert check_file(path, Reading(replace=True)) is None
    assert read_text(path, Reading(replace=True)) == "ok é\ufffd ok"


def test_every_bad_byte_is_counted_and_replaced_by_one_mark(path: Path) -> None:
    path.write_bytes(b"a\xf0\x9f\x99b\xc3\xc3\xa9")
    fault = check_file(path)
    assert fault is not None
    assert fault.n_bad == 4
    assert read_text(path, Reading(replace=True)) == "a\ufffd\ufffd\ufffdb\ufffdé"


@pytest.mark.parametrize("n_before", [0, 3, 4, 5, 11])
def test_offsets_count_from_the_start_of_the_file_whatever_the_block(
    path: Path, monkeypatch: pytest.MonkeyPatch, n_before: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 4)
    path.write_bytes("é".encode() * n_before + b"\xc3x" + b" " * 9 + b"\xff")
    fault = check_file(path)
    assert fault is not None
    assert (fault.offset, fault.n_bad) == (2 * n_before, 2)


def test_an_image_is_not_a_text_whatever_its_name(path: Path) -> None:
    path.write_bytes(PNG)
    fault = check_file(path)
    assert fault is not None
    assert fault.kind == "binary"
    assert "is a PNG image, not a text" in fault.message
    with pytest.raises(TrainingError, match="PNG image"):
        read_text(path, Reading("latin-1"))


def test_nul_is_not_a_text_and_has_its_offset(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfab\0c")
    fault = check_file(path)
    assert fault is not None
    assert (fault.kind, fault.offset) == ("binary", 5)
    with pytest.raises(TrainingError, match="byte 5 is NUL"):
        read_text(path)


def test_utf_16_without_a_mark_is_suggested(path: Path) -> None:
    path.write_bytes("plain words".encode("utf-16-be"))
    fault = check_file(path)
    assert fault is not None
    assert (fault.kind, fault.suggested) == ("encoding", "utf-16-be")
    assert read_text(path, Reading("utf-16-be")) == "plain words"


def test_half_a_unit_of_utf_16_is_one_bad_byte(path: Path) -> None:
    path.write_bytes(b"\xff\xfea")
    fault = check_file(path)
    assert fault is not None
    assert "UTF-16-LE: byte 0x61 at offset 2" in fault.message


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_blocks_cut_neither_characters_nor_line_ends(
    path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", size)
    path.write_bytes("é\r\n\r🙂\r\r\nx\r".encode())
    assert "".join(read_blocks(path)) == "é\n\n🙂\n\nx\n"


@pytest.mark.parametrize("codec", [choice.codec for choice in ENCODINGS])
def test_each_offered_encoding_reads_what_it_wrote(path: Path, codec: str) -> None:
    words = {"cp1251": "слово", "koi8_r": "слово", "shift_jis": "日本", "big5": "中文"}
    text = words.get(codec, {"gb18030": "中文", "euc_kr": "한글"}.get(codec, "abcd"))
    path.write_bytes(text.encode(codec))
    assert check_file(path, Reading(codec)) is None
    assert read_text(path, Reading(codec)) == text


def test_windows_line_ends_give_the_text_of_unix_line_ends(tmp_path: Path) -> None:
    windows, unix = tmp_path / "w.txt", tmp_path / "u.txt"
    windows.write_bytes(b"ab\r\nab\r\n")
    unix.write_bytes(b"ab\nab\n")
    assert read_text(windows) == read_text(unix)
    assert len(set(read_text(windows))) == 3


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    fault = check_file(tmp_path / "gone.txt")
    assert fault is not None
    assert fault.kind == "unreadable"
    with pytest.raises(TrainingError, match=r"gone\.txt cannot be read"):
        read_text(tmp_path / "gone.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_that_nobody_fills_is_refused_and_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    fault = check_file(path)
    assert fault is not None
    assert fault.message == (
        f"{path} cannot be read (it is a pipe or a device); check its name and rights."
    )
    with pytest.raises(TrainingError, match="pipe or a device"):
        read_text(path)
