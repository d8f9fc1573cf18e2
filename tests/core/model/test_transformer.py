"""The model as a whole: counts, first losses, dropout, addresses."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from core.config import ModelConfig
from core.model.encoder_decoder import n_parameters
from core.model.kv_cache import KeyValueCache
from core.model.transformer import Transformer
from core.trace.steps import steps_for

TINY_GPT2 = ModelConfig(
    n_vocab=97, n_ctx=16, d_model=12, n_layers=2, n_heads=3, position="learned"
)


def test_parameters_of_a_tiny_gpt2_count_the_tied_table_once():
    assert n_parameters(TINY_GPT2) == 5148


def test_an_untied_head_has_a_table_of_its_own():
    fields = TINY_GPT2.to_dict() | {"tie_embeddings": False}
    assert n_parameters(ModelConfig(**fields)) == 6312


@pytest.mark.parametrize("n_vocab", [65, 257, 97])
@pytest.mark.parametrize("position", ["learned", "sinusoidal", "rotary"])
@pytest.mark.parametrize("scale_embeddings", [False, True])
def test_a_new_model_knows_nothing(n_vocab, position, scale_embeddings):
    """Its first loss is near ln(n_vocab): every token is as likely as any other."""
    torch.manual_seed(1)
    config = ModelConfig(
        n_vocab=n_vocab,
        n_ctx=32,
        d_model=64,
        n_layers=2,
        position=position,
        scale_embeddings=scale_embeddings,
    )
    ids = torch.randint(n_vocab, (8, 33))
    with torch.inference_mode():
        logits = Transformer(config)(ids[:, :-1])
    loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    assert float(loss) == pytest.approx(math.log(n_vocab), abs=0.3)


def test_dropout_acts_in_training_alone():
    torch.manual_seed(2)
    model = Transformer(ModelConfig(n_ctx=8, d_model=16, n_layers=1, dropout=0.3))
    ids = torch.arange(8)[None]
    assert not model(ids).equal(model(ids))
    model.eval()
    assert model(ids).equal(model(ids))


def test_a_later_token_changes_nothing_before_it():
    torch.manual_seed(3)
    model = Transformer(ModelConfig(n_vocab=50, n_ctx=8, d_model=16, n_layers=2))
    ids = torch.arange(8)[None]
    changed = ids.clone()
    changed[0, 5] = 40
    with torch.inference_mode():
        before, after = model.eval()(ids)[0], model(changed)[0]
    assert before[:5].equal(after[:5])
    assert not before[5:].equal(after[5:])


@pytest.mark.parametrize("norm_place", ["pre", "post"])
@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("tie_embeddings", [True, False])
def test_the_table_names_every_weight_and_no_other(norm_place, gated, tie_embeddings):
    config = ModelConfig(
        d_model=16,
        position="learned",
        norm_place=norm_place,
        gated=gated,
        tie_embeddings=tie_embeddings,
    )
    steps = steps_for(config)
    keys = {step.key for step in steps}
    givens = {"text", "positions", "mask"}
    named = {address for step in steps for address in step.inputs}
    named = {a for a in named - keys - givens if not a.startswith("config.")}
    assert named == set(Transformer(config).weights())


MODERN = ModelConfig(
    n_vocab=50,
    n_ctx=16,
    d_model=16,
    n_layers=2,
    n_heads=4,
    n_kv_heads=2,
    d_head=6,
    position="rotary",
    rotary_scaling="llama3",
    rotary_factor=4.0,
    rotary_n_ctx=32,
    norm="rms_norm",
    norm_qk=True,
    qkv_bias=True,
    bias=False,
    window=3,
)


@pytest.mark.parametrize("step", [1, 2, 5])
def test_tokens_read_in_pieces_answer_as_they_do_at_once(step):
    torch.manual_seed(6)
    model, ids = Transformer(MODERN).eval(), torch.randint(50, (1, 12))
    cache, rows = KeyValueCache(MODERN, like=model.embed.W_E), []
    with torch.inference_mode():
        for start in range(0, 12, step):
            rows.append(model(ids[:, start : start + step], cache=cache))
        torch.testing.assert_close(torch.cat(rows, dim=1), model(ids))


def test_a_token_out_of_every_window_changes_nothing():
    """Two layers of window 3 reach four tokens back; the fifth is out of sight."""
    torch.manual_seed(7)
    model, ids = Transformer(MODERN).eval(), torch.randint(50, (1, 12))
    changed = ids.clone()
    changed[0, 3] = (ids[0, 3] + 1) % 50
    with torch.inference_mode():
        before, after = model(ids)[0], model(changed)[0]
    assert [bool(row) for row in (before == after).all(dim=-1)] == [
        place not in range(3, 8) for place in range(12)
    ]


def test_every_new_weight_learns():
    model = Transformer(MODERN)
    ids = torch.randint(50, (2, 9))
    loss = cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    assert all(weight.grad is not None for weight in model.parameters())
    gains = [w for name, w in model.named_parameters() if "normed.gamma" in name]
    assert len(gains) == 4
    assert all(bool(gain.grad.any()) for gain in gains)
