"""The colours of the program by name, in a light and a dark set, and the active one.

Place: below every widget. Widgets ask `theme()` while they paint, so a switch of theme
is a repaint. The families come from the Okabe-Ito set, which holds for colour-blind
readers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.style.contrast import BLACK, WHITE, mix, readable
from app.style.fonts import sans
from app.style.sheet import style_sheet

ThemeName = Literal["system", "light", "dark"]

THEME_CHOICES: tuple[ThemeName, ...] = ("system", "light", "dark")
"""What a person may choose; "system" follows the desktop while the program runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One set of colours, each as "#RRGGBB". A `_soft` colour is a quiet background."""

    name: Literal["light", "dark"]
    is_dark: bool
    window: str
    surface: str
    sunken: str
    """Behind fields and in masked cells."""
    line: str
    text: str
    muted: str
    faint: str
    """For marks and hints that may be missed; not for words that must be read."""
    accent: str
    accent_soft: str
    on_accent: str
    query: str
    query_soft: str
    key: str
    key_soft: str
    value: str
    value_soft: str
    pattern: str
    pattern_soft: str
    residual: str
    residual_soft: str
    feed_forward: str
    feed_forward_soft: str
    checked: str
    negative: str
    """Negative values beside a cool colour (query, value, residual, pattern)."""
    negative_cool: str
    """Negative values beside a warm colour (key, feed-forward)."""
    error: str
    warning: str

    def colour(self, name: str) -> QColor:
        """The colour of that name, to paint with.

        Raises:
            AttributeError: the theme has no colour of that name.
        """
        return QColor(getattr(self, name))

    def ink(self, name: str) -> QColor:
        """The colour of that name as text: darkened or lightened until readable."""
        return QColor(readable(getattr(self, name), self.window, self.surface))

    def ink_on(self, name: str, background: str) -> str:
        """The "#RRGGBB" of colour `name` that can be read on colour `background`."""
        return readable(getattr(self, name), getattr(self, background))

    def stronger(self, name: str) -> str:
        """The "#RRGGBB" of colour `name` under the mouse: a little stronger."""
        return mix(getattr(self, name), WHITE if self.is_dark else BLACK, 0.12)

    def opposite(self, name: str) -> str:
        """The colour of the values below zero in a map whose positive colour is `name`.

        "#RRGGBB"; the pair stays apart for colour-blind readers.
        """
        return self.negative_cool if name in WARM_COLOURS else self.negative


WARM_COLOURS = ("key", "feed_forward", "negative", "error", "warning")

LIGHT = Theme(
    name="light",
    is_dark=False,
    window="#F6F7F9",
    surface="#FFFFFF",
    sunken="#EEF0F4",
    line="#DDE1E8",
    text="#1B1F27",
    muted="#626B7A",
    faint="#98A1B0",
    accent="#0072B2",
    accent_soft="#E1F0F9",
    on_accent="#FFFFFF",
    query="#0072B2",
    query_soft="#E1F0F9",
    key="#C77700",
    key_soft="#FBF0DF",
    value="#00805F",
    value_soft="#DFF3EC",
    pattern="#A6437F",
    pattern_soft="#F7E8F1",
    residual="#5B6472",
    residual_soft="#E6E9EE",
    feed_forward="#C2500A",
    feed_forward_soft="#FBEADF",
    checked="#00805F",
    negative="#D55E00",
    negative_cool="#0072B2",
    error="#B3261E",
    warning="#8A5A00",
)

DARK = Theme(
    name="dark",
    is_dark=True,
    window="#14171C",
    surface="#1B1F26",
    sunken="#12151A",
    line="#2C323C",
    text="#E7EAF0",
    muted="#9AA4B4",
    faint="#6C7686",
    accent="#56B4E9",
    accent_soft="#16303F",
    on_accent="#0B1A23",
    query="#56B4E9",
    query_soft="#16303F",
    key="#E69F00",
    key_soft="#38290D",
    value="#2FBF95",
    value_soft="#12352B",
    pattern="#D98CB8",
    pattern_soft="#3A2533",
    residual="#9AA4B4",
    residual_soft="#2A303A",
    feed_forward="#F08A4B",
    feed_forward_soft="#3C2516",
    checked="#2FBF95",
    negative="#E8722A",
    negative_cool="#56B4E9",
    error="#FF8A80",
    warning="#F0C05A",
)

THEMES = (LIGHT, DARK)

_active: list[Theme] = [LIGHT]
"""One place: the theme that everything on the screen wears."""


def theme() -> Theme:
    """The theme in force."""
    return _active[0]


def apply_theme(app: QApplication, chosen: Theme) -> None:
    """Dress the whole program in `chosen`: palette, style sheet, type, and repaint."""
    _active[0] = chosen
    if not app.styleSheet():
        app.setStyle("Fusion")  # the same shapes on every desktop, under our own sheet
    app.setFont(sans())
    app.setPalette(palette_of(chosen))
    app.setStyleSheet(style_sheet(chosen))
    for widget in app.allWidgets():
        widget.update()


@contextmanager
def worn(chosen: Theme) -> Iterator[None]:
    """Let what is painted meanwhile wear another theme; the screen is not repainted.

    Widgets need the theme's sheet and palette besides.
    """
    before, _active[0] = _active[0], chosen
    try:
        yield
    finally:
        _active[0] = before


Role = QPalette.ColorRole
PALETTE_ROLES = (
    (Role.Window, "window"),
    (Role.WindowText, "text"),
    (Role.Base, "surface"),
    (Role.AlternateBase, "sunken"),
    (Role.Text, "text"),
    (Role.PlaceholderText, "muted"),
    (Role.Button, "surface"),
    (Role.ButtonText, "text"),
    (Role.BrightText, "error"),
    (Role.Highlight, "accent"),
    (Role.HighlightedText, "on_accent"),
    (Role.Link, "accent"),
    (Role.LinkVisited, "accent"),
    (Role.ToolTipBase, "surface"),
    (Role.ToolTipText, "text"),
    (Role.Light, "surface"),
    (Role.Midlight, "line"),
    (Role.Mid, "line"),
    (Role.Dark, "faint"),
    (Role.Shadow, "line"),
    (Role.Accent, "accent"),
)


def palette_of(chosen: Theme) -> QPalette:
    """The Qt palette of a theme, for what the style sheet does not reach."""
    palette = QPalette()
    for role, name in PALETTE_ROLES:
        palette.setColor(role, chosen.colour(name))
    for role in (Role.Text, Role.WindowText, Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, chosen.colour("muted"))
    return palette


SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


def system_theme() -> Theme:
    """The theme the desktop asks for; light where it does not say."""
    is_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return DARK if is_dark else LIGHT


class ThemeSwitch(QObject):
    """Keeps which theme was chosen, and follows the desktop while that is "system"."""

    theme_changed = Signal(str)
    """Another theme is in force; its name. Sent after everything has been dressed."""

    def __init__(self, app: QApplication) -> None:
        """Watch the desktop's colour scheme; nothing is dressed before `choose`."""
        super().__init__(app)
        self._app = app
        self._choice: ThemeName = "system"
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_desktop_scheme_changed)

    @property
    def choice(self) -> ThemeName:
        """What the person chose last."""
        return self._choice

    def choose(self, name: str) -> None:
        """Wear the theme of that name from now on; an unknown name means "system"."""
        self._choice = next((c for c in THEME_CHOICES if c == name), "system")
        # For what the desktop draws: title bars, file dialogs. Unknown frees it again.
        QGuiApplication.styleHints().setColorScheme(SCHEMES[self._choice])
        named: dict[str, Theme] = {each.name: each for each in THEMES}
        self._wear(named.get(self._choice) or system_theme())

    def _wear(self, chosen: Theme) -> None:
        is_new = chosen is not theme() or not self._app.styleSheet()
        if is_new:
            apply_theme(self._app, chosen)
            self.theme_changed.emit(chosen.name)

    @Slot()
    def _on_desktop_scheme_changed(self) -> None:
        if self._choice == "system":
            self._wear(system_theme())
