"""What the list of runs says in sentences: under the table, and before runs go.

In: the chosen runs. Out: short texts, and the colour they are written in.
"""

from app.dialogs.training.wording import plural, size_text
from core.training.runs import RunInfo

CHOOSE = "Choose a run; with Ctrl, several."
EMPTY = "No run yet. What you train appears here, while it learns and after."


def note_on(runs: tuple[RunInfo, ...]) -> tuple[str, str]:
    """What to know of the chosen runs, and its colour: why one cannot go on, first."""
    if not runs:
        return CHOOSE, "muted"
    if len(runs) > 1:
        return f"{len(runs)} runs, {size_text(sum(run.size for run in runs))}.", "muted"
    (run,) = runs
    if run.fault:
        return run.fault, "error"
    if run.status == "crashed":
        return run.message or f"{run.name} ended without a word; continue it.", "error"
    if run.status == "running elsewhere":
        return run.message, "muted"
    kept = plural(run.n_checkpoints, "checkpoint")
    return f"{kept} in {run.folder}", "muted"


def trash_question(runs: tuple[RunInfo, ...]) -> str:
    """What a person should know before runs go."""
    size = size_text(sum(run.size for run in runs))
    kept = plural(sum(run.n_checkpoints for run in runs), "checkpoint")
    what = f"the run {runs[0].name}" if len(runs) == 1 else f"{len(runs)} runs"
    return f"Move {what}, with {kept} and {size}, to the trash?"
