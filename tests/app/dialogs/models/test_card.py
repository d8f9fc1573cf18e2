"""The model card: figures of the folder, checked against its files, all in words."""

import pytest
from PySide6.QtWidgets import QLabel

from app.dialogs.models.card import ModelCardDialog
from app.dialogs.models.words import facts_about
from app.workers.tracing import card_of
from core.bundle import open_bundle
from tests.helpers.bundles import tiny_bundle
from tests.helpers.huggingface import save_theirs
from tests.helpers.two_sides import save_pair

WAIT_MS = 20_000


@pytest.fixture
def card(tmp_path):
    return card_of(open_bundle(save_theirs(tmp_path / "tiny", "llama"), "cpu"))


@pytest.fixture
def dialog(qtbot, qapp, card):
    dialog = ModelCardDialog(card)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.parts.isHidden(), timeout=WAIT_MS)
    yield dialog
    dialog.close()


def words_of(dialog):
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def test_the_parts_are_those_of_the_model_and_agree_with_the_file(dialog, card):
    assert sum(part.value for part in dialog.bar.parts) == card.n_parameters
    assert dialog.total.text() == f"{card.n_parameters:,}"
    assert "the same count" in dialog.parts.note


def test_every_tensor_of_the_file_stands_with_its_shape(dialog):
    rows = {
        dialog.table.item(row, 0).text(): dialog.table.item(row, 1).text()
        for row in range(dialog.table.rowCount())
    }
    assert rows["model.layers.0.mlp.up_proj.weight"] == "48 × 32"


def test_family_files_kinds_and_notes_are_said(dialog):
    said = words_of(dialog)
    for words in ("Llama", "model.safetensors · ", "float32 (", "on CPU"):
        assert words in said


def test_a_place_that_is_gone_is_said_in_the_card(qtbot, card, tmp_path):
    (tmp_path / "tiny" / "config.json").unlink()
    dialog = ModelCardDialog(card)
    dialog.show()
    qtbot.waitUntil(lambda: "is missing" in words_of(dialog), timeout=WAIT_MS)
    dialog.close()


@pytest.mark.parametrize(
    ("fields", "title", "value"),
    [
        ({"n_kv_heads": 1}, "Heads", "2 of width 4; 1 of keys and values"),
        ({"gated": True, "activation": "silu"}, "Feed-forward", "32 wide, gated, SiLU"),
        ({"tie_embeddings": False}, "Output tied", "no, a table of its own"),
        (
            {"position": "rotary", "rotary_scaling": "linear", "rotary_factor": 2.0},
            "Positions",
            "rotated queries and keys, base 10,000, stretched 2 times",
        ),
        ({}, "Norm", "layer norm before each part, ε = 1e-05"),
        ({}, "Layers", "2"),
        ({"n_encoder_layers": 3}, "Layers", "3 of the encoder, 2 of the decoder"),
        ({"n_encoder_layers": 3, "start_id": 7}, "A target begins", "with token 7"),
        (
            {"sinusoid_halves": True},
            "Positions",
            "added waves, all sines before all cosines",
        ),
        (
            {"position": "learned", "position_offset": 2},
            "Positions",
            "a learned table, from its row 2 on",
        ),
        (
            {"position": "relative"},
            "Positions",
            "scores shifted by distance, 32 shifts a head, the last from 128 tokens on",
        ),
    ],
)
def test_the_configuration_is_put_into_words(fields, title, value):
    assert dict(facts_about(card_of(tiny_bundle(**fields))))[title] == value


def test_a_model_of_one_side_has_no_start():
    assert "A target begins" not in dict(facts_about(card_of(tiny_bundle())))


def test_parts_of_the_encoder_are_paler_than_those_of_the_decoder(qtbot, tmp_path):
    card = card_of(open_bundle(save_pair(tmp_path / "t5", "t5"), "cpu"))
    dialog = ModelCardDialog(card)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.parts.isHidden(), timeout=WAIT_MS)
    parts = {part.label: part for part in dialog.bar.parts}
    assert sum(part.value for part in parts.values()) == card.n_parameters
    encoder, decoder = parts["encoder attention"], parts["decoder attention"]
    assert encoder.role == decoder.role == parts["cross attention"].role
    assert encoder.pale > parts["cross attention"].pale > decoder.pale
    dialog.close()
