"""The picture of a view: PNG, SVG or PDF, in the window's dress or a paper's."""

from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.dialogs.export.page import Content, ExportPage, quiet_note
from app.export.figure import (
    DEFAULT_WIDTH,
    LEAST_WIDTH,
    MOST_WIDTH,
    STYLES,
    Figure,
    Style,
    figure_of,
)
from app.export.formats import PICTURE_FORMATS, SCALES, PictureFormat, image_of
from app.scene import Scene
from app.session import Session
from app.style.theme import theme
from app.widgets.number_field import WholeField
from app.widgets.qt_calls import tells_faults
from app.widgets.segments import Segments
from core.files import write_whole

TYPING_MS = 250
"""A width is drawn once it is not typed any more."""
MOST_DOTS = 120_000_000
"""Of a picture; one of more would not fit into the memory of every computer."""

CUT = (
    "A list is too long for a picture and stands in it in part; its numbers are whole."
)


@tells_faults
class PicturePreview(QWidget):
    """A picture, shrunk to fit, on the ground that lies under fields."""

    def __init__(self) -> None:
        """No picture yet."""
        super().__init__()
        self._image = QImage()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_image(self, image: QImage) -> None:
        """Show another picture."""
        self._image = image
        self.update()

    def sizeHint(self) -> QSize:
        """Room to tell the parts of a view apart."""
        return QSize(560, 380)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture in the middle, framed by a line."""
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), theme().colour("sunken"))
            if self._image.isNull():
                return
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            room = self.size() - QSize(16, 16)
            size = self._image.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
            box = QRectF(0, 0, size.width(), size.height())
            box.moveCenter(QRectF(self.rect()).center())
            ratio = self.devicePixelRatioF()
            small = self._image.scaled(
                size * ratio,
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            painter.drawImage(box, small)
            painter.setPen(theme().colour("line"))
            painter.drawRect(box)


class PicturePage(ExportPage):
    """Format, style, width and scale of the picture of a scene."""

    def __init__(self, session: Session, scene: Scene, name: str) -> None:
        """Nothing is drawn before `draw`."""
        self.preview = PicturePreview()
        super().__init__(self.preview)
        self._session, self._scene, self._name = session, scene, name
        self._size, self._is_cut = (0, 0), False
        self.format = Segments(tuple(f.name for f in PICTURE_FORMATS), "export.format")
        self.style_of = Segments(tuple(s.name for s in STYLES), "export.style")
        self.scale = Segments(tuple(f"{s}×" for s in SCALES), "export.scale")
        self.width_field = WholeField(LEAST_WIDTH, MOST_WIDTH)
        self.width_field.setObjectName("export.width")
        self.width_field.setAccessibleName("Width in pixels")
        self.width_field.show_number(DEFAULT_WIDTH)
        self._style_note, self._size_note = quiet_note(), quiet_note()
        self.add_choice("Format", self.format, below=None)
        self.add_choice("Style", self.style_of, below=self._style_note)
        self.add_choice("Width in pixels", self.width_field, below=None)
        self.add_choice("Scale", self.scale, below=self._size_note)
        self._rest = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._rest.timeout.connect(self.draw)
        self.format.chosen.connect(self._on_choice_changed)
        self.scale.chosen.connect(self._on_choice_changed)
        self.style_of.chosen.connect(self.draw)
        self.width_field.number_changed.connect(self._on_width_changed)

    @property
    def kind(self) -> PictureFormat:
        """The chosen format."""
        return PICTURE_FORMATS[self.format.place]

    @property
    def chosen_style(self) -> Style:
        """The chosen style."""
        return STYLES[self.style_of.place]

    @property
    def chosen_scale(self) -> int:
        """The chosen scale; 1 where there are no dots."""
        return SCALES[self.scale.place] if self.kind.has_dots else 1

    @property
    def n_dots(self) -> int:
        """How many dots the picture has."""
        return self._size[0] * self._size[1] * self.chosen_scale**2

    @Slot()
    def draw(self) -> None:
        """Draw the picture anew, and say how large it is."""
        with self._figure() as figure:
            self._size, self._is_cut = figure.size, figure.is_cut
            self.preview.show_image(image_of(figure))
        self._on_choice_changed()

    def content(self) -> Content | None:
        """The bytes of the picture; None where it would have too many dots."""
        if self.n_dots > MOST_DOTS:
            return None
        with self._figure() as figure:
            data = self.kind.bytes_of(figure, self.chosen_scale)
        ending = self.kind.ending
        kind = f"{self.kind.name} (*{ending})"
        return Content(partial(_write, data), f"{self._name}{ending}", kind)

    def copied(self) -> tuple[QMimeData | None, str]:
        """The picture in dots; as SVG, too, where that is chosen."""
        if self.n_dots > MOST_DOTS:
            return None, "The picture has too many dots; choose a smaller scale."
        data = QMimeData()
        with self._figure() as figure:
            data.setImageData(image_of(figure, self.chosen_scale))
            if self.kind.name == "SVG":
                data.setData("image/svg+xml", self.kind.bytes_of(figure, 1))
        return data, "The picture is in the clipboard."

    def _figure(self) -> AbstractContextManager[Figure]:
        return figure_of(
            self._session, self._scene, self.chosen_style, int(self.width_field.number)
        )

    @Slot()
    def _on_width_changed(self) -> None:
        self._rest.start()

    @Slot()
    def _on_choice_changed(self) -> None:
        scale = self.chosen_scale
        width, height = (side * scale for side in self._size)
        words = f"{width:,} × {height:,} {'dots' if self.kind.has_dots else 'pixels'}"
        if self.n_dots > MOST_DOTS:
            words += ": too many; choose less"
        if self._is_cut:
            words += f". {CUT}"
        self.scale.setEnabled(self.kind.has_dots)
        self._size_note.setText(words)
        self._style_note.setText(self.chosen_style.tip)
        self.changed.emit()


def _write(data: bytes, file: Path) -> None:
    write_whole(file, data)
