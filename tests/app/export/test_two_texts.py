"""Of a model of two sides, what is exported is what is on the screen, too."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from app.dialogs.export.dialog import numbers_of
from app.export.figure import STYLES, figure_of
from app.panels.attention.pictures import PICTURES
from app.widgets.shaded_text import ShadedText
from core.trace.sheet import Sheet
from core.trace.token_side import TEXTS
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Viewing
from tests.app.export.test_numbers import comes_back, drawn, holds, show
from tests.helpers.sessions import ShownSession, session_translating

STEPS = (
    "encoder.layers.1.attn.pattern",
    "decoder.layers.1.attn.masked",
    "decoder.layers.1.cross.pattern",
)
VIEWINGS = {
    "plain": PLAIN,
    "shaped": Viewing(whole_words=True, sink="left out", hides_specials=True),
    "back": Viewing(looks_back=True, joining="mean"),
}


@pytest.fixture
def session(qapp) -> Iterator[ShownSession]:
    session = session_translating(kind="T5")
    yield session
    session.close()


def made(sheet: Sheet, trace: Trace) -> np.ndarray:
    """What the sheet's own code makes."""
    names: dict[str, object] = {"trace": trace, "np": np}
    exec("\n".join(sheet.code), names)
    return names["values"]


def cases() -> Iterator[object]:
    """Every step as it is; one of them, and else only thoroughly, in other ways."""
    for step, (name, viewing) in product(STEPS, VIEWINGS.items()):
        is_one_of_many = name != "plain" and step != STEPS[2]
        marks = [pytest.mark.thorough] * is_one_of_many
        yield pytest.param(step, viewing, marks=marks, id=f"{step}-{name}")


@pytest.mark.parametrize(("step", "viewing"), tuple(cases()))
@pytest.mark.parametrize("name", [each.name for each in PICTURES])
def test_every_number_is_exported_and_made_again(
    session, name, step, viewing, tmp_path
):
    if name == "effect" and step.startswith("encoder"):
        pytest.skip("nothing of the encoder adds to a logit by itself")
    show(session, step, replace(viewing, picture=name))
    with figure_of(session, session.scene, STYLES[0], 1200) as figure:
        sheets = figure.panel.numbers(session.scene)
        shown = list(drawn(figure.panel))
    assert shown
    for kind, array in shown:
        assert any(holds(sheet, array) for sheet in sheets), (kind, array.shape)
    comes_back(sheets, tmp_path / "all.npz")
    for sheet in sheets:
        if sheet.code:
            again = made(sheet, session.trace)
            np.testing.assert_array_equal(again, sheet.values)


@pytest.mark.parametrize("step", STEPS)
def test_the_axes_say_whose_tokens_they_count(session, step):
    show(session, step, PLAIN)
    with figure_of(session, session.scene, STYLES[0], 1200) as figure:
        sheet = figure.panel.numbers(session.scene)[0]
    trace = session.trace
    looking, seen = trace.rows_of(step), trace.keys_of(step)
    names = f"{TEXTS[looking.name]} query", f"{TEXTS[seen.name]} key"
    assert sheet.axis_names == names
    assert sheet.values.shape == (looking.n, seen.n)
    assert sheet.axes[1].labels == tuple(map(seen.label, range(seen.n)))


def test_in_cross_attention_one_text_is_pointed_at_and_the_other_is_shaded(session):
    show(session, STEPS[2], replace(PLAIN, picture="text"))
    with figure_of(session, session.scene, STYLES[0], 1200) as figure:
        target, source = (
            figure.panel.findChild(ShadedText, f"attention.{name}")
            for name in ("text", "source")
        )
        shades = target.shade, source.shade
    assert target.item_count() == session.trace.n
    assert source.item_count() == len(session.trace.source.pieces)
    assert shades[0].focus == session.selection.query
    assert shades[0].values is shades[1].focus is None


def test_where_there_is_no_effect_the_numbers_of_the_step_are_taken_along(session):
    show(session, STEPS[0], replace(PLAIN, picture="effect"))
    (sheet,) = numbers_of(session, session.scene)
    np.testing.assert_array_equal(sheet.values, session.trace[STEPS[0]][0])
