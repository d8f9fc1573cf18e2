"""What the model writes, from its first babble on: a card of the monitor page."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from app.dialogs.training.monitor_record import RunRecord
from app.widgets.card import Card
from app.widgets.text_versions import TextVersions, Version
from core.training.events import Sampled

LIST_HEIGHT = 90
WAITING = "The model writes its first lines after some steps."
HINT = "Pale: what it wrote in the sample before, too."
ANSWERS_HINT = "Source → what it writes, ✗ and what would be right. Pale: as before."


class SamplesCard(Card):
    """Samples, the newest first."""

    def __init__(self) -> None:
        """None yet."""
        super().__init__("What it writes")
        self.texts = TextVersions("samples of text, the newest first")
        self.texts.setObjectName("training.samples")
        self.texts.setMinimumHeight(LIST_HEIGHT)
        self.body.addWidget(self.texts, 1)

    def show_record(self, record: RunRecord) -> None:
        """Show what the run wrote so far."""
        versions = versions_of(record.samples)
        self.texts.show_versions(versions, WAITING)
        is_answering = any(each.right is not None for each in record.samples)
        hint = ANSWERS_HINT if is_answering else HINT
        self.set_note(hint if len(versions) > 1 else "")


def versions_of(samples: Sequence[Sampled]) -> tuple[Version, ...]:
    """One version a step: what follows the prompt, or every answer on a line."""
    versions = []
    for step, of_step in groupby(samples, attrgetter("step")):
        first, *rest = of_step
        title = f"step {step:,}"
        if first.right is None:
            versions.append(Version(title, first.prompt, first.text))
        else:
            lines = map(answer_line, (first, *rest))
            versions.append(Version(title, "", "\n".join(lines)))
    return tuple(versions)


def answer_line(sampled: Sampled) -> str:
    """A source, what was written for it, and the right answer where that is another."""
    written = f"{sampled.prompt} → {sampled.text}"
    if sampled.text == sampled.right:
        return f"{written} ✓"
    return f"{written} ✗ {sampled.right}"
