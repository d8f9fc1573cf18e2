"""Above the pictures of attention: which of them, and what is left out or joined.

Where the panel is too narrow for all titles they fold into a list.
"""

from dataclasses import replace

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from app.panels.attention.options import OptionsButton
from app.panels.attention.pictures import PICTURES, picture_of
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from app.widgets.segments import Segments
from core.trace.viewing import PLAIN, Viewing


@tells_faults
class PictureBar(QWidget):
    """Segments at the left, the options at the right."""

    viewing_requested = Signal(object)
    """The reader wants to look in another way: the `Viewing` that follows."""

    def __init__(self) -> None:
        """The first picture is chosen."""
        super().__init__()
        self._viewing = PLAIN
        titles = tuple(picture.title for picture in PICTURES)
        self._pictures = Segments(titles, "picture")
        for place, picture in enumerate(PICTURES):
            self._pictures.set_tip(place, as_tip(picture.tip))
        self._list = QComboBox()
        self._list.setObjectName("picture.list")
        self._list.setAccessibleName("picture")
        self._list.addItems(list(titles))
        self._list.hide()
        self._options = OptionsButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._pictures)
        row.addWidget(self._list)
        row.addStretch(1)
        row.addWidget(self._options)
        self._pictures.chosen.connect(self._on_pictures_chosen)
        self._list.activated.connect(self._on_pictures_chosen)
        self._options.viewing_requested.connect(self.viewing_requested)

    def show_viewing(self, viewing: Viewing) -> None:
        """Light what is chosen."""
        self._viewing = viewing
        place = PICTURES.index(picture_of(viewing.picture))
        self._pictures.set_place(place)
        self._list.setCurrentIndex(place)
        self._options.show_viewing(viewing)
        self._fold()

    def _fold(self) -> None:
        """Show all titles where they have room, else the list."""
        needed = self._pictures.sizeHint().width() + self._options.sizeHint().width()
        has_room = needed <= self.width()
        self._pictures.setVisible(has_room)
        self._list.setVisible(not has_room)

    @Slot(int)
    def _on_pictures_chosen(self, place: int) -> None:
        name = PICTURES[place].name
        self.viewing_requested.emit(replace(self._viewing, picture=name))

    # Qt's calls.

    def minimumSizeHint(self) -> QSize:
        """The list and the options: the titles do not hold the window wide."""
        width = self._list.sizeHint().width() + self._options.sizeHint().width()
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold or unfold."""
        super().resizeEvent(event)
        self._fold()
