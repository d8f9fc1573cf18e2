"""Looking for models on this computer, and reading what a card says: a thread apart.

In: folders. Out: the models in them, and figures about one. Only heads of files are
read; a disk may be slow, so nothing of it is done in the window's thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.workers.runner import Worker
from core.config import ModelConfig

if TYPE_CHECKING:
    from core.checkpoints.card import ModelFacts
    from core.checkpoints.discovery import FoundModel


@dataclass(frozen=True, slots=True)
class FindRequest:
    """Which models there are. Answer: a tuple of `FoundModel`."""

    folder: Path | None
    """Looked into besides the usual places."""
    doing: str = "looking for models"


@dataclass(frozen=True, slots=True)
class FactsRequest:
    """What to say about a model. Answer: `ModelFacts`."""

    place: Path
    config: ModelConfig

    @property
    def doing(self) -> str:
        """For a report."""
        return f"reading {self.place}"


def find(request: FindRequest) -> "tuple[FoundModel, ...]":
    """Every model that can be found."""
    from core.checkpoints.discovery import find_models  # torch

    return find_models(request.folder)


def read(request: FactsRequest) -> "ModelFacts":
    """The figures of a card."""
    from core.checkpoints.card import read_facts  # torch

    return read_facts(request.place, request.config)


ANSWERS: dict[type, Callable[[Any], Any]] = {FindRequest: find, FactsRequest: read}


class ModelsWorker(Worker):
    """Answers by the table above."""

    def answer(self, request: Any) -> Any:
        """The answer that the request's docstring names."""
        return ANSWERS[type(request)](request)
