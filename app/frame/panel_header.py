"""Above every panel: the step in words, its address and shape, its formula, a sentence.

In: the present step and, once there is one, the trace. The shape has the real numbers.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.frame.formula_colours import coloured
from app.frame.parts import plain_label, set_ink
from app.frame.sizes import HEADER_HEIGHT
from app.frame.words_line import WordsLine
from app.style.fonts import LARGE, SMALL, TITLE, mono, sans
from app.widgets.formula import FormulaView
from app.widgets.qt_calls import tells_faults
from core.config import ModelConfig
from core.generation.sampling import Sampling
from core.texts import MERGES, step_text
from core.trace.selection import Selection
from core.trace.step import CROSS, ENCODER, TOKEN_AXES, part_of
from core.trace.steps import Step, step_shape
from core.trace.trace import Trace
from core.trace.views.output import PICK, pick_formula
from core.trace.views.places import Words

ROOMY = 700
MOST_FORMULA, LEAST_FORMULA = 0.42, 0.3
"""The share of the width that a formula may take where there is room, and where not."""
AXIS_NAMES = {
    "n": "tokens",
    "n_first": "row",
    "n_query": "query",
    "n_key": "key",
    "n_heads": "heads",
    "n_kv_heads": "key heads",
    "n_experts": "experts",
    "n_vocab": "vocabulary",
}
"""How axes are called in a shape; the others by their own names."""
WITH_HEAD = ("n_heads", "n_kv_heads")
KINDS = {"attn": "self-attention", CROSS: "cross attention", "ffn": "feed-forward"}
"""What a part of a layer is called in a title."""
Lengths = tuple[int, int]
"""Tokens of the text, and of the source where another was read; 0 for none yet."""


@tells_faults
class PanelHeader(QWidget):
    """Title, address, sentence at the left, the formula at the right."""

    def __init__(self) -> None:
        """Empty, at its full height."""
        super().__init__()
        self.title = WordsLine(sans(TITLE))
        self.address = WordsLine(mono(SMALL), gap=6)
        self.sentence = plain_label("", ink="muted")
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.formula = FormulaView()
        self.formula.set_alignment(Qt.AlignmentFlag.AlignRight)
        policy = QSizePolicy.Policy
        self.sentence.setSizePolicy(policy.Ignored, policy.Preferred)
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self.title)
        words.addWidget(self.address)
        words.addWidget(self.sentence, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(18)
        row.addLayout(words, 1)
        row.addLayout(self._right_side())
        self.setFixedHeight(HEADER_HEIGHT)

    def _right_side(self) -> QVBoxLayout:
        """The buttons over the formula, so that the address has their room."""
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        side = QVBoxLayout()
        side.setSpacing(0)
        side.addLayout(self._buttons)
        side.addStretch(1)
        side.addWidget(self.formula)
        side.addStretch(2)
        return side

    def add_button(self, button: QWidget) -> None:
        """Put a button to the right end, the same place above every panel."""
        self._buttons.addWidget(button)

    def show_step(
        self,
        step: Step,
        config: ModelConfig,
        selection: Selection,
        lengths: Lengths,
        sampling: Sampling,
        method: str = MERGES,
    ) -> None:
        """Speak of a step of texts so long."""
        words = step_text(step, config, method)
        self.title.show_words(title_words(step, words.title), words.title)
        self.sentence.setText(words.sentence)
        set_ink(self.sentence, "muted")
        self.address.show_words(address_words(step, config, selection, lengths))
        # The table has what the trace keeps; the panel draws as the controls say.
        is_drawn = step.key == PICK and config.writes
        own = step.formula if words.formula is None else words.formula
        formula = pick_formula(sampling) if is_drawn else own
        self.formula.show_formula(coloured(formula), LARGE + 2.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let a long formula shrink before the title has to."""
        share = MOST_FORMULA if self.width() >= ROOMY else LEAST_FORMULA
        self.formula.setMaximumWidth(round(share * self.width()))
        super().resizeEvent(event)

    def warn(self, words: str) -> None:
        """Say what is wrong with the step's numbers, in place of its sentence."""
        self.sentence.setText(words)
        set_ink(self.sentence, "error")

    def clear(self) -> None:
        """Say nothing: there is no model."""
        self.title.show_words(())
        self.sentence.clear()
        self.address.show_words(())
        self.formula.show_formula("")


def lengths_of(trace: Trace | None) -> Lengths:
    """How long the texts of a trace are."""
    if trace is None:
        return 0, 0
    return trace.n, 0 if trace.source is None else len(trace.source.pieces)


def title_words(step: Step, title: str) -> tuple[Words, ...]:
    """What the panel is called; of two sides, first which side and where in it.

    "Decoder · layer 2 · cross attention · Softmax": within a layer there is room for
    the beginning of the title alone.
    """
    if not step.side:
        return (Words(title, "text"),)
    where = [step.side.capitalize()]
    if step.layer is not None:
        where.append(f"layer {step.layer + 1}")
        where += filter(None, [KINDS.get(part_of(step.key))])
        title = title.partition(":")[0]
    return Words(f"{' · '.join(where)} ·"), Words(title, "text")


def address_words(
    step: Step, config: ModelConfig, selection: Selection, lengths: Lengths
) -> tuple[Words, ...]:
    """The line under the title: layer, head, key and shape.

    "layer 2 · head 1 · layers.1.attn.pattern · [4 heads, 6 query, 6 key]". Where there
    is little room the shape is cut, not the key. Of two sides the title has the layer.
    """
    parts = []
    if step.layer is not None and not step.side:
        parts.append(f"layer {step.layer + 1}")
    if any(axis in step.axes for axis in WITH_HEAD):
        parts.append(f"head {selection.head + 1}")
    address = " · ".join((*parts, step.key))
    if not (step.axes and lengths[0]):
        return (Words(address),)
    return Words(f"{address} ·"), Words(shape_text(step, config, lengths))


def shape_text(step: Step, config: ModelConfig, lengths: Lengths) -> str:
    """The shape with real numbers: "[4 heads, 6 query, 6 key]".

    Of two sides, whose tokens are counted: "[4 heads, 7 target, 12 source]".
    """
    sizes = step_shape(step, config, *lengths)
    names = (_axis_name(step, axis) for axis in step.axes)
    return f"[{', '.join(f'{n} {name}' for n, name in zip(sizes, names, strict=True))}]"


def _axis_name(step: Step, axis: str) -> str:
    if axis not in TOKEN_AXES or not step.side:
        return AXIS_NAMES.get(axis, axis)
    text = "source" if step.side_of(axis) == ENCODER else "target"
    return f"{text} tokens" if axis == "n" else text
