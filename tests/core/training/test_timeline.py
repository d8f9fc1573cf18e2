from dataclasses import replace

import numpy as np
import pytest

from core.bundle import make_bundle
from core.errors import TraceError
from core.pipeline import run_trace
from core.training.timeline import (
    differences,
    head_distances,
    pattern_maps,
    timeline,
    timeline_of,
)
from tests.helpers.bundles import (
    encoder_decoder_bundle,
    random_model,
    save_tiny,
    tiny_bundle,
    tiny_tokenizer,
    tiny_trace,
)
from tests.helpers.runs import carry_out

SENTENCE = "the cat sat on the mat"


@pytest.fixture(scope="module")
def other_trace():
    """The same sentence in a model of the same shape and other weights."""
    bundle = tiny_bundle()
    model = random_model(bundle.config, seed=5)
    return run_trace(make_bundle(model, tiny_tokenizer(), name="other"), SENTENCE)


@pytest.fixture
def run(make_run):
    folder = make_run(checkpoint_every=2, evaluate_every=2, keep=10)
    carry_out(folder)
    return folder


def test_a_timeline_holds_every_checkpoint_in_order_with_its_loss(run):
    found = timeline(run)
    assert (found.name, found.n_steps) == ("run", 6)
    assert [moment.step for moment in found.moments] == [0, 2, 4, 6]
    assert all(4 < moment.loss < 6 for moment in found.moments)
    assert found.moments[2].folder.name == "step-00000004"


def test_a_checkpoint_between_two_tests_has_no_loss_of_its_own(make_run):
    folder = make_run(checkpoint_every=2, evaluate_every=4, keep=10)
    carry_out(folder)
    told = {each.step: each.loss is not None for each in timeline(folder).moments}
    assert told == {0: True, 2: False, 4: True, 6: True}  # 6 is the last step


def test_a_checkpoint_knows_its_place_and_another_folder_has_none(run, tmp_path):
    found = timeline_of(run / "checkpoints" / "step-00000004")
    assert found == timeline(run)
    assert found.place_of(run / "checkpoints" / "step-00000004") == 2
    assert found.place_of(run) is None
    assert found.place_of(None) is None


def test_a_model_of_no_run_has_no_timeline(tmp_path):
    assert timeline_of(save_tiny(tmp_path / "tiny")) is None


def test_a_run_with_damaged_files_still_has_its_checkpoints(run):
    (run / "config.toml").write_text("[model\n")
    (run / "checkpoints" / "step-00000002" / "training.json").write_text("{")
    found = timeline(run)
    lost = [moment.loss is None for moment in found.moments]
    assert lost == [False, True, False, False]
    assert found.n_steps == 6


def test_a_trace_does_not_differ_from_itself():
    trace = tiny_trace(SENTENCE)
    found = differences(trace, trace)
    np.testing.assert_array_equal(found.heads, np.zeros((2, 2)))
    assert (found.raised, found.lowered) == ((), ())


def test_a_heads_distance_is_half_the_sum_of_what_moved(other_trace):
    one = tiny_trace(SENTENCE)
    found = differences(one, other_trace).heads
    for layer in range(2):
        for head in range(2):
            key = f"layers.{layer}.attn.pattern"
            rows = [
                sum(abs(float(a) - float(b)) for a, b in zip(*pair, strict=True)) / 2
                for pair in zip(one[key][head], other_trace[key][head], strict=True)
            ]
            assert found[layer, head] == pytest.approx(np.mean(rows[1:]), abs=1e-6)
    assert found.min() > 0
    assert found.max() <= 1


def test_one_token_leaves_a_head_no_choice():
    trace = tiny_trace("the")
    np.testing.assert_array_equal(head_distances(trace, trace, 0), [0, 0])


def test_the_most_raised_and_lowered_logits_come_first(other_trace):
    one = tiny_trace(SENTENCE)
    found = differences(one, other_trace)
    moved = other_trace["output.logits"][-1] - one["output.logits"][-1]
    assert found.raised[0].token_id == int(moved.argmax())
    assert found.lowered[0].token_id == int(moved.argmin())
    first = found.raised[0]
    assert first.difference == pytest.approx(moved.max(), abs=1e-5)
    share = other_trace["output.probs"][-1, first.token_id]
    assert first.share_after == pytest.approx(share, rel=1e-5)
    falls = [change.difference for change in found.lowered]
    assert falls == sorted(falls)


def test_the_difference_of_two_maps_is_the_second_less_the_first(other_trace):
    one = tiny_trace(SENTENCE)
    first, second, moved = pattern_maps(one, other_trace, layer=1, head=0)
    seen = one.part("mask")
    np.testing.assert_array_equal(np.isnan(moved.values), ~seen)
    np.testing.assert_array_equal(
        first.values[seen], one["layers.1.attn.pattern"][0][seen]
    )
    np.testing.assert_array_equal(
        moved.values[seen], (second.values - first.values)[seen]
    )
    assert (first.scale.kind, moved.scale.kind) == ("share", "signed")


def test_models_of_other_depths_are_compared_where_both_have_layers():
    shallow = tiny_trace(SENTENCE, n_layers=1)
    assert differences(shallow, tiny_trace(SENTENCE)).heads.shape == (1, 2)


def test_other_tokens_cannot_be_compared(other_trace):
    with pytest.raises(TraceError, match="other tokens"):
        differences(tiny_trace("the dog"), other_trace)


def test_other_vocabularies_cannot_be_compared():
    one = tiny_trace(SENTENCE)
    config = replace(one.config, n_vocab=one.config.n_vocab + 1)
    bundle = make_bundle(random_model(config), tiny_tokenizer(), name="wide")
    with pytest.raises(TraceError, match="tokens; compare models"):
        differences(one, run_trace(bundle, ids=one.ids))


def test_models_of_two_sides_are_compared_by_their_cross_attention():
    bundle = encoder_decoder_bundle()
    model = random_model(bundle.config, seed=9)
    other = make_bundle(model, bundle.tokenizer, name="other")
    traces = [run_trace(each, "the cat", target="sat") for each in (bundle, other)]
    one, two = (each["decoder.layers.1.cross.pattern"] for each in traces)
    found = differences(*traces)
    assert found.heads.shape == (bundle.config.n_layers, bundle.config.n_heads)
    expected = (np.abs(two - one).sum(-1) / 2).mean(-1)
    assert found.heads[1] == pytest.approx(expected, abs=1e-6)
    first, second, moved = pattern_maps(*traces, 1, 0)
    assert first.values == pytest.approx(one[0])
    assert second.values == pytest.approx(two[0])
    assert moved.values == pytest.approx(two[0] - one[0])
    assert (first.rows.name, first.columns.name) == ("target query", "source key")


def test_another_source_cannot_be_compared():
    bundle = encoder_decoder_bundle()
    traces = [run_trace(bundle, text, target="sat") for text in ("a cat", "a dog")]
    with pytest.raises(TraceError, match="cut the sentence into other tokens"):
        differences(*traces)
