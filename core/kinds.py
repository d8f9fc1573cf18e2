"""The kinds of parts that a model may be made of, by the names that files have."""

from typing import Literal

Position = Literal["sinusoidal", "learned", "rotary", "relative", "none"]
Norm = Literal["layer_norm", "rms_norm", "none"]
NormPlace = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
RotaryScaling = Literal["none", "linear", "llama3"]
AttentionKind = Literal["causal", "both"]
OutputHead = Literal["unembed", "masked", "pooled", "none"]
