"""THE TABLE of architectures that a GGUF file may have, and how each is written there.

In: the head of a file. Out: the family it belongs to and the fields that the family's
`config.json` would have, so that everything behind is shared with model folders.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.checkpoints.entries import Entry
from core.checkpoints.family import Family
from core.checkpoints.fields import Fields
from core.checkpoints.gguf_header import GgufHeader
from core.checkpoints.gpt2 import GPT2_FAMILY
from core.checkpoints.llama import LLAMA_FAMILY, QWEN2_FAMILY, QWEN3_FAMILY
from core.errors import CheckpointError

ARCHITECTURE = "general.architecture"
TABLE, OUTPUT = "token_embd.weight", "output.weight"
FREQUENCIES = "rope_freqs.weight"
"""How much more slowly each pair turns, where Llama 3 was stretched."""

LLAMA_KEYS = {
    "max_position_embeddings": "context_length",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
}
LLAMA_OPTIONAL = {
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "rope_theta": "rope.freq_base",
}
LLAMA_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "model.layers": "blk",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
GPT2_KEYS = {
    "n_positions": "context_length",
    "n_embd": "embedding_length",
    "n_inner": "feed_forward_length",
    "n_layer": "block_count",
    "n_head": "attention.head_count",
    "layer_norm_epsilon": "attention.layer_norm_epsilon",
}
GPT2_NAMES = {
    "transformer.wte": "token_embd",
    "transformer.wpe": "position_embd",
    "transformer.ln_f": "output_norm",
    "transformer.h": "blk",
    "lm_head": "output",
    "ln_1": "attn_norm",
    "ln_2": "ffn_norm",
    "attn.c_attn": "attn_qkv",
    "attn.c_proj": "attn_output",
    "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
}
REFUSED = (
    "expert_count",
    "attention.sliding_window",
    "attention.scale",
    "embedding_scale",
    "residual_scale",
    "logit_scale",
    "use_parallel_residual",
)
"""Settings that change what is computed, and are not computed here."""


@dataclass(frozen=True, slots=True)
class GgufFamily:
    """One row."""

    architecture: str
    family: Family
    keys: Mapping[str, str]
    """The family's field, and the setting that must be there."""
    names: Mapping[str, str]
    """Parts of the family's names of tensors, and of those in the file."""
    optional: Mapping[str, str]
    """The same of settings that may be missing."""
    further: Callable[[GgufHeader], dict[str, Any]]
    """What the tensors tell besides."""
    swaps_pairs: bool = False
    """Rows of queries and keys lie in pairs that turn together: (0, 1), (2, 3), ..."""

    def fields(self, header: GgufHeader) -> Fields:
        """What the family's `config.json` would say.

        Raises:
            CheckpointError: A setting is missing, or changes what is not computed here.
        """
        values = header.values
        for key in REFUSED:
            if value := values.get(f"{self.architecture}.{key}"):
                raise CheckpointError(
                    f"{header.path}: {self.architecture}.{key} = {value!r} is not "
                    "computed here; choose another model."
                )
        found: dict[str, Any] = {"vocab_size": rows_of(header)}
        for field, key in self.keys.items():
            name = f"{self.architecture}.{key}"
            if name not in values:
                raise CheckpointError(
                    f"{header.path} has no {name}; fetch it again, or choose another "
                    "model."
                )
            found[field] = values[name]
        for field, key in self.optional.items():
            found[field] = values.get(f"{self.architecture}.{key}")
        told = {key: value for key, value in found.items() if value is not None}
        return Fields(header.path, told | self.further(header))

    def name_of(self, entry: Entry) -> str:
        """What a tensor of the family is called in the file."""
        longest = sorted(self.names, key=len, reverse=True)
        pattern = "|".join(rf"\b{re.escape(name)}\b" for name in longest)
        return re.sub(pattern, lambda found: self.names[found[0]], entry.theirs)


def gguf_family(header: GgufHeader) -> GgufFamily:
    """The row of a file.

    Raises:
        CheckpointError: It names none, or one that is not known here.
    """
    name = header.values.get(ARCHITECTURE)
    for row in GGUF_FAMILIES:
        if row.architecture == name:
            return row
    known = ", ".join(row.architecture for row in GGUF_FAMILIES)
    raise CheckpointError(
        f"{header.path}: {ARCHITECTURE} = {name!r} is not known here; {known} are."
    )


def rows_of(header: GgufHeader) -> int:
    """Tokens that the embedding has a row for."""
    table = header.tensors.get(TABLE)
    if table is None or not table.shape:
        raise CheckpointError(
            f"{header.path} has no {TABLE}; it is not complete, or no language model."
        )
    return table.shape[0]


def _gpt2(header: GgufHeader) -> dict[str, Any]:
    return {"tie_word_embeddings": OUTPUT not in header.tensors}


def _llama(header: GgufHeader) -> dict[str, Any]:
    tensors = header.tensors
    name = header.values[ARCHITECTURE]
    kind = header.values.get(f"{name}.rope.scaling.type", "none")
    found: dict[str, Any] = {
        "tie_word_embeddings": OUTPUT not in tensors,
        "attention_bias": "blk.0.attn_output.bias" in tensors,
        "mlp_bias": "blk.0.ffn_down.bias" in tensors,
    }
    if kind != "none":
        factor = header.values.get(f"{name}.rope.scaling.factor")
        found["rope_scaling"] = {"rope_type": kind, "factor": factor}
    return found


GGUF_FAMILIES = (
    GgufFamily(
        "llama", LLAMA_FAMILY, LLAMA_KEYS, LLAMA_NAMES, LLAMA_OPTIONAL, _llama, True
    ),
    GgufFamily("qwen2", QWEN2_FAMILY, LLAMA_KEYS, LLAMA_NAMES, LLAMA_OPTIONAL, _llama),
    GgufFamily("qwen3", QWEN3_FAMILY, LLAMA_KEYS, LLAMA_NAMES, LLAMA_OPTIONAL, _llama),
    GgufFamily("gpt2", GPT2_FAMILY, GPT2_KEYS, GPT2_NAMES, {}, _gpt2),
)
