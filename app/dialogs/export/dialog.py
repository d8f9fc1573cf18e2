"""The export dialog: the view that was on the screen, as picture, numbers or code.

In: the session and its scene at the moment of asking. Out: a file, written in a thread,
or the clipboard.
"""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.export.code_page import CodePage
from app.dialogs.export.numbers_page import NumbersPage
from app.dialogs.export.page import Content, ExportPage
from app.dialogs.export.picture_page import PicturePage
from app.export.figure import DEFAULT_WIDTH, STYLES, figure_of
from app.scene import Scene
from app.session import Session
from app.widgets.card import plain_label, set_ink
from app.widgets.qt_calls import tells_faults
from app.widgets.segments import Segments
from core.trace.sheet import Sheet
from core.trace.views.sheets import program

SIZE = (900, 560)
MARGIN, GAP = 18, 12
KINDS = ("Picture", "Numbers", "Code")
NO_FOLDER = Path("folder of the model")
"""What stands in a program for a model that is in no folder."""


@tells_faults
class ExportDialog(QDialog):
    """Three pages, of which one is saved or copied."""

    save_requested = Signal(object, object)
    """A `Content`, and the file (`Path`) to write it to."""

    def __init__(
        self, session: Session, scene: Scene, folder: Path, parent: QWidget
    ) -> None:
        """Take the scene as it is; `folder` is where files go unless told otherwise."""
        super().__init__(parent)
        self.setWindowTitle("Export this view")
        self.setObjectName("export.dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # each view has its own
        self.resize(*SIZE)
        self._session, self._scene, self._folder = session, scene, folder
        name = scene.selection.step
        sheets = numbers_of(session, scene)
        self.picture = PicturePage(session, scene, name)
        self.numbers = NumbersPage(sheets, name)
        self.code = CodePage("", name)
        self.kinds = Segments(KINDS, "export.kind")
        self._pages = QStackedWidget()
        for page in (self.picture, self.numbers, self.code):
            self._pages.addWidget(page)
        self._message = plain_label("", "muted")
        self.copy_button, self.save_button = QPushButton("Copy"), QPushButton("Save…")
        self._arrange()
        self.kinds.chosen.connect(self._on_kinds_chosen)
        self.numbers.array.currentIndexChanged.connect(self._show_code)
        self.copy_button.clicked.connect(self.copy)
        self.save_button.clicked.connect(self._on_save_clicked)
        for page in (self.picture, self.numbers, self.code):
            page.changed.connect(self._on_page_changed)
        self._show_code()
        self.picture.draw()

    def _arrange(self) -> None:
        self.copy_button.setObjectName("export.copy")
        self.save_button.setObjectName("export.save")
        self.save_button.setProperty("kind", "primary")
        self.save_button.setDefault(True)
        close = QPushButton("Close")
        close.setAutoDefault(False)
        self.copy_button.setAutoDefault(False)
        close.clicked.connect(self.close)
        top = QHBoxLayout()
        top.addWidget(self.kinds)
        top.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(GAP)
        foot.addWidget(self._message, 1)
        for button in (close, self.copy_button, self.save_button):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[MARGIN] * 4)
        column.setSpacing(GAP)
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        column.addLayout(foot)

    @property
    def page(self) -> ExportPage:
        """The page that is seen."""
        page = self._pages.currentWidget()
        assert isinstance(page, ExportPage)
        return page

    def say(self, sentence: str, ink: str = "muted") -> None:
        """Say what has been done, or what went wrong."""
        self._message.setText(sentence)
        self._message.setToolTip("")
        set_ink(self._message, ink)

    @Slot()
    def copy(self) -> None:
        """Put what the page shows into the clipboard."""
        data, sentence = self.page.copied()
        if data is not None:
            QGuiApplication.clipboard().setMimeData(data)
        self.say(sentence, "checked" if data is not None else "warning")

    def save(self, content: Content, file: Path) -> None:
        """Ask for a file to be written; it gets its ending if it has none."""
        if file.suffix.lower() != content.ending:
            file = file.with_name(file.name + content.ending)
        self._folder = file.parent
        self.say("Writing…")
        self.save_requested.emit(content, file)

    @Slot()
    def _on_save_clicked(self) -> None:
        content = self.page.content()
        if content is None:
            return
        suggested = str(self._folder / content.name)
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.windowTitle(), suggested, content.kind
        )
        if chosen:
            self.save(content, Path(chosen))

    @Slot(int)
    def _on_kinds_chosen(self, place: int) -> None:
        self._pages.setCurrentIndex(place)
        self._on_page_changed()

    @Slot()
    def _on_page_changed(self) -> None:
        self.say("")

    @Slot()
    def _show_code(self) -> None:
        sheet, scene, card = self.numbers.sheet, self._scene, self._session.model
        place = NO_FOLDER if card is None else card.folder or NO_FOLDER
        is_file = card is not None and card.is_recorded
        code = program(sheet, scene.trace, scene.tokenizer, place, is_file=is_file)
        self.code.show_code(code)


def numbers_of(session: Session, scene: Scene) -> tuple[Sheet, ...]:
    """What the panel of a scene has to take along, whether it was visited or not."""
    with figure_of(session, scene, STYLES[0], DEFAULT_WIDTH) as figure:
        return figure.panel.numbers(scene)
