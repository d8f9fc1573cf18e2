"""Which tokens end a text: after them a model has nothing more to say."""

from core.tokenizers.base import Tokenizer

END_NAMES = ("<|endoftext|>", "</s>", "<end>")
"""What tokenizers call the token that ends a text."""


def end_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """The ids of the tokens that end a text; none where the tokenizer has none."""
    specials = tokenizer.specials
    return frozenset(specials[name] for name in END_NAMES if name in specials)
