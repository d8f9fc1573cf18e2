"""BERT and its kin as `transformers` has them: read.

Devlin et al. 2018, Liu et al. 2019 (RoBERTa), Sanh et al. 2019 (DistilBERT); MiniLM is
a small BERT. All look to both sides and norm after each part. What comes after the last
layer depends on what the files hold: the head for masked words, or else the pooler of
the first row, or else nothing. Matrices are stored the other way round, [d_out, d_in].
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.checkpoints.entries import Entry, linear_entries, norm_entries
from core.checkpoints.family import EMBEDDING, Family
from core.checkpoints.fields import Fields
from core.config import ModelConfig

SIZES = {
    "n_vocab": "vocab_size",
    "d_model": "hidden_size",
    "d_ff": "intermediate_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
}
DISTIL_SIZES = {
    "n_vocab": "vocab_size",
    "d_model": "dim",
    "d_ff": "hidden_dim",
    "n_layers": "n_layers",
    "n_heads": "n_heads",
}
"""Our fields and theirs; all of them must be there."""
N_CTX, PADDING_ID = "max_position_embeddings", "pad_token_id"
BOTH_SIDED: dict[str, Any] = {
    "position": "learned",
    "norm_place": "post",
    "norm_embeddings": True,
    "attention": "both",
}
OLD_NAMES = (
    ("LayerNorm.gamma", "LayerNorm.weight"),
    ("LayerNorm.beta", "LayerNorm.bias"),
)
"""How the first files call gains and shifts, and how later ones do."""


@dataclass(frozen=True, slots=True)
class Names:
    """Theirs for our weights, without "weight" and "bias"."""

    layers: str
    """Before the number of a layer."""
    matrices: tuple[tuple[str, str, str], ...]
    """Our part and letter, and their name, of every matrix in a layer."""
    norms: tuple[tuple[str, str], ...]
    """Our part, and their name, of both norms in a layer."""
    base: str
    """Before what is no layer: "bert."."""
    dense: str
    """Of the head for masked words: its matrix,"""
    norm: str
    """its norm,"""
    shift: str
    """what it adds to each logit,"""
    decoder: str
    """and its table, which has a shift of its own where it is one of its own."""


MATRICES = (
    ("attn", "Q", "attention.self.query"),
    ("attn", "K", "attention.self.key"),
    ("attn", "V", "attention.self.value"),
    ("attn", "O", "attention.output.dense"),
    ("ffn", "1", "intermediate.dense"),
    ("ffn", "2", "output.dense"),
)
NORMS = (
    ("attn", "attention.output.LayerNorm"),
    ("ffn", "output.LayerNorm"),
)
BERT_NAMES = Names(
    matrices=MATRICES,
    norms=NORMS,
    layers="bert.encoder.layer",
    base="bert.",
    dense="cls.predictions.transform.dense",
    norm="cls.predictions.transform.LayerNorm",
    shift="cls.predictions.bias",
    decoder="cls.predictions.decoder",
)
ROBERTA_NAMES = Names(
    matrices=MATRICES,
    norms=NORMS,
    layers="roberta.encoder.layer",
    base="roberta.",
    dense="lm_head.dense",
    norm="lm_head.layer_norm",
    shift="lm_head.bias",
    decoder="lm_head.decoder",
)
DISTILBERT_NAMES = Names(
    matrices=(
        ("attn", "Q", "attention.q_lin"),
        ("attn", "K", "attention.k_lin"),
        ("attn", "V", "attention.v_lin"),
        ("attn", "O", "attention.out_lin"),
        ("ffn", "1", "ffn.lin1"),
        ("ffn", "2", "ffn.lin2"),
    ),
    norms=(("attn", "sa_layer_norm"), ("ffn", "output_layer_norm")),
    layers="distilbert.transformer.layer",
    base="distilbert.",
    dense="vocab_transform",
    norm="vocab_layer_norm",
    shift="vocab_projector.bias",
    decoder="vocab_projector",
)


def bert_config(fields: Fields) -> ModelConfig:
    """BERT and MiniLM."""
    return _config(fields, activation=fields.activation("hidden_act", "gelu"))


def roberta_config(fields: Fields) -> ModelConfig:
    """RoBERTa: positions count from the row behind the padding's."""
    fields.must_be("hidden_act", "gelu")  # its head is bent so, whatever this says
    first = fields.whole(PADDING_ID, 1) + 1
    return _config(fields, position_offset=first)


def _config(fields: Fields, position_offset: int = 0, **settings: Any) -> ModelConfig:
    fields.must_be("position_embedding_type", "absolute")
    fields.must_be("is_decoder", False)
    fields.must_be("add_cross_attention", False)
    return fields.config(
        SIZES,
        n_ctx=fields.whole(N_CTX) - position_offset,
        position_offset=position_offset,
        n_segments=fields.whole("type_vocab_size", 2),
        eps=fields.number("layer_norm_eps", 1e-12),
        tie_embeddings=fields.switch("tie_word_embeddings", True),
        **BOTH_SIDED,
        **settings,
    )


def distilbert_config(fields: Fields) -> ModelConfig:
    """DistilBERT: no segments, no pooler; the eps of its norms is in its code."""
    return fields.config(
        DISTIL_SIZES,
        n_ctx=fields.whole(N_CTX),
        activation=fields.activation("activation", "gelu"),
        eps=1e-12,
        tie_embeddings=fields.switch("tie_word_embeddings", True),
        **BOTH_SIDED,
    )


def headed(
    config: ModelConfig, stored: Mapping[str, object], *, names: Names
) -> ModelConfig:
    """The configuration with the head that the files hold."""
    if f"{names.dense}.weight" in stored:
        return replace(config, output_head="masked")
    has_pooler = f"{names.base}pooler.dense.weight" in stored
    base = replace(config, tie_embeddings=True)
    return replace(base, output_head="pooled" if has_pooler else "none")


def entries(config: ModelConfig, *, names: Names) -> tuple[Entry, ...]:
    """Where the weights are kept."""
    embeddings = f"{names.base}embeddings"
    tables = [("word", EMBEDDING), ("position", "embed.position.W_P")]
    if config.n_segments:
        tables.append(("token_type", "embed.W_S"))
    return (
        *(Entry(f"{embeddings}.{of}_embeddings.weight", (our,)) for of, our in tables),
        *norm_entries(f"{embeddings}.LayerNorm", "embed.norm"),
        *(each for i in range(config.n_layers) for each in _layer(i, names)),
        *_head(config, names),
    )


def _layer(i: int, names: Names) -> Iterator[Entry]:
    ours, theirs = f"layers.{i}", f"{names.layers}.{i}"
    for part, letter, name in names.matrices:
        yield from linear_entries(f"{theirs}.{name}", f"{ours}.{part}", letter)
    for part, name in names.norms:
        yield from norm_entries(f"{theirs}.{name}", f"{ours}.{part}.norm")


def _head(config: ModelConfig, names: Names) -> Iterator[Entry]:
    if config.output_head == "masked":
        yield from linear_entries(names.dense, "output", "T")
        yield from norm_entries(names.norm, "output.norm")
        own = f"{names.decoder}.bias"
        yield Entry(names.shift if config.tie_embeddings else own, ("output.b_U",))
    if config.output_head == "pooled":
        yield from linear_entries(f"{names.base}pooler.dense", "output", "T")


def _family(
    model_type: str, title: str, architecture: str, names: Names, **fields: Any
) -> Family:
    return Family(
        model_type=model_type,
        title=title,
        architectures=(f"{architecture}ForMaskedLM", f"{architecture}Model"),
        prefix=names.base,
        layers=f"{names.layers}.",
        entries=partial(entries, names=names),
        head=Entry(f"{names.decoder}.weight", ("output.W_U",), is_turned=True),
        headed=partial(headed, names=names),
        renamed=OLD_NAMES,
        **fields,
    )


BERT_FAMILY = _family(
    "bert",
    "BERT",
    "Bert",
    BERT_NAMES,
    config_of=bert_config,
    outside=("cls.",),
    computed=r"bert\.embeddings\.position_ids|cls\.predictions\.decoder\.bias",
)
ROBERTA_FAMILY = _family(
    "roberta",
    "RoBERTa",
    "Roberta",
    ROBERTA_NAMES,
    config_of=roberta_config,
    computed=r"roberta\.embeddings\.position_ids|lm_head\.decoder\.bias",
)
DISTILBERT_FAMILY = _family(
    "distilbert",
    "DistilBERT",
    "DistilBert",
    DISTILBERT_NAMES,
    config_of=distilbert_config,
    outside=("vocab_",),
    computed=r"distilbert\.embeddings\.position_ids",
)
