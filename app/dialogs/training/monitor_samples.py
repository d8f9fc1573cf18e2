"""What the model writes, from its first babble on: a card of the monitor page."""

from app.dialogs.training.monitor_record import RunRecord
from app.widgets.card import Card
from app.widgets.text_versions import TextVersions, Version

LIST_HEIGHT = 90
WAITING = "The model writes its first lines after some steps."
HINT = "Pale: what it wrote in the sample before, too."


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
        versions = tuple(
            Version(f"step {each.step:,}", each.prompt, each.text)
            for each in record.samples
        )
        self.texts.show_versions(versions, WAITING)
        self.set_note(HINT if len(versions) > 1 else "")
