"""The inspector: one number, the arithmetic that made it, and where its operands are.

Right of the panel. In: the session's scene, whose selection points at the number. Out:
the number a reader followed a link to. Under it stands the lesson of the step.
"""

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.frame.lesson import LessonView
from app.frame.operand_list import OperandList
from app.frame.parts import caption, icon_button, plain_label
from app.frame.proof import ProofTable
from app.frame.trail_line import TrailLine
from app.frame.words_line import WordsLine
from app.panels import panel_of
from app.scene import Scene
from app.session import Session
from app.style.fonts import LARGE, NUMBER, SMALL, mono
from app.trail import TrailKeeper
from app.widgets.formula import FormulaView
from core.config import ModelConfig
from core.texts import MERGES, lesson_text
from core.trace.matrix import Cell
from core.trace.selection import Selection, cell_of, has_numbers
from core.trace.steps import steps_for
from core.trace.views.crumbs import Crumb, crumbs
from core.trace.views.inspector import N_TERMS, InspectorView, inspector_view
from core.trace.views.output import PICK, pick_note

MARGIN = 15
BUTTON_WIDTH = 24
BASELINE_GAP = 5
"""How much deeper the large number reaches than the small name beside it."""
NOTHING_YET = "Click a number to see what it is made of."
AT_THE_TEXT = "The way down ends here: with the text that was typed."
MORE_TERMS = 24
"""Rows that are added each time the reader asks for more of a long sum."""
AFTER_PAINT_MS = 10
"""On a step the panel is painted first, and the inspector so much later."""


class Inspector(QFrame):
    """The number, its equation, its operands, the proof; then the lesson."""

    def __init__(self, session: Session) -> None:
        """Nothing is inspected yet."""
        super().__init__()
        self._session = session
        self._scene: Scene | None = None
        self._view: InspectorView | None = None
        self._n_terms = N_TERMS
        self._after_paint = QTimer(self, singleShot=True, interval=AFTER_PAINT_MS)
        self._after_paint.timeout.connect(self._on_after_paint_timeout)
        self.trail = TrailKeeper(session, self)
        self._places: list[int] = []
        """Where on the trail each crumb stands."""
        self.setProperty("bar", "right")
        self.setObjectName("inspector")
        back, forward = "Back to the number before (Alt+Left)", "Forward (Alt+Right)"
        self.back = icon_button("back", back, "inspector.back")
        self.forward = icon_button("next", forward, "inspector.forward")
        self.copy = icon_button("copy", "Copy as text", "inspector.copy")
        self.crumbs = TrailLine()
        self.number = plain_label("", mono(NUMBER))
        self.name = WordsLine(mono(SMALL))
        self.home, self.where = (WordsLine(mono(SMALL), gap=7) for _ in range(2))
        self.equation = FormulaView()
        self.operands = OperandList()
        self.proof = ProofTable()
        self.note = plain_label("", ink="muted")
        self.lesson = LessonView()
        self._arrange()
        self._connect()
        self._on_trail_changed()
        self._show(None)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(0)
        head.addWidget(caption("Where this number comes from"), 1)
        for button in (self.back, self.forward, self.copy):
            button.setFixedWidth(BUTTON_WIDTH)
            head.addWidget(button)
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.number)
        beside = QVBoxLayout()
        beside.addStretch(1)
        beside.addWidget(self.name)
        beside.addSpacing(BASELINE_GAP)
        first.addLayout(beside, 1)
        self.note.setWordWrap(True)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(MARGIN, 8, MARGIN - 4, MARGIN)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.crumbs)
        column.addLayout(first)
        column.addWidget(self.home)
        parts = (self.where, self.equation, self.operands, self.proof, self.note)
        for part in parts:
            column.addWidget(part)
        column.addSpacing(6)
        column.addWidget(line)
        column.addSpacing(4)
        column.addWidget(self.lesson, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(scroll)

    def _connect(self) -> None:
        self.operands.link_followed.connect(self.trail.follow)
        self.operands.more_requested.connect(self._on_operands_more_requested)
        self.back.clicked.connect(self.trail.back)
        self.forward.clicked.connect(self.trail.forward)
        self.crumbs.crumb_clicked.connect(self._on_crumbs_crumb_clicked)
        self.trail.trail_changed.connect(self._on_trail_changed)
        self.copy.clicked.connect(self.copy_text)
        self._session.scene_changed.connect(self._on_session_scene_changed)
        self._session.selection_changed.connect(self._on_session_selection_changed)

    @property
    def view(self) -> InspectorView | None:
        """What is shown of the number; None for nothing."""
        if self._after_paint.isActive():
            self._on_after_paint_timeout()
        return self._view

    @Slot()
    def copy_text(self) -> None:
        """Put the whole arithmetic on the clipboard."""
        if self.view is not None:
            QGuiApplication.clipboard().setText(self.view.text)

    # What the session tells.

    @Slot(object)
    def _on_session_scene_changed(self, scene: Scene | None) -> None:
        before, self._scene = self._scene, scene
        if is_step(before, scene):
            self._after_paint.start()
        else:
            self._on_after_paint_timeout()

    @Slot()
    def _on_after_paint_timeout(self) -> None:
        """Show the number and the lesson of the present scene."""
        self._after_paint.stop()
        scene = self._scene
        if scene is not None:
            self.show_lesson(scene.selection, scene.trace.config)
        cell = inspected(scene)
        if scene is None or cell is None:
            self._show(None)
        else:
            if self._view is None or self._view.cell != cell:
                self._n_terms = N_TERMS
            self._show(view_of(scene, cell, self._n_terms))

    @Slot()
    def _on_operands_more_requested(self) -> None:
        """Give more terms of the sum a row."""
        self._n_terms += MORE_TERMS
        self._on_after_paint_timeout()

    @Slot(object)
    def _on_session_selection_changed(self, selection: Selection) -> None:
        card = self._session.model
        if self._scene is None and card is not None:
            self.show_lesson(selection, card.config)

    def show_lesson(self, selection: Selection, config: ModelConfig) -> None:
        """Show the lesson of the present step."""
        steps = (step for step in steps_for(config) if step.key == selection.step)
        step = next(steps, None)
        if step is not None:
            panel, tokenizer = panel_of(step.key).name, self._session.tokenizer
            method = tokenizer.method if tokenizer else MERGES
            self.lesson.show_lesson(lesson_text(step, panel, config, method))

    def _show(self, view: InspectorView | None) -> None:
        self._view = view
        is_shown = view is not None
        for part in (self.number, self.home, self.where, self.name, self.copy):
            part.setVisible(is_shown)
        self.operands.show_view(view)
        self.operands.setVisible(bool(view and view.rows))
        self.equation.setVisible(bool(view and view.equation))
        self.proof.show_proof(view)
        self.note.setVisible(view is None or bool(view.note))
        nothing = AT_THE_TEXT if self.trail.crumbs else NOTHING_YET
        self.note.setText(nothing if view is None else view.note)
        if view is not None:
            self.number.setText(view.number)
            self.name.show_words(view.name_words)
            self.home.show_words(view.home)
            self.home.setVisible(bool(view.home))
            self.where.show_words(view.where)
            self.equation.show_formula(view.equation, LARGE + 1.0)

    # The trail.

    @Slot()
    def _on_trail_changed(self) -> None:
        """Show the way that led here, and whether there is a way back."""
        self.back.setEnabled(self.trail.can_go(-1))
        self.forward.setEnabled(self.trail.can_go(1))
        scene, way = self._session.scene, self.trail.crumbs
        shown: tuple[Crumb, ...] = ()
        if scene is not None and len(way) > 1:
            selections = [selection for _, selection in way]
            shown = crumbs(scene.trace, selections, scene.tokenizer.label)
        self._places = [place for place, _ in way[len(way) - len(shown) :]]
        self.crumbs.show_crumbs(shown)

    @Slot(int)
    def _on_crumbs_crumb_clicked(self, index: int) -> None:
        self.trail.jump(self._places[index])


def view_of(scene: Scene, cell: Cell, n_terms: int = N_TERMS) -> InspectorView:
    """A number explained; beside the likeliest token, the one that is drawn."""
    trace, label_of = scene.trace, scene.tokenizer.label
    view = inspector_view(trace, cell, label_of, n_terms)
    if cell == Cell(PICK, (trace.n - 1,)):
        return replace(view, note=pick_note(trace, scene.sampling, label_of))
    return view


def is_step(before: Scene | None, scene: Scene | None) -> bool:
    """Whether the reader has gone to another step of the same sentence."""
    if before is None or scene is None or before.trace is not scene.trace:
        return False
    return before.selection.step != scene.selection.step


def inspected(scene: Scene | None) -> Cell | None:
    """The number the scene's selection points at; None where it points at none."""
    if scene is None:
        return None
    step = scene.trace.step(scene.selection.step)
    if scene.selection.focus is None and not (step.axes and has_numbers(step)):
        return None
    return cell_of(scene.selection, scene.trace)
