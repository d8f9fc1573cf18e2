import numpy as np
import pytest
import torch

from app.workers.tracing import (
    ANSWERS,
    EncodeRequest,
    OpenRequest,
    PartsRequest,
    TraceRequest,
    TracingWorker,
    broken_from,
    card_of,
)
from core.bundle import make_bundle
from core.config import ModelConfig
from core.model.encoder_decoder import n_parameters
from core.pipeline import run_trace
from core.trace.trace import Trace
from core.trace.views.embedding import overview
from core.training.events import Sampled
from tests.helpers.bundles import (
    TINY,
    random_model,
    save_tiny,
    tiny_bundle,
    tiny_tokenizer,
    tiny_trace,
)
from tests.helpers.run_events import started, write_events


def answer(request):
    return ANSWERS[type(request)](request)


def spoiled_bundle(address, place, value=float("nan")):
    """A tiny model with one number that is none."""
    tokenizer = tiny_tokenizer()
    model = random_model(ModelConfig(**TINY, n_vocab=tokenizer.n_vocab))
    with torch.no_grad():
        model.get_parameter(address)[place] = value
    return make_bundle(model, tokenizer, name="spoiled")


def test_a_model_is_opened_with_its_card(tmp_path):
    opened = answer(OpenRequest(save_tiny(tmp_path)))
    assert opened.bundle.config == tiny_bundle().config
    assert (opened.card.name, opened.card.device) == ("tiny", opened.card.device)
    assert opened.card.folder == tmp_path


def test_a_run_is_opened_at_its_newest_checkpoint_with_what_it_wrote_on_from(tmp_path):
    samples = (Sampled(step=0, prompt=each, text="?") for each in ("abc", "de"))
    write_events(tmp_path, (started(), *samples))
    folders = [save_tiny(tmp_path / f"checkpoints/step-{n:08d}") for n in (3, 20)]
    card = answer(OpenRequest(tmp_path)).card
    assert card.folder == folders[1]
    assert card.prompts == ("abc", "de")


def test_a_card_counts_a_shared_table_once():
    bundle = tiny_bundle()
    assert card_of(bundle).n_parameters == n_parameters(bundle.config)
    assert card_of(bundle).n_ctx == 32


def test_a_trace_is_that_of_the_encoding_with_its_time():
    bundle = tiny_bundle()
    encoding = bundle.tokenizer.encode("the cat sat")
    traced = answer(TraceRequest(bundle, encoding, serial=1))
    assert traced.trace.encoding is encoding
    np.testing.assert_array_equal(
        traced.trace["layers.1.resid_out"], tiny_trace()["layers.1.resid_out"]
    )
    assert traced.timing.device == "CPU"
    assert traced.timing.milliseconds > 0
    assert traced.broken_from is None


def test_a_text_is_cut_as_its_tokenizer_cuts_it():
    request = EncodeRequest(tiny_tokenizer(), "the cat<|endoftext|>", specials=True)
    assert answer(request) == tiny_tokenizer().encode(request.text, specials=True)


def test_parts_are_in_the_cache_of_the_trace_afterwards(monkeypatch):
    trace = run_trace(tiny_bundle(), "the cat sat")
    answer(PartsRequest(trace, (("layers.0.attn.pattern", ()),)))
    monkeypatch.setattr(Trace, "_derive", None)  # nothing may be computed any more
    assert trace.part("layers.0.attn.pattern").shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("address", "place", "key"),
    [
        ("layers.1.ffn.W_1", (0, 0), "layers.1.ffn.hidden"),
        ("layers.0.attn.W_Q", (0, 1, 0), "layers.0.attn.q"),
        ("layers.1.attn.b_V", (0, 0), "layers.1.attn.v"),
        ("output.norm.gamma", (3,), "output.norm"),
        ("embed.W_E", (116, 0), "embed.token"),
    ],
)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_the_first_step_with_a_number_that_is_none_is_found(address, place, key, value):
    bundle = spoiled_bundle(address, place, value)
    assert broken_from(run_trace(bundle, ids=[116, 104])) == key


def test_a_spoiled_row_that_the_sentence_does_not_use_spoils_nothing_before_logits():
    trace = run_trace(spoiled_bundle("embed.W_E", (116, 0)), ids=[104])
    assert broken_from(trace) == "output.logits"


def test_after_a_trace_the_table_of_its_model_has_been_looked_through():
    overview.cache_clear()
    bundle, worker = tiny_bundle(), TracingWorker()
    worker.run(TraceRequest(bundle, bundle.tokenizer.encode("the cat"), serial=1))
    assert overview.cache_info().currsize == 1
