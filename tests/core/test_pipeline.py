"""From a text to a trace: how the text of special tokens is read."""

import numpy as np
import pytest

from core.pipeline import run_trace
from tests.helpers.bundles import encoder_decoder_bundle, tiny_bundle

END = "<|endoftext|>"


def test_the_text_of_a_special_token_is_characters_unless_asked_for() -> None:
    bundle = tiny_bundle()
    text = f"the{END}"
    plain, read = run_trace(bundle, text), run_trace(bundle, text, specials=True)
    assert plain.encoding == bundle.tokenizer.encode(text)
    assert read.encoding == bundle.tokenizer.encode(text, specials=True)
    assert read.ids[-1] == bundle.tokenizer.specials[END]
    assert len(read.ids) < len(plain.ids)
    by_ids = run_trace(bundle, ids=read.ids)
    np.testing.assert_array_equal(read["output.logits"], by_ids["output.logits"])


@pytest.mark.parametrize("specials", [False, True])
def test_a_target_is_read_as_its_source_is(specials: bool) -> None:
    bundle = encoder_decoder_bundle("T5")
    end = bundle.tokenizer.specials[END]
    trace = run_trace(bundle, f"cat{END}", target=f"the{END}", specials=specials)
    assert (end in trace.source.ids, end in trace.ids[1:]) == (specials, specials)
