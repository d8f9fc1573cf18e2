"""Case A21: 512 tokens through 12 x 12 heads stay within a person's memory."""

import psutil

from core.config import ModelConfig
from core.trace.viewing import PLAIN
from core.trace.views.overview import MOST_DOTS, all_heads, small_maps
from tests.helpers.traces import traced_ids

N = 512
CONFIG = ModelConfig(n_vocab=257, n_ctx=N, d_model=96, n_layers=12, n_heads=12)
MOST_BYTES = 1_000_000_000
"""Half of what the whole program may take; 144 maps alone would be 600 MB a copy."""


def test_all_heads_of_a_long_sentence_are_seen_in_little_memory():
    before = psutil.Process().memory_info().rss
    trace = traced_ids(CONFIG, [place % 251 for place in range(N)])
    maps = small_maps(trace, "pattern", PLAIN, all_heads(trace))
    assert len(maps) == 144
    assert max(map(max, (each.shape for each in maps.values()))) <= MOST_DOTS
    assert psutil.Process().memory_info().rss - before < MOST_BYTES
