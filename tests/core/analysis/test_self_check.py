"""A model held to itself: sound ones pass, a broken way is named by its first step."""

import pytest
import torch

from core.analysis import self_check as module
from core.analysis.self_check import CHECKS, self_check
from core.model import functions
from core.model.kv_cache import KeyValueCache
from tests.helpers.bundles import tiny_bundle

VARIANTS = (
    {},
    {"position": "rotary", "n_kv_heads": 1, "norm": "rms_norm", "gated": True},
    {"position": "learned", "norm_place": "post", "window": 3},
    {"norm_qk": True, "position": "rotary", "tie_embeddings": False},
    {"n_ctx": 2},
)


@pytest.mark.parametrize("fields", VARIANTS, ids=str)
def test_a_sound_model_agrees_with_itself_in_every_way(fields):
    check = self_check(tiny_bundle(**fields))
    assert [row.what for row in check.rows] == [each.what for each in CHECKS]
    assert max(row.difference for row in check.rows) < 1e-5
    assert check.warning == ""
    assert check.note.startswith("Self-check passed: fused against explicit attention")


def test_a_model_that_does_not_write_has_no_cache_to_check():
    bundle = tiny_bundle(
        attention="both", norm_place="post", output_head="none", position="learned"
    )
    assert [row.what for row in self_check(bundle).rows] == [
        "fused against explicit attention",
        "steps computed again",
    ]


def test_an_explicit_attention_that_is_wrong_is_told_with_its_first_step(monkeypatch):
    monkeypatch.setattr(functions, "scale", lambda scores, d_head: scores)
    check = self_check(tiny_bundle())
    assert check.rows[0].step == "layers.0.attn.heads"
    assert check.warning.startswith(
        "The self-check failed: fused against explicit attention differ by "
    )
    assert "from layers.0.attn.heads on" in check.warning
    assert "\n" not in check.warning
    assert check.note == ""


def test_a_cache_that_mixes_up_its_tokens_is_told(monkeypatch):
    def extend(self, layer, k, v):
        self._keys[layer][:, :, self.n_read] = k[:, :, 0]
        self._values[layer][:, :, self.n_read] = v[:, :, 0]
        end = self.n_read + 1
        return self._keys[layer][:, :, :end].flip(-2), self._values[layer][:, :, :end]

    monkeypatch.setattr(KeyValueCache, "extend", extend)
    failed = [row.what for row in self_check(tiny_bundle()).rows if not row.passed]
    assert failed == ["cached against uncached"]


def test_what_a_large_model_would_wait_for_is_left_out_and_named():
    check = self_check(tiny_bundle(), most_figures=0)
    assert check.rows == ()
    assert check.note == (
        "Self-check: fused against explicit attention, cached against uncached, steps "
        "computed again: left out, the model is large."
    )


def test_the_sequence_is_the_same_each_time_and_leaves_the_dice_alone():
    before = torch.random.get_rng_state()
    first, second = (module.drawn_ids(tiny_bundle()) for _ in range(2))
    self_check(tiny_bundle())
    assert first == second
    assert torch.equal(before, torch.random.get_rng_state())
