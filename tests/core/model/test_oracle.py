"""The same weights in `transformers`: hidden states, patterns and logits agree."""

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from core.config import ModelConfig
from core.trace.trace import Trace
from tests.helpers.traces import random_model, traced_ids

IDS = (5, 6, 7, 8, 60, 2, 5)
TOLERANCE = 1e-4


def gpt2(config: ModelConfig, seed: int) -> GPT2LMHeadModel:
    """GPT-2 with the weights of `random_model(config, seed)`."""
    weights = random_model(config, seed).weights()
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.n_vocab,
            n_positions=config.n_ctx,
            n_embd=config.d_model,
            n_layer=config.n_layers,
            n_head=config.n_heads,
            n_inner=config.d_ff,
            activation_function="gelu_new",
            bos_token_id=None,
            eos_token_id=None,
            attn_implementation="eager",
        )
    ).eval()
    state = {
        "transformer.wte.weight": weights["embed.W_E"],
        "transformer.wpe.weight": weights["embed.position.W_P"],
        "transformer.ln_f.weight": weights["output.norm.gamma"],
        "transformer.ln_f.bias": weights["output.norm.beta"],
    }
    for i in range(config.n_layers):
        ours, name = f"layers.{i}.", f"transformer.h.{i}."
        for norm, part in (("ln_1", "attn"), ("ln_2", "ffn")):
            state[f"{name}{norm}.weight"] = weights[f"{ours}{part}.norm.gamma"]
            state[f"{name}{norm}.bias"] = weights[f"{ours}{part}.norm.beta"]
        packed = [weights[f"{ours}attn.W_{x}"].flatten(1) for x in "QKV"]
        biases = [weights[f"{ours}attn.b_{x}"].flatten() for x in "QKV"]
        state[f"{name}attn.c_attn.weight"] = torch.cat(packed, dim=1)
        state[f"{name}attn.c_attn.bias"] = torch.cat(biases)
        for there, here in (
            ("attn.c_proj", "attn.{}_O"),
            ("mlp.c_fc", "ffn.{}_1"),
            ("mlp.c_proj", "ffn.{}_2"),
        ):
            state[f"{name}{there}.weight"] = weights[ours + here.format("W")]
            state[f"{name}{there}.bias"] = weights[ours + here.format("b")]
    missing, surplus = theirs.load_state_dict(state, strict=False)
    assert not surplus
    assert [key for key in missing if "attn.bias" not in key] == ["lm_head.weight"]
    theirs.tie_weights()
    return theirs


def llama(config: ModelConfig, seed: int) -> LlamaForCausalLM:
    """Llama with the weights of `random_model(config, seed)`."""
    weights = random_model(config, seed).weights()
    theirs = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.n_vocab,
            hidden_size=config.d_model,
            intermediate_size=config.d_ff,
            num_hidden_layers=config.n_layers,
            num_attention_heads=config.n_heads,
            num_key_value_heads=config.n_kv_heads,
            max_position_embeddings=config.n_ctx,
            rms_norm_eps=config.eps,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": config.rotary_base,
            },
            bos_token_id=None,
            eos_token_id=None,
            attn_implementation="eager",
        )
    ).eval()
    state = {
        "model.embed_tokens.weight": weights["embed.W_E"],
        "model.norm.weight": weights["output.norm.gamma"],
        "lm_head.weight": weights["output.W_U"].T,
    }
    for i in range(config.n_layers):
        ours, name = f"layers.{i}.", f"model.layers.{i}."
        state[f"{name}input_layernorm.weight"] = weights[f"{ours}attn.norm.gamma"]
        after = f"{name}post_attention_layernorm.weight"
        state[after] = weights[f"{ours}ffn.norm.gamma"]
        for x in "QKV":
            there = f"{name}self_attn.{x.lower()}_proj.weight"
            state[there] = weights[f"{ours}attn.W_{x}"].flatten(1).T
        state[f"{name}self_attn.o_proj.weight"] = weights[f"{ours}attn.W_O"].T
        for there, here in (("gate", "W_G"), ("up", "W_1"), ("down", "W_2")):
            state[f"{name}mlp.{there}_proj.weight"] = weights[f"{ours}ffn.{here}"].T
    theirs.load_state_dict(state)
    return theirs


def check(trace: Trace, theirs: torch.nn.Module) -> None:
    """Every hidden state, every pattern and all logits."""
    with torch.inference_mode():
        answer = theirs(
            torch.tensor([IDS]), output_hidden_states=True, output_attentions=True
        )
    n_layers = trace.config.n_layers
    streams = [trace[f"layers.{i}.resid_in"] for i in range(n_layers)]
    # Their last hidden state is behind the final norm.
    streams.append(trace["output.norm"])
    assert len(answer.hidden_states) == len(streams)
    for ours, hidden in zip(streams, answer.hidden_states, strict=True):
        np.testing.assert_allclose(ours, hidden[0], atol=TOLERANCE)
    for i, pattern in enumerate(answer.attentions):
        np.testing.assert_allclose(
            trace[f"layers.{i}.attn.pattern"], pattern[0], atol=TOLERANCE
        )
    np.testing.assert_allclose(trace["output.logits"], answer.logits[0], atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(3))
def test_gpt2_agrees(seed):
    config = ModelConfig(
        n_vocab=97,
        n_ctx=16,
        d_model=12,
        n_layers=2,
        n_heads=3,
        position="learned",
        activation="gelu_tanh",
    )
    check(traced_ids(config, IDS, seed), gpt2(config, seed))


@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_llama_agrees(n_kv_heads, base):
    config = ModelConfig(
        n_vocab=64,
        n_ctx=64,
        d_model=32,
        n_layers=2,
        n_heads=4,
        n_kv_heads=n_kv_heads,
        d_ff=64,
        position="rotary",
        rotary_base=base,
        norm="rms_norm",
        activation="silu",
        gated=True,
        tie_embeddings=False,
        bias=False,
        eps=1e-6,
    )
    check(traced_ids(config, IDS, n_kv_heads), llama(config, n_kv_heads))
