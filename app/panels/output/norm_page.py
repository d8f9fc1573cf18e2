"""The last norm: the residual stream before and after it. Step: output.norm.

That of an encoder, too: behind it stand the rows that the decoder looks at.
"""

from math import isfinite

from app.panels.output.sides_page import SidesPage
from app.scene import Scene
from core.trace.numbers import short
from core.trace.selection import feature_of
from core.trace.views.output import NormView, norm_view


class NormPage(SidesPage):
    """Two maps [n, d_model] and what happens to the chosen row."""

    def display(self, scene: Scene) -> None:
        """Draw both maps; say what is taken from the chosen row and what divides it."""
        trace, query = scene.trace, scene.selection.query
        view = norm_view(trace, scene.selection.step, query)
        feature = feature_of(scene.selection, trace, "d_model")
        self.show_sides(view.before, view.after, (query, query), feature)
        self._before.set_note(before_words(view, scene.tokens.label(query)))
        self._after.set_note(after_words(view, has_shift=trace.config.bias))


def before_words(view: NormView, label: str) -> str:
    """What the norm measures in the chosen row; "" where that is no number."""
    if not isfinite(view.size):
        return ""
    if view.is_rms:
        return f"{label}: root mean square {short(view.size)}"
    return f"{label}: mean {short(view.centre)}, deviation {short(view.size)}"


def after_words(view: NormView, *, has_shift: bool) -> str:
    """What the norm does with that; "" where it is no number."""
    if not isfinite(view.size):
        return ""
    taken = "" if view.is_rms else "minus the mean, "
    shift = " + β" if has_shift and not view.is_rms else ""
    return f"{taken}divided by {short(view.size)}, then × γ{shift}"
