"""A model of two sides, held to torch's own layers and to itself."""

import pytest
import torch
from torch import nn

from core.analysis.self_check import self_check
from core.bundle import Bundle, make_bundle
from core.config import ModelConfig
from core.model.encoder_decoder import EncoderDecoder, model_of, n_parameters
from core.model.kv_cache import KeyValueCache
from core.model.recording import NOBODY
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.trace.steps import TOKEN_OPS, step_shape, steps_for
from core.trace.trace import Trace
from tests.helpers.bundles import random_model

SIZES = dict(
    n_vocab=256, n_ctx=32, d_model=16, n_layers=2, n_heads=4, d_ff=24, start_id=7
)
PAPER = ModelConfig(
    **SIZES,
    n_encoder_layers=3,
    norm_place="post",
    activation="relu",
    scale_embeddings=True,
)
"""As in 2017, only smaller."""
T5 = ModelConfig(
    **SIZES,
    n_encoder_layers=2,
    position="relative",
    relative_buckets=8,
    relative_distance=12,
    scale_scores=False,
    scale_output=True,
    norm="rms_norm",
    activation="relu",
    bias=False,
)
MARIAN = ModelConfig(
    **SIZES,
    n_encoder_layers=1,
    norm_place="post",
    activation="silu",
    scale_embeddings=True,
    sinusoid_halves=True,
    output_bias=True,
)
BART = ModelConfig(
    **SIZES,
    n_encoder_layers=2,
    norm_place="post",
    position="learned",
    position_offset=2,
    count_padding=True,
    norm_embeddings=True,
    output_bias=True,
)
KINDS = {"2017": PAPER, "T5": T5, "Marian": MARIAN, "BART": BART}
SOURCE, WRITTEN = [65, 66, 67, 68, 69, 70, 71, 72, 73, 74], [7, 80, 81, 82, 83, 84]


def bundle_of(config: ModelConfig) -> Bundle:
    tokenizer = BpeTokenizer.from_merges(())
    return make_bundle(random_model(config), tokenizer, name="random")


@pytest.fixture(params=KINDS)
def trace(request: pytest.FixtureRequest) -> Trace:
    bundle = bundle_of(KINDS[request.param])
    return run_trace(bundle, ids=SOURCE, target=WRITTEN[1:])


def load_attention(theirs: nn.MultiheadAttention, ours: nn.Module) -> None:
    d = 16
    matrices = [getattr(ours, f"W_{x}").reshape(d, d).T for x in "QKV"]
    theirs.in_proj_weight.data = torch.cat(matrices)
    theirs.in_proj_bias.data = torch.cat(
        [getattr(ours, f"b_{x}").flatten() for x in "QKV"]
    )
    theirs.out_proj.weight.data = ours.W_O.T
    theirs.out_proj.bias.data = ours.b_O


def load_layer(theirs: nn.Module, ours: nn.Module) -> None:
    load_attention(theirs.self_attn, ours.attn)
    norms = [ours.attn.norm]
    if ours.cross is not None:
        load_attention(theirs.multihead_attn, ours.cross)
        norms.append(ours.cross.norm)
    for number, norm in enumerate([*norms, ours.ffn.norm], start=1):
        getattr(theirs, f"norm{number}").weight.data = norm.gamma
        getattr(theirs, f"norm{number}").bias.data = norm.beta
    theirs.linear1.weight.data, theirs.linear1.bias.data = ours.ffn.W_1.T, ours.ffn.b_1
    theirs.linear2.weight.data, theirs.linear2.bias.data = ours.ffn.W_2.T, ours.ffn.b_2


def test_the_model_of_2017_is_that_of_torchs_own_layers():
    model = model_of(PAPER).eval()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.3)
    fields = dict(dim_feedforward=24, dropout=0.0, activation="relu", batch_first=True)
    encoder = [nn.TransformerEncoderLayer(16, 4, **fields).eval() for _ in range(3)]
    decoder = [nn.TransformerDecoderLayer(16, 4, **fields).eval() for _ in range(2)]
    for theirs, ours in zip(encoder, model.encoder.layers, strict=True):
        load_layer(theirs, ours)
    for theirs, ours in zip(decoder, model.decoder.layers, strict=True):
        load_layer(theirs, ours)

    def embedded(ids: list[int]) -> torch.Tensor:
        place, pair = torch.arange(len(ids))[:, None], torch.arange(8)
        angles = place / 10000 ** (pair / 8)
        waves = torch.stack((angles.sin(), angles.cos()), -1).flatten(1)
        return (model.table[torch.tensor(ids)] * 4 + waves)[None]

    with torch.inference_mode():
        memory, stream = embedded(SOURCE), embedded(WRITTEN)
        for layer in encoder:
            memory = layer(memory)
        mask = nn.Transformer.generate_square_subsequent_mask(len(WRITTEN))
        for layer in decoder:
            stream = layer(stream, memory, tgt_mask=mask)
        theirs = stream @ model.table.T
        ours = model(torch.tensor([WRITTEN]), source=torch.tensor([SOURCE]))
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=2e-5)


def test_every_step_can_be_computed_again(trace):
    for step in trace.steps:
        if step.axes and step.op not in TOKEN_OPS:
            again = trace.recomputed(step.key)
            assert again.shape == trace.shape(step.key)
            torch.testing.assert_close(
                torch.from_numpy(again.copy()),
                torch.from_numpy(trace[step.key].copy()),
                rtol=1e-5,
                atol=1e-5,
            )


def test_three_kinds_of_attention_have_their_own_tokens(trace):
    path = "decoder.layers.0.cross.pattern"
    assert trace[path].shape == (4, 6, 10)
    assert trace["encoder.layers.0.attn.pattern"].shape == (4, 10, 10)
    assert trace["decoder.layers.1.attn.pattern"].shape == (4, 6, 6)
    assert trace.rows_of(path).encoding.ids == tuple(WRITTEN)
    assert trace.keys_of(path).encoding.ids == tuple(SOURCE)
    assert trace.rows_of("decoder.layers.0.cross.k").encoding.ids == tuple(SOURCE)


def test_rows_of_every_pattern_sum_to_one(trace):
    for step in trace.steps:
        if step.name == "attn.pattern":
            sums = torch.from_numpy(trace[step.key].copy()).sum(-1)
            torch.testing.assert_close(sums, torch.ones_like(sums))


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_the_passes_announce_every_step_with_its_shape(config):
    class Seen(dict):
        def __call__(self, key, value):
            self[key] = tuple(value.shape)
            return value

        def asks_for_rows(self, path):
            return True

    seen = Seen()
    model = model_of(config).eval()
    with torch.inference_mode():
        model(torch.tensor([WRITTEN]), seen, source=torch.tensor([SOURCE]))
    steps = [s for s in steps_for(config) if s.op not in TOKEN_OPS]
    announced = [s.key for s in steps if s.key not in ("output.probs", "output.pick")]
    shapes = {s.key: step_shape(s, config, len(WRITTEN), len(SOURCE)) for s in steps}
    assert list(seen) == announced  # in the order of the table
    assert {key: shape[-len(shapes[key]) :] for key, shape in seen.items()} == {
        key: shapes[key] for key in announced
    }


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_every_weight_is_named_by_a_step(config):
    inputs = {address for step in steps_for(config) for address in step.inputs}
    weights = set(model_of(config).weights())
    assert weights == {
        a for a in inputs if a.rpartition(".")[2][:2] in ("W_", "b_")
    } | {a for a in inputs if a.endswith(("gamma", "beta"))}
    assert n_parameters(config) == sum(w.numel() for w in model_of(config).parameters())


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_the_self_check_passes(config):
    check = self_check(bundle_of(config))
    assert len(check.rows) == 3
    assert not check.warning


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_a_batch_of_padded_sources_reads_each_as_if_alone(config):
    model = random_model(config).eval()
    short = SOURCE[:6]
    sources = torch.tensor([SOURCE, [*short, 0, 0, 0, 0]])
    is_token = torch.tensor([[True] * 10, [True] * 6 + [False] * 4])
    written = torch.tensor([WRITTEN, WRITTEN])
    with torch.inference_mode():
        both = model(written, source=sources, source_is_token=is_token)
        alone = model(written[:1], source=torch.tensor([short]))
    torch.testing.assert_close(both[1:], alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("config", KINDS.values(), ids=KINDS)
def test_padding_of_the_source_is_looked_at_by_nobody(config):
    bundle = bundle_of(config)
    mask = [1] * 6 + [0] * 4
    padded = run_trace(bundle, ids=SOURCE, target=[80], attention_mask=mask)
    alone = run_trace(bundle, ids=SOURCE[:6], target=[80])
    assert not padded["decoder.layers.0.cross.pattern"][:, :, 6:].any()
    assert padded["output.logits"] == pytest.approx(alone["output.logits"], abs=1e-5)
    assert padded.tokens("encoder").label(9) == "⟨pad⟩"


def test_without_a_target_the_start_token_stands_alone():
    trace = run_trace(bundle_of(PAPER), ids=SOURCE)
    assert trace.ids == (7,)
    assert trace.source.ids == tuple(SOURCE)


def test_the_source_is_read_once_with_a_cache():
    model = random_model(PAPER).eval()
    assert isinstance(model, EncoderDecoder)
    source, ids = torch.tensor([SOURCE]), torch.tensor([WRITTEN])
    with torch.inference_mode():
        whole = model(ids, source=source)
        cache = KeyValueCache(PAPER, like=model.table)
        rows = [model(ids[:, :2], NOBODY, cache, source=source)]
        rows += [model(ids[:, [i]], NOBODY, cache) for i in range(2, 6)]
    torch.testing.assert_close(torch.cat(rows, 1), whole, rtol=1e-5, atol=1e-5)
