"""A model for Hugging Face: `python -m core.checkpoints.export MODEL_OR_RUN FOLDER`.

In: a model folder of ours, or a run (its newest checkpoint). Out: a folder that
`transformers` opens, with the same logits and the same ids: `config.json`,
`model.safetensors` (float32), the tokenizer, and a model card. A model for which
`transformers` has no class is refused by the field that stands in the way.
"""

import argparse
import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import save

from core.checkpoints.bart import BART
from core.checkpoints.exporter import Exporter
from core.checkpoints.fields import CONFIG_FILE
from core.checkpoints.generation import GENERATION_FILE
from core.checkpoints.gpt2 import GPT, GPT2
from core.checkpoints.llama import LLAMA, MISTRAL, QWEN2, QWEN3
from core.checkpoints.marian import MARIAN
from core.checkpoints.mixtral import MIXTRAL
from core.checkpoints.native import (
    WEIGHTS_FILE,
    NativeModel,
    read_model,
)
from core.checkpoints.sides import PADDING, START
from core.checkpoints.t5 import T5
from core.config import ModelConfig
from core.errors import CheckpointError, CoreError
from core.files import folder_made_whole, write_whole
from core.tokenizers.base import Tokenizer
from core.tokenizers.bpe_training import END_OF_TEXT
from core.tokenizers.folder import save_tokenizer
from core.tokenizers.simple import CharacterTokenizer
from core.training.model_card import Use, record_of, write_card
from core.training.runs import is_run

log = logging.getLogger("core.checkpoints.export")

EXPORTERS = (GPT2, GPT, LLAMA, MISTRAL, MIXTRAL, QWEN2, QWEN3, MARIAN, BART, T5)
TOKENIZER_CONFIG_FILE = "tokenizer_config.json"


def obstacle(config: ModelConfig) -> str:
    """Why a model cannot be exported, a sentence; "" if it can."""
    nearest = _nearest(config)
    fields = nearest.obstacles(config)
    if not fields:
        return ""
    needs = nearest.needs(config)
    wishes = [
        f"{field} = {' or '.join(repr(value) for value in needs[field])} "
        f"instead of {getattr(config, field)!r}"
        for field in fields
    ]
    return (
        f"transformers has no class for this model; the nearest, {nearest.title}, "
        f"would need {' and '.join(wishes)}."
    )


def export(source: Path, folder: Path) -> str:
    """Write a model folder, or a run's newest checkpoint, for `transformers`.

    -> the `model_type` it has there.

    Raises:
        CheckpointError: No class fits, a file is damaged, or the place is taken, full
            or read-only.
    """
    model_folder = newest_model(source)
    model = read_model(model_folder)
    if model.written_with is not None:
        raise CheckpointError(
            f"{model_folder} cannot be exported: it has two tokenizers, one for each "
            "side, and one file would have to hold both."
        )
    if fault := obstacle(model.config):
        raise CheckpointError(f"{model_folder} cannot be exported: {fault}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CheckpointError(
            f"{folder} is there already and is not empty; choose another name."
        )
    exporter = _nearest(model.config)
    with folder_made_whole(folder.absolute()) as partial:
        _write(partial, model, exporter)
        notes = (*exporter.notes(model.config), *tokenizer_notes(model.tokenizer))
        use = Use(exporter.name, notes, model.config.has_encoder)
        write_card(partial, model, record_of(model_folder), use)
    return exporter.name


def newest_model(source: Path) -> Path:
    """The model folder that is meant: a run's newest checkpoint, or the folder itself.

    Raises:
        CheckpointError: The run has no checkpoint yet.
    """
    from core.training.checkpoint import checkpoints

    if not is_run(source):
        return source
    saved = checkpoints(source)
    if not saved:
        raise CheckpointError(
            f"{source} has no checkpoint yet; let the run go on first."
        )
    return saved[-1]


def _nearest(config: ModelConfig) -> Exporter:
    """The exporter with as many sides, and the fewest fields in the way."""

    def distance(exporter: Exporter) -> tuple[bool, int]:
        fields = exporter.obstacles(config)
        return "n_encoder_layers" in fields, len(fields)

    return min(EXPORTERS, key=distance)


def _write(folder: Path, model: NativeModel, exporter: Exporter) -> None:
    """Write everything that `transformers` reads."""
    ends = end_of_text(model)
    about = {**exporter.settings(model.config), **ends, "torch_dtype": "float32"}
    tensors = {
        name: tensor.contiguous()
        for name, tensor in exporter.tensors(model.config, model.weights).items()
    }
    write_whole(folder / WEIGHTS_FILE, save(tensors, {"format": "pt"}))
    save_tokenizer(model.tokenizer, folder)
    files = {
        CONFIG_FILE: about,
        GENERATION_FILE: _generation(about, ends),
        TOKENIZER_CONFIG_FILE: tokenizer_settings(model.tokenizer, model.config.n_ctx),
    }
    for name, content in files.items():
        write_whole(folder / name, json.dumps(content, indent=2).encode())


def end_of_text(model: NativeModel) -> dict[str, int | None]:
    """Where a text begins and ends, by id: the one token stands for both."""
    token_id = (model.written_with or model.tokenizer).specials.get(END_OF_TEXT)
    return {
        "bos_token_id": token_id,
        "eos_token_id": next(iter(model.end_ids), token_id),
    }


def _generation(about: Mapping[str, Any], ends: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of generation: where a text ends and, of a decoder, how it begins."""
    return {**ends, **{name: about[name] for name in (START, PADDING) if name in about}}


def tokenizer_notes(tokenizer: Tokenizer) -> list[str]:
    """Say what the tokenizer does there with text that it has no tokens for."""
    if not isinstance(tokenizer, CharacterTokenizer):
        return []
    return ["A character that the training text did not have is an error."]


def tokenizer_settings(tokenizer: Tokenizer, n_ctx: int) -> dict[str, Any]:
    """The fields of `tokenizer_config.json`."""
    text = END_OF_TEXT if END_OF_TEXT in tokenizer.specials else None
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": n_ctx,
        "clean_up_tokenization_spaces": False,
        "bos_token": text,
        "eos_token": text,
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0, or 1 if nothing could be exported."""
    parser = argparse.ArgumentParser(
        "python -m core.checkpoints.export",
        description="Write a model, or a run's newest checkpoint, for transformers.",
    )
    parser.add_argument("source", metavar="MODEL_OR_RUN", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        name = export(chosen.source, chosen.folder)
    except CoreError as error:
        log.error("%s", error)
        return 1
    log.info("%s holds the model as %s.", chosen.folder, name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
