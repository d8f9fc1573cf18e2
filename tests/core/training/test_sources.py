import random
from pathlib import Path

import numpy as np
import pytest

from core.errors import TrainingError
from core.training.documents import (
    FEWEST_DOCUMENTS,
    LONGEST_UNIT,
    N_SUMMED,
    VALID,
    Units,
    count_units,
    n_leaked,
    sides_of,
    units_of,
)
from core.training.reading import Reading
from core.training.sources import (
    FileSource,
    FolderSource,
    PastedSource,
    StorySource,
    expanded,
    fault_of,
    text_blocks,
    without_binaries,
    write_sources,
)
from core.training.stories import story_text

PLACES = ("garden", "kitchen", "harbour", "forest", "village", "castle", "meadow")
DOCUMENTS = [f"Document {n} tells of the {PLACES[n % 7]}." for n in range(40)]


def text_of(*sources: object) -> str:
    return "".join(text_blocks(sources))  # type: ignore[arg-type]


def test_a_folder_gives_its_text_files_by_name_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("z.txt", "b/a.txt", "a.md", ".hidden", ".git/config"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n")
    folder = FolderSource(tmp_path)
    assert text_of(folder) == "a.md\n\nb/a.txt\n\nz.txt"
    assert len(expanded([folder])) == 4
    assert len(without_binaries([folder])) == 3


def test_a_folder_that_is_gone_is_a_fault(tmp_path: Path) -> None:
    (source,) = expanded([FolderSource(tmp_path / "gone")])
    fault = fault_of(source)
    assert fault is not None
    assert fault.kind == "unreadable"


def test_a_picture_named_by_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(TrainingError, match="PNG image"):
        text_of(FileSource(path))


def test_texts_follow_one_another_with_an_empty_line_between(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("caf\xe9".encode("cp1252"))
    file = FileSource(path, Reading("cp1252"))
    assert text_of(file, PastedSource("b\r\nc"), PastedSource("d")) == (
        "café\n\nb\nc\n\nd"
    )


def test_stories_are_those_of_the_seed() -> None:
    assert text_of(StorySource(3, 900)) == story_text(3, 900)


def test_pasted_text_with_nul_is_refused_with_its_place() -> None:
    fault = fault_of(PastedSource("ab\0"))
    assert fault is not None
    assert "character 2 is U+0000" in fault.message


def test_a_run_keeps_a_copy_when_the_original_vanishes(tmp_path: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "a.txt"
    run.mkdir()
    path.write_bytes(b"\xff\xfe" + "ab\r\n".encode("utf-16-le"))
    written = write_sources([FileSource(path)], run)
    path.unlink()
    assert (written.train, written.valid) == (("train.txt",), ())
    assert (run / "train.txt").read_bytes() == b"ab\n"


def test_nothing_half_is_left_when_writing_is_called_off(tmp_path: Path) -> None:
    def stop(_share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sources([PastedSource("text")], tmp_path, told=stop)
    assert list(tmp_path.iterdir()) == []


def test_whole_documents_stand_on_one_side_and_once(tmp_path: Path) -> None:
    repeated = DOCUMENTS[:5] + DOCUMENTS + DOCUMENTS[3:9]
    source = PastedSource("\n\n".join(repeated))
    written = write_sources([source], tmp_path, split="documents", valid_share=0.25)
    assert written.valid == ("valid.txt",)
    train, valid = (
        (tmp_path / name).read_text(encoding="utf-8").strip().split("\n\n")
        for name in ("train.txt", "valid.txt")
    )
    assert train + valid == DOCUMENTS
    assert 8 <= len(valid) <= 10


def test_unseen_drops_from_the_validation_text_what_is_learned(tmp_path: Path) -> None:
    documents = DOCUMENTS + DOCUMENTS[:4] + ["A last one that nobody has read before."]
    source = PastedSource("\n\n".join(documents))
    write_sources([source], tmp_path, split="unseen", valid_share=0.13)
    valid = (tmp_path / "valid.txt").read_text(encoding="utf-8").strip().split("\n\n")
    train = (tmp_path / "train.txt").read_text(encoding="utf-8").strip().split("\n\n")
    assert not set(valid) & set(train)
    assert valid[-1] == documents[-1]
    assert train == DOCUMENTS[: len(train)]


def test_a_split_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    source = PastedSource("\n".join(["always the very same line"] * 50))
    with pytest.raises(TrainingError, match=r"left for valid\.txt"):
        write_sources([source], tmp_path, split="unseen")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_changes_between_two_readings_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run = tmp_path / "a.txt", tmp_path / "run"
    path.write_text("\n\n".join(DOCUMENTS), encoding="utf-8")
    run.mkdir()

    def shorten(*_: object) -> object:
        path.write_text("\n\n".join(DOCUMENTS[:30]), encoding="utf-8")
        return sides_of(*_)  # type: ignore[arg-type]

    monkeypatch.setattr("core.training.sources.sides_of", shorten)
    with pytest.raises(TrainingError, match="changed while it was being read"):
        write_sources([FileSource(path)], run, split="documents")
    assert list(run.iterdir()) == []


def test_repeats_across_the_split_are_counted() -> None:
    text = "\n\n".join(DOCUMENTS[:36] + DOCUMENTS[:4])
    assert n_leaked(count_units([text]), 0.1) == (4, 4)
    assert n_leaked(count_units(["\n\n".join(DOCUMENTS)]), 0.11) == (0, 4)


def test_short_lines_repeat_without_telling_anything() -> None:
    lines = [f"a line that is long enough, number {n}" for n in range(15)]
    text = "\n".join(line for each in lines for line in (each, "}"))
    units = count_units([text])
    assert units.kind == "lines"
    assert n_leaked(units, 0.2)[0] == 0


@pytest.mark.parametrize("seed", range(5))
def test_units_do_not_depend_on_how_the_text_comes_in_blocks(seed: int) -> None:
    choose = random.Random(seed)
    text = "\n\n".join(DOCUMENTS)
    edges = sorted(choose.sample(range(len(text)), 9))
    starts, stops = [0, *edges], [*edges, len(text)]
    blocks = [text[a:b] for a, b in zip(starts, stops, strict=True)]
    assert list(units_of(blocks, "documents")) == DOCUMENTS
    assert sides_of(count_units(blocks), 0.1, "documents").tolist() == (
        sides_of(count_units([text]), 0.1, "documents").tolist()
    )


@pytest.mark.parametrize("n", [0, 1, 7, N_SUMMED - 1, N_SUMMED, 3 * N_SUMMED + 5])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
def test_what_leaks_is_what_both_sides_of_the_tail_have(n: int, share: float) -> None:
    draw = np.random.default_rng(n)
    lengths = draw.integers(1, 50, n, dtype=np.int32)
    own = np.arange(n, dtype=np.int32)
    firsts = np.where(draw.random(n) < 0.3, own // 3, own).astype(np.int32)
    units = Units("lines", lengths, firsts)
    is_valid = sides_of(units, share, "tail") == VALID
    is_leaked = is_valid & ~is_valid[firsts]
    assert n_leaked(units, share) == (is_leaked.sum(), is_valid.sum())


def test_parts_of_one_long_document_are_no_documents() -> None:
    line = "the cat sat on the mat\n"
    block = line * (LONGEST_UNIT // len(line) + 1)
    units = count_units([block] * (FEWEST_DOCUMENTS + 1))
    assert units.kind == "lines"
    assert len(units) == (FEWEST_DOCUMENTS + 1) * block.count("\n")
    assert not units.firsts.any()
