"""The lesson: two short paragraphs on the present step, and what readers ask there."""

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.frame.parts import caption, plain_label
from app.style.fonts import BASE, MEDIUM, sans
from core.texts import Lesson


class LessonView(QWidget):
    """Words to read, under the inspector."""

    def __init__(self) -> None:
        """Nothing to read yet."""
        super().__init__()
        self._lesson: Lesson | None = None
        self._body = (plain_label(""), plain_label("", ink="muted"))
        self._question = plain_label("", sans(BASE, MEDIUM))
        self._answer = plain_label("", ink="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(caption("Lesson"))
        for label in self._labels():
            label.setWordWrap(True)
            column.addWidget(label)
        column.addStretch(1)

    def _labels(self) -> tuple[QLabel, ...]:
        return (*self._body, self._question, self._answer)

    def show_lesson(self, lesson: Lesson) -> None:
        """Show another lesson."""
        if lesson == self._lesson:
            return
        self._lesson = lesson
        texts = (*lesson.body, lesson.question, lesson.answer)
        for label, text in zip(self._labels(), texts, strict=True):
            label.setText(text)
            label.setVisible(bool(text))

    @property
    def text(self) -> str:
        """All of it as plain text."""
        return "\n".join(label.text() for label in self._labels() if label.text())
