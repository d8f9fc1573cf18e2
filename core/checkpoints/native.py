"""Our own model folder: `config.json`, `model.safetensors`, `tokenizer.json`.

In: a folder. Out: a configuration, its weights by address, the tokenizer, and what a
reader should know of the files: notes, and warnings of what is odd. Only safetensors
are read: a file must not run code.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from core.checkpoints.fields import CONFIG_FILE, read_fields
from core.checkpoints.weight_files import refuse_pointer
from core.config import ModelConfig
from core.errors import CheckpointError, ConfigError
from core.files import write_whole
from core.model.encoder_decoder import model_of
from core.model.functions import is_finite
from core.tokenizers.base import Tokenizer
from core.tokenizers.folder import open_tokenizer, save_tokenizer, tokenizer_json

FORMAT = "glassformer"
VERSION = 1
WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE, TARGET_FILE = "tokenizer.json", "target_tokenizer.json"
"""Of the text that is read, and of the one that is written, where that is another."""
FINGERPRINTS = {
    TOKENIZER_FILE: "tokenizer_fingerprint",
    TARGET_FILE: "target_fingerprint",
}
"""Fields of `config.json` that tell the tokenizers apart."""
END_IDS = "end_ids"
WRAPPERS = ("_orig_mod.", "module.")
"""What torch.compile and DataParallel put in front of every address."""
LAYER = re.compile(r"(?:encoder\.|decoder\.)?layers\.\d+\.")
"""How the address of a weight begins that belongs to a layer."""


@dataclass(frozen=True, slots=True, eq=False)
class NativeModel:
    """A model in our own terms, whatever kind of folder it is from.

    Weights are float32 and complete.
    """

    config: ModelConfig
    weights: dict[str, Tensor]
    tokenizer: Tokenizer
    name: str
    notes: tuple[str, ...]
    """Quiet facts about its files, a sentence each."""
    warnings: tuple[str, ...]
    """What is odd about them and may surprise, a sentence each."""
    written_with: Tokenizer | None = None
    """Of the text that is written, where another tokenizer reads it."""
    end_ids: tuple[int, ...] = ()
    """Tokens that end a text which is written, as its files say."""


class OpenModel(Protocol):
    """A model that was opened before, such as an earlier checkpoint of the same run."""

    @property
    def config(self) -> ModelConfig:
        """Its configuration."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer."""


def save_model(  # noqa: PLR0913 (most of them by name, and with a default)
    folder: Path,
    config: ModelConfig,
    weights: Mapping[str, Tensor],
    tokenizer: Tokenizer,
    *,
    name: str,
    dtype: torch.dtype | None = None,
    written_with: Tokenizer | None = None,
    end_ids: tuple[int, ...] = (),
) -> None:
    """Write a model's three files into a folder that exists, each of them whole.

    `dtype` narrows the stored weights, for instance to float16. Where the text that is
    written has a tokenizer of its own, `written_with`, that is a fourth file.

    Raises:
        CheckpointError: A file could not be written.
    """
    stored = {
        address: weight.detach().to("cpu", dtype or weight.dtype).contiguous()
        for address, weight in weights.items()
    }
    about = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "model": config.to_dict(),
        FINGERPRINTS[TOKENIZER_FILE]: tokenizer.fingerprint,
    }
    if written_with is not None:
        about[FINGERPRINTS[TARGET_FILE]] = written_with.fingerprint
        content = json.dumps(tokenizer_json(written_with), ensure_ascii=False)
        write_whole(folder / TARGET_FILE, content.encode())
    if end_ids:
        about[END_IDS] = list(end_ids)
    write_whole(folder / WEIGHTS_FILE, save(stored, {"format": "pt"}))
    save_tokenizer(tokenizer, folder)
    write_whole(folder / CONFIG_FILE, json.dumps(about, indent=2).encode())


def read_model(folder: Path, like: OpenModel | None = None) -> NativeModel:
    """Open a native folder; the tokenizer of `like` is not read again if it is the one.

    Raises:
        CheckpointError: A file is missing, damaged or does not fit the others.
    """
    about = _read_about(folder)
    path = folder / CONFIG_FILE
    try:
        config = ModelConfig.from_dict(about["model"])
    except (ConfigError, TypeError) as error:
        raise CheckpointError(f"{path}: {error}") from error
    notes: list[str] = []
    warnings: list[str] = []
    prints = {file: about.get(field) for file, field in FINGERPRINTS.items()}
    known = like if like is not None and like.config == config else None
    tokenizers = [
        _tokenizer(folder / file, config, fingerprint, known, warnings)
        for file, fingerprint in prints.items()
        if file == TOKENIZER_FILE or fingerprint is not None
    ]
    weights = _unwrapped(read_tensors(folder / WEIGHTS_FILE), warnings)
    _check_kinds(folder / WEIGHTS_FILE, weights)
    _check_layers(folder / WEIGHTS_FILE, weights, config)
    check_shapes(folder / WEIGHTS_FILE, weights, weight_shapes(config))
    weights = _widened(weights, notes)
    count_nan(weights, warnings)
    name = str(about.get("name", folder.name))
    tokenizer, written_with = (*tokenizers, None)[:2]
    assert tokenizer is not None
    return NativeModel(
        config,
        weights,
        tokenizer,
        name,
        tuple(notes),
        tuple(warnings),
        written_with,
        _end_ids(about),
    )


def _end_ids(about: Mapping[str, Any]) -> tuple[int, ...]:
    ids = about.get(END_IDS)
    return tuple(i for i in ids if type(i) is int) if isinstance(ids, list) else ()


def check_folder(folder: Path) -> None:
    """Refuse a folder that lacks a file or is of another version; weights stay unread.

    Raises:
        CheckpointError: It is; names the file.
    """
    _read_about(folder)
    for name in (WEIGHTS_FILE, TOKENIZER_FILE):
        _there(folder / name)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read a safetensors file.

    Raises:
        CheckpointError: It is missing, a download pointer, cut off or of another kind.
    """
    refuse_pointer(_there(path))
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(
            f"{path} is damaged or cut off ({error}); fetch it again."
        ) from error


@lru_cache(maxsize=8)
def weight_shapes(config: ModelConfig) -> Mapping[str, tuple[int, ...]]:
    """The address and shape of every weight, without making one."""
    with torch.device("meta"):
        weights = model_of(config).weights()
    return {address: tuple(weight.shape) for address, weight in weights.items()}


def _check_kinds(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Refuse complex numbers: a model here computes with real ones."""
    for address, weight in weights.items():
        if weight.is_complex():
            raise CheckpointError(
                f"{path}: {address} holds complex numbers; choose a model of real ones."
            )


def _check_layers(
    path: Path, weights: Mapping[str, Tensor], config: ModelConfig
) -> None:
    """Refuse another count of layers than the configuration's, before any is made."""
    found = {layer[0] for address in weights if (layer := LAYER.match(address))}
    n_layers = config.n_encoder_layers + config.n_layers
    if len(found) != n_layers:
        raise CheckpointError(
            f"{path} has weights of {len(found)} layers, {CONFIG_FILE} asks for "
            f"{n_layers}; use the files of one model."
        )


def check_shapes(
    path: Path, weights: Mapping[str, Tensor], expected: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse weights that are missing, too many or of another shape, by address.

    Raises:
        CheckpointError: They do not fit.
    """
    missing = [address for address in expected if address not in weights]
    surplus = [address for address in weights if address not in expected]
    for addresses, fault in ((missing, "lacks"), (surplus, "has the unknown")):
        if addresses:
            raise CheckpointError(
                f"{path} {fault} {some(addresses)}; it belongs to another "
                f"{CONFIG_FILE} or is not complete."
            )
    for address, shape in expected.items():
        found = tuple(weights[address].shape)
        if found != shape:
            raise CheckpointError(
                f"{path}: {address} has the shape {found}, {CONFIG_FILE} asks for "
                f"{shape}; use the files of one model."
            )


def _read_about(folder: Path) -> dict[str, Any]:
    """Read `config.json` and check that it is ours."""
    fields = read_fields(folder)
    path, about = fields.path, dict(fields.values)
    if about.get("format") != FORMAT:
        raise CheckpointError(
            f'{path} does not say "format": "{FORMAT}"; choose a folder that this '
            "program saved."
        )
    if not isinstance(about.get("model"), dict):
        raise CheckpointError(f'{path} is damaged (no table "model"); fetch it again.')
    if about.get("version") != VERSION:
        raise CheckpointError(
            f"{path} has version {about.get('version')!r} and this program reads "
            f"{VERSION}; open it with the program that saved it."
        )
    return about


def _there(path: Path) -> Path:
    if not path.is_file():
        raise CheckpointError(
            f"{path} is missing; a model's folder holds {CONFIG_FILE}, "
            f"{WEIGHTS_FILE} and {TOKENIZER_FILE}."
        )
    return path


def _tokenizer(
    path: Path,
    config: ModelConfig,
    fingerprint: object,
    known: OpenModel | None,
    warnings: list[str],
) -> Tokenizer:
    """A tokenizer of the model: that of the known one where the fingerprints agree."""
    path = _there(path)
    if known is not None and known.tokenizer.fingerprint == fingerprint:
        return known.tokenizer
    tokenizer = open_tokenizer(path)
    if tokenizer.n_vocab != config.n_vocab:
        raise CheckpointError(
            f"{path} has {tokenizer.n_vocab} tokens and the model {config.n_vocab}; "
            "put the model's own tokenizer there."
        )
    if fingerprint is not None and fingerprint != tokenizer.fingerprint:
        warnings.append(
            f"{path} is another tokenizer than the model was trained with, though of "
            f"the same size ({config.n_vocab}): its tokens may be read as others."
        )
    return tokenizer


def _unwrapped(weights: dict[str, Tensor], warnings: list[str]) -> dict[str, Tensor]:
    """Take off what wrappers of training put in front of every address."""
    prefix = ""
    while weights and (wrapper := shared_wrapper(weights)):
        prefix += wrapper
        weights = {key.removeprefix(wrapper): weights[key] for key in weights}
    if prefix:
        warnings.append(f'"{prefix}" was taken off the name of every weight.')
    return weights


def shared_wrapper(addresses: Iterable[str]) -> str:
    """The wrapper's name that every address begins with, or nothing."""
    shared = (w for w in WRAPPERS if all(a.startswith(w) for a in addresses))
    return next(shared, "")


def _widened(weights: dict[str, Tensor], notes: list[str]) -> dict[str, Tensor]:
    kinds = {str(weight.dtype).removeprefix("torch.") for weight in weights.values()}
    narrow = sorted(kinds - {"float32"})
    if narrow:
        notes.append(f"The file holds {', '.join(narrow)}; computing in float32.")
    return {address: weight.float() for address, weight in weights.items()}


def count_nan(weights: Mapping[str, Tensor], warnings: list[str]) -> None:
    """Warn where a file holds values that are no numbers, and how many."""
    for address, weight in weights.items():
        if is_finite(weight):
            continue
        n_nan, n_infinite = int(weight.isnan().sum()), int(weight.isinf().sum())
        counts = [(n_nan, "NaN"), (n_infinite, "infinite")]
        if found := " and ".join(f"{n} {what}" for n, what in counts if n):
            values = "value" if n_nan + n_infinite == 1 else "values"
            warnings.append(f"{address} holds {found} {values}.")


def some(names: list[str], what: str = "weights") -> str:
    """The first of many names, and how many more there are."""
    rest = len(names) - 1
    return names[0] + (f" and {rest} more {what}" if rest else "")
