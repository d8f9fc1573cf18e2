"""The panels in the order of the pipeline, and the steps each of them shows.

A panel's module is imported when it is first shown, so that the window is up first.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from core.trace.step import name_of

if TYPE_CHECKING:
    from app.panels.base import Panel
    from app.session import Session


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One station of the pipeline."""

    name: str
    """What its objectName and its lesson go by: "panel.<name>"."""
    title: str
    home: str
    """Module and class."""
    steps: tuple[str, ...]
    """Patterns of the names of the steps it shows, without side and layer."""

    @property
    def module(self) -> str:
        """What has to be imported for it."""
        return self.home.partition(":")[0]

    def create(self, session: "Session") -> "Panel":
        """Import the panel and make it."""
        kind = self.home.partition(":")[2]
        panel: Panel = getattr(import_module(self.module), kind)(session)
        panel.setObjectName(f"panel.{self.name}")
        return panel


PANELS = (
    PanelSpec("tokens", "Tokens", "app.panels.tokens:TokensPanel", ("tokens.*",)),
    PanelSpec(
        "embedding",
        "Embedding",
        "app.panels.embedding:EmbeddingPanel",
        ("embed.token", "embed.scaled"),
    ),
    PanelSpec(
        "position",
        "Position",
        "app.panels.position:PositionPanel",
        ("embed.position", "embed.segment", "embed.sum", "embed.norm"),
    ),
    PanelSpec(
        "attention",
        "Attention",
        "app.panels.attention:AttentionPanel",
        ("attn.*",),
    ),
    PanelSpec(
        "feed_forward",
        "Feed-forward",
        "app.panels.feed_forward:FeedForwardPanel",
        ("ffn.*",),
    ),
    PanelSpec(
        "residual",
        "Residual stream",
        "app.panels.residual:ResidualPanel",
        ("resid_*",),
    ),
    PanelSpec(
        "output",
        "Output",
        "app.panels.output:OutputPanel",
        ("output.*",),
    ),
)


ANY_STEP = PanelSpec("matrix", "Numbers", "app.panels.matrix:MatrixPanel", ("*",))
"""Shows a step that no panel claims: one that came with another kind of model."""


@lru_cache(maxsize=4096)
def panel_of(step_key: str) -> PanelSpec:
    """The panel that shows a step."""
    claims = (
        spec
        for spec in PANELS
        if any(fnmatchcase(name_of(step_key), pattern) for pattern in spec.steps)
    )
    return next(claims, ANY_STEP)


def panel_modules() -> tuple[str, ...]:
    """What has to be imported for all panels, in the order of the pipeline."""
    return tuple(spec.module for spec in (*PANELS, ANY_STEP))
