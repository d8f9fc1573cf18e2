import pytest
from PySide6.QtCore import Qt

from app.frame.pipeline import Pipeline
from core.trace.selection import at_step
from tests.helpers.bundles import encoder_decoder_bundle


@pytest.fixture
def pipeline(qtbot, empty_session):
    pipeline = Pipeline(empty_session)
    qtbot.addWidget(pipeline)
    pipeline.resize(190, 640)
    pipeline.show()
    empty_session.open()
    empty_session.read("the cat sat")
    return pipeline


def go(session, key):
    session.request_selection(at_step(session.selection, key))


def texts(pipeline):
    return [item.stop.text if item.stop else "" for item in pipeline._items]


def index_of(pipeline, key):
    keys = [item.stop.key if item.stop else "" for item in pipeline._items]
    return keys.index(key)


def test_the_present_step_is_marked_and_its_layer_open(pipeline, empty_session):
    go(empty_session, "layers.1.attn.pattern")
    assert pipeline.present_text == "softmax"
    assert pipeline.unfolded == {"layers.1"}


def test_the_layer_left_behind_closes(pipeline, empty_session):
    go(empty_session, "layers.0.attn.q")
    go(empty_session, "layers.1.attn.q")
    assert pipeline.unfolded == {"layers.1"}
    go(empty_session, "output.probs")
    assert pipeline.present_text == "Softmax"


def test_a_click_on_a_step_goes_there(pipeline, empty_session, qtbot):
    go(empty_session, "layers.0.attn.q")
    box = pipeline.item_rect(index_of(pipeline, "layers.0.attn.v"))
    point = (box.center() - pipeline.offset()).toPoint()
    qtbot.mouseClick(pipeline.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert empty_session.selection.step == "layers.0.attn.v"


def test_a_click_on_a_heading_folds_and_unfolds(pipeline, empty_session):
    heading = next(i for i, item in enumerate(pipeline._items) if item.is_heading)
    before = pipeline.item_count()
    pipeline.activate(heading, is_secondary=False)
    assert pipeline.item_count() > before
    assert "open" in pipeline.item_text(heading)
    pipeline.activate(heading, is_secondary=False)
    assert pipeline.item_count() == before
    assert "folded" in pipeline.item_text(heading)


def test_arrow_keys_fold_walk_and_enter_goes(pipeline, empty_session, qtbot):
    pipeline.setFocus(Qt.FocusReason.TabFocusReason)
    heading = next(i for i, item in enumerate(pipeline._items) if item.is_heading)
    pipeline.put_cursor(heading)
    qtbot.keyClick(pipeline, Qt.Key.Key_Right)
    assert pipeline.unfolded == {"layers.0"}
    qtbot.keyClick(pipeline, Qt.Key.Key_Down)
    qtbot.keyClick(pipeline, Qt.Key.Key_Return)
    assert empty_session.selection.step == "layers.0.resid_in"
    qtbot.keyClick(pipeline, Qt.Key.Key_Left)
    assert pipeline.unfolded == set()


def test_the_present_step_is_in_sight_however_low_it_stands(pipeline, empty_session):
    pipeline.resize(190, 200)
    go(empty_session, "output.pick")
    box = pipeline.item_rect(index_of(pipeline, "output.pick"))
    top = pipeline.offset().y()
    assert top <= box.top()
    assert box.bottom() <= top + pipeline.viewport().height()


def test_no_two_items_overlap(pipeline, empty_session):
    go(empty_session, "layers.0.attn.heads")
    boxes = [item.box for item in pipeline._items]
    for place, box in enumerate(boxes):
        assert all(not box.intersects(other) for other in boxes[place + 1 :])
        assert box.right() <= pipeline.viewport().width()


@pytest.mark.parametrize(
    ("step", "text"),
    [("", "Text"), ("layers.9.attn.q", "Text"), ("layers.0.attn.pattern", "softmax")],
)
def test_without_a_sentence_the_step_of_the_heading_is_marked(
    qtbot, empty_session, step, text
):
    pipeline = Pipeline(empty_session)
    qtbot.addWidget(pipeline)
    if step:
        empty_session.go_to(step)
    empty_session.open()
    assert pipeline.present_text == text


# Two sides.


@pytest.fixture
def of_two_sides(qtbot, empty_session):
    pipeline = Pipeline(empty_session)
    qtbot.addWidget(pipeline)
    pipeline.resize(190, 640)
    pipeline.show()
    bundle = encoder_decoder_bundle("T5", gated=True)
    pipeline.show_steps(bundle.config)
    return pipeline


def test_both_sides_are_open_and_a_layer_where_the_reader_is(of_two_sides):
    assert of_two_sides.unfolded == {"encoder", "decoder"}
    of_two_sides.go_to("decoder.layers.1.cross.pattern")
    assert of_two_sides.present_text == "softmax"
    assert of_two_sides.unfolded == {"encoder", "decoder", "decoder.layers.1"}


def test_the_last_layer_of_the_encoder_closes_behind_the_reader(of_two_sides):
    of_two_sides.go_to("encoder.layers.1.resid_out")
    assert "encoder.layers.1" in of_two_sides.unfolded
    of_two_sides.go_to("decoder.tokens.pieces")
    assert of_two_sides.unfolded == {"encoder", "decoder"}


def test_no_layer_of_the_encoder_stays_open_in_the_decoder(of_two_sides):
    of_two_sides.go_to("encoder.layers.0.attn.q")
    of_two_sides.go_to("encoder.output.norm")
    of_two_sides.go_to("decoder.layers.1.attn.q")
    assert of_two_sides.unfolded == {"encoder", "decoder", "decoder.layers.1"}
    of_two_sides.go_to("output.pick")
    assert of_two_sides.unfolded == {"encoder", "decoder", "decoder.layers.1"}


def test_a_folded_side_opens_for_a_step_in_it(of_two_sides):
    heading = next(i for i in range(99) if "Decoder" in of_two_sides.item_text(i))
    of_two_sides.activate(heading, is_secondary=False)
    assert of_two_sides.unfolded == {"encoder"}
    assert "Decoder, folded" in of_two_sides.item_text(heading)
    of_two_sides.go_to("decoder.layers.0.cross.q")
    assert of_two_sides.unfolded == {"encoder", "decoder", "decoder.layers.0"}


def test_left_closes_the_layer_and_then_leads_to_its_side(of_two_sides):
    of_two_sides.go_to("decoder.layers.0.cross.q")
    place = index_of(of_two_sides, "decoder.layers.0.cross.q")
    layer = of_two_sides.neighbour(place, Qt.Key.Key_Left)
    assert of_two_sides.item_text(layer) == "Layer 1, folded"
    side = of_two_sides.neighbour(layer, Qt.Key.Key_Left)
    assert of_two_sides.item_text(side) == "Decoder, open"


@pytest.mark.parametrize("layer", ["encoder.layers.0", "decoder.layers.1"])
def test_no_two_items_of_two_sides_overlap_nor_leave_the_column(of_two_sides, layer):
    of_two_sides.go_to(f"{layer}.attn.heads")
    boxes = [item.box for item in of_two_sides._items]
    for place, box in enumerate(boxes):
        assert all(not box.intersects(other) for other in boxes[place + 1 :])
        assert box.right() <= of_two_sides.viewport().width()
