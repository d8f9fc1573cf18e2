"""Where runs are kept, as a person set it or as the system suggests.

Place: the start page and the list of runs read it. In: the settings. Out: a folder.
"""

from pathlib import Path

from PySide6.QtCore import QStandardPaths

from app.settings import APPLICATION, RUNS, Settings


def runs_folder(settings: Settings) -> Path:
    """The folder that new runs go into; it need not be there yet."""
    chosen = settings.read(RUNS)
    return Path(chosen) if chosen else suggested_folder()


def suggested_folder() -> Path:
    """The folder for runs among the person's documents."""
    place = QStandardPaths.StandardLocation.DocumentsLocation
    return Path(QStandardPaths.writableLocation(place)) / APPLICATION / "runs"
