"""A run on the disk: everything that is needed to go on as if it had never stopped.

`RUN_DIR/checkpoints/step-00001000/` is a complete model folder (`core.checkpoints.
native`) with two more files: `training.json` with the counters and
`training.safetensors` with the optimizer's moments and the generators' states. A folder
is filled under another name and renamed, so one that is there is whole. A run that
branched off another one begins with the weights in `RUN_DIR/start`, a model folder.
"""

import json
import logging
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from core.checkpoints.native import NativeModel, read_model, read_tensors, save_model
from core.config import ModelConfig
from core.errors import CheckpointError, TrainingError
from core.files import PARTIAL, explained, folder_made_whole, remove_folder, write_whole
from core.tokenizers.base import Tokenizer
from core.training.pairs.corpus import ends_of
from core.training.thinning import Kept, best_of, surplus
from core.training.trainer import MOMENTS, Trainer

log = logging.getLogger(__name__)

CHECKPOINTS = "checkpoints"
N_DIGITS = 8
"""Of a step in the name of its folder."""
START = "start"
FORMAT = "glassformer-training"
VERSION = 3
"""What is written. 1 did not say which checkpoint is the best, 2 not when tested."""
READ_VERSIONS = (1, 2, VERSION)
COUNTERS_FILE = "training.json"
STATE_FILE = "training.safetensors"
OF_TABLES = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What comes of JSON that is damaged, or whose fields are others."""
DRAWS = "generator.draws"
"""Where windows are drawn from, the one generator that every checkpoint has."""
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What a checkpoint says about its run in numbers."""

    step: int
    """Steps done."""
    loss: float | None = None
    """The newest evaluation: of the validation text, or of the training text."""
    tested_step: int | None = None
    """The step of that evaluation, which may lie before `step`."""
    best_loss: float | None = None
    """The best of all evaluations so far."""
    best_step: int | None = None
    """The checkpoint with the best loss so far, this one included."""


def save_checkpoint(
    run: Path, trainer: Trainer, tokenizer: Tokenizer, counters: Counters
) -> Path:
    """Save a run as it stands; then remove checkpoints that are too many.

    Every process must ask, and the main one alone writes.

    Raises:
        CheckpointError: The disk is full or read-only. Older checkpoints are intact.
    """
    folder = run / CHECKPOINTS / f"step-{counters.step:08d}"
    weights, state = trainer.weights(), trainer.state()
    if not trainer.is_main:
        return folder
    this = Kept(counters.step, 0, _rated(counters.loss))
    older = [each for each in kept(run) if each.step != this.step]
    best = best_of([*older, this]).step
    about = {
        "format": FORMAT,
        "version": VERSION,
        **asdict(replace(counters, best_step=best)),
    }
    with folder_made_whole(folder) as partial:
        name = f"{run.resolve().name}, step {counters.step}"
        config = trainer.model.config
        end_ids = ends_of(tokenizer)[1:] if config.has_encoder else ()
        save_model(partial, config, weights, tokenizer, name=name, end_ids=end_ids)
        write_whole(partial / STATE_FILE, save(state))
        write_whole(partial / COUNTERS_FILE, json.dumps(about, indent=2).encode())
    thin(run, trainer.config.disk_budget_mb * MEGABYTE, trainer.config.keep)
    return folder


def load_checkpoint(folder: Path, trainer: Trainer, tokenizer: Tokenizer) -> Counters:
    """Bring a trainer to where it was when the checkpoint was saved.

    Raises:
        CheckpointError: A file is missing or damaged.
        TrainingError: The run's configuration asks for another model or tokenizer.
    """
    counters = read_counters(folder)
    try:
        saved = read_model(folder)
        state = read_tensors(folder / STATE_FILE)
    except CheckpointError as error:
        raise CheckpointError(
            f"{str(error).rstrip('.')}, or remove {folder.name} to go on from the "
            "checkpoint before."
        ) from error
    check_same_model(folder, saved, trainer.model.config, tokenizer)
    _check_state(folder / STATE_FILE, state, trainer)
    trainer.take_up(saved.weights, state, counters.step)
    return counters


def load_start(folder: Path, trainer: Trainer, tokenizer: Tokenizer) -> None:
    """Let a new run begin with the weights of a model folder, and nothing else of it.

    Raises:
        CheckpointError: A file is missing or damaged.
        TrainingError: The run's configuration asks for another model or tokenizer.
    """
    saved = read_model(folder)
    free = free_fields(saved.config)
    check_same_model(folder, saved, trainer.model.config, tokenizer, free)
    state = {name: torch.zeros_like(weight) for name, weight in _moments(trainer)}
    state[DRAWS] = trainer.draws.get_state()
    trainer.take_up(saved.weights, state, 0)


def free_fields(config: ModelConfig) -> tuple[str, ...]:
    """What a run may change that begins with another one's weights.

    A longer context needs more rows where positions are learned. The start token is
    decided by the tokenizer, which is checked itself.
    """
    always = ("dropout", "start_id")
    return always if config.position == "learned" else (*always, "n_ctx")


def check_same_model(
    folder: Path,
    saved: NativeModel,
    wanted: ModelConfig,
    tokenizer: Tokenizer,
    free: tuple[str, ...] = (),
) -> None:
    """Refuse weights that belong to another model; `free` fields may differ.

    Raises:
        TrainingError: They do. Names the field and both values.
    """
    fields = wanted.to_dict()
    for field, value in saved.config.to_dict().items():
        if field not in free and fields[field] != value:
            raise TrainingError(
                f"{folder} was trained with {field} = {value}, the run's config says "
                f"{fields[field]}; set it back or start in a new folder."
            )
    if saved.tokenizer.fingerprint != tokenizer.fingerprint:
        raise TrainingError(
            f"{folder} was trained with another tokenizer than the run's; "
            "put that one back or start in a new folder."
        )


def _check_state(path: Path, state: Mapping[str, Tensor], trainer: Trainer) -> None:
    for name in (*(name for name, _ in _moments(trainer)), DRAWS):
        if name not in state:
            raise CheckpointError(
                f"{path} lacks {name}; remove this checkpoint to go on from the one "
                "before."
            )


def _moments(trainer: Trainer) -> Iterator[tuple[str, Tensor]]:
    """The name of every moment, and the weight it belongs to."""
    for address, weight in trainer.model.weights().items():
        for moment in MOMENTS:
            yield f"{moment}.{address}", weight


def checkpoints(run: Path) -> list[Path]:
    """The whole checkpoints of a run, the oldest first."""
    named = (run / CHECKPOINTS).glob("step-" + N_DIGITS * "[0-9]")
    return sorted(each for each in named if each.is_dir())


def newest_step(run: Path) -> int:
    """The steps that are safe on the disk."""
    saved = checkpoints(run)
    return step_of(saved[-1]) if saved else 0


def best_step(run: Path) -> int | None:
    """The checkpoint with the lowest loss; None where there is no checkpoint."""
    found = kept(run)
    return best_of(found).step if found else None


def kept(run: Path) -> list[Kept]:
    """What thinning must know of the checkpoints, the oldest first."""
    with explained(run / CHECKPOINTS):
        return [
            Kept(
                step=step_of(folder),
                n_bytes=sum(file.stat().st_size for file in folder.iterdir()),
                loss=_loss(folder),
            )
            for folder in checkpoints(run)
        ]


def thin(run: Path, budget_bytes: float, n_most: int) -> None:
    """Remove checkpoints, so that those left fit; see `surplus`.

    Raises:
        CheckpointError: One could not be removed.
    """
    gone = surplus(kept(run), budget_bytes, n_most)
    with explained(run / CHECKPOINTS):
        for folder in checkpoints(run):
            if step_of(folder) in gone:
                remove_folder(folder)


def read_counters(folder: Path) -> Counters:
    """Read what a checkpoint says about its run.

    Raises:
        CheckpointError: The file is missing, damaged or of another version.
    """
    path = folder / COUNTERS_FILE
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        found = (about.pop("format"), about.pop("version"))
        if found[0] == FORMAT and found[1] in READ_VERSIONS:
            return Counters(**about)
    except (*OF_TABLES, OSError) as error:
        raise CheckpointError(
            f"{path} is missing or damaged ({error}); remove this checkpoint to go on "
            "from the one before."
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


def step_of(folder: Path) -> int:
    """The step that a checkpoint's folder is named after."""
    return int(folder.name.removeprefix("step-"))


def _loss(folder: Path) -> float:
    """How a checkpoint is rated; one that says nothing readable comes last."""
    try:
        loss = read_counters(folder).loss
    except CheckpointError as error:
        log.warning("%s", error)
        return math.inf
    return _rated(loss)


def _rated(loss: float | None) -> float:
    return math.inf if loss is None else loss
