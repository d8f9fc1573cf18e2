"""The code of a view: a Python program that makes the same array through `core`."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData

from app.dialogs.export.page import Content, ExportPage, quiet_note, text_preview
from core.files import write_whole

ABOUT = (
    "It makes the array `values`, number by number what is shown. Run it where "
    "Glassformer is installed; its window is not needed."
)


class CodePage(ExportPage):
    """A program to read, copy or save."""

    def __init__(self, code: str, name: str) -> None:
        """Show the program."""
        self.preview = text_preview("The program")
        self.preview.setObjectName("export.code")
        super().__init__(self.preview)
        self._name = name
        self.add_choice("Python", quiet_note(ABOUT), below=None)
        self.show_code(code)

    @property
    def code(self) -> str:
        """The program."""
        return self._code

    def show_code(self, code: str) -> None:
        """Show another program."""
        self._code = code
        self.preview.setPlainText(code)
        self.changed.emit()

    def content(self) -> Content:
        """The program as a file."""
        return Content(partial(_write, self._code), f"{self._name}.py", "Python (*.py)")

    def copied(self) -> tuple[QMimeData | None, str]:
        """The program as text."""
        data = QMimeData()
        data.setText(self._code)
        return data, "The program is in the clipboard."


def _write(code: str, file: Path) -> None:
    write_whole(file, code.encode("utf-8", "surrogatepass"))
