"""The reader's place: wishes to go elsewhere in the trace, and to look at it otherwise.

`Author` inherits this and adds the wishes that change texts, `Session` the work.
"""

from typing import TYPE_CHECKING

from app.facts import Facts
from app.fitting import ends_left, kept_inside
from app.model_card import ModelCard
from core.generation.sampling import Sampling
from core.trace.selection import Selection, at_step, at_token, stepped, to_layer
from core.trace.step import DECODER, side_of
from core.trace.viewing import Viewing

if TYPE_CHECKING:
    from core.bundle import Bundle


class Reader(Facts):
    """Whoever walks through the trace; nothing here computes anything of a model."""

    def request_selection(self, selection: Selection) -> None:
        """Move the reader's place, as far as it exists in the trace."""
        if self.trace is not None:
            selection = kept_inside(selection, self.trace)
        self._ends = ends_left(self._ends, self._selection, selection)
        self._take_selection(selection)

    def go_to(self, step_key: str) -> None:
        """Go to a step."""
        self.request_selection(at_step(self._selection, step_key))

    def next_step(self) -> None:
        """One step on; from the last one the walk goes round and appends the pick.

        Behind an encoder, which has read its text, it goes on with the decoder.
        """
        trace = self.trace
        if trace is None or self._step(1):
            return
        before = self.written
        self.append_pick()
        if trace.source is not None and self.written is not before:
            key = next(key for key in trace.keys if side_of(key) == DECODER)
            self._take_selection(at_step(self._selection, key))

    def previous_step(self) -> None:
        """One step back."""
        self._step(-1)

    def next_layer(self) -> None:
        """The same step one layer on."""
        self._change_layer(1)

    def previous_layer(self) -> None:
        """The same step one layer back."""
        self._change_layer(-1)

    def point_at(self, places: tuple[int, int] | None) -> None:
        """Tell everybody which query and key the mouse is over."""
        self.pointed_changed.emit(places)

    def request_viewing(self, viewing: Viewing) -> None:
        """Look at attention in another way."""
        self._take_viewing(viewing)

    def request_sampling(self, sampling: Sampling) -> None:
        """Pick the next token in another way."""
        self._take_sampling(sampling)

    def note_badge(self, bundle: "Bundle", badge: str) -> None:
        """Remember how a model was held to another program, while it is open."""
        if bundle is self._bundle:
            self._take_badge(badge)

    def recall_badge(self, card: ModelCard, badge: str) -> None:
        """Tell of the open model how it was held to another program before."""
        if card is self.model:
            self._take_badge(badge)

    def point_at_token(self, side: str, place: int, *, as_key: bool = False) -> None:
        """Choose a token of a side, as far as the present step reads it.

        Nothing happens while the trace is still one of a model of other sides.
        """
        trace = self.trace
        if trace is not None and self.has_target == (trace.source is not None):
            at = at_token(self._selection, trace, side, place, as_key=as_key)
            self.request_selection(at)

    def append_pick(self) -> None:
        """Draw the next token and put it to the text that is written."""
        raise NotImplementedError

    def _step(self, by: int) -> bool:
        """Go `by` steps on, if there are so many; whether there were."""
        if self.trace is None:
            return False
        moved = stepped(self._selection, self.trace, by)
        if moved is not None:
            self._take_selection(moved)
        return moved is not None

    def _change_layer(self, by: int) -> None:
        if self.trace is not None:
            moved = to_layer(self._selection, self.trace, by)
            if moved is not None:
                self._take_selection(moved)
