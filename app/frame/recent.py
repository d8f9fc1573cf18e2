"""The model folders that were opened last, newest first, kept in the settings."""

import json
import os
from pathlib import Path

from app.settings import RECENT_MODELS, Settings
from core.checkpoints.places import name_of
from core.training.runs import checkpoint_name

MOST = 8
CONFIG_FILE = "config.json"
"""As in `core.checkpoints.native`, which loads torch."""
CHECKPOINTS = "checkpoints"
"""As in `core.training.checkpoint`, which loads torch."""


def name_in(folder: Path) -> str:
    """What a model is called by its run's present name, its file, or its folder."""
    if named := checkpoint_name(folder):
        return named
    known = name_of(folder)
    try:
        about = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return known
    name = about.get("name") if isinstance(about, dict) else None
    return name if isinstance(name, str) and name else known


class RecentModels:
    """Folders to offer in a menu."""

    def __init__(self, settings: Settings) -> None:
        """Kept in these settings."""
        self._settings = settings

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders, newest first; some may be gone by now."""
        return tuple(map(Path, self._settings.read(RECENT_MODELS)))

    def note(self, folder: Path | None) -> None:
        """Put a folder to the front."""
        if folder is not None:
            newest = lasting(folder)
            others = [str(f) for f in self.folders if not is_same(f, newest)]
            self._settings.write(RECENT_MODELS, [str(newest), *others][:MOST])


def lasting(place: Path) -> Path:
    """A path that means the same tomorrow.

    A file keeps its name: in the Hugging Face cache it leads to one without an ending.
    """
    return place.absolute() if os.path.isfile(place) else place.resolve()


def is_same(one: Path, other: Path) -> bool:
    """Whether two folders are one model, or two checkpoints of one run."""
    are_checkpoints = one.parent.name == other.parent.name == CHECKPOINTS
    return one == other or (are_checkpoints and one.parent == other.parent)
