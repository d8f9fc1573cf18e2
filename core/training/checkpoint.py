"""A run on the disk: everything that is needed to go on as if it had never stopped.

`RUN_DIR/checkpoints/step-00001000/` is a complete model folder (`core.checkpoints.
native`) with two more files: `training.json` with the counters and
`training.safetensors` with the optimizer's moments and the generators' states. A folder
is filled under another name and renamed, so one that is there is whole.
"""

import json
import logging
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from core.checkpoints.native import read_model, read_tensors, save_model
from core.errors import CheckpointError, TrainingError
from core.files import PARTIAL, explained, folder_made_whole, remove_folder, write_whole
from core.tokenizers.bpe import BpeTokenizer
from core.training.trainer import Trainer

log = logging.getLogger(__name__)

CHECKPOINTS = "checkpoints"
FORMAT = "glassformer-training"
VERSION = 1
COUNTERS_FILE = "training.json"
STATE_FILE = "training.safetensors"
MOMENTS = ("exp_avg", "exp_avg_sq")
"""AdamW's running means, by torch's names: of the gradient and of its square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What a checkpoint says about its run in numbers."""

    step: int
    """Steps done."""
    loss: float | None = None
    """The newest evaluation: of the validation text, or of the training text."""
    best_loss: float | None = None
    """The best of all evaluations so far."""


def save_checkpoint(
    run: Path, trainer: Trainer, tokenizer: BpeTokenizer, counters: Counters
) -> Path:
    """Save a run as it stands; then remove old checkpoints.

    Raises:
        CheckpointError: The disk is full or read-only. Older checkpoints are intact.
    """
    folder = run / CHECKPOINTS / f"step-{counters.step:08d}"
    about = {"format": FORMAT, "version": VERSION, **asdict(counters)}
    with folder_made_whole(folder) as partial:
        weights = trainer.model.weights()
        name = f"{run.resolve().name}, step {counters.step}"
        save_model(partial, trainer.model.config, weights, tokenizer, name=name)
        write_whole(partial / STATE_FILE, save(state_of(trainer)))
        write_whole(partial / COUNTERS_FILE, json.dumps(about, indent=2).encode())
    with explained(run / CHECKPOINTS):
        _thin(run, trainer.config.keep)
    return folder


def load_checkpoint(
    folder: Path, trainer: Trainer, tokenizer: BpeTokenizer
) -> Counters:
    """Bring a trainer to where it was when the checkpoint was saved.

    Raises:
        CheckpointError: A file is damaged.
        TrainingError: The run's configuration asks for another model or tokenizer.
    """
    counters = read_counters(folder)
    saved = read_model(folder)
    wanted = trainer.model.config.to_dict()
    for field, value in saved.config.to_dict().items():
        if wanted[field] != value:
            raise TrainingError(
                f"{folder} was trained with {field} = {value}, the run's config says "
                f"{wanted[field]}; set it back or start in a new folder."
            )
    if saved.tokenizer.fingerprint != tokenizer.fingerprint:
        raise TrainingError(
            f"{folder} was trained with another tokenizer than the run's; "
            "put that one back or start in a new folder."
        )
    with torch.no_grad():
        for address, weight in trainer.model.weights().items():
            weight.copy_(saved.weights[address])
    restore_state(folder / STATE_FILE, trainer, counters.step)
    return counters


def state_of(trainer: Trainer) -> dict[str, Tensor]:
    """The moments by weight (`exp_avg.layers.0.attn.W_Q`) and the generators."""
    state = {"generator.draws": trainer.draws.get_state()}
    state["generator.cpu"] = torch.get_rng_state()
    if trainer.device.type == "cuda":
        state["generator.cuda"] = torch.cuda.get_rng_state(trainer.device)
    for address, weight in trainer.model.weights().items():
        for moment in MOMENTS:
            value = trainer.optimizer.state[weight][moment]
            state[f"{moment}.{address}"] = value.cpu().contiguous()
    return state


def restore_state(path: Path, trainer: Trainer, step: int) -> None:
    """Put the moments and the generators back.

    A GPU's generator is put back on a GPU only; elsewhere dropout draws afresh.

    Raises:
        CheckpointError: The file is damaged or lacks a tensor.
    """
    state = read_tensors(path)
    try:
        for address, weight in trainer.model.weights().items():
            moments = {m: state[f"{m}.{address}"].to(weight.device) for m in MOMENTS}
            count = torch.tensor(float(step), device=weight.device)
            trainer.optimizer.state[weight] = {"step": count, **moments}
        trainer.draws.set_state(state["generator.draws"])
        torch.set_rng_state(state["generator.cpu"])
    except KeyError as error:
        raise CheckpointError(
            f"{path} lacks {error.args[0]}; remove this checkpoint to go on from the "
            "one before."
        ) from error
    if trainer.device.type == "cuda" and "generator.cuda" in state:
        torch.cuda.set_rng_state(state["generator.cuda"], trainer.device)
    trainer.step = step


def checkpoints(run: Path) -> list[Path]:
    """The whole checkpoints of a run, the oldest first."""
    return sorted((run / CHECKPOINTS).glob("step-????????"))


def newest_step(run: Path) -> int:
    """The steps that are safe on the disk."""
    saved = checkpoints(run)
    return int(saved[-1].name.removeprefix("step-")) if saved else 0


def read_counters(folder: Path) -> Counters:
    """Read what a checkpoint says about its run.

    Raises:
        CheckpointError: The file is damaged or of another version.
    """
    path = folder / COUNTERS_FILE
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        found = (about.pop("format"), about.pop("version"))
        if found == (FORMAT, VERSION):
            return Counters(**about)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{path} is damaged ({error}); remove this checkpoint to go on from the "
            "one before."
        ) from error
    raise CheckpointError(
        f"{path} is {found[0]} {found[1]} and this program reads {FORMAT} {VERSION}; "
        "resume with the program that saved it."
    )


def remove_leftovers(run: Path) -> None:
    """Clear away what a killed process was still writing or removing."""
    with explained(run / CHECKPOINTS):
        for ending in (PARTIAL, ".old"):
            for folder in (run / CHECKPOINTS).glob(f"step-*{ending}"):
                remove_folder(folder)


def _thin(run: Path, keep: int) -> None:
    """Remove all but the newest checkpoints and the best one."""
    folders = checkpoints(run)
    best = min(reversed(folders), key=_loss)  # of equals, the newest
    for folder in folders[:-keep]:
        if folder != best:
            remove_folder(folder)


def _loss(folder: Path) -> float:
    """How a checkpoint is rated; one that says nothing readable comes last."""
    try:
        loss = read_counters(folder).loss
    except CheckpointError as error:
        log.warning("%s", error)
        return math.inf
    return math.inf if loss is None else loss
