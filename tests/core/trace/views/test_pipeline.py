import pytest

from core.config import ModelConfig
from core.trace.step import part_of
from core.trace.steps import layers_of, steps_for
from core.trace.views.pipeline import PARTS, SHARED_LINES, pipeline_lines
from tests.helpers.bundles import TWO_SIDES

CONFIGS = (
    ModelConfig(),
    ModelConfig(position="rotary", gated=True, norm_place="post", n_layers=2),
    ModelConfig(position="none", scale_embeddings=True, n_layers=1),
    *(
        ModelConfig(n_layers=2, n_encoder_layers=3, **kind)
        for kind in TWO_SIDES.values()
    ),
)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_step_stands_in_the_list_once_and_in_order(config):
    stops = [stop.key for line in pipeline_lines(config) for stop in line.stops]
    assert stops == [step.key for step in steps_for(config)]


@pytest.mark.parametrize("config", CONFIGS)
def test_each_side_and_layer_has_a_heading_before_its_lines(config):
    lines = pipeline_lines(config)
    paths = [line.path for line in lines if line.path]
    sides = ["encoder", "decoder"] if config.has_encoder else []
    assert [path for path in paths if "layers" not in path] == sides
    assert [path for path in paths if "layers" in path] == list(layers_of(config))
    open_paths = set()
    for line in lines:
        open_paths |= {line.path}
        assert {line.side, line.layer} - {""} <= open_paths


def test_queries_keys_and_values_share_a_line_in_their_colours():
    line = next(line for line in pipeline_lines(CONFIGS[0]) if len(line.stops) == 3)
    assert [(stop.text, stop.role) for stop in line.stops] == [
        ("Q", "query"),
        ("K", "key"),
        ("V", "value"),
    ]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_line_is_one_of_the_table_or_a_single_step_of_one_layer(config):
    by_key = {step.key: step for step in steps_for(config)}
    for line in pipeline_lines(config):
        steps = [by_key[stop.key] for stop in line.stops]
        names = tuple(step.name for step in steps)
        assert len(names) < 2 or names in SHARED_LINES
        assert len({(step.side, step.layer, part_of(step.key)) for step in steps}) < 2


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_a_decoders_layer_names_its_three_parts_in_order(kind):
    config = ModelConfig(n_layers=2, n_encoder_layers=2, **TWO_SIDES[kind])
    lines = pipeline_lines(config)
    for path in layers_of(config):
        named = [
            x.heading for x in lines if x.layer == path and not x.path and x.heading
        ]
        is_decoder = path.startswith("decoder")
        assert named == (list(PARTS.values()) if is_decoder else [])
        cross = [
            place
            for place, line in enumerate(lines)
            if line.layer == path and any("cross." in s.key for s in line.stops)
        ]
        if cross:
            assert lines[cross[0] - 1].heading == "Cross attention"
