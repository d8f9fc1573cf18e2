"""Views of three kinds of attention: whose tokens are rows, whose are columns, and what
the mask does.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.config import ModelConfig
from core.pipeline import run_trace
from core.trace.attentions import kinds_of_attention
from core.trace.viewing import PLAIN, Viewing
from core.trace.views.attention_birth import birth_parts, birth_view
from core.trace.views.attention_compare import compare_view
from core.trace.views.attention_effect import key_effects, weighted_view
from core.trace.views.attention_grid import grid_view, heads_of_layer
from core.trace.views.attention_lines import lines_view
from core.trace.views.attention_map import map_view, row_in_heads, stages_of
from core.trace.views.attention_mix import mix_view
from core.trace.views.attention_output import head_output, head_pushes
from core.trace.views.attention_products import output_view, projection_view
from core.trace.views.attention_rollout import rollout_view
from core.trace.views.attention_shares import shares_of, why_none
from core.trace.views.attention_text import text_view
from core.trace.views.masking import NO_KEY, PADDING, mask_words, why_hidden
from core.trace.views.overview import all_heads, small_maps
from core.trace.views.shaping import shaping_of
from tests.helpers.bundles import (
    SOURCE_TEXT,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_trace,
)
from tests.helpers.traces import traced_ids

CROSS = "decoder.layers.1.cross"
LOOKS = {
    "encoder.layers.1.attn": ("encoder", "encoder"),
    "decoder.layers.1.attn": ("decoder", "decoder"),
    CROSS: ("decoder", "encoder"),
}


@pytest.fixture(params=["2017", "T5"])
def trace(request):
    return encoder_decoder_trace(request.param)


def kind(name):
    return replace(PLAIN, kind=name)


@pytest.mark.parametrize("attn", LOOKS)
def test_rows_are_of_who_looks_and_columns_of_what_is_looked_at(trace, attn):
    looking, seen = map(trace.tokens, LOOKS[attn])
    labels = [tuple(map(side.label, range(side.n))) for side in (looking, seen)]
    for stage in stages_of(trace, attn):
        view = map_view(trace, f"{attn}.{stage}", 1, PLAIN)
        matrix = view.matrix
        assert [matrix.rows.labels, matrix.columns.labels] == labels
        allowed = trace.mask_of(f"{attn}.{stage}")
        recorded = trace[f"{attn}.{stage}"][1]
        np.testing.assert_array_equal(matrix.values[allowed], recorded[allowed])
        row = row_in_heads(trace, f"{attn}.{stage}", 2, PLAIN)
        np.testing.assert_array_equal(row.values[1], matrix.values[2])
    last = seen.n - 1 if attn != "decoder.layers.1.attn" else 0
    tip = view.tip(2, last)
    assert f"query {looking.label(2)} (3) → key {seen.label(last)} ({last + 1})" in tip


def test_a_title_says_which_of_the_attentions_it_is(trace):
    views = [map_view(trace, f"{attn}.pattern", 0, PLAIN) for attn in LOOKS]
    assert [view.layer_words for view in views] == [
        "encoder layer 2",
        "decoder layer 2",
        "cross layer 2",
    ]
    assert tiny_view().layer_words == "layer 2"


def tiny_view():
    return map_view(tiny_trace(), "layers.1.attn.pattern", 0, PLAIN)


def test_a_score_is_called_by_what_was_done_to_it():
    t5, paper = encoder_decoder_trace("T5"), encoder_decoder_trace("2017")
    said = {
        (t5, "encoder.layers.0.attn.masked"): "q · k + b",
        (t5, "encoder.layers.0.attn.bias"): "shift",
        (t5, "encoder.layers.0.attn.scores"): "q · k",
        (t5, f"{CROSS}.masked"): "q · k",
        (paper, f"{CROSS}.masked"): "q · k / √d",
        (paper, f"{CROSS}.pattern"): "share",
    }
    for (trace, key), unit in said.items():
        assert map_view(trace, key, 0, PLAIN).unit == unit
    both = tiny_trace(position="relative")
    key = "layers.0.attn.masked"
    assert map_view(both, key, 0, PLAIN).unit == "q · k / √d + b"
    assert stages_of(both, "layers.0.attn") == (
        "scores",
        "scaled",
        "bias",
        "biased",
        "masked",
        "pattern",
    )


# What the mask does.


def test_each_mask_is_told_as_what_it_is(trace):
    said = [mask_words(trace, attn) for attn in LOOKS]
    assert "every token may look at every other" in said[0]
    assert "masked cells are empty" in said[1]
    assert "the whole source has been read" in said[2]
    for attn, words in zip(LOOKS, said, strict=True):
        assert words in map_view(trace, f"{attn}.masked", 0, PLAIN).note
    window = traced_ids(
        ModelConfig(n_vocab=256, n_ctx=32, d_model=8, n_heads=2, window=2), [*range(5)]
    )
    mask = window.mask_of("layers.0.attn.masked")
    assert why_hidden(mask, 4, 1) == "farther back than the model looks"
    assert "masked cells" in mask_words(window, "layers.0.attn")


def test_nothing_is_empty_where_nothing_is_masked(trace):
    for attn, has_mask in zip(LOOKS, (False, True, False), strict=True):
        view = map_view(trace, f"{attn}.pattern", 0, PLAIN)
        assert np.isnan(view.matrix.values).any() == has_mask
        assert ("masked cells" in view.note) == has_mask
        assert "each row sums to 1" in view.note


def test_padding_of_the_source_is_masked_and_said():
    bundle = encoder_decoder_bundle("2017")
    ids = [*bundle.tokenizer.encode(SOURCE_TEXT).ids, 0, 0]
    mask = [1] * (len(ids) - 2) + [0, 0]
    padded = run_trace(bundle, ids=ids, target=[5, 6], attention_mask=mask)
    for attn in ("encoder.layers.0.attn", CROSS):
        assert "only padding is masked" in mask_words(padded, attn)
        view = map_view(padded, f"{attn}.pattern", 0, PLAIN)
        assert view.value(1, len(ids) - 1) == "masked: padding"
        assert np.isnan(view.matrix.values[:, -2:]).all()
    shares = shares_of(padded, ((1, 0),), kind("cross"))
    assert why_none(shares, 1, len(ids) - 1) == "masked: padding"
    mixed = mix_view(padded, f"{CROSS}.heads", 0, 1)
    assert "padding" in mixed.where(len(ids) - 1)
    birth = birth_view(padded, CROSS, 0, 1, len(ids) - 1)
    assert PADDING in [stage.note for stage in birth.stages]
    assert NO_KEY not in [stage.note for stage in birth.stages]


# The pictures.


def test_small_maps_and_the_grid_are_those_of_the_kind(trace):
    for of in kinds_of_attention(trace.config):
        heads = all_heads(trace, of.name)
        assert heads == tuple((i, j) for i in range(of.n_layers) for j in range(2))
        maps = small_maps(trace, "pattern", kind(of.name), heads)
        for (layer, head), values in maps.items():
            key = of.key("pattern", layer)
            seen = trace.mask_of(key)
            np.testing.assert_array_equal(values[seen], trace[key][head][seen])
        key = of.key("pattern", 1)
        some = small_maps(trace, "pattern", kind(of.name), heads_of_layer(trace, 1))
        grid = grid_view(trace, key, PLAIN, some, None)
        assert grid.where(0, 1, 0).startswith(of.layer_words(1))


def test_lines_are_told_with_the_tokens_of_both_texts(trace):
    view = lines_view(trace, 1, (0, 1), kind("cross"))
    target, source = trace.tokens("decoder"), trace.tokens("encoder")
    assert (view.shares.n_rows, view.shares.n_columns) == (target.n, source.n)
    pattern = trace[f"{CROSS}.pattern"]
    place = int(pattern[:, 2].max(axis=0).argmax())
    said = view.told(False, 2)
    first = f"{target.label(2)} (3) looks at {source.label(place)} ({place + 1})"
    assert said.startswith(first)
    back = view.told(True, 3)
    assert back.startswith(f"{source.label(3)} (4) is looked at by ")
    assert view.title == "Cross layer 2 · all 2 heads"


@pytest.mark.parametrize("looks_back", [False, True])
def test_shades_of_one_text_are_shares_of_a_token_of_the_other(trace, looks_back):
    viewing = Viewing(kind="cross", looks_back=looks_back)
    view = text_view(trace, ((1, 0),), viewing)
    pattern = trace[f"{CROSS}.pattern"][0]
    expected = pattern[:, 2] if looks_back else pattern[2]
    np.testing.assert_allclose(view.shades(2), expected, rtol=1e-6)
    pointed, shaded = map(trace.tokens, ("decoder", "encoder")[:: 1 - 2 * looks_back])
    assert view.labels == tuple(map(pointed.label, range(pointed.n)))
    assert view.shaded_labels == tuple(map(shaded.label, range(shaded.n)))
    assert len(view.items) == pointed.n
    assert len(view.shaded) == shaded.n
    best = int(expected.argmax())
    assert f"{shaded.label(best)} ({best + 1})" in view.told(2, view.shades(2))
    looks = shaded.label(1) if looks_back else pointed.label(2)
    assert view.pair(2, 1, 0.5).startswith(looks)


def test_what_is_left_out_of_the_source_is_seen_in_the_target(trace):
    view = text_view(trace, ((1, 0),), Viewing(kind="cross", sink="left out"))
    shades = view.shades(1)
    assert np.isnan(shades[0])
    assert not np.isnan(shades[1:]).any()
    back = replace(view, viewing=replace(view.viewing, looks_back=True))
    assert np.isnan(back.shades(0)).all()
    assert np.isfinite(back.shades(1)).all()


def test_words_of_each_text_are_joined_by_themselves(trace):
    shaping = shaping_of(trace, Viewing(kind="cross", whole_words=True))
    target, source = trace.tokens("decoder"), trace.tokens("encoder")
    rows, columns = shaping.row_tokens, shaping.column_tokens
    for runs, side in ((rows, target), (columns, source)):
        assert [place for run in runs for place in run] == [*range(side.n)]
    assert [axis.name for axis in (shaping.rows, shaping.columns)] == [
        "target query",
        "source key",
    ]
    values = map_view(
        trace, f"{CROSS}.pattern", 0, Viewing(whole_words=True)
    ).matrix.values
    run, other = rows[1], columns[2]
    pattern = trace[f"{CROSS}.pattern"][0]
    block = pattern[np.ix_(run, other)].sum(axis=1).mean()
    assert values[1, 2] == pytest.approx(block, rel=1e-5)


@pytest.mark.parametrize("attn", LOOKS)
def test_the_birth_of_a_share_goes_through_the_stages_that_there_are(trace, attn):
    parts = birth_parts(trace, attn, 1, 2, 1)
    assert all(trace.has(*part) for part in parts)
    view = birth_view(trace, attn, 1, 2, 1)
    assert tuple(view.rows) == stages_of(trace, attn)
    for stage in view.stages:
        assert trace.has(stage.cell.key, stage.cell.index)
    names = [stage.name for stage in view.stages]
    is_shifted = "biased" in view.rows
    assert ("shifted" in names) == is_shifted
    assert ("scaled" in names) == ("scaled" in view.rows)
    score = view.products.sum()
    if is_shifted:
        score += trace.value(f"{attn}.bias", (1, 2, 1))
        shifted = next(stage for stage in view.stages if stage.name == "shifted")
        assert shifted.note.startswith("bucket ")
        assert view.rows["biased"][1] == pytest.approx(score, rel=1e-4)
    assert len(view.row) == len(view.rows) + 1
    assert view.keys.labels[1] == trace.tokens(LOOKS[attn][1]).label(1)


def test_a_target_token_takes_from_the_values_of_the_source(trace):
    view = mix_view(trace, f"{CROSS}.heads", 1, 2)
    np.testing.assert_allclose(
        view.weighted.sum(axis=0), trace[f"{CROSS}.heads"][1, 2], rtol=1e-4, atol=1e-5
    )
    assert view.keys.labels == tuple(
        map(trace.tokens("encoder").label, range(trace.tokens("encoder").n))
    )
    assert view.query_label == trace.label(2)


@pytest.mark.parametrize("letter", ["q", "k", "v"])
def test_keys_and_values_are_made_of_the_encoders_rows(trace, letter):
    view = projection_view(trace, f"{CROSS}.{letter}", 1)
    side = trace.tokens("decoder" if letter == "q" else "encoder")
    assert view.left.rows.labels == tuple(map(side.label, range(side.n)))
    assert view.names[0] == ("X̂" if letter == "q" else "X_enc")
    made = np.asarray(view.left.values) @ view.right.values
    if view.biases is not None:
        made = made + view.biases
    np.testing.assert_allclose(made, view.result.values, rtol=1e-4, atol=1e-4)
    assert output_view(trace, f"{CROSS}.out").place == "cross layer 2"


def test_effect_tells_what_a_source_token_adds_to_a_logit(trace):
    view = key_effects(trace, CROSS, 0, 2, 40, str)
    source = trace.tokens("encoder")
    assert [view.label(i) for i in range(source.n)] == [
        source.label(i) for i in range(source.n)
    ]
    pushes = head_pushes(trace, CROSS, 0, 2, str)
    both = (*pushes.raised, *pushes.lowered)
    found = {push.token: push.amount for push in both}
    if 40 in found:
        assert view.logits.sum() == pytest.approx(found[40], rel=1e-3, abs=1e-5)
    output = head_output(trace, CROSS, 0, 2)
    assert len(output.lengths) == trace.n
    weighted = weighted_view(trace, f"{CROSS}.pattern", 0, PLAIN)
    assert weighted.matrix.values.shape == (trace.n, source.n)


def test_lengths_without_an_output_matrix_are_those_of_the_value_rows():
    trace = tiny_trace(mix_heads=False)
    view = weighted_view(trace, "layers.1.attn.pattern", 1, PLAIN)
    lengths = np.linalg.norm(trace["layers.1.attn.v"][1], axis=-1)
    shares = trace["layers.1.attn.pattern"][1]
    seen = trace.mask_of("layers.1.attn.pattern")
    np.testing.assert_allclose(
        view.matrix.values[seen], (shares * lengths)[seen], rtol=1e-5
    )
    assert view.unit == "share × ‖v‖"


def test_two_sources_are_compared_over_one_target():
    bundle = encoder_decoder_bundle("2017")
    one = run_trace(bundle, "the cat sat", target="a dog")
    other = run_trace(bundle, "the dog sat on", target="a dog")
    view = compare_view((one, (1, 0)), (other, (1, 0)), "pattern", kind("cross"))
    assert len(view.rows) == one.n
    assert view.note.endswith(
        f"the sources have {one.tokens('encoder').n} and {other.tokens('encoder').n}."
    )
    assert "target" not in view.note
    r, c = view.rows[1], view.columns[0]
    expected = (
        one[f"{CROSS}.pattern"][0, r[0], c[0]]
        - other[f"{CROSS}.pattern"][0, r[1], c[1]]
    )
    assert view.difference.values[1, 0] == pytest.approx(expected)


def test_the_range_of_a_rollout_across_is_its_largest_share(trace):
    maps = np.full((2, trace.n, trace.tokens("encoder").n), 0.05, np.float32)
    view = rollout_view(trace, maps, 1, "mean", kind("cross"))
    assert view.matrix.scale.limit == pytest.approx(0.05)
    assert view.title == "Attention rolled out through cross layers 1 to 2"
    assert "what is missing from 1 came from the target" in view.note
    alone = rollout_view(trace, maps[:, :, : trace.n], 0, "mean", kind("decoder"))
    assert "left out" in alone.about
