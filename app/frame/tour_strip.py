"""The tour's strip: stop n of m, its sentence, and the buttons that lead on.

Place: under the token bar, while a tour is on. In: the news of the tour's guide. Out:
wishes to it.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.frame.parts import icon_button, plain_label
from app.frame.words_line import WordsLine
from app.style.fonts import BASE, MEDIUM, SMALL, mono, sans
from app.tour import TourGuide
from app.widgets.label import elided
from core.trace.views.places import Words

LABEL_ROOM = 90.0
"""For the token in the question, in pixels."""
LINE_GAP = 1


class TourStrip(QFrame):
    """One sentence at a time; hidden while there is no tour."""

    def __init__(self, guide: TourGuide) -> None:
        """Hidden until a tour begins."""
        super().__init__()
        self.guide = guide
        guide.setParent(self)
        self.setObjectName("tour.strip")
        self.setProperty("bar", "top")
        self.question = WordsLine(mono(SMALL))
        self.count = plain_label("", sans(SMALL), "muted")
        self.sentence = plain_label("", sans(BASE, MEDIUM))
        self.sentence.setWordWrap(True)
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        self.sentence.setTextInteractionFlags(selectable)
        self.previous = icon_button("back", "The stop before", "tour.previous")
        self.next = icon_button("next", "The next stop", "tour.next")
        self.close_button = icon_button("close", "End the tour", "tour.end")
        self._arrange()
        self.previous.clicked.connect(guide.previous)
        self.next.clicked.connect(guide.next)
        self.close_button.clicked.connect(guide.end)
        guide.tour_changed.connect(self._on_guide_tour_changed)
        self._on_guide_tour_changed()

    def _arrange(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(LINE_GAP)
        words.addWidget(self.question)
        words.addWidget(self.sentence)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(4)
        row.addLayout(words, 1)
        row.addSpacing(8)
        row.addWidget(self.count)
        for button in (self.previous, self.next, self.close_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    @Slot()
    def _on_guide_tour_changed(self) -> None:
        guide = self.guide
        self.setVisible(guide.is_on)
        if not guide.is_on:
            return
        label = elided(guide.label, mono(SMALL), LABEL_ROOM)
        self.question.show_words(
            (Words("Why did it say"), Words(f"{label}?", "accent"))
        )
        self.sentence.setText(guide.sentence)
        place, n = guide.place
        self.count.setText(f"stop {place} of {n}")
        self.previous.setEnabled(guide.can_go(-1))
        self.next.setEnabled(guide.can_go(1))
        if not self.next.isEnabled() and self.next.hasFocus():
            self.previous.setFocus()
