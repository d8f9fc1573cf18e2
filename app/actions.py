"""Everything a person can ask of the window, one row each: menu, key, icon, test.

The window makes a `QAction` of every row and connects it; menus and buttons share it.
`KeyGuard` decides whose a key is: arrows step through the model, but not while they
move a cursor, a slider or a list.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QTabBar,
    QWidget,
)

from app.style.icons import show_icon
from app.widgets.qt_calls import tells_faults

Key = Qt.Key


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One thing to do."""

    id: str
    """Its name, the same in code, tests and documentation: "step.next"."""
    text: str
    """What menus and tooltips say; "&" before the letter that chooses it."""
    menu: str
    """The menu it stands in."""
    shortcut: str = ""
    """Its key, in Qt's portable form."""
    icon: str = ""
    """A name of `app.style.icons`."""
    is_switch: bool = False
    """Whether it is on or off."""
    group: str = ""
    """Of the rows of a group exactly one is on; the id ends with the chosen value."""


MENUS = (
    ("file", "&File"),
    ("edit", "&Edit"),
    ("walk", "&Walk"),
    ("view", "&View"),
    ("help", "&Help"),
)
"""Menus in order: key and title."""

ACTIONS = (
    ActionRow("model.open", "&Open a model…", "file", "Ctrl+O", "open"),
    ActionRow("model.file", "Open a model &file…", "file"),
    ActionRow("model.browse", "On t&his computer…", "file", "Ctrl+Shift+M"),
    ActionRow("model.card", "About this &model…", "file", "Ctrl+M", "about"),
    ActionRow("model.check", "Chec&k against the reference…", "file"),
    ActionRow("trace.open", "Open a tr&ace…", "file"),
    ActionRow("session.open", "Open a sess&ion…", "file", "Ctrl+Shift+O"),
    ActionRow("session.save", "&Save the session…", "file", "Ctrl+S", "save"),
    ActionRow("view.export", "E&xport this view…", "file", "Ctrl+Shift+E", "export"),
    ActionRow("trace.save", "Save the tra&ce…", "file", "Ctrl+Shift+S"),
    ActionRow("training.open", "&Train a model…", "file", "Ctrl+T", "train"),
    ActionRow("runs.open", "&Runs…", "file", "Ctrl+R"),
    ActionRow(
        "time.export", "&Export the training as pictures…", "file", icon="export"
    ),
    ActionRow("app.quit", "&Quit", "file", "Ctrl+Q", "close"),
    ActionRow("edit.sentence", "Edit the &sentence", "edit", "Ctrl+L", "edit"),
    ActionRow("edit.target", "Edit the tar&get so far", "edit", "Ctrl+Shift+L"),
    ActionRow("text.examples", "&Examples", "edit", "Ctrl+E", "examples"),
    ActionRow("text.specials", "Read special &tokens", "edit", is_switch=True),
    ActionRow("edit.copy", "&Copy the number", "edit", "Ctrl+Shift+C", "copy"),
    ActionRow("step.next", "&Next step", "walk", "Right", "next"),
    ActionRow("step.previous", "&Previous step", "walk", "Left", "back"),
    ActionRow("layer.next", "Next &layer", "walk", "Down", "down"),
    ActionRow("layer.previous", "Previous l&ayer", "walk", "Up", "up"),
    ActionRow("step.play", "Pla&y", "walk", "Space", "play", is_switch=True),
    ActionRow("trail.back", "&Back to the number before", "walk", "Alt+Left", "back"),
    ActionRow(
        "trail.forward", "&Forward to the next number", "walk", "Alt+Right", "next"
    ),
    ActionRow("tour.start", "&Why did it say that?", "walk", "Ctrl+Y", "help"),
    ActionRow("time.previous", "&Earlier checkpoint", "walk", "Ctrl+Left"),
    ActionRow("time.next", "Later &checkpoint", "walk", "Ctrl+Right"),
    ActionRow("time.play", "Play t&he training", "walk", "Ctrl+Space", is_switch=True),
    ActionRow("token.append", "Append the pic&k", "walk", "Ctrl+Return", "add"),
    ActionRow("token.undo", "&Undo the last change", "walk", "Ctrl+Z", "undo"),
    ActionRow("token.mask", "&Mask the token", "walk", "Ctrl+K"),
    ActionRow("text.generate", "&Generate", "walk", "Ctrl+G", "dice"),
    ActionRow("generate.stop", "&Stop generating", "walk", "Esc", "stop"),
    ActionRow(
        "view.pipeline", "&Pipeline", "view", "Ctrl+1", "sidebar", is_switch=True
    ),
    ActionRow(
        "view.inspector", "&Inspector", "view", "Ctrl+2", "inspector", is_switch=True
    ),
    ActionRow("view.theme.system", "Theme of the &desktop", "view", group="theme"),
    ActionRow("view.theme.light", "&Light theme", "view", group="theme"),
    ActionRow("view.theme.dark", "Dar&k theme", "view", group="theme"),
    ActionRow("view.maps.theme", "Maps in the &theme's colours", "view", group="maps"),
    ActionRow("view.maps.viridis", "Maps in &viridis", "view", group="maps"),
    ActionRow("help.about", "&About Glassformer", "help", "F1", "about"),
)

SECTION_STARTS = frozenset(
    (
        "session.open",
        "view.export",
        "training.open",
        "app.quit",
        "edit.copy",
        "trail.back",
        "time.previous",
        "token.append",
        "view.theme.system",
        "view.maps.theme",
    )
)
"""Rows that have a line above them in their menu."""

MODEL_ACTIONS = (
    "model.card",
    "model.check",
    "model.open",
    "model.file",
    "model.browse",
)
"""At the top of the model menu."""


def make_actions(window: QWidget) -> dict[str, QAction]:
    """An action of every row by its id, with its key working in this window."""
    actions: dict[str, QAction] = {}
    groups: dict[str, QActionGroup] = {}
    for row in ACTIONS:
        action = QAction(row.text, window)
        action.setObjectName(f"action.{row.id}")
        action.setCheckable(row.is_switch or bool(row.group))
        action.setAutoRepeat(not row.is_switch)
        if row.shortcut:
            action.setShortcut(QKeySequence(row.shortcut))
        if row.icon:
            show_icon(action, row.icon)
        if row.group:
            group = groups.setdefault(row.group, QActionGroup(window))
            group.addAction(action)
        window.addAction(action)
        actions[row.id] = action
    return actions


ARROWS = frozenset((Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down))
UP_DOWN = frozenset((Key.Key_Up, Key.Key_Down))
SPACE = frozenset((Key.Key_Space,))

OWN_KEYS: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
    (QAbstractSlider, ARROWS),
    (QAbstractSpinBox, UP_DOWN),
    (QAbstractItemView, ARROWS | SPACE),
    (QComboBox, UP_DOWN | SPACE),
    (QTabBar, ARROWS),
    (QAbstractButton, SPACE),
)
"""Plain keys that a kind of widget needs itself while it has the focus.

Text fields and the maps of this program claim theirs without help."""


@tells_faults
class KeyGuard(QObject):
    """Leaves the focused widget the keys that are its own, though the window has them.

    It looks at the events of the one widget that has the focus and of no other.
    """

    def __init__(self, app: QApplication) -> None:
        """Guard every window of the application."""
        super().__init__(app)
        app.focusChanged.connect(self._on_focus_changed)

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None:
            old.removeEventFilter(self)
        if new is not None and keys_of(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim a key for the widget before the window's shortcuts see it."""
        is_own = (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            and event.key() in keys_of(watched)
        )
        if is_own:
            event.accept()
        return is_own


def keys_of(widget: QObject) -> frozenset[Qt.Key]:
    """The plain keys that are a widget's own."""
    found: Iterable[frozenset[Qt.Key]] = (
        keys for kind, keys in OWN_KEYS if isinstance(widget, kind)
    )
    return next(iter(found), frozenset())
