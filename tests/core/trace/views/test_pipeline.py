import pytest

from core.config import ModelConfig
from core.trace.steps import steps_for
from core.trace.views.pipeline import SHARED_LINES, pipeline_lines

CONFIGS = (
    ModelConfig(),
    ModelConfig(position="rotary", gated=True, norm_place="post", n_layers=2),
    ModelConfig(position="none", scale_embeddings=True, n_layers=1),
)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_step_stands_in_the_list_once_and_in_order(config):
    stops = [stop.key for line in pipeline_lines(config) for stop in line.stops]
    assert stops == [step.key for step in steps_for(config)]


@pytest.mark.parametrize("config", CONFIGS)
def test_each_layer_has_a_heading_before_its_lines(config):
    headings = [line.layer for line in pipeline_lines(config) if not line.stops]
    assert headings == list(range(config.n_layers))
    layer = None
    for line in pipeline_lines(config):
        if not line.stops:
            layer = line.layer
        elif line.layer is not None:
            assert line.layer == layer


def test_queries_keys_and_values_share_a_line_in_their_colours():
    line = next(line for line in pipeline_lines(CONFIGS[0]) if len(line.stops) == 3)
    assert [(stop.text, stop.role) for stop in line.stops] == [
        ("Q", "query"),
        ("K", "key"),
        ("V", "value"),
    ]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_line_is_one_of_the_table_or_a_single_step(config):
    for line in pipeline_lines(config):
        names = tuple(stop.key.split(".", 2)[-1] for stop in line.stops)
        assert len(names) < 2 or names in SHARED_LINES
