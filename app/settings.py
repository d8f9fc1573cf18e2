"""What the program remembers from one start to the next.

Every setting is a row of `SETTINGS`. Values are stored as JSON text, so that numbers do
not depend on the locale and any text survives, lone surrogates too; window states as
base64. What is damaged or no longer allowed reads as the default.
"""

import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

ORGANISATION = "Glassformer"
APPLICATION = "Glassformer"

TYPING_PAUSE_MS = 100
"""Shorter than this, and every keystroke starts a pass."""

T = TypeVar("T")
TINY, LARGE = 1e-300, 1e300
"""Ends of what a positive number may be."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One thing that is remembered."""

    key: str
    """Its name in the file: "group/name"."""
    default: T
    is_usable: Callable[[Any], bool]
    """Whether a stored value may be used."""


def one_of(*choices: str) -> Callable[[Any], bool]:
    """A text among these."""
    return lambda value: value in choices


def is_text(value: Any) -> bool:
    """Any text."""
    return isinstance(value, str)


def is_switch(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def is_list_of_text(value: Any) -> bool:
    """A list with texts alone in it."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def is_rows_of_text(n_columns: int) -> Callable[[Any], bool]:
    """A list of rows with so many texts each."""
    return lambda value: (
        isinstance(value, list)
        and all(is_list_of_text(row) and len(row) == n_columns for row in value)
    )


def whole_between(least: int, most: int) -> Callable[[Any], bool]:
    """A whole number from `least` to `most`."""
    return lambda value: type(value) is int and least <= value <= most


def number_between(least: float, most: float) -> Callable[[Any], bool]:
    """A finite number from `least` to `most`."""
    return lambda value: (
        type(value) in (int, float) and math.isfinite(value) and least <= value <= most
    )


THEME = Setting("view/theme", "system", one_of("system", "light", "dark"))
MAP_COLOURS = Setting("view/map_colours", "theme", one_of("theme", "viridis"))
SHOWS_PIPELINE = Setting("view/pipeline", True, is_switch)
SHOWS_INSPECTOR = Setting("view/inspector", True, is_switch)
GEOMETRY = Setting("window/geometry", "", is_text)
STATE = Setting("window/state", "", is_text)
MODEL = Setting("last/model", "", is_text)
TEXT = Setting("last/text", "Once upon a time there was a little fox", is_text)
TARGET = Setting("last/target", "", is_text)
"""The target so far, of a model that reads one text and writes another."""
STEP = Setting("last/step", "tokens.pieces", is_text)
READS_SPECIALS = Setting("typing/specials", False, is_switch)
TYPING_PAUSE = Setting("typing/pause_ms", TYPING_PAUSE_MS, whole_between(0, 5000))
PLAY_PAUSE = Setting("play/pause_ms", 900, whole_between(50, 60_000))
TEMPERATURE = Setting("sampling/temperature", 0.8, number_between(0, LARGE))
TOP_K = Setting("sampling/top_k", 0, whole_between(0, 2**63 - 1))
TOP_P = Setting("sampling/top_p", 1.0, number_between(TINY, 1))
PENALTY = Setting("sampling/repetition_penalty", 1.0, number_between(TINY, LARGE))
SEED = Setting("sampling/seed", 0, whole_between(0, 2**63 - 1))
N_NEW = Setting("sampling/n_new", 20, whole_between(1, 100_000))
RECENT_MODELS: Setting[Any] = Setting("last/models", [], is_list_of_text)
"""Model folders that were open, the newest first."""
BADGES: Setting[Any] = Setting("model/badges", [], is_rows_of_text(3))
"""Models that were held to another program: place, state of the files, badge."""
RUNS = Setting("training/runs", "", is_text)
"""The folder of all runs; "" for the one the system suggests."""
MODELS = Setting("model/folder", "", is_text)
"""A folder of models that the person chose; "" for none."""
MORE_FOLDERS: Setting[Any] = Setting("training/more_folders", [], is_list_of_text)
"""Folders of runs that the person added to the one where new runs go."""
ON_CLOSE = Setting("training/on_close", "ask", one_of("ask", "keep", "stop"))
"""What becomes of a run when its window closes."""
EXPORT_FOLDER = Setting("export/folder", "", is_text)
"""Where a picture, numbers, a trace or a session was saved last."""
STUDIO_GEOMETRY = Setting("training/geometry", "", is_text)

SETTINGS: tuple[Setting[Any], ...] = (
    THEME,
    MAP_COLOURS,
    SHOWS_PIPELINE,
    SHOWS_INSPECTOR,
    GEOMETRY,
    STATE,
    MODEL,
    TEXT,
    TARGET,
    STEP,
    READS_SPECIALS,
    TYPING_PAUSE,
    PLAY_PAUSE,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    PENALTY,
    SEED,
    N_NEW,
    RECENT_MODELS,
    BADGES,
    EXPORT_FOLDER,
    RUNS,
    MODELS,
    MORE_FOLDERS,
    ON_CLOSE,
    STUDIO_GEOMETRY,
)


class Settings(QObject):
    """The values of all settings. Lives in the main thread."""

    setting_changed = Signal(str)
    """The key of a setting that has another value now."""

    def __init__(self, file: Path | None = None) -> None:
        """Keep them in a file, or where the system has its settings."""
        super().__init__()
        if file is None:
            kind, scope = QSettings.defaultFormat(), QSettings.Scope.UserScope
            self._stored = QSettings(kind, scope, ORGANISATION, APPLICATION)
        else:
            self._stored = QSettings(str(file), QSettings.Format.IniFormat)

    def read(self, setting: Setting[T]) -> T:
        """The remembered value, or the default."""
        text = self._stored.value(setting.key)
        if text is None:
            return setting.default
        try:
            value: T = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            log.warning("setting %s is damaged: %.80r", setting.key, text)
            return setting.default
        return value if setting.is_usable(value) else setting.default

    def write(self, setting: Setting[T], value: T) -> None:
        """Remember a value.

        Raises:
            ValueError: The setting cannot have it.
        """
        if not setting.is_usable(value):
            raise ValueError(f"setting {setting.key} cannot be {value!r}")
        if value != self.read(setting):
            self._stored.setValue(setting.key, json.dumps(value))
            self.setting_changed.emit(setting.key)

    def sync(self) -> None:
        """Write everything to the disk now."""
        self._stored.sync()


def text_of_bytes(data: QByteArray) -> str:
    """A window's geometry or state as text."""
    return bytes(data.toBase64().data()).decode("ascii")


def bytes_of_text(text: str) -> QByteArray:
    """A window's geometry or state from its text; empty if it is damaged."""
    return QByteArray.fromBase64(text.encode("ascii", "ignore"))
