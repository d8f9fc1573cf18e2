"""A model and its tokenizer, opened together: what a sentence is walked through."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from core.checkpoints.folder import read_folder
from core.checkpoints.progress import Tell, tell_nobody
from core.config import ModelConfig
from core.model.device import choose_device
from core.model.encoder_decoder import model_of
from core.model.transformer import Transformer
from core.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Everything that a trace needs. The model is in evaluation mode, float32."""

    name: str
    folder: Path | None
    config: ModelConfig
    model: Transformer
    weights: Mapping[str, Tensor]
    """Every weight by its address, on the CPU; the model's own where it is there."""
    tokenizer: Tokenizer
    """Of the text that is read."""
    device: torch.device
    notes: tuple[str, ...] = ()
    """Quiet facts about its files, a sentence each."""
    warnings: tuple[str, ...] = ()
    """What is odd about them, a sentence each."""
    written_with: Tokenizer | None = None
    """Of the text that is written, where another one reads it."""
    end_ids: tuple[int, ...] = ()
    """Tokens that end a text which is written, as its files say."""

    @property
    def target_tokenizer(self) -> Tokenizer:
        """Of the text that is written; mostly that of the text that is read."""
        return self.written_with or self.tokenizer


def open_bundle(
    folder: str | Path,
    device: str = "auto",
    like: Bundle | None = None,
    tell: Tell = tell_nobody,
) -> Bundle:
    """Open a model folder, of this program or of `transformers`.

    Another checkpoint of the same run opens in less time with the one before as `like`:
    they share the tokenizer. `tell` hears how far it is, and may end it.

    Raises:
        CheckpointError: A file is missing, damaged, of another kind or too large.
        TokenizerError: Its tokenizer cannot be used.
        DeviceError: The device is not there.
    """
    chosen = choose_device(device)
    folder = Path(folder)
    read = read_folder(folder, like, tell)
    with torch.device("meta"):
        model = model_of(read.config)
    model.load_state_dict(read.weights, assign=True, strict=True)
    bundle = make_bundle(
        model,
        read.tokenizer,
        name=read.name,
        folder=folder,
        device=chosen,
        notes=read.notes,
        warnings=read.warnings,
    )
    return replace(bundle, written_with=read.written_with, end_ids=read.end_ids)


def make_bundle(
    model: Transformer,
    tokenizer: Tokenizer,
    *,
    name: str,
    folder: Path | None = None,
    device: torch.device | None = None,
    notes: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Bundle:
    """Join a model that is in memory with its tokenizer, ready to be traced.

    The bundle takes the model over and puts it into evaluation mode.
    """
    device = device or torch.device("cpu")
    model = model.eval().requires_grad_(False)
    weights = {key: weight.detach().cpu() for key, weight in model.weights().items()}
    return Bundle(
        name=name,
        folder=folder,
        config=model.config,
        model=model.to(device),
        weights=weights,
        tokenizer=tokenizer,
        device=device,
        notes=notes,
        warnings=warnings,
    )
