"""Who looks at a run while it learns: one way for running text, another for pairs.

In: a run's configuration, its tokenizer and its texts. Out: `Looks`.
"""

from core.tokenizers.base import Tokenizer
from core.training.config import RunConfig
from core.training.pairs.corpus import Pairs
from core.training.pairs.looks import PairLooks
from core.training.probes import Looks, TextLooks
from core.training.start import Texts


def looks_of(config: RunConfig, tokenizer: Tokenizer, texts: Texts) -> Looks:
    """Answers are asked of the pairs kept for validation, or else of the others."""
    asked = texts.valid or texts.train
    if isinstance(asked, Pairs):
        return PairLooks(tokenizer, config.watch, asked)
    return TextLooks(tokenizer, config.watch)
