"""What the pages of the attention panel share: when to fill, when only to mark.

A page shows one kind of step. Its pictures change with the trace and its subject (the
step, mostly); a moved selection only moves the marks on them. It keeps no trace alive.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from weakref import ref

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from app.scene import Scene
from app.studies import Studies
from core.trace.attentions import Kind, kind_of
from core.trace.needs import Index
from core.trace.selection import Selection
from core.trace.sheet import Sheet
from core.trace.step import ROWS_OF_KEYS, name_of
from core.trace.trace import Trace
from core.trace.viewing import PLAIN
from core.trace.views.sheets import step_sheet

Part = tuple[str, Index]

CARD_GAP = 12
"""Between two cards."""


def nothing() -> None:
    """What a page is filled from before its first trace."""


class Page(QWidget):
    """One composition of the panel.

    `studies` knows what takes long to find out; the panel lends it before the first
    scene, and displays the page again when there is an answer.
    """

    selection_requested = Signal(object)
    """The reader pointed somewhere: the `Selection` that follows."""

    viewing_requested = Signal(object)
    """The reader wants to look in another way: the `Viewing` that follows."""

    pointed = Signal(object)
    """The mouse is over a cell: its query and key; None where it left them all."""

    beside_requested = Signal(object)
    """The reader wants to compare with another sentence: str; "" for none."""

    def __init__(self) -> None:
        """An empty page."""
        super().__init__()
        self.selection = Selection()
        self.viewing = PLAIN
        self.studies: Studies | None = None
        self._trace: Callable[[], Trace | None] = nothing
        self._subject: Hashable = None

    @property
    def least(self) -> QSize:
        """In less room than this it is scrolled; what was set goes before the hint."""
        return (
            self.minimumSizeHint()
            if self.minimumSize().isNull()
            else self.minimumSize()
        )

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The parts of the trace that `fill` and `mark` ask for."""
        raise NotImplementedError

    def parts_beside(self, scene: Scene) -> tuple[Part, ...]:
        """The parts of the trace of another sentence, where there is one."""
        return ()

    def subject(self, scene: Scene) -> Hashable:
        """What the pictures depend on, beside the trace."""
        return scene.selection.step

    def fill(self, scene: Scene) -> None:
        """Draw the numbers of a trace and a subject."""
        raise NotImplementedError

    def mark(self, scene: Scene) -> None:
        """Show where the reader is."""
        raise NotImplementedError

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """What it shows, as arrays to take along; the first is the main one."""
        return (step_sheet(scene.trace, scene.selection, scene.tokenizer.label),)

    def display(self, scene: Scene) -> None:
        """Show the scene; what has not changed is left alone."""
        self.selection, self.viewing = scene.selection, scene.viewing
        subject = self.subject(scene)
        if self._trace() is not scene.trace or subject != self._subject:
            self._trace, self._subject = nothing, None  # should it fail half-way
            self.fill(scene)
            self._trace, self._subject = ref(scene.trace), subject
        self.mark(scene)

    def row(self) -> int:
        """The chosen token among the rows of the present step."""
        at = self.selection
        return at.key if is_of_keys(at.step) else at.query

    def ask_row(self, row: int, feature: int) -> None:
        """Ask for a number by its token and its feature."""
        field = "key" if is_of_keys(self.selection.step) else "query"
        self.ask(**{field: row}, feature=feature)

    def ask(self, **fields: object) -> None:
        """Ask for the present selection with other fields."""
        moved = replace(self.selection, focus=None, **fields)  # type: ignore[arg-type]
        self.selection_requested.emit(moved)

    def look(self, **fields: object) -> None:
        """Ask for the present viewing with other fields."""
        changed = replace(self.viewing, **fields)  # type: ignore[arg-type]
        self.viewing_requested.emit(changed)


def attn_of(scene: Scene) -> str:
    """The attention that the present step belongs to: "layers.0.attn"."""
    return scene.selection.step.rpartition(".")[0]


def stage_of(scene: Scene) -> str:
    """The last word of the present step's key: "pattern"."""
    return scene.selection.step.rpartition(".")[2]


def layer_of(scene: Scene) -> int:
    """The layer of the present step, from 0."""
    layer = scene.trace.step(scene.selection.step).layer
    assert layer is not None
    return layer


def kind_of_scene(scene: Scene) -> Kind:
    """The kind of attention that the present step belongs to."""
    return kind_of(scene.trace.config, scene.selection.step)


def is_of_keys(step_key: str) -> bool:
    """Whether the rows of a step are the tokens looked at."""
    return name_of(step_key) in ROWS_OF_KEYS
