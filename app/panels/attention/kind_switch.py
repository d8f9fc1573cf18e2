"""Encoder, decoder or cross: whose heads are looked at, where there are several kinds.

In: the scene. Out: a wish for the same stage of another kind; each text keeps its
chosen token.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.panels.attention.page import kind_of_scene, layer_of, stage_of
from app.scene import Scene
from app.widgets.label import as_tip
from app.widgets.segments import Segments
from core.trace.attentions import kinds_of_attention
from core.trace.selection import at_step
from core.trace.views.attention_map import nearest_stage

WORDS = ("encoder", "decoder", "cross")
TIPS = (
    "The source looks at itself",
    "The target looks at itself, as far as it is written",
    "The target looks at the source",
)


class KindSwitch(QWidget):
    """The kinds as segments; nothing where there is one kind."""

    selection_requested = Signal(object)
    """The reader wants to see another kind: the `Selection` that follows."""

    def __init__(self) -> None:
        """Nothing to choose from."""
        super().__init__()
        self._scene: Scene | None = None
        self._words = Segments(WORDS, "kind")
        for place, tip in enumerate(TIPS):
            self._words.set_tip(place, as_tip(tip))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words)
        row.addStretch(1)
        self._words.chosen.connect(self._on_words_chosen)
        self.hide()

    def show_scene(self, scene: Scene) -> None:
        """Light the kind of the present step."""
        self._scene, kind = scene, kind_of_scene(scene)
        self.setVisible(kind.name in WORDS)
        if kind.name in WORDS:
            self._words.set_place(WORDS.index(kind.name))

    @Slot(int)
    def _on_words_chosen(self, place: int) -> None:
        scene = self._scene
        if scene is None:
            return
        kind = kinds_of_attention(scene.trace.config)[place]
        attn = kind.paths[min(layer_of(scene), kind.n_layers - 1)]
        stage = nearest_stage(scene.trace, attn, stage_of(scene))
        self.selection_requested.emit(at_step(scene.selection, f"{attn}.{stage}"))
