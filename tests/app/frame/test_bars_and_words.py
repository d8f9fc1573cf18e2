import pytest
from PySide6.QtGui import QGuiApplication

from app.failures import ErrorReport
from app.frame.formula_colours import coloured
from app.frame.message_bar import MessageBar
from app.frame.panel_header import (
    PanelHeader,
    address_words,
    shape_text,
    title_words,
)
from app.frame.words_line import WordsLine
from app.style.formula_svg import MARK, formula_request, render_svg
from app.style.theme import LIGHT
from core.config import ModelConfig
from core.generation.sampling import Sampling
from core.texts import step_text
from core.trace.selection import Selection
from core.trace.steps import steps_for
from core.trace.views.places import Words
from tests.helpers.bundles import TWO_SIDES

CONFIG = ModelConfig(n_layers=2)
STEPS = {step.key: step for step in steps_for(CONFIG)}


def test_a_failure_is_one_sentence_whose_details_can_be_copied(qtbot, empty_session):
    bar = MessageBar(empty_session.failed)
    qtbot.addWidget(bar)
    assert bar.isHidden()
    empty_session.failed.emit(ErrorReport("The file is damaged.", "Traceback: ..."))
    assert not bar.isHidden()
    assert bar.sentence == "The file is damaged."
    bar._copy.click()
    assert "Traceback: ..." in QGuiApplication.clipboard().text()
    bar._close.click()
    assert bar.isHidden()


def test_what_has_no_details_offers_none(qtbot, empty_session):
    bar = MessageBar(empty_session.failed)
    qtbot.addWidget(bar)
    bar.say("A note.", "warning")
    assert bar._copy.isHidden()


def test_the_shape_has_the_real_numbers():
    step = STEPS["layers.1.attn.pattern"]
    assert shape_text(step, CONFIG, (6, 0)) == "[4 heads, 6 query, 6 key]"


def test_the_address_names_layer_head_key_and_shape():
    step = STEPS["layers.1.attn.pattern"]
    address, shape = address_words(step, CONFIG, Selection(head=0), (6, 0))
    assert address.text == "layer 2 · head 1 · layers.1.attn.pattern ·"
    assert shape.text == "[4 heads, 6 query, 6 key]"  # cut before the key is


def test_before_the_layers_only_key_and_shape_are_named():
    words = address_words(STEPS["embed.sum"], CONFIG, Selection(), (3, 0))
    assert [one.text for one in words] == ["embed.sum ·", "[3 tokens, 192 d_model]"]
    (line,) = address_words(STEPS["embed.sum"], CONFIG, Selection(), (0, 0))
    assert line.text == "embed.sum"


@pytest.mark.parametrize(
    ("key", "title", "shape"),
    [
        (
            "decoder.layers.1.cross.pattern",
            "Decoder · layer 2 · cross attention · Softmax",
            "[4 heads, 7 target, 12 source]",
        ),
        (
            "decoder.layers.1.cross.k",
            "Decoder · layer 2 · cross attention · Keys",
            "[4 key heads, 12 source tokens, 48 d_head]",
        ),
        (
            "encoder.layers.0.attn.pattern",
            "Encoder · layer 1 · self-attention · Softmax",
            "[4 heads, 12 source, 12 source]",
        ),
        (
            "decoder.layers.0.resid_cross",
            "Decoder · layer 1 · Addition",
            "[7 target tokens, 192 d_model]",
        ),
        (
            "encoder.embed.sum",
            "Encoder · Sum: what the token is, plus where it stands",
            "[12 source tokens, 192 d_model]",
        ),
        (
            "output.pick",
            "Next token: one is picked",
            "[7 tokens]",
        ),
    ],
)
def test_of_two_sides_title_and_shape_say_whose_tokens_it_is_about(key, title, shape):
    config = ModelConfig(n_layers=2, n_encoder_layers=2)
    step = next(step for step in steps_for(config) if step.key == key)
    words = title_words(step, step_text(step, config).title)
    assert " ".join(one.text for one in words) == title
    assert shape_text(step, config, (7, 12)) == shape


def test_the_heading_is_as_high_for_one_step_as_for_another(qtbot):
    header = PanelHeader()
    qtbot.addWidget(header)
    heights = set()
    for step in STEPS.values():
        header.show_step(step, CONFIG, Selection(), (6, 0), Sampling())
        heights.add(header.height())
    assert len(heights) == 1


def test_symbols_wear_the_colour_of_their_thing():
    assert coloured("S = Q K^T") == "{pattern:S} = {query:Q} {key:K}^T"
    assert coloured(r"Q = \hat X W_Q + b_Q") == (
        r"{query:Q} = {residual:\hat X} {query:W_Q} + {query:b_Q}"
    )
    assert coloured(r"\text{Quiet} + M") == r"\text{Quiet} + M"


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        ModelConfig(n_layers=1, position="rotary", norm="rms_norm", gated=True),
        ModelConfig(n_layers=1, position="learned", bias=False, tie_embeddings=False),
        *(
            ModelConfig(n_layers=1, n_encoder_layers=1, **fields)
            for fields in TWO_SIDES.values()
        ),
    ],
)
def test_every_formula_can_be_set_in_its_colours(config):
    for formula in {step.formula for step in steps_for(config)}:
        marked = coloured(formula)
        assert MARK.sub("{", marked).replace("{", "").replace("}", "") == (
            formula.replace("{", "").replace("}", "")
        )
        assert b"<svg" in render_svg(formula_request(marked, 17, LIGHT))


def test_a_line_of_words_says_all_of_them_in_its_tip(qtbot):
    line = WordsLine()
    qtbot.addWidget(line)
    line.show_words((Words("<s>", "query"), Words("→"), Words("b", "key")))
    assert line.text == "<s> → b"
    assert "&lt;s&gt;" in line.toolTip()
    line.show_words(())
    assert line.toolTip() == ""
