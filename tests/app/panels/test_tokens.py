"""The tokens panel: what it shows of a scene and what a click asks for."""

from dataclasses import replace

import pytest

from app.panels.tokens import TokensPanel
from app.scene import Scene
from core.bundle import make_bundle
from core.config import ModelConfig
from core.generation.sampling import Sampling
from core.pipeline import run_trace, trace_encoding
from core.tokenizers.base import METHODS
from core.tokenizers.library import LibraryTokenizer
from core.trace.selection import Selection
from tests.helpers.bundles import TINY, character_bundle, random_model, tiny_bundle
from tests.helpers.scenes import AskedSession, pair_scene, scene_of
from tests.helpers.trained_tokenizers import content_of


@pytest.fixture
def panel(qtbot):
    session = AskedSession()
    panel = TokensPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    panel.show()
    yield panel
    session.close()


def test_each_step_has_its_face(panel):
    faces = {
        "tokens.pieces": panel.pieces,
        "tokens.merges": panel.merges,
        "tokens.ids": panel.ids,
    }
    for step, face in faces.items():
        panel.display(scene_of(step=step))
        assert panel.faces.currentWidget() is face


def test_a_word_asks_for_its_first_token(panel):
    scene = scene_of("the catsat", step="tokens.pieces", query=0, n_merges=2)
    panel.display(scene)
    first = next(i for i, p in enumerate(scene.trace.encoding.pieces) if p.word == 1)
    panel.words.words.word_clicked.emit(1)
    (wish,) = panel.session.wishes
    assert (wish.query, wish.n_merges) == (first, 0)


def test_the_slider_the_row_and_the_tree_ask_for_merges(panel):
    scene = scene_of(step="tokens.merges", query=1)
    panel.display(scene)
    panel.merges.rows.row_clicked.emit(2)
    panel.merges.slider.position_requested.emit(1)
    node = panel.merges.tree._placed[0].node
    panel.merges.tree.node_clicked.emit(node)
    asked = [wish.n_merges for wish in panel.session.wishes]
    assert asked == [2, 1, node.order + 1]


def test_the_slider_stands_where_the_selection_is(panel):
    scene = scene_of(step="tokens.merges", query=1)
    n_merges = len(scene.trace.encoding.words[1].merges)
    assert n_merges > 1
    for n in (0, 1, n_merges):
        moved = replace(scene.selection, n_merges=n)
        panel.display(replace(scene, selection=moved))
        assert panel.merges.slider.position == n
    assert panel.merges.title == f"·cat · after {n_merges} merges"


def test_a_word_of_one_byte_says_why_it_has_no_merges(panel):
    panel.display(scene_of("a", step="tokens.merges"))
    assert panel.merges.pages.currentWidget() is panel.merges.empty
    assert "one byte" in panel.merges.empty.reason.text()


def test_the_choice_how_to_read_a_special_shows_only_where_there_is_one(panel):
    panel.display(scene_of("the cat", step="tokens.ids"))
    assert not panel.words.specials.isVisible()
    panel.display(scene_of("the<|endoftext|>cat", step="tokens.ids"))
    assert panel.words.specials.isVisible()
    assert panel.words.specials.as_characters.isChecked()
    panel.words.specials.as_special.click()
    assert panel.session.wishes == [True]


@pytest.mark.parametrize("specials", [False, True])
@pytest.mark.parametrize("text", ["A🙂B", "the<|endoftext|>cat", "a\n <b>\x00 é"])
def test_the_decoded_line_is_said_to_be_the_text(panel, text, specials):
    panel.display(scene_of(text, specials=specials, step="tokens.ids"))
    assert panel.ids.verdict.text().startswith("equal to the text")
    assert "\ufffd" not in panel.ids.decoded.text


def test_tokens_of_one_character_stand_in_one_bracket(panel):
    panel.display(scene_of("A🙂B", step="tokens.ids", query=2))
    brackets = [row.bracket for row in panel.ids.rows._rows]
    assert brackets == [None, 0, 0, 0, 0, None]


def test_a_generated_token_is_shown_without_merges(panel):
    bundle = tiny_bundle()
    wide = max(bundle.tokenizer.encode("the cat").ids)
    ids = (wide, ord("e"))
    trace = run_trace(bundle, ids=ids)
    selection = Selection(step="tokens.merges")
    panel.display(Scene(trace, selection, bundle.tokenizer, Sampling()))
    assert "put in by its id" in panel.merges.empty.reason.text()


def character_scene(text="abcab", **selection):
    bundle = character_bundle("abc")
    trace = run_trace(bundle, text)
    place = Selection(step="tokens.merges", **selection)
    return Scene(trace, place, bundle.tokenizer, Sampling())


def test_where_tokens_are_characters_all_of_them_are_shown(panel):
    panel.display(character_scene(query=1))
    face = panel.characters
    assert panel.faces.currentWidget() is face
    cells = [cell for word in face.flow._words for cell in word.cells]
    assert [(cell.label, cell.sub) for cell in cells] == [
        ("a", "0"),
        ("b", "1"),
        ("c", "2"),
    ]
    assert face.flow._chosen == 1


def test_a_character_asks_for_where_it_first_stands(panel):
    panel.display(character_scene("bab", query=0))
    panel.characters.flow.word_clicked.emit(0)
    panel.characters.flow.word_clicked.emit(2)  # a "c" that the sentence has not
    assert [wish.query for wish in panel.session.wishes] == [1]


def scene_with(kind, text="The café plays", **selection):
    tokenizer = LibraryTokenizer(content_of(kind))
    config = ModelConfig(**{**TINY, "n_vocab": tokenizer.n_vocab})
    bundle = make_bundle(random_model(config), tokenizer, name=kind)
    trace = trace_encoding(bundle, tokenizer.encode(text))
    return Scene(trace, Selection(**selection), tokenizer, Sampling())


def test_every_method_of_cutting_has_a_face(panel):
    assert set(panel.by_method) == set(METHODS)
    for kind, face in (("bert", panel.search), ("t5", panel.path)):
        panel.display(scene_with(kind, step="tokens.merges", query=1))
        assert panel.faces.currentWidget() is face


def test_the_rounds_of_a_search_are_walked_by_the_slider(panel):
    scene = scene_with("bert", "catplays", step="tokens.merges", query=1)
    n = scene.trace.encoding.words[1].n_recorded
    assert n > 1
    for done in (0, n):
        moved = replace(scene.selection, n_merges=done)
        panel.display(replace(scene, selection=moved))
        assert panel.search.slider.position == done
    assert panel.search.title == f"catplays · after {n} rounds"
    panel.search.rows.row_clicked.emit(1)
    assert panel.session.wishes[-1].n_merges == 1


def test_a_row_of_the_search_says_what_was_tried(panel):
    panel.display(scene_with("bert", "catplays", step="tokens.merges", query=1))
    tip = panel.search.rows.item_text(0).splitlines()
    assert tip[0] == "takes cat"
    assert tip[1] == "catplays is no token"


def test_the_best_path_shows_what_leads_to_each_border(panel):
    scene = scene_with("t5", "plays", step="tokens.merges", query=0)
    word = scene.trace.encoding.words[0]
    panel.display(scene)
    assert panel.path.title.endswith("to letter 1 of 6")
    moved = replace(scene.selection, n_merges=word.n_recorded)
    panel.display(replace(scene, selection=moved))
    assert panel.path.lattice.is_at_end
    shown = tuple(row.texts[0].encode() for row in panel.path.rows._rows)
    assert shown == tuple(s.replace(b" ", "·".encode()) for s in word.symbols)


def test_a_token_around_the_text_says_that_nobody_typed_it(panel):
    for kind, face in (("bert", panel.search), ("llama3", panel.merges)):
        panel.display(scene_with(kind, step="tokens.merges", query=0))
        assert face.pages.currentWidget() is face.empty
        assert "Nobody typed it" in face.empty.reason.text()


def test_what_the_tokenizer_changed_is_shown_with_the_words(panel):
    panel.display(scene_with("bert", step="tokens.pieces"))
    reading = panel.pieces.reading
    assert (reading.typed.text, reading.read.text) == (
        "The café plays",
        "the cafe plays",
    )
    assert "Lower-cases and strips accents." in reading.notes.text()
    panel.display(scene_of("the cat", step="tokens.pieces"))
    assert not reading.isVisible()


def test_a_text_that_cannot_come_back_is_no_warning(panel):
    panel.display(scene_with("bert", step="tokens.ids"))
    assert "as the tokenizer reads it" in panel.ids.verdict.text()
    assert panel.ids.rows._rows[0].texts[4:6] == ("–", "–")


# Two sides.


@pytest.mark.parametrize("step", ["pieces", "merges", "ids"])
def test_each_side_shows_its_own_text(panel, step):
    panel.display(pair_scene(f"encoder.tokens.{step}", query=2))
    assert panel.words.title == "6 words"
    panel.display(pair_scene(f"decoder.tokens.{step}", query=2))
    assert panel.words.title == "Start token and 3 words"
    assert panel.words.bytes_title.text().startswith("word 2")


def test_the_start_token_is_said_to_be_the_models(panel):
    scene = pair_scene("decoder.tokens.merges", target="")
    panel.display(scene)
    assert panel.words.title == "Start token alone"
    assert "The model begins every target" in panel.merges.empty.reason.text()
    assert "the start token" in panel.words.bytes_title.text()
    panel.display(pair_scene("decoder.tokens.ids", target=""))
    assert "nobody typed it" in panel.ids.note


def test_a_target_is_decoded_without_its_start_token(panel):
    panel.display(pair_scene("decoder.tokens.ids"))
    assert "equal to the text" in panel.ids.verdict.text()


def test_a_word_of_the_target_asks_for_its_first_token(panel):
    scene = pair_scene("decoder.tokens.pieces")
    panel.display(scene)
    panel.words.words.word_clicked.emit(2)
    first = next(i for i, p in enumerate(scene.trace.encoding.pieces) if p.word == 2)
    assert panel.session.wishes[-1].query == first
