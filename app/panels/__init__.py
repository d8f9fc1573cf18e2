"""The panels in the order of the pipeline, and the steps each of them shows.

A panel's module is imported when it is first shown, so that the window is up first.
"""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from core.errors import CoreError

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
    """Patterns of the step keys it shows."""

    def create(self, session: "Session") -> "Panel":
        """Import the panel and make it."""
        module, _, kind = self.home.partition(":")
        panel: Panel = getattr(import_module(module), kind)(session)
        panel.setObjectName(f"panel.{self.name}")
        return panel


MATRIX = "app.panels.matrix:MatrixPanel"

PANELS = (
    PanelSpec("tokens", "Tokens", MATRIX, ("tokens.*",)),
    PanelSpec("embedding", "Embedding", MATRIX, ("embed.token", "embed.scaled")),
    PanelSpec(
        "position",
        "Position",
        MATRIX,
        ("embed.position", "embed.sum", "embed.segment", "embed.norm"),
    ),
    PanelSpec("attention", "Attention", MATRIX, ("layers.*.attn.*",)),
    PanelSpec("feed_forward", "Feed-forward", MATRIX, ("layers.*.ffn.*",)),
    PanelSpec("residual", "Residual stream", MATRIX, ("layers.*.resid_*",)),
    PanelSpec("output", "Next token", MATRIX, ("output.*",)),
)


@lru_cache(maxsize=4096)
def panel_of(step_key: str) -> PanelSpec:
    """The panel that shows a step.

    Raises:
        CoreError: No pattern fits the key.
    """
    for spec in PANELS:
        if any(fnmatchcase(step_key, pattern) for pattern in spec.steps):
            return spec
    raise CoreError(f"No panel shows the step {step_key}.")
