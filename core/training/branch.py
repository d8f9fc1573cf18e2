"""A new run that begins where another one stood: its weights, and nothing else of it.

In: a run, one of its checkpoints, and fields to change. Out: a run folder with a
`config.toml`, its texts, its tokenizer and the weights in `start`, which the trainer
reads while there is no checkpoint. Optimizer, generators and steps begin afresh.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.checkpoints.native import TOKENIZER_FILE, NativeModel, read_model, save_model
from core.config import ModelConfig
from core.errors import TrainingError
from core.files import PARTIAL, folder_made_whole, write_whole
from core.tokenizers.folder import save_tokenizer
from core.training.checkpoint import START, checkpoints, free_fields, step_of
from core.training.config import (
    CONFIG_FILE,
    RunConfig,
    config_of,
    config_text,
    read_config,
    tables_of,
)
from core.training.corpus import CACHE

Changes = Mapping[str, Mapping[str, Any]]
"""New values by table and field: {"training": {"learning_rate": 1e-4}}."""


def branch(run: Path, step: int, folder: Path, changes: Changes) -> Path:
    """Make a run in `folder` that begins with the weights of `run` after `step` steps.

    Texts that lie in the run's folder are copied, others named by their full path; so
    are those that `changes` names.

    Raises:
        TrainingError: There is no such checkpoint, the folder is in use, a text is
            gone, or a change needs other weights; names the field.
        ConfigError: A changed field cannot have its value.
        CheckpointError: A file is damaged or could not be written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise TrainingError(f"{folder} is not empty; choose a new folder for the run.")
    model = read_model(_checkpoint_at(run, step))
    config = _changed(run, model, changes)
    names = (*config.data.train, *config.data.valid)
    for name in names:
        if not (run / name).exists():
            raise TrainingError(
                f"{run / name} is gone; put it back to begin a run with it."
            )
    with folder_made_whole(folder) as partial:
        for name in names:
            if not Path(name).is_absolute():
                _copy(run / name, partial / name)
        _link_cache(run, partial)
        start = partial / START
        start.mkdir()
        name = f"{run.resolve().name}, step {step}"
        save_model(
            start,
            model.config,
            model.weights,
            model.tokenizer,
            name=name,
            end_ids=model.end_ids,
        )
        save_tokenizer(model.tokenizer, partial)
        write_whole(partial / CONFIG_FILE, config_text(config).encode())
    return folder


def _checkpoint_at(run: Path, step: int) -> Path:
    saved = {step_of(folder): folder for folder in checkpoints(run)}
    if step not in saved:
        listed = ", ".join(map(str, saved)) or "none"
        raise TrainingError(
            f"{run} has no checkpoint of step {step}; there are {listed}."
        )
    return saved[step]


def _changed(run: Path, model: NativeModel, changes: Changes) -> RunConfig:
    """The new run's configuration: that of the run with some fields changed."""
    _refuse_other_weights(model.config, changes.get("model", {}))
    before = read_config(run)
    tables = tables_of(before)
    for name, fields in changes.items():
        tables[name] = {**tables.get(name, {}), **fields}
    asked = config_of(tables)
    if asked.tokenizer != before.tokenizer:
        raise TrainingError(
            "A run that begins with another one's weights keeps its tokenizer, because "
            "each row of W_E is a token of it; start a new run to change it."
        )
    tables["tokenizer"] = {"file": TOKENIZER_FILE, "n_vocab": model.config.n_vocab}
    tables["data"] |= {
        "train": [_name_from_anywhere(run, name) for name in asked.data.train],
        "valid": [_name_from_anywhere(run, name) for name in asked.data.valid],
    }
    return config_of(tables)


def _refuse_other_weights(model: ModelConfig, changes: Mapping[str, Any]) -> None:
    """Refuse a model that could not read the weights, by the field that differs."""
    free = free_fields(model)
    for field, value in model.to_dict().items():
        if field not in free and changes.get(field, value) != value:
            raise TrainingError(
                f"{field} cannot become {changes[field]}, because the weights that the "
                f"run begins with were trained with {field} = {value}; set it back or "
                "start a new run."
            )


def _name_from_anywhere(run: Path, name: str) -> str:
    """What a text is called from any folder; one inside the run keeps its name."""
    root, text = run.resolve(), (run / name).resolve()
    return text.relative_to(root).as_posix() if text.is_relative_to(root) else str(text)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = shutil.copytree if source.is_dir() else shutil.copyfile
    copy(source, target)


def _link_cache(run: Path, folder: Path) -> None:
    """Take encoded texts along without their weight: nobody ever writes into one."""
    if (run / CACHE).is_dir():
        ignored = shutil.ignore_patterns(f"*{PARTIAL}")
        shutil.copytree(
            run / CACHE, folder / CACHE, copy_function=_link, ignore=ignored
        )


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)
