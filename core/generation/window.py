"""Which tokens of a long text the model still reads.

A model reads at most n_ctx tokens. Generation goes on beyond that by sliding: each new
token is read off from the last n_ctx tokens alone, as a fresh trace of just those would
show it. Plain integers, so that a window can say beforehand what will be forgotten.
"""


def n_forgotten(n_tokens: int, n_ctx: int) -> int:
    """How many tokens at the front of a text are no longer read."""
    return max(0, n_tokens - n_ctx)
