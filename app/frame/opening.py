"""What the window shows before its parts are loaded: the same surfaces and lines.

Place: painted first, for a third of a second. The sentence stands where it will be, so
that nothing moves when the workbench takes over. It does nothing and shows no number.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.frame.body import Body
from app.frame.parts import (
    MENU_BUTTON_HEIGHT,
    icon_button,
    menu_button,
    plain_label,
    sentence_field,
)
from app.frame.sizes import (
    BAR_MARGINS,
    BAR_SPACING,
    HEADER_HEIGHT,
    MIDDLE_MARGINS,
    MIDDLE_SPACING,
    STEPPER_HEIGHT,
    TOKEN_BAR_HEIGHT,
)
from app.frame.state_page import OPENING, StatePage
from app.settings import SHOWS_INSPECTOR, SHOWS_PIPELINE, STATE, Settings
from app.style.fonts import MEDIUM, SMALL, sans


class OpeningPage(QWidget):
    """Bars and columns without anything in them, but for the sentence."""

    def __init__(self, settings: Settings, sentence: str) -> None:
        """Take the widths of the columns from the settings."""
        super().__init__()
        self._shows_inspector = settings.read(SHOWS_INSPECTOR)
        self.sentence = sentence_field(sentence)
        self.page = StatePage()
        self.page.show_state(OPENING)
        self.body = Body(QWidget(), middle(self.page), bar("right"))
        self.body.is_narrow_changed.connect(self._on_body_is_narrow_changed)
        self.body.show_pipeline(settings.read(SHOWS_PIPELINE))
        self.body.show_inspector(self._shows_inspector)
        self.body.restore(settings.read(STATE))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(sentence_bar(self.sentence))
        column.addWidget(bar("top", TOKEN_BAR_HEIGHT))
        column.addWidget(self.body, 1)
        column.addWidget(bar("bottom", STEPPER_HEIGHT))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    @Slot(bool)
    def _on_body_is_narrow_changed(self, is_narrow: bool) -> None:
        self.body.show_inspector(self._shows_inspector and not is_narrow)


def bar(side: str, height: int = 0) -> QFrame:
    """An empty bar or column with its line; 0 for any height."""
    frame = QFrame()
    frame.setProperty("bar", side)
    if height:
        frame.setFixedHeight(height)
    return frame


def sentence_bar(field: QLineEdit) -> QFrame:
    """The sentence in its field, between the buttons that will be there."""
    field.setReadOnly(True)
    model = menu_button("opening…", "opening.model")
    model.setFont(sans(weight=MEDIUM))
    examples = menu_button("Examples", "opening.examples")
    for button in (model, examples):
        button.setMenu(QMenu(button))  # which makes it wider
    frame = bar("top")
    row = QHBoxLayout(frame)
    row.setContentsMargins(*BAR_MARGINS)
    row.setSpacing(BAR_SPACING)
    row.addWidget(icon_button("sidebar", "", "opening.pipeline"))
    row.addWidget(model)
    row.addWidget(field, 1)
    row.addWidget(examples)
    row.addWidget(room_for_counts(field.text()))
    train = QPushButton("Train…")
    train.setFixedHeight(MENU_BUTTON_HEIGHT)
    row.addWidget(train)
    for icon in ("inspector", "menu"):
        row.addWidget(icon_button(icon, "", f"opening.{icon}"))
    for part in frame.findChildren(QWidget):
        part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return frame


def room_for_counts(sentence: str) -> QLabel:
    """Nothing, as wide as the counts of the sentence will be."""
    n_bytes = len(sentence.encode("utf-8", "surrogatepass"))
    counts = (len(sentence.split()), "tokens"), (len(sentence), "characters")
    words = [f"{n:,} {what}" for n, what in (*counts, (n_bytes, "bytes"))]
    label = plain_label(" · ".join(words), sans(SMALL))
    policy = label.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    label.setSizePolicy(policy)
    label.hide()
    return label


def middle(page: StatePage) -> QWidget:
    """The page that the panel's place will show until a model is open."""
    whole = QWidget()
    column = QVBoxLayout(whole)
    left, top, right, bottom = MIDDLE_MARGINS
    head = HEADER_HEIGHT + MIDDLE_SPACING
    column.setContentsMargins(left, top + head, right, bottom)
    column.addWidget(page)
    return whole
