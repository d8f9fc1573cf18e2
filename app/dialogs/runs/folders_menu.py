"""The menu of the folders that runs are looked for in: add one, or leave one out again.

In: the folders that the person added. Out: wishes. Nothing on the disk is touched.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

ADD = "Add a folder…"
FORGET = "Leave out {}"
LONGEST = 60
"""Characters of a folder's path; the end says which one it is."""


class FoldersMenu(QMenu):
    """One row to add, and one for each folder that was added."""

    add_requested = Signal()
    """Look into another folder, too."""
    forget_requested = Signal(object)
    """Look into this folder (`Path`) no more."""

    def __init__(self, parent: QWidget) -> None:
        """Nothing was added yet."""
        super().__init__(parent)
        self.show_folders(())

    def show_folders(self, folders: tuple[Path, ...]) -> None:
        """Offer to leave out these."""
        self.clear()
        add = self.addAction(ADD)
        add.setObjectName("runs.add")
        add.triggered.connect(self.add_requested)
        if folders:
            self.addSeparator()
        for folder in folders:
            action = self.addAction(FORGET.format(end_of(folder)).replace("&", "&&"))
            action.setData(folder)
            action.triggered.connect(self._on_forget_triggered)

    @Slot()
    def _on_forget_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.forget_requested.emit(action.data())


def end_of(folder: Path) -> str:
    """A path in a menu; of a long one its end."""
    path = str(folder)
    return path if len(path) <= LONGEST else f"…{path[1 - LONGEST :]}"
