import numpy as np
import pytest
import torch

from core.bundle import make_bundle
from core.pipeline import run_trace
from core.trace.edits import Edit
from core.trace.matrix import Cell
from core.trace.selection import Selection, at_step, cell_of
from core.trace.views.inspector import inspector_view
from core.trace.views.places import place_text
from tests.helpers.bundles import (
    encoder_decoder_trace,
    random_model,
    tiny_bundle,
    tiny_tokenizer,
    tiny_trace,
)
from tests.helpers.traces import traced_ids

LABEL_OF = tiny_tokenizer().label
KINDS = (
    {},
    {
        "norm": "rms_norm",
        "position": "rotary",
        "gated": True,
        "n_kv_heads": 1,
        "norm_place": "post",
        "activation": "silu",
        "tie_embeddings": False,
    },
)


def view_of(key, index, **config):
    return inspector_view(tiny_trace(**config), Cell(key, index), LABEL_OF)


def numbers(view):
    return [[number_of(link.text) for link in row.factors] for row in view.rows]


def number_of(text):
    return float(text.replace("\u2212", "-"))


@pytest.mark.parametrize("config", KINDS, ids=("plain", "modern"))
def test_every_number_of_every_step_can_be_inspected_and_is_proven(config):
    trace = tiny_trace(**config)
    for key in trace.keys:
        cell = cell_of(
            at_step(Selection(query=2, key=1, head=1, feature=3), key), trace
        )
        if cell is not None:
            view = inspector_view(trace, cell, LABEL_OF)
            assert view.is_proven
            assert view.number
            assert view.where


def test_a_score_is_its_products_largest_first_and_both_factors_are_links():
    view = view_of("layers.0.attn.scores", (1, 2, 0))
    trace = tiny_trace()
    q = trace.part("layers.0.attn.q", (1, 2))
    k = trace.part("layers.0.attn.k", (1, 0))
    order = np.argsort(-np.abs(q * k))
    links = [[link.cell for link in row.factors] for row in view.rows]
    assert links == [
        [
            Cell("layers.0.attn.q", (1, 2, int(i))),
            Cell("layers.0.attn.k", (1, 0, int(i))),
        ]
        for i in order
    ]
    assert [head.text for head in view.heads] == ["q", "k", "product"]
    assert [head.role for head in view.heads] == ["query", "key", "muted"]


def test_many_terms_left_out_are_counted_in_thousands():
    view = view_of("layers.0.ffn.out", (2, 3), d_ff=1200)
    assert view.rest == "1,194 more"


def test_the_terms_left_out_and_those_shown_are_the_whole_sum():
    view = view_of("layers.0.ffn.out", (2, 3))
    results = [number_of(row.result) for row in view.rows if row.result]
    bias = numbers(view)[-1][0]
    total = sum(results) + bias + number_of(view.rest_value)
    assert view.rest == "26 more"
    assert total == pytest.approx(number_of(view.number), abs=0.05)


def test_a_share_shows_each_keys_masked_score_and_marks_its_own():
    view = view_of("layers.1.attn.pattern", (0, 2, 1))
    trace = tiny_trace()
    assert [row.label.text for row in view.rows] == ["the", "·cat", "·sat"]
    assert [row.is_own for row in view.rows] == [False, True, False]
    shares = [number_of(row.result) for row in view.rows]
    expected = trace.part("layers.1.attn.pattern", (0, 2))
    assert shares == pytest.approx(list(expected), abs=5e-4)
    assert all(row.factors[0].cell.key == "layers.1.attn.masked" for row in view.rows)


@pytest.mark.parametrize(
    ("below", "text"), [(-2, "0.119"), (-8, "0.0003"), (-9.2, "0.0001"), (-10, "5e−05")]
)
def test_a_small_share_is_not_written_as_none(below, text):
    config, scaled = tiny_trace().config, "layers.0.attn.scaled"
    edits = [Edit(scaled, (0,), 0.0), Edit(scaled, (0, 1, 0), float(below))]
    trace = traced_ids(config, [65, 66], edits=edits)
    view = inspector_view(trace, Cell("layers.0.attn.pattern", (0, 1, 1)), str)
    assert view.rows[0].result == text


def test_masked_keys_are_not_among_the_rows_of_a_share():
    assert len(view_of("layers.0.attn.pattern", (0, 0, 0)).rows) == 1


def test_a_masked_score_is_minus_infinity_and_still_proven():
    view = view_of("layers.0.attn.masked", (0, 0, 2))
    assert view.number == "−∞"
    assert [line.text for line in view.proof] == ["−∞", "−∞", "0"]
    assert "after the query" in view.note


def test_a_weight_says_that_it_was_learned_and_proves_nothing():
    view = view_of("layers.0.attn.W_Q", (3, 1, 2))
    assert view.note.startswith("Learned in training. What feature 4 of the row adds")
    assert (view.proof, view.rows, view.equation) == ((), (), "")
    words = [words.text for words in view.where]
    assert words == ["layer 1", "W_Q", "row 4", "column 3", "of head 2"]


def test_the_place_of_a_score_names_head_query_and_key_in_their_colours():
    where = view_of("layers.0.attn.scores", (1, 2, 0)).where
    assert [word.text for word in where] == ["layer 1", "head 2", "·sat", "→", "the"]
    assert [word.role for word in where[1:]] == ["muted", "query", "muted", "key"]


def test_a_shared_key_head_is_called_by_its_own_number():
    where = view_of("layers.0.attn.k", (0, 1, 2), n_kv_heads=1).where
    words = [word.text for word in where]
    assert words == ["layer 1", "key head 1", "·cat", "feature 3"]


def test_an_edited_number_says_so_and_is_not_called_proven():
    key = "layers.0.attn.heads"
    trace = traced_ids(tiny_trace().config, [65, 66, 67], edits=[Edit(key, (0,), 5.0)])
    view = inspector_view(trace, Cell(key, (0, 1, 2)), str)
    assert view.number == "5.000"
    assert "edit" in view.note
    assert not view.is_proven
    assert float(view.proof[-1].text.replace("−", "-")) != 0


def test_the_copied_text_is_what_print_prints():
    view = view_of("layers.0.attn.scores", (1, 2, 0))
    explanation = tiny_trace().explain("layers.0.attn.scores", (1, 2, 0))
    assert view.text == str(explanation) == explanation.text


def test_a_difference_of_zero_is_zero_to_the_last_bit():
    trace = tiny_trace()
    for place in range(trace.config.d_model):
        view = view_of("layers.1.resid_mid", (1, place))
        explanation = trace.explain("layers.1.resid_mid", (1, place))
        is_zero = float(view.proof[-1].text.replace("−", "-")) == 0
        assert is_zero == (explanation.difference == 0)


def test_an_id_leads_to_its_place_in_the_text():
    view = view_of("tokens.ids", (1,))
    (row,) = view.rows
    assert row.factors[0].text == "token 2 of 3"
    assert row.factors[0].cell == Cell("tokens.pieces", ())
    assert "20 63 61 74: characters 4 to 7" in view.note


def test_what_is_not_a_number_takes_no_more_room_than_one_and_is_said_in_words():
    bundle = tiny_bundle()
    model = random_model(bundle.config)
    with torch.no_grad():
        model.layers[0].attn.W_Q[0, 0, 0] = torch.nan
    broken = make_bundle(model, tiny_tokenizer(), name="broken")
    trace = run_trace(broken, "the cat")
    view = inspector_view(trace, Cell("layers.0.attn.q", (0, 1, 0)), LABEL_OF)
    assert view.number == "NaN"
    assert view.rows[0].factors[1].text == view.rows[0].result == "NaN"
    assert "layers.0.attn.W_Q[0, 0, 0] is not a finite number" in view.note
    assert view.is_proven


# Two sides.


def test_a_number_of_cross_attention_stands_between_target_and_source():
    trace = encoder_decoder_trace()
    key = "decoder.layers.1.cross.pattern"
    view = inspector_view(trace, Cell(key, (1, 2, 7)), str)
    assert [words.text for words in view.home] == ["decoder layer 2"]
    source = trace.tokens("encoder").label(7)
    assert [words.text for words in view.where] == [
        "head 2", trace.label(2), "→", source, "of the source",
    ]  # fmt: skip
    assert view.name_words[0].text == "cross.pattern"
    labels = {row.label.text for row in view.rows}
    tokens = trace.tokens("encoder")
    assert labels <= {tokens.label(place) for place in range(tokens.n)}


def test_masks_and_places_name_tokens_of_their_own_text():
    trace = encoder_decoder_trace("T5")
    source, target = trace.tokens("encoder"), trace.tokens("decoder")
    said = {
        ("decoder.cross_mask", (1, 8)): (target.label(1), source.label(8)),
        ("encoder.mask", (1, 8)): (source.label(1), source.label(8)),
        ("decoder.positions", (2,)): (target.label(2),),
        ("encoder.tokens.ids", (3,)): (source.label(3),),
    }
    for (address, index), labels in said.items():
        text = place_text(trace, Cell(address, index), str)
        assert text.startswith(address.partition(".")[0])
        for label in labels:
            assert label in text
    shift = inspector_view(trace, Cell("encoder.layers.0.attn.bias", (1, 2, 7)), str)
    assert [row.label.text for row in shift.rows] == [
        f"{source.label(2)} at", f"{source.label(7)} at", "embed.W_B", "one row from",
    ]  # fmt: skip
