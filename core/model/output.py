"""The stream becomes a score for every token of the vocabulary.

In: the stream [..., n, d_model]. Out: logits [..., n, n_vocab]; without logits, what
stands for the whole text. Steps: output.*.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.norm import NORMS
from core.model.recording import Watcher


class Output(nn.Module):
    """The stream becomes a score for every token of the vocabulary."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.W_T = self.b_T = self.b_U = None
        is_masked = config.output_head == "masked"
        if is_masked or config.output_head == "pooled":
            self.W_T = nn.Parameter(torch.empty(config.d_model, config.d_model))
            self.b_T = nn.Parameter(torch.zeros(config.d_model))
        if is_masked or config.output_bias:
            self.b_U = nn.Parameter(torch.zeros(config.n_vocab))
        has_norm = is_masked or config.reads_normed
        self.norm = NORMS[config.norm](config) if has_norm else None
        self.W_U: nn.Parameter | None = None
        if not config.tie_embeddings:
            self.W_U = nn.Parameter(torch.empty(config.d_model, config.n_vocab))

    def forward(self, stream: Tensor, W_E: Tensor, watch: Watcher) -> Tensor:
        """[..., n, d_model] -> [..., n, n_vocab]; without logits, what follows."""
        if self.config.output_head == "none":
            return stream
        if self.config.output_head == "pooled":
            stream = watch("output.first", functions.first_row(stream))
        if self.W_T is not None:
            dense = functions.linear(stream, self.W_T, self.b_T)
            stream = watch("output.dense", dense)
        if self.config.output_head == "pooled":
            return watch("output.pooled", functions.tanh(stream))
        if self.config.output_head == "masked":
            bend = functions.ACTIVATIONS[self.config.activation]
            stream = watch("output.active", bend(stream))
        if self.norm is not None:
            stream = watch("output.norm", self.norm(stream))
        if self.config.scale_output:
            scaled = functions.scale(stream, self.config.d_model)
            stream = watch("output.scaled", scaled)
        if self.W_U is None:
            logits = functions.unembed(stream, W_E, self.b_U)
        else:
            logits = functions.linear(stream, self.W_U, self.b_U)
        return watch("output.logits", logits)
