"""Above the pictures of attention: which of them, and what is left out or joined."""

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.panels.attention.options import OptionsButton
from app.panels.attention.pictures import PICTURES, picture_of
from app.widgets.label import as_tip
from app.widgets.segments import Segments
from core.trace.viewing import PLAIN, Viewing


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
        self._options = OptionsButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._pictures)
        row.addStretch(1)
        row.addWidget(self._options)
        self._pictures.chosen.connect(self._on_pictures_chosen)
        self._options.viewing_requested.connect(self.viewing_requested)

    def show_viewing(self, viewing: Viewing) -> None:
        """Light what is chosen."""
        self._viewing = viewing
        self._pictures.set_place(PICTURES.index(picture_of(viewing.picture)))
        self._options.show_viewing(viewing)

    @Slot(int)
    def _on_pictures_chosen(self, place: int) -> None:
        name = PICTURES[place].name
        self.viewing_requested.emit(replace(self._viewing, picture=name))
