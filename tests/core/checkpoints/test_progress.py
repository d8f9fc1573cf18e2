"""Reading tells how far it is, tensor by tensor, and ends where it is told to."""

import pytest

from core.bundle import open_bundle
from core.errors import CheckpointError
from tests.helpers.gguf import save_tiny
from tests.helpers.huggingface import save_theirs


def test_a_folder_tells_of_every_tensor(tmp_path):
    heard = []
    folder = save_theirs(tmp_path / "m", "llama")
    open_bundle(folder, "cpu", tell=lambda *at: heard.append(at))
    assert heard == [(n, len(heard)) for n in range(len(heard))]
    assert len(heard) == 1 + 2 * 9 + 2


def test_a_gguf_file_does_so_too(tmp_path):
    pytest.importorskip("gguf")
    heard = []
    open_bundle(
        save_tiny(tmp_path / "a.gguf"), "cpu", tell=lambda *at: heard.append(at)
    )
    assert len(heard) == 1 + 2 * 9 + 2


def test_who_listens_can_end_it(tmp_path):
    def stop(n_done, _n):
        if n_done == 3:
            raise CheckpointError("It was cancelled.")

    with pytest.raises(CheckpointError, match="cancelled"):
        open_bundle(save_theirs(tmp_path / "m", "gpt2"), "cpu", tell=stop)
