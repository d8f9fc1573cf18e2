"""Models to start from, from one that learns while one watches to the size of GPT-2.

A preset is a place to begin, not a kind of model: every field may be changed, and
`n_vocab` follows the tokenizer. One has two sides and learns from pairs; each of the
others can be exported for `transformers`. Sources: Vaswani et al. 2017 (table 3 and
section 5), Radford et al. 2019, Brown et al. 2020 (appendix B), Touvron et al. 2023.
"""

from dataclasses import dataclass

from core.config import ModelConfig
from core.errors import ConfigError
from core.training.config import TrainingConfig

FOR_TEXT, FOR_PAIRS = "tiny", "transformer-2017"
"""The presets to begin with, by name."""
FORMING_BASE = 2.0
"""Of the waves of small models: quick ones only, so that a head that looks at the token
before forms within minutes (README, Decisions)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A model and how it is trained well."""

    name: str
    title: str
    text: str
    """What it is good for, a sentence."""
    model: ModelConfig
    """`n_vocab` is the vocabulary that suits it."""
    training: TrainingConfig


PRESETS = (
    Preset(
        name="tiny",
        title="Tiny",
        text="Learns spelling and short words within minutes; good for a first look.",
        model=ModelConfig(
            n_vocab=512,
            n_ctx=64,
            d_model=64,
            n_layers=2,
            n_heads=4,
            scale_embeddings=True,
            sinusoid_base=FORMING_BASE,
        ),
        training=TrainingConfig(
            n_steps=3000,
            batch_size=16,
            learning_rate=3e-3,
            min_learning_rate=3e-4,
            warmup_steps=50,
            checkpoint_every=100,
        ),
    ),
    Preset(
        name="transformer-2017",
        title="Transformer of 2017",
        text="Reads one text and writes another: for pairs. Minutes for a small task.",
        model=ModelConfig(
            n_vocab=48,
            n_ctx=64,
            d_model=64,
            n_layers=2,
            n_encoder_layers=2,
            n_heads=4,
            norm_place="post",
            activation="relu",
            scale_embeddings=True,
        ),
        training=TrainingConfig(
            n_steps=2000,
            batch_size=64,
            learning_rate=1e-3,
            schedule="inverse_root",
            warmup_steps=200,
            weight_decay=0.0,
            beta2=0.98,
            evaluate_every=100,
            checkpoint_every=100,
        ),
    ),
    Preset(
        name="small",
        title="Small",
        text="Writes simple sentences after an hour on two cores, as the default does.",
        model=ModelConfig(
            n_vocab=2048,
            n_ctx=256,
            d_model=192,
            n_layers=4,
            n_heads=4,
            scale_embeddings=True,
            sinusoid_base=FORMING_BASE,
        ),
        training=TrainingConfig(
            n_steps=3000,
            batch_size=16,
            learning_rate=2e-3,
            min_learning_rate=1e-4,
            warmup_steps=200,
            beta2=0.98,
        ),
    ),
    Preset(
        name="medium",
        title="Medium",
        text="Six layers built like Llama; a night on a CPU or an hour on a GPU.",
        model=ModelConfig(
            n_vocab=4096,
            n_ctx=256,
            d_model=384,
            n_layers=6,
            n_heads=6,
            d_ff=1024,
            position="rotary",
            norm="rms_norm",
            activation="silu",
            gated=True,
            bias=False,
        ),
        training=TrainingConfig(
            n_steps=10_000,
            batch_size=32,
            learning_rate=1e-3,
            min_learning_rate=1e-4,
            warmup_steps=300,
            checkpoint_every=500,
        ),
    ),
    Preset(
        name="base-2017",
        title="The 2017 base width",
        text="The decoder of the first paper, as it was: norms after, waves, ReLU.",
        model=ModelConfig(
            n_vocab=8192,
            n_ctx=512,
            d_model=512,
            n_layers=6,
            n_heads=8,
            d_ff=2048,
            position="sinusoidal",
            norm_place="post",
            activation="relu",
            scale_embeddings=True,
            dropout=0.1,
        ),
        training=TrainingConfig(
            n_steps=100_000,
            batch_size=32,
            learning_rate=7e-4,
            min_learning_rate=2e-5,
            warmup_steps=4000,
            weight_decay=0.0,
            beta2=0.98,
            evaluate_every=1000,
            checkpoint_every=1000,
        ),
    ),
    Preset(
        name="gpt2-small",
        title="GPT-2 small",
        text="The 124 million weights of GPT-2's smallest model; it needs a large GPU.",
        model=ModelConfig(
            n_vocab=50257,
            n_ctx=1024,
            d_model=768,
            n_layers=12,
            n_heads=12,
            position="learned",
            activation="gelu_tanh",
            dropout=0.1,
        ),
        training=TrainingConfig(
            n_steps=100_000,
            batch_size=512,
            n_parts=32,
            learning_rate=6e-4,
            min_learning_rate=6e-5,
            warmup_steps=2000,
            evaluate_every=1000,
            checkpoint_every=1000,
            disk_budget_mb=20_000.0,
        ),
    ),
)
BY_NAME = {preset.name: preset for preset in PRESETS}


def preset(name: str) -> Preset:
    """Find a preset.

    Raises:
        ConfigError: None has the name.
    """
    try:
        return BY_NAME[name]
    except KeyError:
        raise ConfigError(
            f"{name!r} is no preset; choose one of {', '.join(BY_NAME)}."
        ) from None
