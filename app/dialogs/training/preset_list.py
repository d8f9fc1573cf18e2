"""The models that a person can take as they are, as cards to choose from.

Place: left half of the model page. In: the table of presets. Out: which was chosen.
"""

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.listing import Listing
from app.dialogs.training.wording import count_text
from app.style.fonts import LARGE, SMALL, mono, sans
from app.widgets.card import plain_label
from app.widgets.qt_calls import tells_faults
from core.config import ModelConfig
from core.training.estimate import count_parameters
from core.training.presets import PRESETS, Preset

PADDING = (12, 9, 12, 10)


@tells_faults
class PresetButton(QPushButton):
    """A preset: its name and size, a sentence, and its shape."""

    def __init__(self, preset: Preset) -> None:
        """Show a preset."""
        super().__init__()
        self.preset = preset
        self.setCheckable(True)
        self.setObjectName(f"training.preset.{preset.name}")
        self.setAccessibleName(preset.title)
        self.setAccessibleDescription(preset.text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        title, text = plain_label(preset.title), plain_label(preset.text, "muted")
        size = plain_label(parameters_text(preset.model))
        shape = plain_label(shape_text(preset.model), "muted")
        title.setFont(sans(LARGE))
        size.setFont(mono())
        text.setFont(sans(SMALL))
        shape.setFont(mono(SMALL))
        text.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(size)
        column = QVBoxLayout(self)
        column.setContentsMargins(*PADDING)
        column.setSpacing(3)
        column.addLayout(head)
        column.addWidget(text)
        column.addWidget(shape)
        for label in (title, size, text, shape):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    # Qt's calls: a button would measure its own words, and it has none.

    def sizeHint(self) -> QSize:
        """As large as what is on it."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """As high as its lines are at this width."""
        layout = self.layout()
        if layout is None:
            return super().minimumSizeHint()
        height = layout.totalHeightForWidth(max(self.width(), 1))
        return QSize(layout.minimumSize().width(), height)


class PresetList(QWidget):
    """Every preset; the one that the draft is, if it is one, is marked."""

    preset_requested = Signal(object)
    """This `Preset` was chosen."""

    def __init__(self) -> None:
        """None is marked yet."""
        super().__init__()
        self.buttons = [PresetButton(preset) for preset in PRESETS]
        for button in self.buttons:
            button.clicked.connect(partial(self._on_button_clicked, button))
        listing = Listing("Presets")
        listing.show_widgets(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(listing)

    def mark(self, preset: Preset | None) -> None:
        """Mark a preset as the one in force; None where the draft is none of them."""
        for button in self.buttons:
            button.setChecked(button.preset is preset)

    @Slot()
    def _on_button_clicked(self, button: PresetButton, _: bool = False) -> None:
        self.preset_requested.emit(button.preset)


def parameters_text(model: ModelConfig) -> str:
    """How large a model is: "1.8 M parameters"."""
    return f"{count_text(count_parameters(model))} parameters"


def shape_text(model: ModelConfig) -> str:
    """A model's shape in a line."""
    n_layers = f"{model.n_encoder_layers} + " if model.has_encoder else ""
    n_layers += str(model.n_layers)
    return (
        f"{n_layers} layers × {model.n_heads} heads · width {model.d_model} · "
        f"reads {model.n_ctx} tokens"
    )
