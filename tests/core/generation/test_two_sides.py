"""Writing on behind an encoder: the source is read once, the start token stays."""

import numpy as np
import pytest
import torch
from transformers import GenerationConfig

from core.bundle import open_bundle
from core.errors import TraceError
from core.generation.generate import Generated, generate
from core.generation.recorded import Recording
from core.generation.sampling import Sampling, distribution, draw, uniform
from core.pipeline import run_trace
from core.tokenizers.target import target_encoding_of
from tests.helpers.bundles import TWO_SIDES, encoder_decoder_bundle, tiny_tokenizer
from tests.helpers.two_sides import TWO_SIDED, save_pair, tiny_pair

GREEDY = Sampling(temperature=0)
SOURCE = (65, 66, 67, 68, 69, 70, 71)
START = (0, 80, 81)
N_CTX = 32


def ids_of(generated):
    return [new.token_id for new in generated]


@pytest.fixture(params=TWO_SIDES)
def bundle(request):
    return encoder_decoder_bundle(request.param)


@pytest.mark.parametrize(
    ("name", "penalty"), [*((name, 1.0) for name in TWO_SIDED), ("t5", 1.7)]
)
def test_greedy_text_equals_that_of_transformers(name, penalty, tmp_path):
    bundle = open_bundle(save_pair(tmp_path, name), device="cpu")
    start = bundle.config.start_id
    oracle = tiny_pair(name)
    oracle.generation_config = GenerationConfig(  # no forced end, no other habits
        max_new_tokens=20,
        do_sample=False,
        use_cache=False,  # which they size by the encoder's layers, not the decoder's
        repetition_penalty=penalty,
        decoder_start_token_id=start,
        pad_token_id=oracle.config.pad_token_id,
    )
    with torch.inference_mode():
        asked = torch.tensor([SOURCE])
        theirs = oracle.generate(asked, attention_mask=torch.ones_like(asked))
    how = Sampling(temperature=0, repetition_penalty=penalty)
    ours = ids_of(generate(bundle.model, [start], how, 20, source=SOURCE))
    assert [start, *ours] == theirs[0].tolist()
    assert len(ours) == 20


def test_logits_with_the_cache_equal_those_of_a_whole_pass(bundle):
    ids = list(START)
    sampling = Sampling(seed=3)
    for new in generate(bundle.model, START, sampling, 20, source=SOURCE):
        with torch.inference_mode():
            whole = bundle.model(torch.tensor([ids]), source=torch.tensor([SOURCE]))
        np.testing.assert_allclose(new.logits, whole[0, -1], atol=1e-5, rtol=1e-5)
        ids.append(new.token_id)
    assert len(ids) == len(START) + 20


def test_the_encoder_reads_once_and_the_decoder_a_token_a_pass(bundle):
    n_encoder, n_decoder = [], []
    sides = (bundle.model.encoder, n_encoder), (bundle.model.decoder, n_decoder)
    hooks = [
        side.register_forward_pre_hook(
            lambda _, inputs, heard=heard: heard.append(inputs[0].shape[-1])
        )
        for side, heard in sides
    ]
    list(generate(bundle.model, START, GREEDY, 4, source=SOURCE))
    for hook in hooks:
        hook.remove()
    assert (n_encoder, n_decoder) == ([7], [3, 1, 1, 1])


def test_tokens_appended_one_by_one_equal_a_long_generation(bundle):
    sampling, ids = Sampling(seed=7), list(START)
    for _ in range(12):
        ids += ids_of(generate(bundle.model, ids, sampling, 1, source=SOURCE))
    at_once = generate(bundle.model, START, sampling, 12, source=SOURCE)
    assert ids == [*START, *ids_of(at_once)]


def test_what_the_target_repeats_is_penalised_and_not_what_the_source_says(bundle):
    sampling, ids = Sampling(repetition_penalty=1.5, seed=5), list(START)
    for new in generate(bundle.model, START, sampling, 6, source=SOURCE):
        result = distribution(new.logits, sampling, ids)
        raw = distribution(new.logits, Sampling())
        changed = np.flatnonzero(result.penalised != raw.penalised)
        assert set(changed) == set(ids)
        assert new.draw == draw(result, uniform(5, len(ids)))
        ids.append(new.token_id)


def test_writing_ends_with_a_sentence_where_the_target_is_full(bundle):
    tokens = generate(bundle.model, START, GREEDY, 100, source=SOURCE)
    written: list[Generated] = []
    with pytest.raises(TraceError, match="The target fills all 32 tokens"):
        written.extend(tokens)
    assert len(written) == N_CTX + 1 - len(START)  # the last of them is not read
    assert all(new.n_forgotten == 0 for new in written)


def test_a_stop_token_is_the_last_one(bundle):
    text = ids_of(generate(bundle.model, START, GREEDY, 8, source=SOURCE))
    stopped = generate(
        bundle.model, START, GREEDY, 8, source=SOURCE, stop_ids={text[3]}
    )
    assert ids_of(stopped) == text[: text.index(text[3]) + 1]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "no source"),
        ((), "no source"),
        ((5, 999), "Token 1 has id 999"),
        ((5,) * 33, "The source has 33 tokens, 1 more than the 32"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_at_once(source, words):
    with pytest.raises(TraceError, match=words):
        generate(encoder_decoder_bundle().model, START, GREEDY, 1, source=source)


def test_a_target_without_room_is_refused_at_once():
    with pytest.raises(TraceError, match="The target fills"):
        generate(encoder_decoder_bundle().model, [5] * 33, GREEDY, 1, source=SOURCE)


def assert_equal_traces(ours, fresh):
    assert ours.keys == fresh.keys
    assert (ours.ids, ours.source.ids) == (fresh.ids, fresh.source.ids)
    for key in ours.keys:
        assert ours.is_kept(key) == fresh.is_kept(key), key
        if ours.step(key).axes:
            np.testing.assert_allclose(ours[key], fresh[key], atol=1e-5, rtol=1e-4)


def test_recorded_rows_are_the_trace_of_the_same_tokens(bundle):
    tokenizer = tiny_tokenizer()
    source = tokenizer.encoding_of(SOURCE)
    recording, ids, traces = Recording(bundle.config, N_CTX), list(START), []
    tokens = generate(
        bundle.model, START, Sampling(seed=1), 6, source=SOURCE, watch=recording
    )
    for new in tokens:
        read = target_encoding_of(tokenizer, ids)
        traces.append(recording.trace(bundle, read, source))
        ids.append(new.token_id)
    for trace in traces:
        fresh = run_trace(bundle, ids=SOURCE, target=trace.ids[1:])
        assert_equal_traces(trace, fresh)
    key = "encoder.layers.1.attn.k"
    assert np.shares_memory(traces[0][key], traces[-1][key])
