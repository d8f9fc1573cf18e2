"""The numbers of the pictures that follow one token, as they leave the program.

In: what lines and shaded text are drawn from. Out: sheets, each with the Python that
makes the same array: gathered heads, joined or each for itself, as they are looked at.
"""

import numpy as np

from core.trace.matrix import Axis, FloatArray
from core.trace.sheet import Sheet
from core.trace.viewing import Viewing
from core.trace.views.attention_lines import LinesView
from core.trace.views.attention_sheets import viewing_code
from core.trace.views.attention_text import NO_COLUMN, TextView
from core.trace.views.effect_sheets import frozen

VIEWING = "from core.trace.viewing import Viewing"
LINES = "from core.trace.views.attention_lines import lines_view"
EVERY_SHADE = "from core.trace.views.share_sheets import every_shade"
TEXT = "from core.trace.views.attention_text import text_view"


def lines_sheets(
    view: LinesView, viewing: Viewing, focus: tuple[bool, int] | None
) -> tuple[Sheet, ...]:
    """The shares that the lines stand for: [n_heads, n_rows, n_columns].

    `focus` is the side (whether it is that of the keys) and the place of the token
    whose lines are drawn alone; its shares are a sheet of their own, the first.
    """
    shares, shaping = view.shares, view.shares.shaping
    place = f"{view.layer}, {view.heads}, {viewing_code(viewing)}"
    made = LINES, VIEWING, f"view = lines_view(trace, {place})"
    name = " · ".join((view.title, *shaping.notes))
    heads = Axis("head", tuple(str(head + 1) for head in view.heads))
    whole = Sheet(
        f"{name}: shares",
        frozen(shares.rows(0, shares.n_rows)),
        (heads, shaping.rows, shaping.columns),
        (*made, "values = view.shares.rows(0, view.shares.n_rows)"),
    )
    if focus is None:
        return (whole,)
    looks_back, at = focus
    mine, others = shaping.rows, shaping.columns
    if looks_back:
        mine, others = others, mine
    verb = "looked at by" if looks_back else "looks at"
    alone = Sheet(
        f"{name}: {mine.labels[at]} {verb}",
        frozen(view.shares_with(looks_back, at)),
        (heads, others),
        (*made, f"values = view.shares_with({looks_back}, {at})"),
    )
    return alone, whole


def text_sheets(view: TextView, focus: int | None) -> tuple[Sheet, ...]:
    """The shades of the item that is looked from, and those of every item.

    [n_items], and [item that is looked from, item that is shaded].
    """
    viewing, shaping = view.viewing, view.shares.shaping
    place = f"{view.shares.heads}, {viewing_code(viewing)}"
    made = TEXT, VIEWING, f"view = text_view(trace, {place})"
    name = " · ".join((view.title, *shaping.notes))
    axes = shaping.rows, shaping.seen
    looking, shaded = axes[::-1] if viewing.looks_back else axes
    whole = Sheet(
        f"{name}: {'looked at by' if viewing.looks_back else 'looks at'}",
        frozen(every_shade(view)),
        (looking, shaded),
        (EVERY_SHADE, *made, "values = every_shade(view)"),
    )
    if focus is None:
        return (whole,)
    alone = Sheet(
        f"{name}: {view.question(focus)}",
        frozen(view.shades(focus)),
        (shaded,),
        (*made, f"values = view.shades({focus})"),
    )
    return alone, whole


def every_shade(view: TextView) -> FloatArray:
    """The shades of every item in one: [item that is looked from, item shaded]."""
    looking, seen = view.texts
    joined = view.joined(view.shares.rows(0, len(looking)))
    shades = np.full((len(looking), len(seen)), np.nan, np.float32)
    is_seen = view.columns != NO_COLUMN
    shades[:, is_seen] = joined[:, view.columns[is_seen]]
    return shades.T if view.viewing.looks_back else shades
