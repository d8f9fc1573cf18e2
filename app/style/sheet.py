"""The one Qt style sheet, built from a theme.

Widgets say what they are by a dynamic property, and the sheet does the rest:

    QPushButton, QToolButton   kind = "primary" | "segment" | "flat"  (none: plain)
    QFrame                     card = true       a card of 8 px corners, one-pixel line
                               bar = "top" | "bottom" | "left" | "right"   a strip with
                               a line on its inner side
                               lit = true        a card under something that is dragged
    QLineEdit, QComboBox       refused = true    its value cannot be taken
    QLabel                     ink = "muted" | "faint" | any colour name of the theme

Type is never set here but by `setFont` with `app.style.fonts`: a sheet cannot reach the
weights of a variable font.
"""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.style.theme import Theme

CARD_PADDING = 14
"""Margin of the layout inside a card, in pixels: a sheet's padding moves no layout."""

INKS = (
    "muted",
    "faint",
    "accent",
    "query",
    "key",
    "value",
    "pattern",
    "residual",
    "feed_forward",
    "checked",
    "error",
    "warning",
)
"""The colour names that QLabel[ink="..."] understands."""

GROUND = Template("""
QMainWindow, QDialog { background: $window; }
QWidget { color: $text; }
QFrame[card="true"] {
    background: $surface; border: 1px solid $line; border-radius: 8px; }
QFrame[lit="true"] { border-color: $accent; background: $accent_soft; }
QFrame[bar="top"], QFrame[bar="bottom"], QFrame[bar="left"], QFrame[bar="right"] {
    background: $surface; border: 0 solid $line; }
QFrame[bar="top"] { border-bottom-width: 1px; }
QFrame[bar="bottom"] { border-top-width: 1px; }
QFrame[bar="left"] { border-right-width: 1px; background: $window; }
QFrame[bar="right"] { border-left-width: 1px; }
QFrame[frameShape="4"], QFrame[frameShape="5"] { color: $line; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: 0; }
QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $accent; }
QToolTip {
    background: $surface; color: $text; border: 1px solid $line; padding: 4px 6px; }
QStatusBar, QToolBar { background: $surface; border: 0; }
""")

BUTTONS = Template("""
QPushButton, QToolButton {
    background: $surface; color: $text; border: 1px solid $line; border-radius: 6px;
    padding: 5px 12px; min-height: 18px; }
QToolButton { padding: 5px 7px; }
QPushButton:hover, QToolButton:hover { background: $sunken; }
QPushButton:pressed, QToolButton:pressed { background: $line; }
QPushButton:checked, QToolButton:checked {
    background: $accent_soft; border-color: $accent; color: $accent_ink; }
QPushButton:disabled, QToolButton:disabled { color: $muted; background: $window; }
QPushButton[kind="primary"], QToolButton[kind="primary"] {
    background: $accent; border-color: $accent; color: $on_accent; }
QPushButton[kind="primary"]:hover, QToolButton[kind="primary"]:hover {
    background: $accent_strong; border-color: $accent_strong; }
QPushButton[kind="primary"]:disabled, QToolButton[kind="primary"]:disabled {
    background: $line; border-color: $line; color: $muted; }
QPushButton[kind="segment"], QToolButton[kind="segment"],
QPushButton[kind="flat"], QToolButton[kind="flat"] {
    background: transparent; border-color: transparent; color: $muted;
    padding: 3px 8px; min-height: 16px; }
QPushButton[kind="flat"]:enabled { color: $text; }
QPushButton[kind="segment"]:hover, QToolButton[kind="segment"]:hover,
QPushButton[kind="flat"]:hover, QToolButton[kind="flat"]:hover {
    background: $sunken; color: $text; }
QPushButton[kind="segment"]:checked, QToolButton[kind="segment"]:checked {
    background: $accent_soft; color: $accent_ink; }
QPushButton[kind="figure"] {
    background: transparent; border: 0; color: $accent_ink;
    padding: 0; min-height: 0; }
QPushButton[kind="figure"]:hover, QPushButton[kind="figure"]:focus {
    background: $accent_soft; }
QPushButton:focus, QToolButton:focus { border-color: $accent; }
QPushButton[kind="primary"]:focus, QToolButton[kind="primary"]:focus {
    border: 2px solid $text; padding: 4px 11px; }
QToolButton::menu-indicator, QPushButton::menu-indicator {
    image: url("$icons/chevron-down.svg"); width: 10px; height: 10px;
    subcontrol-origin: padding; subcontrol-position: center right; right: 6px; }
QPushButton[kind="primary"]::menu-indicator:enabled {
    image: url("$icons/chevron-on-accent-$name.svg"); }
QPushButton[menu="true"], QToolButton[popupMode="2"] { padding-right: 22px; }
""")

FIELDS = Template("""
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: $sunken; color: $text; border: 1px solid $line; border-radius: 6px;
    padding: 4px 8px; min-height: 18px;
    selection-background-color: $accent; selection-color: $on_accent; }
QPlainTextEdit, QTextEdit, QTextBrowser { padding: 6px 8px; }
QTextBrowser[bare="true"] { background: transparent; border: 0; padding: 0; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus,
QDoubleSpinBox:focus, QComboBox:focus { border-color: $accent; background: $surface; }
QLineEdit[refused="true"], QComboBox[refused="true"] { border-color: $error; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: $muted; background: $window; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit {
    background: transparent; border: 0; padding: 0; min-height: 0; }
QSpinBox, QDoubleSpinBox { qproperty-alignment: "AlignRight | AlignVCenter"; }
QComboBox { background: $surface; padding-right: 22px; }
QComboBox::drop-down { border: 0; width: 20px; }
QComboBox::down-arrow {
    image: url("$icons/chevron-down.svg"); width: 10px; height: 10px; }
QComboBox QAbstractItemView {
    background: $surface; border: 1px solid $line; padding: 4px; outline: 0; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button,
QDoubleSpinBox::down-button { border: 0; width: 18px; background: transparent; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url("$icons/chevron-up.svg"); width: 8px; height: 8px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url("$icons/chevron-down.svg"); width: 8px; height: 8px; }
QCheckBox, QRadioButton { spacing: 8px; color: $text; }
QCheckBox:disabled, QRadioButton:disabled { color: $muted; }
QCheckBox::indicator, QRadioButton::indicator {
    width: 14px; height: 14px; border: 1px solid $faint; background: $surface; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: url("$icons/check-$name.svg"); }
QRadioButton::indicator:checked {
    width: 8px; height: 8px; background: $on_accent; border: 4px solid $accent; }
QCheckBox:focus, QRadioButton:focus { color: $accent_ink; }
""")

RANGES = Template("""
QSlider:horizontal { min-height: 20px; }
QSlider:vertical { min-width: 20px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $line; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: $accent; }
QSlider::groove:vertical { width: 4px; border-radius: 2px; background: $line; }
QSlider::add-page:vertical { width: 4px; border-radius: 2px; background: $accent; }
QSlider::handle:horizontal {
    width: 14px; height: 14px; margin: -5px 0;
    border-radius: 7px; background: $accent; }
QSlider::handle:vertical {
    width: 14px; height: 14px; margin: 0 -5px;
    border-radius: 7px; background: $accent; }
QSlider::handle:hover { background: $accent_strong; }
QSlider::handle:focus { border: 2px solid $text; width: 10px; height: 10px; }
QSlider::handle:disabled, QSlider::sub-page:disabled,
QSlider::add-page:vertical:disabled {
    background: $faint; }
QProgressBar { background: $line; border: 0; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QScrollBar { background: transparent; border: 0; }
QScrollBar:vertical { width: 10px; margin: 2px; }
QScrollBar:horizontal { height: 10px; margin: 2px; }
QScrollBar::handle { background: $line; border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")

LISTS = Template("""
QAbstractItemView {
    background: transparent; color: $text; border: 0; outline: 0;
    selection-background-color: $accent_soft; selection-color: $accent_ink; }
QTreeView::item, QListView::item {
    padding: 0 6px; height: 26px; border: 1px solid transparent; border-radius: 6px; }
QTreeView::item:hover, QListView::item:hover { background: $sunken; }
QTreeView::item:selected, QListView::item:selected {
    background: $accent_soft; color: $accent_ink; }
QTreeView:focus::item:selected, QListView:focus::item:selected {
    border-color: $accent; }
QTreeView::item:selected {
    border-left: 0; padding-left: 7px;
    border-top-left-radius: 0; border-bottom-left-radius: 0; }
QTreeView::branch { background: transparent; }
QTreeView::branch:selected { background: $accent_soft; }
QTreeView::branch:has-children:closed { image: url("$icons/branch-closed.svg"); }
QTreeView::branch:has-children:open { image: url("$icons/branch-open.svg"); }
QTableView { gridline-color: $line; }
QTableView::item { padding: 0 3px; }
QHeaderView { background: transparent; }
QHeaderView::section {
    background: transparent; color: $muted; border: 0; border-bottom: 1px solid $line;
    padding: 4px 6px; }
QMenuBar { background: $surface; color: $text; }
QMenuBar::item { background: transparent; padding: 4px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: $sunken; }
QMenu { background: $surface; color: $text; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $accent_ink; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QTabBar::tab {
    background: transparent; color: $muted; padding: 5px 12px; border: 0;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover, QTabBar::tab:focus { color: $text; }
QTabWidget::pane { border: 0; border-top: 1px solid $line; }
""")


def style_sheet(chosen: Theme) -> str:
    """The whole Qt style sheet in the colours of `chosen`."""
    colours = {
        name: getattr(chosen, name)
        for name in type(chosen).__dataclass_fields__
        if name != "is_dark"
    }
    colours |= {
        "accent_ink": chosen.ink_on("accent", "accent_soft"),
        "accent_strong": chosen.stronger("accent"),
        "icons": str(files("resources") / "icons").replace("\\", "/"),
    }
    parts = (GROUND, BUTTONS, FIELDS, RANGES, LISTS)
    return "".join(part.substitute(colours) for part in parts) + _labels(chosen)


def _labels(chosen: Theme) -> str:
    return "".join(
        f'QLabel[ink="{name}"] {{ color: {chosen.ink(name).name()}; }}\n'
        for name in INKS
    )
