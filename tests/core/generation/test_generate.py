"""Writing on: the cache changes nothing, a seed repeats, a full window slides."""

from itertools import islice

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from core.config import ModelConfig
from core.errors import ConfigError, CoreError, TraceError
from core.generation.generate import generate
from core.generation.sampling import Sampling, distribution, draw, uniform
from core.generation.window import n_forgotten
from core.model.transformer import Transformer

GREEDY = Sampling(temperature=0)
PROMPT = [5, 6, 7, 8]


@pytest.fixture(autouse=True)
def _one_thread():
    """Passes this small are far slower shared between threads beside a busy core."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def model_of(**fields):
    """A model whose opinions are strong enough to differ from token to token."""
    sizes = {"n_vocab": 97, "n_ctx": 16, "d_model": 12, "n_layers": 2, "n_heads": 3}
    torch.manual_seed(1)
    model = Transformer(ModelConfig(**(sizes | fields)))
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    return model


def uncached_logits(model, ids):
    with torch.inference_mode():
        return model(torch.tensor([ids[-model.config.n_ctx :]]))[0, -1].numpy()


def ids_of(generated):
    return [new.token_id for new in generated]


VARIANTS = [
    *({"position": p} for p in ("sinusoidal", "learned", "none")),
    {"position": "rotary", "n_heads": 2},
    {"position": "learned", "n_kv_heads": 1},
    {"position": "rotary", "n_heads": 6, "n_kv_heads": 2, "gated": True},
    {"norm": "rms_norm", "norm_place": "post", "tie_embeddings": False},
    {"scale_embeddings": True, "dropout": 0.5, "bias": False},
]


@pytest.mark.parametrize("fields", VARIANTS, ids=str)
def test_logits_with_the_cache_equal_those_without(fields):
    model = model_of(**fields)
    ids = list(PROMPT)
    for new in generate(model, ids, Sampling(seed=3), 20):
        expected = uncached_logits(model, ids)
        np.testing.assert_allclose(new.logits, expected, atol=1e-5, rtol=1e-5)
        ids.append(new.token_id)
    assert len(ids) == len(PROMPT) + 20


def test_greedy_text_equals_that_of_transformers():
    sizes = {"n_embd": 12, "n_layer": 2, "n_head": 3, "vocab_size": 97}
    torch.manual_seed(0)
    oracle = GPT2LMHeadModel(GPT2Config(n_positions=16, **sizes)).eval()
    model = model_of(position="learned", activation="gelu_tanh")
    weights = model.weights()
    with torch.no_grad():
        for name, weight in oracle.transformer.named_parameters():
            weight.copy_(_as_gpt2(name, weights).reshape(weight.shape))
    ids = oracle.generate(
        torch.tensor([PROMPT]),
        attention_mask=torch.ones(1, 4, dtype=torch.long),
        max_new_tokens=12,
        do_sample=False,
        pad_token_id=0,
        eos_token_id=None,
    )
    assert ids_of(generate(model, PROMPT, GREEDY, 12)) == ids[0, 4:].tolist()


def _as_gpt2(name, weights):
    """The weight that GPT-2 calls `name`, taken from ours."""
    parts = name.split(".")
    if parts[0] in GPT2_ENDS:
        return weights[GPT2_ENDS[parts[0]][parts[1]]]
    kind, side = ".".join(parts[2:-1]), parts[-1]
    ours = [weights[f"layers.{parts[1]}.{key}"] for key in GPT2_LAYER[kind][side]]
    if len(ours) == 1:
        return ours[0]
    return torch.cat([heads.flatten(-2) for heads in ours], -1)


GPT2_ENDS = {
    "wte": {"weight": "embed.W_E"},
    "wpe": {"weight": "embed.position.W_P"},
    "ln_f": {"weight": "output.norm.gamma", "bias": "output.norm.beta"},
}
GPT2_LAYER = {
    "ln_1": {"weight": ["attn.norm.gamma"], "bias": ["attn.norm.beta"]},
    "ln_2": {"weight": ["ffn.norm.gamma"], "bias": ["ffn.norm.beta"]},
    "attn.c_attn": {
        "weight": ["attn.W_Q", "attn.W_K", "attn.W_V"],
        "bias": ["attn.b_Q", "attn.b_K", "attn.b_V"],
    },
    "attn.c_proj": {"weight": ["attn.W_O"], "bias": ["attn.b_O"]},
    "mlp.c_fc": {"weight": ["ffn.W_1"], "bias": ["ffn.b_1"]},
    "mlp.c_proj": {"weight": ["ffn.W_2"], "bias": ["ffn.b_2"]},
}


@pytest.mark.parametrize("n_prompt", [15, 16, 17])
@pytest.mark.parametrize("position", ["sinusoidal", "learned", "none"])
def test_a_full_window_slides_and_says_what_it_forgets(n_prompt, position):
    model = model_of(position=position)
    ids = [i % 97 for i in range(n_prompt)]
    generated = list(generate(model, ids, Sampling(seed=1), 5))
    unread = [new.n_forgotten for new in generated]
    assert unread == [max(0, n_prompt + i - 16) for i in range(5)]
    whole = ids + ids_of(generated)
    for place, new in enumerate(generated, start=n_prompt):
        expected = uncached_logits(model, whole[:place])
        np.testing.assert_allclose(new.logits, expected, atol=1e-5, rtol=1e-5)


def test_only_what_is_beyond_the_window_is_forgotten():
    assert [n_forgotten(n, 16) for n in (0, 15, 16, 17, 40)] == [0, 0, 0, 1, 24]


def test_a_seed_gives_the_same_text_each_time_and_another_seed_another():
    model = model_of()
    texts = [ids_of(generate(model, PROMPT, Sampling(seed=7), 20)) for _ in range(3)]
    texts.append(ids_of(generate(model_of(), PROMPT, Sampling(seed=7), 20)))
    assert all(text == texts[0] for text in texts)
    assert ids_of(generate(model, PROMPT, Sampling(seed=8), 20)) != texts[0]


def test_tokens_appended_one_by_one_equal_a_long_generation():
    model, sampling = model_of(), Sampling(seed=7)
    ids = list(PROMPT)
    for _ in range(20):
        ids += ids_of(generate(model, ids, sampling, 1))
    assert ids == PROMPT + ids_of(generate(model, PROMPT, sampling, 20))


def test_each_draw_can_be_made_again_from_its_logits():
    sampling = Sampling(temperature=0.8, top_k=9, repetition_penalty=1.2, seed=5)
    ids = list(PROMPT)
    for new in generate(model_of(), PROMPT, sampling, 10):
        again = draw(distribution(new.logits, sampling, ids), uniform(5, len(ids)))
        assert new.draw == again
        assert new.token_id == again.token_id
        ids.append(new.token_id)


def test_generation_stops_before_the_next_token_when_asked():
    seen = []
    for new in generate(
        model_of(), PROMPT, GREEDY, 10, should_stop=lambda: len(seen) == 3
    ):
        seen.append(new)
    assert len(seen) == 3


def test_a_stop_token_is_the_last_one():
    model = model_of()
    text = ids_of(generate(model, PROMPT, Sampling(seed=7), 10))
    stop = text[4]
    stopped = ids_of(generate(model, PROMPT, Sampling(seed=7), 10, stop_ids={stop}))
    assert stopped == text[: text.index(stop) + 1]


def test_nothing_is_computed_for_tokens_nobody_asks_for():
    model = model_of()
    passes = []
    model.register_forward_hook(lambda *_: passes.append(1))
    assert len(list(islice(generate(model, PROMPT, GREEDY, 100), 2))) == 2
    assert len(passes) == 2
    assert list(generate(model, PROMPT, GREEDY, 0)) == []


def test_the_prompt_is_read_once_and_then_one_token_a_pass():
    model = model_of()
    n_read = []
    model.register_forward_pre_hook(lambda _, inputs: n_read.append(len(inputs[0][0])))
    list(generate(model, PROMPT, GREEDY, 5))
    assert n_read == [4, 1, 1, 1, 1]


def test_dropout_is_off_while_generating():
    model = model_of(dropout=0.5).train()
    first = next(generate(model, PROMPT, GREEDY, 1)).logits
    np.testing.assert_array_equal(
        next(generate(model, PROMPT, GREEDY, 1)).logits, first
    )


def test_logits_are_read_only_and_of_the_whole_vocabulary():
    new = next(generate(model_of(), PROMPT, GREEDY, 1))
    assert new.logits.dtype == np.float32
    assert new.logits.shape == (97,)
    assert not new.logits.flags.writeable
    assert new.token_id == new.logits.argmax()


@pytest.mark.parametrize(
    ("ids", "words"),
    [([], "type something"), ([5, 97], "0 to 96"), ([-1], "Token 0 has id -1")],
)
def test_a_prompt_the_model_cannot_read_is_refused_at_once(ids, words):
    with pytest.raises(TraceError, match=words):
        generate(model_of(), ids, GREEDY, 1)


def test_a_negative_number_of_tokens_is_refused():
    with pytest.raises(ConfigError, match="n_new = -1"):
        generate(model_of(), PROMPT, GREEDY, -1)


def test_a_weight_that_is_not_a_number_turns_sampling_off():
    model = model_of()
    with torch.no_grad():
        model.layers[1].ffn.W_1[0, 0] = float("nan")
    with pytest.raises(CoreError, match="Sampling is off"):
        next(generate(model, PROMPT, Sampling(), 5))
