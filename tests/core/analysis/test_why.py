"""The tour: every stop exists, and every number it speaks of is the trace's."""

import itertools
import math
import re

import pytest
import torch

from core.analysis.attribution import (
    head_direction,
    key_parts,
    logit_parts,
    neuron_parts,
)
from core.analysis.why import KINDS, by_layer, kind_of, parts_of_kind, signed, why
from core.bundle import make_bundle
from core.errors import TraceError
from core.pipeline import run_trace
from core.trace.edits import Edit
from core.trace.selection import cell_of, clamped
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_trace,
    random_model,
    tiny_bundle,
    tiny_tokenizer,
    tiny_trace,
)
from tests.helpers.traces import traced_ids

LABEL_OF = tiny_tokenizer().label
MODELS = [
    {"norm_place": place, "tie_embeddings": tied, "n_layers": n, **more}
    for place, tied, n, more in itertools.product(
        ("pre", "post"),
        (True, False),
        (1, 2),
        (
            {},
            {"norm": "rms_norm", "position": "rotary", "n_kv_heads": 1, "bias": False},
            {"n_experts": 3, "n_experts_per_token": 2},
        ),
    )
]


def test_the_tour_of_the_smallest_model_speaks_of_no_norm_and_no_network():
    trace = tiny_trace(norm="none", feed_forward=False, n_layers=1, n_heads=1)
    stops = tour_of(trace)
    said = " ".join(stop.sentence for stop in stops)
    assert "No norm stands between." in said
    assert "the norm" not in said
    assert not any(".ffn." in stop.selection.step for stop in stops)
    for stop in stops:
        assert clamped(stop.selection, trace) == stop.selection


def tour_of(trace, position=None, token_id=None):
    position = trace.n - 1 if position is None else position
    if token_id is None:
        token_id = int(trace.part("output.pick", (position,)))
    return why(trace, position, token_id, LABEL_OF)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: "-".join(map(str, m.values())))
@pytest.mark.parametrize("text", ["the cat sat", "t"])
def test_every_stop_is_a_selection_that_exists_and_a_sentence(model, text):
    trace = tiny_trace(text, **model)
    stops = tour_of(trace)
    assert len(stops) >= 9
    for stop in stops:
        assert clamped(stop.selection, trace) == stop.selection
        cell = cell_of(stop.selection, trace)
        assert trace.has(cell.key, cell.index)
        assert stop.sentence.endswith(".")
    assert stops[0].selection.step == "output.probs"
    steps = [stop.selection.step for stop in stops]
    assert sum(step.endswith("attn.pattern") for step in steps) in (1, 2)
    assert "tokens.ids" in steps


@pytest.mark.parametrize("model", MODELS, ids=lambda m: "-".join(map(str, m.values())))
def test_the_kinds_of_parts_and_the_layers_add_up_to_the_logit(model):
    trace = tiny_trace(**model)
    parts = logit_parts(trace, 2, 9)
    logit = trace.value("output.logits", (2, 9))
    total = sum(parts_of_kind(parts, kind) for kind in KINDS)
    assert total == pytest.approx(logit, rel=1e-4, abs=1e-4)
    for kind in ("attention", "feed-forward"):
        layers = by_layer(parts, kind)
        assert set(layers) == set(range(trace.config.n_layers))
        assert sum(layers.values()) == pytest.approx(parts_of_kind(parts, kind))


def test_the_tour_goes_by_the_largest_contributions():
    trace = tiny_trace()
    stops = tour_of(trace, 2, 40)
    parts = logit_parts(trace, 2, 40)
    attention = by_layer(parts, "attention")
    layer = max(attention, key=attention.get)
    heads = {p.head: p.value for p in parts if p.layer == layer and p.head is not None}
    head = max(heads, key=heads.get)
    out = next(s for s in stops if s.selection.step == f"layers.{layer}.attn.out")
    assert f"added {signed(attention[layer])}" in out.sentence
    assert f"head {head + 1} ({signed(heads[head])})" in out.sentence
    pattern = next(s for s in stops if s.selection.step.endswith("attn.pattern"))
    keys = key_parts(trace, f"layers.{layer}.attn", head, 2, 40)
    assert pattern.selection.head == head
    assert pattern.selection.key == keys.argmax()
    assert signed(float(keys.max())) in pattern.sentence


def test_the_larger_of_attention_and_feed_forward_comes_first():
    trace = tiny_trace()
    for token_id in range(0, 60, 7):
        parts = logit_parts(trace, 2, token_id)
        largest = {
            kind: max(by_layer(parts, kind).values())
            for kind in ("attention", "feed-forward")
        }
        steps = [stop.selection.step for stop in tour_of(trace, 2, token_id)]
        is_attention_first = largest["attention"] >= largest["feed-forward"]
        attention = next(i for i, s in enumerate(steps) if s.endswith("attn.out"))
        feed_forward = next(i for i, s in enumerate(steps) if s.endswith("ffn.out"))
        assert (attention < feed_forward) == is_attention_first


def test_the_neurons_and_the_bias_are_what_the_feed_forward_network_added():
    trace = tiny_trace(norm_place="post")
    without_bias = tiny_trace(norm="rms_norm", bias=False)
    for layer in range(2):
        neurons = neuron_parts(without_bias, f"layers.{layer}.ffn", 1, 5)
        part = next(
            part
            for part in logit_parts(without_bias, 1, 5)
            if part.key == f"layers.{layer}.ffn.out"
        )
        assert neurons.sum() == pytest.approx(part.value, rel=1e-4, abs=1e-5)
    assert neuron_parts(trace, "layers.1.ffn", 1, 5).shape == (trace.config.d_ff,)


def test_the_first_stop_tells_the_share_and_the_rank():
    trace = tiny_trace()
    probs = trace.part("output.probs", (2,))
    best, worst = int(probs.argmax()), int(probs.argmin())
    assert "the largest of" in tour_of(trace, 2, best)[0].sentence
    assert f"rank {len(probs)} of" in tour_of(trace, 2, worst)[0].sentence
    assert f"“{LABEL_OF(best)}”" in tour_of(trace, 2, best)[0].sentence


def test_the_sentence_on_the_sum_says_which_divisors_are_held():
    sums = [tour_of(tiny_trace(norm_place=p))[2].sentence for p in ("pre", "post")]
    assert "The final norm's divisor" in sums[0]
    assert "every norm behind a part" in sums[1]
    for said in sums:
        numbers = [
            float(x.replace("−", "-"))
            for x in re.findall(r"[+−]\d+\.?\d*", said.partition(": ")[2])
        ]
        logit = float(re.search(r"logit (−?\d+\.\d+)", said)[1].replace("−", "-"))
        assert sum(numbers) == pytest.approx(logit, abs=0.05)


def test_an_edit_is_a_kind_of_its_own():
    edits = [Edit("layers.0.resid_mid", (), 0.7, "add")]
    trace = traced_ids(tiny_trace().config, [65, 66, 67], edits=edits)
    parts = logit_parts(trace, 2, 12)
    assert [kind_of(part) for part in parts].count("edits") == 1
    assert "edits " in tour_of(trace, 2, 12)[2].sentence


def test_where_the_logit_is_no_number_the_tour_is_one_stop():
    model = random_model(tiny_bundle().config)
    with torch.no_grad():
        model.layers[0].ffn.W_1[0, 0] = math.nan
    trace = run_trace(make_bundle(model, tiny_tokenizer(), name="broken"), "the cat")
    (stop,) = why(trace, 1, 5, LABEL_OF)
    assert stop.selection.step == "output.logits"
    assert "not a finite number" in stop.sentence


def test_a_token_that_does_not_exist_is_refused():
    with pytest.raises(TraceError):
        why(tiny_trace(), 9, 5, LABEL_OF)


def test_a_stop_points_at_the_number_that_matters_most():
    trace = tiny_trace(norm_place="post")
    for stop in tour_of(trace, 2, 40):
        place = stop.selection
        if not place.step.endswith("attn.heads"):
            continue
        layer = trace.step(place.step).layer
        row = trace.part(place.step, (place.head, 2))
        direction = head_direction(trace, f"layers.{layer}.attn", place.head, 2, 40)
        part = next(
            part.value
            for part in logit_parts(trace, 2, 40)
            if (part.layer, part.head) == (layer, place.head)
        )
        assert row @ direction == pytest.approx(part, rel=1e-4)
        assert place.feature == (row * direction).argmax()


@pytest.mark.parametrize("kind", TWO_SIDES)
@pytest.mark.parametrize("target", ["a dog ran", ""])
def test_behind_an_encoder_the_tour_goes_on_to_the_source(kind, target):
    trace = encoder_decoder_trace(kind, target=target)
    stops = tour_of(trace)
    for stop in stops:
        assert clamped(stop.selection, trace) == stop.selection
        cell = cell_of(stop.selection, trace)
        assert trace.has(cell.key, cell.index)
        assert stop.sentence.endswith(".")
    looks = [s for s in stops if s.selection.step.endswith("cross.pattern")]
    assert looks
    source = trace.tokens("encoder")
    for stop in looks:
        place = stop.selection
        assert f"source word “{source.label(place.key)}”" in stop.sentence
        attn = place.step.removesuffix(".pattern")
        keys = key_parts(trace, attn, place.head, place.query, place.token)
        assert signed(float(keys[place.key])) in stop.sentence
    ends = {stop.selection.step: stop.sentence for stop in stops}
    assert ends["encoder.tokens.ids"].endswith("the way ends, in the source.")
    assert ends["decoder.tokens.ids"].endswith("the way ends, in the target.")


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_kinds_of_parts_add_up_behind_an_encoder_too(kind):
    trace = encoder_decoder_trace(kind)
    parts = logit_parts(trace, 1, 9)
    sums = {kind: parts_of_kind(parts, kind) for kind in KINDS}
    logit = trace.value("output.logits", (1, 9))
    assert sum(sums.values()) == pytest.approx(logit, rel=1e-4, abs=1e-4)
    assert sums["cross attention"]
    assert set(by_layer(parts, "cross attention")) == {0, 1}
    assert bool(sums["the token's own bias"]) == trace.config.output_bias
    said = tour_of(trace)[1].sentence
    assert ("divided by √d_model" in said) == trace.config.scale_output
    assert said.endswith("plus its own bias.") == trace.config.output_bias


@pytest.mark.parametrize("n_layers", [1, 2])
def test_the_tour_of_a_model_that_only_lays_heads_side_by_side(n_layers):
    trace = tiny_trace(
        norm="none",
        feed_forward=False,
        residual=False,
        mix_heads=False,
        n_layers=n_layers,
        n_heads=1,
    )
    stops = tour_of(trace)
    said = " ".join(stop.sentence for stop in stops)
    assert "What the last layer made is a sum" in said
    assert "through W_E" in said
    assert f"layers.{n_layers - 1}.attn.pattern" in [s.selection.step for s in stops]
