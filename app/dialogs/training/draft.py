"""What has been chosen so far: texts, a tokenizer, a model and a way to train it.

Place: between the pages of the studio, which each change a part of it. Immutable; every
change gives another draft, or is refused by the configuration's own classes.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.config import ModelConfig
from core.errors import TrainingError
from core.training.config import (
    BPE,
    CHARACTERS,
    DataConfig,
    RunConfig,
    TokenizerConfig,
    TrainingConfig,
    WatchConfig,
    read_config,
)
from core.training.documents import Split
from core.training.presets import FOR_PAIRS, FOR_TEXT, preset
from core.training.sources import Source, holds_pairs
from core.training.timeline import timeline

NOT_WRITTEN = ("text.txt",)
"""Stands for the texts' names, which are known once the run's folder is written."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The checkpoint that a run begins with, where it begins with one."""

    run: Path
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A run that is being put together."""

    origin: Origin | None = None
    """With one, the run keeps its texts, its tokenizer and the shape of its model."""
    sources: tuple[Source, ...] = ()
    split: Split = "tail"
    """Which part of the text is kept for validation."""
    data: DataConfig = field(default_factory=lambda: DataConfig(train=NOT_WRITTEN))
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    watch: WatchConfig = field(default_factory=WatchConfig)

    @property
    def of_pairs(self) -> bool:
        """Whether it is pairs that it learns from."""
        return self.data.pairs if self.origin else any(map(holds_pairs, self.sources))

    @property
    def config(self) -> RunConfig:
        """The draft as a run's configuration."""
        return RunConfig(
            model=self.model,
            data=replace(self.data, pairs=self.of_pairs),
            tokenizer=self.tokenizer,
            training=self.training,
            watch=self.watch,
        )

    def with_tokenizer(self, tokenizer: TokenizerConfig) -> "Draft":
        """Cut the text by another tokenizer; the model's vocabulary follows."""
        model = ModelConfig(**raw(self.model) | {"n_vocab": tokenizer.n_vocab})
        return replace(self, tokenizer=tokenizer, model=model)

    def with_preset(self, model: ModelConfig, training: TrainingConfig) -> "Draft":
        """Take a model and a training; the tokenizer and the device stay."""
        kept = raw(model) | {"n_vocab": self.tokenizer.n_vocab}
        own = {name: getattr(self.training, name) for name in ("device", "seed")}
        return replace(
            self, model=ModelConfig(**kept), training=replace(training, **own)
        )

    def with_sources(self, sources: tuple[Source, ...]) -> "Draft":
        """Learn from other texts.

        Pairs ask for another model than running text: while nobody has changed what
        stands at the beginning, the other beginning takes its place.
        """
        changed = replace(self, sources=sources)
        suits = not sources or changed.of_pairs == self.model.has_encoder
        if suits or not self.is_beginning(of_pairs=not changed.of_pairs):
            return changed
        return changed.with_beginning(of_pairs=changed.of_pairs)

    def with_beginning(self, *, of_pairs: bool) -> "Draft":
        """Take the preset to begin with, and the tokenizer that suits it."""
        chosen = preset(FOR_PAIRS if of_pairs else FOR_TEXT)
        kind, n_vocab = CHARACTERS if of_pairs else BPE, chosen.model.n_vocab
        cut = self.with_tokenizer(TokenizerConfig(kind=kind, n_vocab=n_vocab))
        return cut.with_preset(chosen.model, chosen.training)

    def is_beginning(self, *, of_pairs: bool) -> bool:
        """Whether model, training and kind of tokenizer are those to begin with."""
        same = self.with_beginning(of_pairs=of_pairs)
        has_own = self.tokenizer.file or self.tokenizer.kind != same.tokenizer.kind
        return not has_own and same.with_tokenizer(self.tokenizer) == self

    def with_fields(self, fields: Mapping[str, Any]) -> "Draft":
        """Change fields by name: {"model.n_ctx": 63, "tokenizer.n_vocab": 300}.

        Raises:
            ConfigError: They cannot have these values together.
        """
        changed = self
        for table in ("data", "training", "watch", "tokenizer", "model"):
            own = of_table(fields, table)
            if own and table == "tokenizer":
                changed = changed.with_tokenizer(replace(changed.tokenizer, **own))
            elif own:
                values = raw(getattr(changed, table)) | own
                made = type(getattr(changed, table))(**values)
                changed = replace(changed, **{table: made})
        return changed


def draft_from(run: Path) -> Draft:
    """The settings of a run, to begin another one with its newest weights.

    Raises:
        CoreError: The run's file cannot be used, or it has no checkpoint yet.
    """
    config = read_config(run)
    moments = timeline(run).moments
    if not moments:
        raise TrainingError(
            f"{run} has no checkpoint to begin a run with; let it train for longer."
        )
    return Draft(
        origin=Origin(run, moments[-1].step),
        data=config.data,
        tokenizer=config.tokenizer,
        model=config.model,
        training=config.training,
        watch=config.watch,
    )


def changes_of(draft: Draft) -> dict[str, dict[str, Any]]:
    """What a run that begins with another one's weights may have changed, by table."""
    model = draft.model.to_dict()
    del model["n_vocab"]
    tables = {name: raw(getattr(draft, name)) for name in ("training", "watch")}
    return {"model": model, **tables}


def of_table(fields: Mapping[str, Any], table: str) -> dict[str, Any]:
    """The fields of one table, by their own names."""
    split = ((name.partition("."), value) for name, value in fields.items())
    return {own: value for (first, _, own), value in split if first == table}


def raw(config: Any) -> dict[str, Any]:
    """The fields of a configuration as a person would write them.

    A model fills in widths that were left to it; they go on following the others.
    """
    if isinstance(config, ModelConfig):
        return config.chosen()
    return {
        each.name: getattr(config, each.name) for each in dataclasses.fields(config)
    }
