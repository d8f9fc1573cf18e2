"""The configuration of a run: `RUN_DIR/config.toml`, checked before anything starts.

The file has the tables [model], [data], [tokenizer], [training] and [watch]; what it
leaves out has the defaults below. Paths are relative to the run's folder.
"""

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import tomli_w

from core.config import ModelConfig
from core.config_checks import LARGEST
from core.errors import ConfigError
from core.model.device import DEVICE_NAMES

CONFIG_FILE = "config.toml"
BPE, CHARACTERS = "bpe", "characters"
TOKENIZER_KINDS = (BPE, CHARACTERS)
"""The tokenizers that can be learned from a text."""
LEAST_BPE = 257
"""Tokens of a BPE without merges: the bytes and the end of text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataConfig:
    """[data]: the text."""

    train: tuple[str, ...]
    """Text files to learn from."""
    pairs: bool = False
    """Each line is a pair, a source, a tab and its target, for a model with an encoder;
    else it is running text."""
    valid: tuple[str, ...] = ()
    """Text files to be tested on."""
    valid_share: float = 0.1
    """Share of the text, or of the sources of pairs, that is kept for it, where no
    files are named; 0 keeps none."""

    def __post_init__(self) -> None:
        if not self.train:
            raise ConfigError("train must name at least one text file.")
        for name in (*self.train, *self.valid):
            is_name = bool(name) and "\0" not in name
            _require("a text's name", repr(name), is_name, "some letters without NUL")
        share = self.valid_share
        _require("valid_share", share, 0 <= share < 1, "at least 0 and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerConfig:
    """[tokenizer]: how the text is cut into pieces."""

    file: str = ""
    """A tokenizer.json to use; without one, a tokenizer is learned from the text."""
    kind: str = BPE
    """What is learned: bpe, or characters, a token for each that the text has."""
    n_vocab: int = 2048
    """Tokens of the BPE that is trained: 256 bytes, the end of text (of pairs: a start
    and an end), and merges. Of any other tokenizer, how many it is expected to have."""

    def __post_init__(self) -> None:
        kinds = ", ".join(TOKENIZER_KINDS)
        _require("kind", self.kind, self.kind in TOKENIZER_KINDS, f"one of {kinds}")
        least = LEAST_BPE if self.kind == BPE and not self.file else 1
        _require("n_vocab", self.n_vocab, self.n_vocab >= least, f"at least {least}")
        _require("file", repr(self.file), "\0" not in self.file, "without NUL")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """[training]: how the weights are found."""

    seed: int = 1
    """Start of every random draw: weights, windows, dropout."""
    n_steps: int = 1000
    """Updates of the weights in the whole run."""
    batch_size: int = 16
    """Windows of n_ctx tokens, or pairs, read in one step by all processes together."""
    n_parts: int = 1
    """Parts that a batch is read in, one after the other, where memory is short."""
    learning_rate: float = 1e-3
    """The highest rate, reached after the warm-up."""
    min_learning_rate: float = 0.0
    """The lowest rate, that of the last step."""
    warmup_steps: int = 0
    """Steps in which the rate rises from 0."""
    schedule: str = "cosine"
    """How it falls from there. cosine: to the lowest rate with the last step.
    inverse_root: with the root of the steps, as in 2017, and not below it."""
    label_smoothing: float = 0.0
    """Share of each answer that is spread over all tokens, in training alone; 0.1 in
    2017. The model becomes less sure of itself; its loss of a step stays above 0."""
    weight_decay: float = 0.1
    """Share, times the rate, that matrices and tables lose each step."""
    beta1: float = 0.9
    """How long AdamW remembers the direction."""
    beta2: float = 0.95
    """How long AdamW remembers the size."""
    clip: float = 1.0
    """Longest gradient allowed; longer ones are shortened to it."""
    log_every: int = 10
    """Steps from one line of figures to the next."""
    evaluate_every: int = 200
    """Steps from one evaluation to the next."""
    n_evaluation_batches: int = 10
    """Batches in an evaluation, spread evenly over the text; training waits for it."""
    checkpoint_every: int = 200
    """Steps from one checkpoint to the next."""
    keep: int = 0
    """Most checkpoints kept, spread over the run; 0 sets no number."""
    disk_budget_mb: float = 1000.0
    """Space for all checkpoints; the best and the newest are always kept."""
    device: str = "auto"
    """auto, cpu, cuda or mps."""
    n_threads: int = 0
    """CPU threads; 0 measures which number is fastest, and looks again on the way."""
    compile: bool = False
    """Let torch compile the model first: minutes of waiting, then faster steps."""
    shard: bool = False
    """Share the weights out between processes (FSDP2), if one cannot hold them."""

    def __post_init__(self) -> None:
        for name in AT_LEAST_ONE:
            _require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        for name in AT_LEAST_ZERO:
            _require(name, getattr(self, name), getattr(self, name) >= 0, "at least 0")
        for name in ABOVE_ZERO:
            _require(name, getattr(self, name), getattr(self, name) > 0, "above 0")
        for name in AT_LEAST_ONE + AT_LEAST_ZERO + ABOVE_ZERO:
            value, most = getattr(self, name), MOST.get(name, LARGEST)
            _require(name, value, value <= most, f"at most {most:,}")
        _require_between("n_evaluation_batches", self.n_evaluation_batches)
        for name in ("beta1", "beta2"):
            value = getattr(self, name)
            _require(name, value, 0 <= value < 1, "at least 0 and below 1")
        share = self.label_smoothing
        _require("label_smoothing", share, 0 <= share < 1, "at least 0 and below 1")
        schedules = ", ".join(SCHEDULES)
        is_known = self.schedule in SCHEDULES
        _require("schedule", self.schedule, is_known, f"one of {schedules}")
        is_known = self.device in DEVICE_NAMES
        _require("device", self.device, is_known, f"one of {', '.join(DEVICE_NAMES)}")


SCHEDULES = ("cosine", "inverse_root")
AT_LEAST_ONE = (
    "n_steps",
    "batch_size",
    "log_every",
    "evaluate_every",
    "checkpoint_every",
    "n_parts",
)
AT_LEAST_ZERO = (
    "seed",
    "min_learning_rate",
    "warmup_steps",
    "weight_decay",
    "n_threads",
    "keep",
)
BETWEEN = {"n_evaluation_batches": (1, 10_000), "n_sample_tokens": (1, 10_000)}
"""What the whole run waits for: more would look as if it stood still."""
ABOVE_ZERO = ("learning_rate", "clip", "disk_budget_mb")
MOST = {"seed": 2**63 - 1, "n_threads": 1024, "n_steps": 10**8 - 1}
"""Where it is not `LARGEST`: what a generator takes, more than any system has to give,
and the last step that has room in a checkpoint's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchConfig:
    """[watch]: how the run shows what the model has learned so far."""

    prompt: str = "Once upon a time"
    """What a sample of text begins with. Of pairs, some that are kept for validation
    are answered instead."""
    sample_every: int = 500
    """Steps from one sample to the next; 0 writes none."""
    n_sample_tokens: int = 60
    """Tokens in a sample; training waits while they are written."""
    sentence: str = "The cat sat on the mat because the cat was tired."
    """The sentence whose attention is kept. Of pairs: "source -> target", or else the
    first pair that is kept for validation."""
    probe_every: int = 100
    """Steps from one look at the sentence and the heads to the next; 0 never looks."""

    def __post_init__(self) -> None:
        for name in ("sample_every", "probe_every"):
            _require(name, getattr(self, name), getattr(self, name) >= 0, "at least 0")
        _require_between("n_sample_tokens", self.n_sample_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything that decides what a run does."""

    model: ModelConfig
    data: DataConfig
    tokenizer: TokenizerConfig
    training: TrainingConfig
    watch: WatchConfig = field(default_factory=WatchConfig)

    def __post_init__(self) -> None:
        for name, taught in TAUGHT.items():
            value = getattr(self.model, name)
            if value != taught:
                raise ConfigError(
                    f"{name} = {value!r} must be {taught!r} to be trained here: what "
                    "is taught is the next token, read off those before it."
                )


TAUGHT = {"attention": "causal", "output_head": "unembed", "n_segments": 0}
"""Fields of a model, and what they must be so that it can learn the next token."""


def untaught(model: ModelConfig, *, pairs: bool) -> str:
    """Why a model cannot learn from pairs, or from running text; "" if it can."""
    if pairs and not model.has_encoder:
        return (
            "n_encoder_layers = 0, but pairs have a source, which an encoder reads; "
            "give it at least 1, or learn from running text."
        )
    if model.has_encoder and not pairs:
        return (
            f"n_encoder_layers = {model.n_encoder_layers}, but running text has no "
            "source for an encoder to read; give it pairs, or make it 0."
        )
    return ""


def read_config(folder: Path) -> RunConfig:
    """Read `config.toml` of a run's folder.

    Raises:
        ConfigError: The file is missing or not TOML, or a field of it cannot be used.
    """
    path = folder / CONFIG_FILE
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror}); a run needs this file."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML ({error}); mend that line.") from error
    try:
        return config_of(tables)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def config_text(config: RunConfig) -> str:
    """Write a configuration as `config.toml` has it."""
    return tomli_w.dumps(tables_of(config))


def tables_of(config: RunConfig) -> dict[str, dict[str, Any]]:
    """The tables of `config.toml`; n_vocab stands in [tokenizer]."""
    tables = dataclasses.asdict(config)
    del tables["model"]["n_vocab"]
    return tables


def config_of(tables: Mapping[str, Any]) -> RunConfig:
    """Make a configuration from the tables of `config.toml`.

    Raises:
        ConfigError: A table or field is not known, or has an impossible value.
    """
    known = [each.name for each in dataclasses.fields(RunConfig)]
    for name, table in tables.items():
        if name not in known or not isinstance(table, dict):
            listed = ", ".join(f"[{name}]" for name in known)
            raise ConfigError(f"{name} is not a table of a run; they are {listed}.")
    tokenizer = _from_table(TokenizerConfig, tables.get("tokenizer", {}))
    model = tables.get("model", {})
    if "n_vocab" in model:
        raise ConfigError("n_vocab belongs in [tokenizer], which decides it.")
    config = RunConfig(
        model=ModelConfig.from_dict({**model, "n_vocab": tokenizer.n_vocab}),
        data=_from_table(DataConfig, {"train": (), **tables.get("data", {})}),
        tokenizer=tokenizer,
        training=_from_table(TrainingConfig, tables.get("training", {})),
        watch=_from_table(WatchConfig, tables.get("watch", {})),
    )
    if fault := untaught(config.model, pairs=config.data.pairs):
        raise ConfigError(fault)
    return config


Table = TypeVar("Table", DataConfig, TokenizerConfig, TrainingConfig, WatchConfig)


def _from_table(kind: type[Table], table: Mapping[str, Any]) -> Table:
    fields = {each.name: each.type for each in dataclasses.fields(kind)}
    values = {}
    for name, value in table.items():
        if name not in fields:
            listed = ", ".join(sorted(fields))
            raise ConfigError(f"{name} is not a field here; they are {listed}.")
        values[name] = _converted(name, value, fields[name])
    return kind(**values)


def _converted(name: str, value: Any, kind: Any) -> Any:
    """Take a value in its field's type; a whole number may stand for any number."""
    if kind == tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
            return tuple(value)
        raise ConfigError(f"{name} = {value!r} must be a list of file names.")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        _require(name, value, value <= LARGEST, f"at most {LARGEST:,}")
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise ConfigError(f"{name} = {value!r} must be {KINDS[kind]}.")
    if kind is float:
        _require(name, value, value < math.inf, "finite")
    return value


KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
}


def _require(name: str, value: object, holds: bool, rule: str) -> None:
    if not holds:
        raise ConfigError(f"{name} = {value} must be {rule}.")


def _require_between(name: str, value: int) -> None:
    least, most = BETWEEN[name]
    rule = f"from {least:,} to {most:,}"
    _require(name, value, least <= value <= most, rule)
