"""One weight that is no number, or too large to be squared: every panel is drawn."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.panels import PANELS, panel_of
from app.scene import Scene
from core.bundle import make_bundle
from core.config import ModelConfig
from core.generation.sampling import Sampling
from core.pipeline import trace_encoding
from core.trace.selection import Selection
from core.trace.trace import Trace
from tests.helpers.bundles import TINY, random_model, tiny_tokenizer
from tests.helpers.scenes import AskedSession

CONFIGS: tuple[dict[str, Any], ...] = (
    {"position": "learned"},
    {
        "position": "rotary",
        "norm": "rms_norm",
        "gated": True,
        "n_kv_heads": 1,
        "activation": "silu",
        "bias": False,
    },
    {
        "position": "sinusoidal",
        "norm_place": "post",
        "scale_embeddings": True,
        "tie_embeddings": False,
    },
)
"""Together they have every kind of step and weight."""
TEXT = "the cat sat"


@dataclass(frozen=True)
class Break:
    """Where a model is broken, and what is looked at."""

    config: dict[str, Any]
    weight: int
    place: int
    value: float
    step: int
    query: int

    def trace(self) -> Trace:
        """The sentence in a model with that one weight; counts go round."""
        tokenizer = tiny_tokenizer()
        fields = {**TINY, "n_vocab": tokenizer.n_vocab, "n_layers": 1, **self.config}
        model = random_model(ModelConfig(**fields))
        weights = list(model.parameters())
        numbers = weights[self.weight % len(weights)].data.view(-1)
        numbers[self.place % len(numbers)] = self.value
        bundle = make_bundle(model, tokenizer, name="broken")
        return trace_encoding(bundle, tokenizer.encode(TEXT))


def places_in_use() -> list[int]:
    """Places in a table [n_vocab, d_model], in the rows that the sentence takes."""
    return [TINY["d_model"] * row for row in tiny_tokenizer().encode(TEXT).ids]


A_ROW_OF_THE_TABLE = Break(CONFIGS[0], 0, places_in_use()[1], math.nan, 3, 1)
a_break = st.builds(
    Break,
    st.sampled_from(CONFIGS),
    st.integers(0, 40),
    st.integers(0, 10_000) | st.sampled_from(places_in_use()),
    st.sampled_from([math.nan, math.inf, -math.inf, 3e38]),
    st.integers(0, 40),
    st.integers(0, 2),
)


@pytest.fixture
def panels(qtbot):
    session = AskedSession()
    made = {spec.name: spec.create(session) for spec in PANELS}
    for panel in made.values():
        qtbot.addWidget(panel)
        panel.resize(782, 536)
    yield made
    session.close()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(case=a_break)
@example(case=A_ROW_OF_THE_TABLE)
def test_every_panel_of_a_model_with_a_broken_weight_is_drawn(panels, qtbot, case):
    trace = case.trace()
    step = trace.keys[case.step % len(trace.keys)]
    selection = Selection(step=step, query=case.query)
    panel = panels[panel_of(step).name]
    with qtbot.captureExceptions() as faults:
        panel.display(Scene(trace, selection, tiny_tokenizer(), Sampling()))
        assert not panel.grab().isNull()
    assert faults == []
