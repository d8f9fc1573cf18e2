"""Which texts the model learns from: dropped, chosen, pasted, or built in.

Place: left half of the data page. In: the plan's sources and what was found wrong with
them. Out: wishes for other sources.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.adders import PasteAdder, StoryAdder
from app.dialogs.training.listing import Listing
from app.dialogs.training.pair_adder import PairAdder
from app.dialogs.training.source_line import SourceLine
from app.style.fonts import LARGE, sans
from app.widgets.card import Card, plain_label
from app.widgets.qt_calls import tells_faults
from core.training.pairs.lines import ENDING
from core.training.sources import FileSource, FolderSource, PairsSource, Source

if TYPE_CHECKING:
    from core.training.facts import TextFacts

EMPTY_TITLE = "Drop text files or a folder here"
EMPTY_HINT = (
    "or choose them below; the model will learn to go on like them, or to answer pairs"
)
LEAST_LIST = 96
ENDINGS = "*.txt *.tsv *.md *.csv *.json *.xml *.html *.py *.log *.tex"
TEXTS = f"Text files ({ENDINGS});;All (*)"


@tells_faults
class SourcesCard(Card):
    """The list of texts, and the ways to add to it."""

    sources_requested = Signal(object)
    """These sources are to be added: tuple of `Source`."""

    removal_requested = Signal(object)
    """A source is no longer wanted: `Source`."""

    reading_requested = Signal(object)
    """A source is to be read otherwise: (before, after)."""

    def __init__(self) -> None:
        """No text yet."""
        super().__init__("Your text")
        self.setAcceptDrops(True)
        self.lines: list[SourceLine] = []
        self._places = QStackedWidget()
        self._list = Listing("Texts to learn from")
        self.paste, self.stories, self.pairs = PasteAdder(), StoryAdder(), PairAdder()
        self._empty = empty_page()
        for page in (self._empty, self._list, self.paste, self.stories, self.pairs):
            self._places.addWidget(page)
        self._places.setMinimumHeight(LEAST_LIST)
        self.body.addWidget(self._places, 1)
        self.body.addLayout(self._buttons())
        for adder in (self.paste, self.stories, self.pairs):
            adder.source_given.connect(self._on_adder_source_given)
            adder.cancelled.connect(self._on_adder_cancelled)
        self.show_sources((), None)

    def show_sources(
        self, sources: tuple[Source, ...], facts: "TextFacts | None"
    ) -> None:
        """Show the texts that are chosen, and below each what is wrong with it."""
        wrong = {fault.path: fault for fault in facts.faults} if facts else {}
        unusual = dict(facts.encodings) if facts else {}
        self.lines = []
        for source in sources:
            path = source.path if isinstance(source, FileSource) else Path()
            line = SourceLine(source, wrong.get(path), unusual.get(path, ""))
            line.removal_requested.connect(self.removal_requested)
            line.reading_requested.connect(self.reading_requested)
            self.lines.append(line)
        self._list.show_widgets(self.lines)
        self._show_list()

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for text, name, pressed in (
            ("Files…", "training.files", self._on_files_clicked),
            ("Folder…", "training.folder", self._on_folder_clicked),
            ("Paste…", "training.paste", self._on_paste_clicked),
            ("Stories…", "training.stories", self._on_stories_clicked),
            ("Pairs…", "training.pairs", self._on_pairs_clicked),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.clicked.connect(pressed)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _show_list(self) -> None:
        self._places.setCurrentWidget(self._list if self.lines else self._empty)

    @Slot()
    def _on_files_clicked(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Choose texts", "", TEXTS)
        if names:
            self.sources_requested.emit(tuple(file_source(Path(n)) for n in names))

    @Slot()
    def _on_folder_clicked(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Choose a folder of texts")
        if name:
            self.sources_requested.emit((FolderSource(Path(name)),))

    @Slot()
    def _on_paste_clicked(self) -> None:
        self._places.setCurrentWidget(self.paste)
        self.paste.begin()

    @Slot()
    def _on_stories_clicked(self) -> None:
        self._places.setCurrentWidget(self.stories)
        self.stories.begin()

    @Slot()
    def _on_pairs_clicked(self) -> None:
        self._places.setCurrentWidget(self.pairs)
        self.pairs.begin()

    @Slot(object)
    def _on_adder_source_given(self, source: Source) -> None:
        self._show_list()
        self.sources_requested.emit((source,))

    @Slot()
    def _on_adder_cancelled(self) -> None:
        self._show_list()

    # Qt's calls.

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome files and text."""
        if sources_of(event):
            event.acceptProposedAction()
            self._light(is_lit=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing was dropped."""
        self._light(is_lit=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped."""
        self._light(is_lit=False)
        event.acceptProposedAction()
        self.sources_requested.emit(sources_of(event))

    def _light(self, *, is_lit: bool) -> None:
        self.setProperty("lit", is_lit)
        self.style().unpolish(self)
        self.style().polish(self)


def sources_of(event: QDropEvent) -> tuple[Source, ...]:
    """The files and folders that are dragged; those of other machines are left out."""
    urls = event.mimeData().urls()
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return tuple(FolderSource(p) if p.is_dir() else file_source(p) for p in paths)


def file_source(path: Path) -> FileSource:
    """A file of pairs where its name says so, or else of running text."""
    kind = PairsSource if path.suffix.lower() == ENDING else FileSource
    return kind(path)


def empty_page() -> QWidget:
    """What the list shows before there is a text."""
    page = QWidget()
    title, hint = plain_label(EMPTY_TITLE), plain_label(EMPTY_HINT, "muted")
    title.setFont(sans(LARGE))
    column = QVBoxLayout(page)
    column.addStretch(1)
    for label in (title, hint):
        centred(label)
        column.addWidget(label)
    column.addStretch(1)
    return page


def centred(label: QLabel) -> None:
    """Let a label stand in the middle and break where it must."""
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
