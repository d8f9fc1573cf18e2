"""Two menus that choose a checkpoint: its run, then its step.

In: runs, and the checkpoints of the chosen one. Out: that another one was chosen.
"""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from app.frame.parts import caption
from core.training.runs import RunInfo
from core.training.timeline import Moment, Timeline

GAP = 8
SHORTEST_NAME = 8
"""Characters of a run's name that are always seen."""


class CheckpointPicker(QWidget):
    """Run and step."""

    run_changed = Signal()
    """Another run was chosen; its checkpoints are wanted."""
    checkpoint_changed = Signal()
    """Another checkpoint was chosen."""

    def __init__(self, name: str) -> None:
        """`name` stands in front: "before"."""
        super().__init__()
        self._timeline: Timeline | None = None
        self.runs, self.steps = QComboBox(), QComboBox()
        for box, what in ((self.runs, "run"), (self.steps, "checkpoint")):
            box.setObjectName(f"difference.{name}.{what}")
            box.setAccessibleName(f"{what} {name}")
            box.setMinimumContentsLength(SHORTEST_NAME)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            policy = QSizePolicy.Policy
            box.setSizePolicy(policy.Expanding, policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(caption(name))
        row.addWidget(self.runs, 1)
        row.addWidget(self.steps, 1)
        self.runs.currentIndexChanged.connect(self._on_runs_index_changed)
        self.steps.currentIndexChanged.connect(self._on_steps_index_changed)

    @property
    def run(self) -> Path | None:
        """The folder of the chosen run."""
        folder: Path | None = self.runs.currentData()
        return folder

    @property
    def checkpoint(self) -> Path | None:
        """The folder of the chosen checkpoint."""
        moment: Moment | None = self.steps.currentData()
        return None if moment is None else moment.folder

    @property
    def words(self) -> str:
        """The choice in words: "cats, step 200"."""
        moment: Moment | None = self.steps.currentData()
        step = "" if moment is None else f", step {moment.step:,}"
        return f"{self.runs.currentText()}{step}"

    def show_runs(self, runs: tuple[RunInfo, ...], first: Path | None) -> bool:
        """Offer these, and begin with `first`. True: there is another choice."""
        folders = [run.folder for run in runs]
        if folders == [self.runs.itemData(i) for i in range(self.runs.count())]:
            return False
        chosen = self.run or first
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for run in runs:
                self.runs.addItem(run.name, run.folder)
            places = [
                i
                for i, folder in enumerate(folders)
                if chosen is not None and folder.resolve() == chosen.resolve()
            ]
            self.runs.setCurrentIndex(places[0] if places else 0)
        return True

    def show_timeline(
        self, timeline: Timeline, present: Path | None, is_last: bool
    ) -> None:
        """Offer these checkpoints; the chosen one stays, as far as it is there.

        Else `present`, else the last or the first.
        """
        if timeline == self._timeline:
            return
        chosen = self.checkpoint or present
        self._timeline = timeline
        place = timeline.place_of(chosen)
        if place is None:
            place = len(timeline.moments) - 1 if is_last else 0
        with QSignalBlocker(self.steps):
            self.steps.clear()
            for moment in timeline.moments:
                self.steps.addItem(words_of(moment), moment)
            self.steps.setCurrentIndex(place)

    @Slot(int)
    def _on_runs_index_changed(self, _: int) -> None:
        with QSignalBlocker(self.steps):
            self.steps.clear()
        self._timeline = None
        self.run_changed.emit()

    @Slot(int)
    def _on_steps_index_changed(self, _: int) -> None:
        self.checkpoint_changed.emit()


def words_of(moment: Moment) -> str:
    """A checkpoint in a menu: "step 200 · loss 3.41"."""
    loss = "" if moment.loss is None else f" · loss {moment.loss:.2f}"
    return f"step {moment.step:,}{loss}"
