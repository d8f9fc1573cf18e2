"""What the window shows at one moment: a trace and where the reader is in it."""

from dataclasses import dataclass

from core.generation.sampling import Sampling
from core.tokenizers.base import Tokenizer
from core.trace.selection import Selection
from core.trace.step import side_of
from core.trace.token_side import TokenSide
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Viewing


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything a panel may show. Immutable; made by the session."""

    trace: Trace
    selection: Selection
    tokenizer: Tokenizer
    """Of the text that the present step reads."""
    sampling: Sampling
    viewing: Viewing = PLAIN
    beside: Trace | None = None
    """Another sentence in the same model, to be compared."""
    written_with: Tokenizer | None = None
    """Of the text that is written, where another one reads it."""

    @property
    def tokens(self) -> TokenSide:
        """The tokens of the text that the present step reads; the query is of them."""
        return self.trace.tokens(side_of(self.selection.step))

    @property
    def target_tokenizer(self) -> Tokenizer:
        """Of the text that is written: what the model picks are tokens of it."""
        return self.written_with or self.tokenizer
