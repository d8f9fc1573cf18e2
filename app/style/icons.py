"""The icons: Phosphor's regular weight from qtawesome, tinted by the theme.

qtawesome takes 0.2 s to load, so `show_icon` only notes what a button wants until
`load_icons` is called, once the first window has been painted. After that icons appear
at once; `load_icons` again tints them for another theme.
"""

from weakref import WeakKeyDictionary

from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import isValid

from app.style.theme import theme

ICONS = {
    "back": "ph.caret-left",
    "next": "ph.caret-right",
    "up": "ph.caret-up",
    "down": "ph.caret-down",
    "first": "ph.caret-double-left",
    "last": "ph.caret-double-right",
    "play": "ph.play",
    "pause": "ph.pause",
    "stop": "ph.stop",
    "train": "ph.graduation-cap",
    "open": "ph.folder-open",
    "save": "ph.floppy-disk",
    "copy": "ph.copy",
    "undo": "ph.arrow-counter-clockwise",
    "redo": "ph.arrow-clockwise",
    "add": "ph.plus",
    "remove": "ph.minus",
    "close": "ph.x",
    "search": "ph.magnifying-glass",
    "zoom": "ph.magnifying-glass-plus",
    "settings": "ph.gear",
    "sliders": "ph.sliders-horizontal",
    "theme": "ph.moon",
    "help": "ph.question",
    "about": "ph.info",
    "warning": "ph.warning",
    "error": "ph.warning-circle",
    "checked": "ph.check",
    "menu": "ph.list",
    "more": "ph.dots-three",
    "sidebar": "ph.tree-structure",
    "inspector": "ph.columns",
    "picture": "ph.image",
    "export": "ph.export",
    "dice": "ph.dice-five",
    "link": "ph.link",
    "edit": "ph.pencil-simple",
    "pin": "ph.push-pin",
    "chip": "ph.cpu",
    "examples": "ph.text-aa",
}
"""What an icon means -> its name in qtawesome."""


Bearer = QAbstractButton | QAction
"""What can wear an icon."""

_is_loaded: list[bool] = [False]
_wanted: WeakKeyDictionary[Bearer, tuple[str, str]] = WeakKeyDictionary()


def icon(name: str, colour: str = "text") -> QIcon:
    """The icon of that name in a theme colour. Loads qtawesome: not before the paint.

    Raises:
        KeyError: the table has no icon of that name.
    """
    import qtawesome

    chosen = theme()
    return QIcon(
        qtawesome.icon(
            ICONS[name],
            color=getattr(chosen, colour),
            color_disabled=chosen.faint,
        )
    )


def show_icon(bearer: Bearer, name: str, colour: str = "text") -> None:
    """Give a button or an action the icon of that name, now or once they are loaded."""
    _wanted[bearer] = (name, colour)
    if _is_loaded[0]:
        bearer.setIcon(icon(name, colour))


def load_icons() -> None:
    """Draw every icon that was asked for, in the colours of the active theme."""
    _is_loaded[0] = True
    for bearer, (name, colour) in list(_wanted.items()):
        if isValid(bearer):
            bearer.setIcon(icon(name, colour))


def forget_icons() -> None:
    """Let go of the icons that nobody wears, while Qt is still there to end them.

    qtawesome keeps every one it has drawn. Left to Python's own end, an icon may go
    after the engine that draws it, and the program crashes (PySide 6.11.3).
    """
    if _is_loaded[0]:
        import qtawesome

        qtawesome.reset_cache()
