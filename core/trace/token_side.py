"""The tokens of one side of a trace: how many, how they are called, which are padding.

In a model of one stack there is one side. Behind an encoder there are two, and the side
without a name is the decoder's: that is the text which is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.tokenizers.base import Encoding
from core.trace.step import DECODER, ENCODER, ONE

if TYPE_CHECKING:
    from core.trace.trace import Trace

TEXTS = {ONE: "sentence", ENCODER: "source", DECODER: "target"}
"""What the text of a side is called."""
PADDED = "⟨pad⟩"
"""Label of padding, whatever token stands there."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenSide:
    """A text as tokens, as a side of a model reads them."""

    name: str
    """"encoder", "decoder"; "" in a model of one stack."""
    encoding: Encoding
    padding: NDArray[np.bool_]
    """[n]: which tokens are padding, that no token looks at, not even itself."""

    @property
    def n(self) -> int:
        """Tokens."""
        return len(self.encoding.pieces)

    def label(self, place: int) -> str:
        """What a view calls a token: what its chip says, or that it is padding."""
        return PADDED if self.padding[place] else self.encoding.pieces[place].label


def token_sides(trace: "Trace") -> Mapping[str, TokenSide]:
    """The sides of a trace by name; the written one also without."""
    if trace.source is None:
        return {ONE: TokenSide(ONE, trace.encoding, _padding(trace, "mask"))}
    decoder = TokenSide(DECODER, trace.encoding, _padding(trace, "decoder.mask"))
    encoder = TokenSide(ENCODER, trace.source, _padding(trace, "encoder.mask"))
    return {ENCODER: encoder, DECODER: decoder, ONE: decoder}


def _padding(trace: "Trace", mask: str) -> NDArray[np.bool_]:
    return np.asarray(~trace.part(mask).any(axis=0))
